"""Enables the installed extension, as Blender does when it starts, and refuses it what takes long to import.

Usage:
    BLENDER_USER_RESOURCES=out/resources python tests/support/watched_start.py
    BLENDER_USER_RESOURCES=out/resources blender --background --python tests/support/watched_start.py

Blender then plays a little, without a limb that is live. Exits with 1 if the extension was refused an import, or if it
imported many modules of its own.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import bpy

MODULE = "bl_ext.user_default.two_bone_ik"
SLOW = {"http", "numpy", "ssl", "subprocess"}
MOST_MODULES = 34

refused: list[str] = []


def importers() -> Iterator[str]:
    """The modules whose code is being carried out, up to the first."""
    frame: FrameType | None = sys._getframe(1)
    while frame:
        yield str(frame.f_globals.get("__name__"))
        frame = frame.f_back


def watch() -> None:
    """From now on an import of `SLOW` fails with whatever module of the extension it begins in, directly or not.

    Blender itself may import the same, or have it already: that is no fault of the extension.
    """
    imported = builtins.__import__

    def checked(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and name.partition(".")[0] in SLOW:
            ours = [importer for importer in importers() if importer.startswith(MODULE)]
            if ours:
                refused.append(f"{name} is imported by {' < '.join(ours)}")
                raise ImportError(refused[-1])
        return imported(name, globals, locals, fromlist, level)

    builtins.__import__ = checked


def play() -> None:
    """What happens in any file: it is loaded, shows an armature on some frames, and undo is asked for."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    for frame in range(3):
        bpy.context.scene.frame_set(frame)
    bpy.ops.ed.undo_push(message="One")
    bpy.ops.ed.undo_push(message="Two")
    bpy.ops.ed.undo()


def main() -> int:
    """The exit status."""
    import addon_utils  # once there is bpy

    watch()
    enabled = addon_utils.enable(MODULE, default_set=True)
    play()
    modules = sorted(name for name in sys.modules if name.startswith(MODULE))
    print(f"{len(modules)} modules:", *modules, *refused, sep="\n  ")
    return 0 if enabled and not refused and len(modules) <= MOST_MODULES else 1


status = main()
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
