"""Only requests order the steps, each kind in a file of its own, and no step looks back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
BLENDER = CHECKOUT / "blender"
REQUESTS = {
    f"{room}/{name}.py"
    for room, names in {
        "bake": ("bake", "pose", "write_channels"),
        "targets": ("flip", "target_space", "targets_from_pose"),
        "takeover": ("option_animation", "takeover"),
        "hold": ("hold", "held_targets", "trial_copies"),
        "plant": ("plant", "contact_runs"),
        "switch": ("switch", "built_targets", "control_keys"),
        "build": ("build",),
        "live": ("free_limb", "pulled_controls"),
    }.items()
    for name in names
}
"""Each kind of request, and the parts that several of them share."""
READING = {"build_plan", "dependencies", "keys", "keys_of_limbs", "notes", "space"}


def names(node: ast.AST) -> set[str]:
    """All names that it uses, and what it takes of modules, as `write.keys` and as `keys`."""
    used = [each for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute))]
    return {ast.unparse(each) for each in used} | {each.attr for each in used if isinstance(each, ast.Attribute)}


@cache
def named() -> dict[str, set[str]]:
    """By file of `blender` what it names."""
    files = BLENDER.rglob("*.py")
    return {path.relative_to(BLENDER).as_posix(): names(ast.parse(path.read_text("utf-8"))) for path in files}


def users(*wanted: str) -> set[str]:
    """The files of `blender` that name one of these."""
    return {path for path, names in named().items() if names & set(wanted)}


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Module, without its dots, and name of all relative imports of a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from ((node.module or "", alias.name) for alias in node.names)


def outside_requests(*wanted: str) -> set[str]:
    """The other files of `blender` that name one of these; fails if no request does."""
    found = users(*wanted)
    assert found & REQUESTS
    return found - REQUESTS


def test_only_requests_order_what_is_written() -> None:
    # A capture gets the keys that its file has.
    assert outside_requests("write.keys", "write.pose") == {"takes/bvh_import.py"}


def test_only_requests_order_what_is_measured() -> None:
    # Feet are measured in the same look as joints.
    comparisons = ("compare_joints", "compare_targets", "compare_limbs", "compare_feet")
    assert outside_requests(*comparisons) == {"plant/compare_feet.py"}


def test_only_requests_sample_to_solve() -> None:
    samplers = ("Sampler", "sample_current_frame", "sampled_current_frame", "sample_current_pose")
    # A need names the sampler that a request gives it.
    assert outside_requests(*samplers) == {"scene/sampling.py", "bake/request.py"}


@pytest.mark.parametrize("name", ["bake/bake", "targets/targets_from_pose"])
def test_nothing_is_read_once_it_is_written(name: str) -> None:
    path = BLENDER / f"{name}.py"
    read = {name for module, name in imported(path) if READING & {module.split(".")[-1], name}}
    phases = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    [written] = [node for node in phases if node.name == "write"]
    assert read
    assert not read & names(written)


def test_no_step_asks_what_is_live() -> None:
    others = {"live", "status", "blender"}
    for path in (path for path in BLENDER.rglob("*.py") if path.parent.name not in others):
        assert not any("live" in module.split(".") for module, _ in imported(path)), path
