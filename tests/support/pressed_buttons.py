"""Presses all buttons of the installed extension, and tells which of its modules could start a thread or run a script.

Usage:
    BLENDER_USER_RESOURCES=out/resources python tests/support/pressed_buttons.py

Exits with 1 if such a module was imported by then, or if no module of the extension imports such a thing at all.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from pathlib import Path

import bpy

MODULE = "bl_ext.user_default.two_bone_ik"
THREADS = {"threading", "_thread", "concurrent", "multiprocessing", "runpy"}


def imports(path: Path) -> set[str]:
    """What a file imports, anywhere in it, by the first part of its name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
        found.update(name.partition(".")[0] for name in names)
    return found


def press() -> int:
    """Poll and press every operator on an arm, again and again, until each that can run has; how many could."""
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    ends = {"upper_arm.L": (0, 0, 0), "forearm.L": (1, 0.2, 0), "hand.L": (2, 0, 0)}
    for name, head in ends.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, (head[0] + 1, 0.2 * (1 - head[0] % 2), 0)
        bone.parent = data.edit_bones[-2] if len(data.edit_bones) > 1 else None
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_end = 5
    pressed = 0
    for name in 2 * ["chain_add", "create_targets", "bake", *dir(bpy.ops.two_bone_ik)]:
        operator = getattr(bpy.ops.two_bone_ik, name)
        if operator.poll():
            try:
                operator()
                pressed += 1
            except RuntimeError as refused:
                print(name, refused)
    rig.two_bone_ik_live = True
    bpy.context.scene.frame_set(3)
    return pressed


def main() -> int:
    """The exit status."""
    import addon_utils  # once there is bpy

    package = Path(addon_utils.enable(MODULE, default_set=True).__file__).parent
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    pressed = press()
    for path in sorted(package.glob("ui/*.py")):
        importlib.import_module(f"{MODULE}.ui.{path.stem}")
    ours = {name: module for name, module in sys.modules.items() if name.startswith(MODULE) and module}
    files = {Path(module.__file__) for module in ours.values() if module.__file__}
    able = {path for path in package.rglob("*.py") if imports(path) & THREADS}
    print(
        f"{pressed} presses, {len(files)} modules; of {len(able)} with threads or scripts:", *(able & files), sep="\n  "
    )
    return 0 if pressed > 20 and able and not able & files else 1


status = main()
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
