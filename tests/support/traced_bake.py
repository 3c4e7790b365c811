"""Prints our files that run between a press of Bake and its report: python tests/support/traced_bake.py

With the Python of a Blender wheel. The first bake fills caches, so the second one is traced. Counted by themselves are
files that run only where Blender calls handlers while it evaluates: there Live listens, and the list of limbs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.blender_process import MODULE, start_blender

CHECKOUT = Path(__file__).parents[2]


def build() -> None:
    """An arm of two bones that reaches for an empty, which moves."""
    import bpy
    from bl_ext.user_default.two_bone_ik import api

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.object.armature_add(enter_editmode=True)
    rig = bpy.context.object
    lower = rig.data.edit_bones.new("lower")
    lower.parent = rig.data.edit_bones[0]
    lower.head, lower.tail = (0.0, 0.1, 1.0), (0.0, 0.0, 2.0)
    rig.data.edit_bones[0].tail = lower.head
    bpy.ops.object.mode_set(mode="OBJECT")
    target: Any = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    for frame, place in ((1, (0.5, 0.3, 1.0)), (10, (0.2, 0.8, 1.2))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    api.add_chain(rig, "lower").target = target
    bpy.context.view_layer.update()


def traced() -> tuple[list[str], list[str]]:
    """Our files whose code runs while the operator does, in the order in which they begin, and what handlers add."""
    import bpy

    files: dict[str, None] = {}
    handling: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and "two_bone_ik" in name and frame.f_code.co_name != "<module>":
            (handling if handles(frame) else files).setdefault(name.partition("two_bone_ik/")[2])

    for profile in (None, note):
        sys.setprofile(profile)
        result = bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=10)
        sys.setprofile(None)
        assert result == {"FINISHED"}, result
    return list(files), [name for name in handling if name not in files]


def handles(frame: FrameType | None) -> bool:
    """Whether a handler of ours has led to this call."""
    while frame and not frame.f_code.co_filename.endswith("two_bone_ik/blender/handlers.py"):
        frame = frame.f_back
    return frame is not None


def main() -> None:
    """Blender is left by `os._exit`: some end in a crash otherwise."""
    (start_blender(SimpleNamespace(exitstatus=0)) / "two_bone_ik").symlink_to(CHECKOUT)
    import addon_utils

    assert addon_utils.enable(MODULE, default_set=True)
    build()
    files, handling = traced()
    library = [name for name in files if name.startswith(("solver/", "skeleton/"))]
    print(*files, f"{len(files)} files, {len(library)} of them in solver and skeleton", sep="\n")
    print("Beside them, called by Blender:", *handling)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
