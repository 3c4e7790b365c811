"""A limb straight at rest: the panel says how it bends, until a button takes the other axis, or that of the keys."""

from __future__ import annotations

import bpy
from user import Steps, User


def scenario(user: User) -> Steps:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.object.armature_add(enter_editmode=True)
    bpy.ops.armature.extrude_move(TRANSFORM_OT_translate={"value": (0, 0, 1)})
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.two_bone_ik.chain_add()
    rig = bpy.context.object
    lower = rig.pose.bones[1]
    lower.rotation_mode = "XYZ"
    lower.rotation_euler = (0, 0, 0)
    lower.keyframe_insert("rotation_euler", frame=1)
    lower.rotation_euler = (0, 0, -0.8)
    lower.keyframe_insert("rotation_euler", frame=9)
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    user.screenshot("asks")
    yield from user.click("two_bone_ik.side_decide(axis='Z')")
    yield
    yield
    (chain,) = bpy.context.object.two_bone_ik_chains
    assert (chain.hinge_axis, chain.bend) == ("Z", "POSITIVE")
    yield from user.undo()
    yield
    yield from user.click("two_bone_ik.side_decide()")
    yield
    yield
    (chain,) = bpy.context.object.two_bone_ik_chains
    assert (chain.hinge_axis, chain.bend) == ("NEG_Z", "POSITIVE")
    user.screenshot("decided")
    yield from user.undo()
    (chain,) = bpy.context.object.two_bone_ik_chains
    assert (chain.hinge_axis, chain.bend) == ("AUTO", "REST")
