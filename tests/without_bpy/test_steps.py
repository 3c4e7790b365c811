"""The order of the steps stands in one file, and no step looks back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
BLENDER = CHECKOUT / "blender"
REQUESTS = BLENDER / "pipeline/requests.py"


def names(node: ast.AST) -> set[str]:
    """All names that it uses, and what it takes of modules, as `write.keys` and as `keys`."""
    used = [each for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute))]
    return {ast.unparse(each) for each in used} | {each.attr for each in used if isinstance(each, ast.Attribute)}


def users(*wanted: str) -> set[str]:
    """The files of `blender` that name one of these."""
    files = (path for path in BLENDER.rglob("*.py") if names(ast.parse(path.read_text("utf-8"))) & set(wanted))
    return {path.relative_to(BLENDER).as_posix() for path in files}


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Module, without its dots, and name of all relative imports of a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from ((node.module or "", alias.name) for alias in node.names)


def test_only_one_file_orders_what_is_written() -> None:
    # On trial, keys are written to a copy of the armature that is gone again at once.
    assert users("write.keys", "write.pose") == {"pipeline/requests.py", "pipeline/trial_keys.py"}


def test_only_one_file_orders_what_is_measured() -> None:
    assert users("compare_joints", "compare_targets") - {"pipeline/measure/compare.py"} == {"pipeline/requests.py"}


def test_only_one_file_samples_to_solve() -> None:
    samplers = ("Sampler", "sample_current_frame", "sampled_current_frame", "sample_current_pose")
    assert users(*samplers) - {"pipeline/sample/sampling.py"} == {"pipeline/requests.py"}


def test_nothing_is_read_once_it_is_written() -> None:
    read = {name for module, name in imported(REQUESTS) if module.startswith("read") or module == "read"}
    phases = [node for node in ast.walk(ast.parse(REQUESTS.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    written = [node for node in phases if node.name == "write_and_measure"]
    assert read
    assert len(written) == 2
    assert not read & set.union(*map(names, written))


def test_no_step_asks_what_is_live() -> None:
    live = {path.name for path in (BLENDER / "live").glob("*.py")}
    for path in (BLENDER / "pipeline").rglob("*.py"):
        found = {part for module, name in imported(path) for part in (*module.split("."), name)}
        assert not found & {"live", *(name.removesuffix(".py") for name in live - {"__init__.py"})}, path
