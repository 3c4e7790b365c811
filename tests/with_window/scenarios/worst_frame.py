"""A limb that a constraint poses otherwise: the report says so first; a click on that line goes to the worst frame."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik.blender.bake import report
from scenarios.limb import keyed_range, limb_with_target
from scenarios.pictures import toggle_section
from user import Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    rig = bpy.context.object
    bone = rig.pose.bones[rig.two_bone_ik_chains[0].end_bone]
    constraint = bone.constraints.new("DAMPED_TRACK")
    constraint.target = rig.two_bone_ik_chains[0].target
    constraint.track_axis = "TRACK_X"
    for frame, influence in ((8, 0.0), (9, 1.0), (10, 0.0)):
        constraint.influence = influence
        constraint.keyframe_insert("influence", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push()
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.two_bone_ik.bake("EXEC_DEFAULT", True)
    yield from user.open_sidebar("Animation")
    yield from toggle_section(user, "Report")
    yield from user.wait()
    user.screenshot("report")
    frame, _ = report.last(rig).worst
    assert frame == 9
    yield from user.click("two_bone_ik.go_to_frame")
    yield from user.wait()
    user.screenshot("frame")
    assert bpy.context.scene.frame_current == 9
    yield from user.undo()
    assert keyed_range() == (1, 20), "the keys stay"
    yield from user.undo()
    assert keyed_range() == (8, 10), "one step back is the bake"
