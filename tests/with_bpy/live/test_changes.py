"""What is changed about a limb while it is live counts from then on."""

from __future__ import annotations

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender.live import state

from support import rigs
from support.live import CLOSE, WITHIN_REACH, live_arm, move_target, pose, tip


def test_a_choice_shows_at_once() -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[5])
    before = pose()
    rig.two_bone_ik_chains[0].bend = "NEGATIVE"
    bpy.context.view_layer.update()
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)
    assert np.abs(pose() - before).max() > 0.1


def test_a_choice_that_is_unset_counts_when_live_poses_next() -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[5])
    usual, chain = pose(), rig.two_bone_ik_chains[0]
    chain.bend = "NEGATIVE"
    bpy.context.view_layer.update()
    assert np.abs(pose() - usual).max() > 0.1
    chain.property_unset("bend")
    move_target(WITHIN_REACH[1])
    move_target(WITHIN_REACH[5])
    np.testing.assert_allclose(pose(), usual, atol=CLOSE)


def test_live_follows_bones_that_were_edited_meanwhile() -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[1])
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["lower"].tail.z += 0.5
    bpy.ops.object.mode_set(mode="OBJECT")
    move_target(WITHIN_REACH[5])
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)


def test_bones_edited_while_a_choice_is_not_yet_read_count() -> None:
    # From the choice on no limb is known, until Live reads it again.
    rig = live_arm()
    move_target(WITHIN_REACH[1])
    bpy.context.view_layer.objects.active = rig
    rig.two_bone_ik_chains[0].bend = "NEGATIVE"
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["lower"].tail.z += 0.5
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in (5, 10, 1):
        bpy.context.scene.frame_set(frame)
        move_target(WITHIN_REACH[frame])
        np.testing.assert_allclose(tip(), WITHIN_REACH[frame], atol=CLOSE)


def test_live_follows_a_change_of_inheritance() -> None:
    rig = live_arm()
    rig.pose.bones["spine"].scale = (1.5, 1.5, 1.5)
    move_target(WITHIN_REACH[5])
    rig.data.bones["upper"].inherit_scale = "NONE"
    bpy.context.view_layer.update()
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)


def refused_now() -> dict[str, str]:
    rig = bpy.data.objects["Rig"]
    found = state.update(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get()).refused
    return {name: refusal.kind for name, refusal in found.items()}


def test_a_target_that_is_deleted_leaves_the_limb_where_it_is() -> None:
    live_arm()
    move_target(WITHIN_REACH[1])
    before = pose()
    bpy.data.objects.remove(bpy.data.objects["Target"])
    bpy.context.view_layer.update()
    assert (pose() == before).all()
    assert refused_now() == {"lower": "NO_TARGET"}


def test_live_follows_a_target_freed_from_its_own_limb() -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[1])
    target = bpy.data.objects["Target"]
    constraint = target.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = rig, "lower"
    bpy.context.view_layer.update()
    assert refused_now() == {"lower": "TARGET_FOLLOWS"}
    constraint.mute = True
    move_target(WITHIN_REACH[5])
    assert not refused_now()
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)


def test_a_bone_that_is_a_target_may_go() -> None:
    chain = rigs.arm()
    other = rigs.armature([rigs.Bone("handle", (1.0, 0.5, 1.0), (1.0, 0.5, 1.4))], "Other")
    chain.target, chain.subtarget = other, "handle"
    chain.id_data.two_bone_ik_live = True
    bpy.context.view_layer.update()
    assert not refused_now()
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    other.data.edit_bones.remove(other.data.edit_bones["handle"])
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    assert refused_now() == {"lower": "NO_SUBTARGET"}
