"""The report in the panel is that of one armature: not of its name, and not of another that has the name now."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bpy.types import Object

from support.rigs import arm


def checked(name: str, frames: int) -> Object:
    """An arm of this name after a check of so many frames."""
    rig = arm().id_data
    rig.name = name
    bpy.context.view_layer.objects.active = rig
    bpy.ops.two_bone_ik.check(frame_start=1, frame_end=frames)
    return rig


def frames_of(rig: Object) -> int:
    """How many frames the armature's report tells of; 0 where it has none."""
    found = report.last(rig)
    return len(found.chains[0].frames) if found else 0


def test_a_report_goes_along_with_a_new_name() -> None:
    rig = checked("Hero", 3)
    rig.name = "Villain"
    assert frames_of(rig) == 3


def test_a_new_rig_of_an_old_name_has_no_report() -> None:
    checked("Hero", 3).name = "Villain"
    new = arm().id_data
    new.name = "Hero"
    assert frames_of(new) == 0
    bpy.data.objects.remove(bpy.data.objects["Villain"])
    assert frames_of(new) == 0


def test_a_duplicate_has_no_report_until_it_is_checked() -> None:
    rig = checked("Hero", 3)
    copy = rig.copy()
    bpy.context.collection.objects.link(copy)
    assert (frames_of(rig), frames_of(copy)) == (3, 0)
    bpy.context.view_layer.objects.active = copy
    bpy.ops.two_bone_ik.check(frame_start=1, frame_end=5)
    assert (frames_of(rig), frames_of(copy)) == (3, 5)


def test_a_report_goes_with_the_state_that_it_tells_of() -> None:
    """Undo gives the armature back the mark that it had."""
    rig = checked("Hero", 3)
    before = rig.two_bone_ik_report
    bpy.ops.two_bone_ik.check(frame_start=1, frame_end=7)
    after, rig.two_bone_ik_report = rig.two_bone_ik_report, before
    assert frames_of(rig) == 3
    rig.two_bone_ik_report = ""
    assert frames_of(rig) == 0
    rig.two_bone_ik_report = after
    assert frames_of(rig) == 7


def test_no_report_is_kept_for_another_file() -> None:
    rig = checked("Hero", 3)
    mark = rig.two_bone_ik_report
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    new = arm().id_data
    new.two_bone_ik_report = mark
    assert frames_of(new) == 0
