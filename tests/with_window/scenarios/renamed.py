"""A bone of a live limb is renamed by F2: its chain goes along, Live goes on, and undo and redo take both with them."""

from __future__ import annotations

import bpy
from scenarios.limb import limb_with_target
from user import Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    bpy.context.object.two_bone_ik_live = True
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield
    yield from rename(user, "Y")
    user.screenshot("renamed")
    assert end_bone() == "y", end_bone()
    assert follows(13)
    yield from user.undo()
    yield
    assert end_bone() == "Bone.001"
    assert follows(7)
    yield from user.redo()
    yield
    assert end_bone() == "y"
    assert follows(17)

    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.ed.undo_push()
    yield
    yield from rename(user, "Z")
    bpy.ops.object.mode_set(mode="POSE")
    yield
    user.screenshot("edited")
    assert end_bone() == "z"
    assert follows(4)


def rename(user: User, letter: str) -> Steps:
    """The active bone, to that letter in lower case."""
    yield from user.point(0.4, 0.5)
    yield from user.press("F2")
    yield from user.wait(3)
    for value, unicode in (("PRESS", {"unicode": letter.lower()}), ("RELEASE", {})):
        user.window.event_simulate(letter, value, x=user.mouse[0], y=user.mouse[1], **unicode)
        yield
    yield from user.press("RET")
    yield
    yield from user.press("RET")
    yield


def end_bone() -> str:
    """The name that the chain has, which one of the bones has, too."""
    rig = bpy.context.object
    name = rig.two_bone_ik_chains[0].end_bone
    assert name in rig.data.bones
    return name


def follows(frame: int) -> bool:
    """Whether the tip points at the target there, or reaches it."""
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    rig = bpy.context.object.evaluated_get(depsgraph)
    target = bpy.context.object.two_bone_ik_chains[0].target.evaluated_get(depsgraph)
    tip = rig.matrix_world @ rig.pose.bones[end_bone()].tail
    return (tip - target.matrix_world.translation).length < 1e-4
