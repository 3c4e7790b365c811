"""The rules of the house, held by a machine: what may import what, and what a file may not contain."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

CHECKOUT = Path(__file__).parents[2]

# layer: our layers that it may import beside itself, and the modules of others beside the standard library
LAYERS = {
    "solver": (set(), {"numpy"}),
    # No bpy between sample and write.
    "skeleton": ({"solver"}, {"numpy"}),
    "blender": ({"solver", "skeleton"}, {"addon_utils", "bpy", "mathutils", "numpy"}),
    "api": ({"blender", "skeleton", "solver"}, {"bpy", "mathutils", "numpy"}),
    # No NumPy and no mathutils from here on: who has them computes.
    "operators": ({"api", "blender"}, {"blf", "bpy", "bpy_extras"}),
    "ui": ({"api", "blender"}, {"blf", "bpy", "bpy_extras", "gpu", "gpu_extras"}),
    "command_line": ({"api", "blender"}, {"bpy"}),
    "__init__": ({"blender", "operators", "ui", "command_line"}, set()),
    "__main__": ({"command_line", "register"}, {"bpy"}),
    "two_bone_ik_solver": (set(), {"numpy"}),
    # What they say that they need.
    "examples": (set(), {"matplotlib", "numpy", "solver", "support"}),
}
KNOW_THE_USER = {"operators", "ui", "command_line", "__main__"}
# Bones can be added in Edit Mode only, and no mode can be changed without a context.
OVERRIDES_CONTEXT = (PurePosixPath("blender/targets/edit_bones.py"), "_set_mode")
KNOWS_VERSIONS = PurePosixPath("blender/versions.py")
MAX_LINES = 400
MAX_TEST_NAME = 60
MACHINE_OR_REGISTRY = re.compile(r"(?<![\w.])/(?:farm|home|root|work)/|debian[.]org|npm[j]s|pypi[.]org|python[h]osted")


def _our_files() -> Iterator[Path]:
    ignored = {".git", *(line.strip("/") for line in (CHECKOUT / ".gitignore").read_text("utf-8").splitlines())}
    for folder, folders, names in os.walk(CHECKOUT):
        folders[:] = sorted(set(folders) - ignored)
        # In a worktree .git is a file.
        yield from (Path(folder, name).relative_to(CHECKOUT) for name in sorted(set(names) - ignored))


FILES = list(_our_files())


def faults(path: PurePosixPath, source: str) -> list[str]:
    """What is wrong with the Python file at `path` in the checkout, a sentence each."""
    lines = source.count("\n")
    found = [f"has {lines} lines, more than {MAX_LINES}"] if lines > MAX_LINES else []
    tree = ast.parse(source)
    layer = path.with_suffix("").parts[0]
    may_override = _overrides(tree) if path == OVERRIDES_CONTEXT[0] else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            found.append(f"line {node.lineno}: bare except")
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and len(node.name) > MAX_TEST_NAME:
            found.append(f"line {node.lineno}: {node.name} has more than {MAX_TEST_NAME} characters")
        if layer in LAYERS and node not in may_override:
            found += [f"line {node.lineno}: {fault}" for fault in _layer_faults(path, layer, node)]
    return found


def _overrides(tree: ast.Module) -> set[ast.AST]:
    """The calls of `bpy.context.temp_override`, with their parts, in the one function that may override the context."""
    functions = [node for node in ast.walk(tree) if getattr(node, "name", "") == OVERRIDES_CONTEXT[1]]
    attributes = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.Attribute)]
    allowed = [node for node in attributes if ast.unparse(node) == "bpy.context.temp_override"]
    return {part for node in allowed for part in ast.walk(node)}


def _layer_faults(path: PurePosixPath, layer: str, node: ast.AST) -> Iterator[str]:
    ours, others = LAYERS[layer]
    for name in _imported_from_us(path, node):
        if name not in ours | {layer, "__package__"}:
            yield f"{layer} imports our {name}"
    for name in _imported_from_others(node):
        if name.split(".")[0] not in others | sys.stdlib_module_names:
            yield f"{layer} imports {name}"
    for name in (*_imported_from_others(node), _dotted(node)):
        if name.startswith("bpy.context") and layer not in KNOW_THE_USER:
            yield f"{layer} uses bpy.context"
        if name.startswith("bpy.app.version") and path != KNOWS_VERSIONS:
            yield f"{name} outside of {KNOWS_VERSIONS}"


def _dotted(node: ast.AST) -> str:
    """Names joined by dots, as `bpy.context.scene`, and "" for all else."""
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _imported_from_us(path: PurePosixPath, node: ast.AST) -> list[str]:
    """The layers that a relative import names."""
    if not isinstance(node, ast.ImportFrom) or node.level == 0:
        return []
    package = path.parts[: -node.level]
    module = node.module.split(".") if node.module else []
    return [(*package, *module, alias.name)[0] for alias in node.names]


def _imported_from_others(node: ast.AST) -> list[str]:
    """The full names that an absolute import names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".py"], ids=str)
