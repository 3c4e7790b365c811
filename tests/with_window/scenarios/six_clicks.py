"""From a human metarig to four baked limbs, with no more than six clicks and without a word of Python."""

from __future__ import annotations

import bpy
from scenarios.limb import metarig
from user import LAST_COLUMN, Steps, User


def scenario(user: User) -> Steps:
    metarig()
    bpy.context.scene.frame_end = 20
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield
    user.screenshot("start")
    yield from user.click("two_bone_ik.chains_detect")
    yield
    yield
    user.screenshot("detected")
    yield from user.click("two_bone_ik.create_targets")
    yield
    yield
    user.screenshot("targets")
    yield from user.click("two_bone_ik.bake", LAST_COLUMN)
    yield
    user.screenshot("dialog")
    yield
    yield from user.press("RET")
    yield
    yield
    user.screenshot("baked")
    rig = bpy.context.object
    assert [chain.name for chain in rig.two_bone_ik_chains if chain.target] == [c.name for c in rig.two_bone_ik_chains]
    assert len(rig.two_bone_ik_chains) == 4
    assert tuple(rig.animation_data.action.frame_range) == (1, 20)
    assert user.clicks <= 6

    for _ in range(3):
        yield from user.undo()
    rig = bpy.context.object
    assert not rig.two_bone_ik_chains
    assert rig.animation_data is None
    assert [item for item in bpy.data.objects if item.type == "EMPTY"] == []
    for _ in range(3):
        yield from user.redo()
    rig = bpy.context.object
    assert all(chain.target for chain in rig.two_bone_ik_chains)
    assert tuple(rig.animation_data.action.frame_range) == (1, 20)
