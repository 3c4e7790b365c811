"""A limb without a target, in Object Mode: create both, undo that, create them again, and key them from the pose."""

from __future__ import annotations

import bpy
from scenarios.limb import keyed_range, limb_with_target
from user import RIGHT_HALF, Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    rig = bpy.context.object
    rig.two_bone_ik_chains[0].target = None
    rig.pose.bones[1].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    bpy.ops.object.mode_set(mode="OBJECT")  # where targets are empties
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield
    user.screenshot("before")

    yield from user.click("two_bone_ik.create_targets")
    yield
    assert names() == ("Bone.001 Target", "Bone.001 Pole")
    user.screenshot("created")
    yield from user.undo()
    assert names() == (None, None)
    assert "Bone.001 Target" not in bpy.data.objects
    yield from user.redo()
    assert names() == ("Bone.001 Target", "Bone.001 Pole")

    yield from user.click("two_bone_ik.bake_targets", RIGHT_HALF)
    yield
    yield from user.press("RET")
    yield
    user.screenshot("keys")
    assert keyed("Bone.001 Target")
    assert keyed("Bone.001 Pole")
    assert keyed_range() is None
    yield from user.undo()
    assert not keyed("Bone.001 Target")


def names() -> tuple[str | None, str | None]:
    chain = bpy.context.object.two_bone_ik_chains[0]
    return chain.target and chain.target.name, chain.pole_target and chain.pole_target.name


def keyed(name: str) -> bool:
    return bpy.data.objects[name].animation_data is not None