def test_a_file_keeps_the_rules_of_its_layer(path: Path) -> None:
    assert faults(PurePosixPath(path), (CHECKOUT / path).read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("path", "source", "fault"),
    [
        ("solver/planar.py", "import bpy", "solver imports bpy"),
        ("solver/planar.py", "from ..blender import read", "solver imports our blender"),
        ("solver/planar.py", "from solver import reach", "solver imports solver.reach"),
        ("skeleton/inherit.py", "import bpy", "skeleton imports bpy"),
        ("skeleton/inherit.py", "from mathutils import Matrix", "skeleton imports mathutils.Matrix"),
        ("skeleton/values.py", "from ..blender import versions", "skeleton imports our blender"),
        ("blender/bake/bake.py", "from ...operators.bake import poll", "blender imports our operators"),
        ("blender/bake/bake.py", "from ... import api", "blender imports our api"),
        ("blender/bake/bake.py", "from bpy import context", "blender uses bpy.context"),
        ("blender/targets/edit_bones.py", "def make():\n  bpy.context.temp_override()", "blender uses bpy.context"),
        ("blender/targets/edit_bones.py", "def _set_mode():\n  bpy.context.object", "blender uses bpy.context"),
        ("blender/targets/other.py", "def _set_mode():\n  bpy.context.temp_override()", "blender uses bpy.context"),
        ("api/bake.py", "def bake():\n  return bpy.context.scene", "api uses bpy.context"),
        ("api/bake.py", "if bpy.app.version[0] > 4: pass", f"bpy.app.version outside of {KNOWS_VERSIONS}"),
        ("ui/panel.py", "def draw():\n  import numpy as np", "ui imports numpy"),
        ("operators/bake.py", "from mathutils import Vector", "operators imports mathutils.Vector"),
        ("tests/any.py", "try: pass\nexcept: pass", "bare except"),
        ("tests/any.py", "\n" * (MAX_LINES + 1), "lines, more than"),
        ("tests/any.py", f"def test_{'a' * (MAX_TEST_NAME - 4)}(): pass", f"more than {MAX_TEST_NAME} characters"),
    ],
)
def test_a_broken_rule_is_found(path: str, source: str, fault: str) -> None:
    (found,) = set(faults(PurePosixPath(path), source))
    assert fault in found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("blender/bake/bake.py", "from ...solver.values import Chain\nfrom ..messages.refused import Refused"),
        ("ui/preferences.py", "from .. import __package__ as base_package\nimport bpy\nbpy.context.area.tag_redraw()"),
        ("blender/targets/edit_bones.py", "def _set_mode():\n  with bpy.context.temp_override(object=item): pass"),
        ("blender/versions.py", "import bpy\nHAS_SLOTS = bpy.app.version >= (4, 4)"),
        ("__init__.py", "from . import blender, operators, ui"),
        ("tests/any.py", f"def test_{'a' * (MAX_TEST_NAME - 5)}(): pass"),
    ],
)
def test_what_the_layers_need_is_allowed(path: str, source: str) -> None:
    assert faults(PurePosixPath(path), source) == []


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in FILES:
        try:
            text = (CHECKOUT / path).read_text("utf-8")
        except UnicodeDecodeError:  # a picture
            continue
        found += [f"{path}: {match[0]}" for match in MACHINE_OR_REGISTRY.finditer(text)]
    assert found == []
