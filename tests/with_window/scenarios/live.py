"""Live: the limb follows its target while the mouse moves it; the overlay shows how far it reaches."""

from __future__ import annotations

import bpy
from scenarios.limb import limb_with_target
from user import LAST_COLUMN, Steps, User

REACHED, TOO_FAR = (0.35, 0.85, 0.35), (1.0, 0.25, 0.2)


def scenario(user: User) -> Steps:
    limb_with_target()
    rig = bpy.context.object
    target = rig.two_bone_ik_chains[0].target
    target.animation_data_clear()
    yield from user.open_sidebar("Animation")
    yield from user.click("two_bone_ik.live")
    yield from user.click("two_bone_ik_overlay", LAST_COLUMN)
    assert rig.two_bone_ik_live
    yield from user.wait(3)
    user.screenshot("reached")
    assert distance() < 1e-5
    assert user.sees(REACHED)
    assert not user.sees(TOO_FAR)

    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = target
    target.select_set(True)
    rig.select_set(True)
    rig.select_set(False)
    bpy.ops.ed.undo_push()
    before = target.location.copy()
    yield from user.point(0.5, 0.5)
    yield from user.press("G")
    for step in range(5):
        yield from user.point(0.5 + 0.02 * step, 0.5 + 0.01 * step)
        yield
        assert distance() < 1e-5
    yield from user.press("RET")
    yield
    assert target.location != before
    bpy.context.view_layer.objects.active = rig
    yield
    yield
    user.screenshot("moved")
    assert user.sees(TOO_FAR)
    yield from user.click("two_bone_ik_overlay", LAST_COLUMN)
    yield
    assert not user.sees(TOO_FAR)
    yield from user.undo()
    yield
    assert bpy.data.objects["Empty"].location == before
    assert distance() < 1e-5


def distance() -> float:
    """From the evaluated tip to the target, as far as that is within reach."""
    rig, target = bpy.data.objects["Armature"], bpy.data.objects["Empty"]
    evaluated = rig.evaluated_get(bpy.context.view_layer.depsgraph)
    root, tip = evaluated.pose.bones[0].head, evaluated.pose.bones[-1].tail
    wanted = target.matrix_world.translation - root
    reach = sum(bone.length for bone in rig.data.bones)
    wanted *= min(1.0, reach / wanted.length)
    return (tip - root - wanted).length
