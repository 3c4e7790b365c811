"""A limb and a moving target: open the tab, click Bake, confirm, and there are keys; one undo takes them away."""

from __future__ import annotations

import bpy
from user import Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    yield from user.open_sidebar("Animation")
    yield from user.click("two_bone_ik.bake")
    yield
    user.screenshot("dialog")
    yield from user.press("RET")
    yield
    user.screenshot("keys")
    assert keyed_range() == (1, 20)
    yield from user.undo()
    assert keyed_range() is None


def keyed_range() -> tuple[float, float] | None:
    animation = bpy.context.object.animation_data
    return tuple(animation.action.frame_range) if animation and animation.action else None


def limb_with_target() -> None:
    bpy.context.scene.frame_end = 20
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.object.empty_add(location=(1, 0, 1))
    target = bpy.context.object
    target.keyframe_insert("location", frame=1)
    target.location = (0, 1, 1)
    target.keyframe_insert("location", frame=20)
    bpy.ops.object.armature_add(enter_editmode=True)
    bpy.ops.armature.extrude_move(TRANSFORM_OT_translate={"value": (0.2, 0, 1)})
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.two_bone_ik.chain_add()
    bpy.context.object.two_bone_ik_chains[0].target = target
    bpy.ops.ed.undo_push()
