"""Influence is keyed where it is shown, with I over its field: the bake follows the keys, and undo takes them away."""

from __future__ import annotations

import bpy
from scenarios.limb import keys, limb_with_target
from user import LAST_COLUMN, RIGHT_HALF, Steps, User

INFLUENCE = 'pose.bones["Bone.001"].two_bone_ik_influence'


def scenario(user: User) -> Steps:
    limb_with_target()
    bpy.context.scene.frame_set(1)
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    yield from user.move_to(INFLUENCE, RIGHT_HALF)
    yield from user.press("I")
    yield from user.wait()
    assert [key[:2] for key in keys()[INFLUENCE, 0]] == [(1, 1)]
    user.screenshot("keyed")
    yield from user.undo()
    assert (INFLUENCE, 0) not in keys()
    yield from user.redo()
    bpy.context.scene.frame_set(20)
    bpy.context.object.pose.bones["Bone.001"].two_bone_ik_influence = 0.0
    bpy.ops.ed.undo_push()
    yield from user.move_to(INFLUENCE, RIGHT_HALF)
    yield from user.press("I")
    yield from user.wait()
    assert [key[:2] for key in keys()[INFLUENCE, 0]] == [(1, 1), (20, 0)]

    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield from user.wait()
    yield from user.press("RET")
    yield from user.wait()
    user.screenshot("baked")
    at_rest = bpy.context.object.data.bones["Bone.001"].tail_local
    places = []
    for frame in (1, 20):
        bpy.context.scene.frame_set(frame)
        rig = bpy.context.object.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places.append((rig.pose.bones["Bone.001"].tail.copy(), bpy.data.objects["Empty"].location.copy()))
    assert (places[0][0] - places[0][1]).length < 1e-5
    assert (places[1][0] - at_rest).length < 1e-5
    assert (places[1][1] - at_rest).length > 0.5
