"""Solve while Live is on: it starts from the pose before Live, so that each press gives what Live shows."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import State, limb_states
from bpy.types import Object

from support import rigs
from support.live import CLOSE, live_arm

PRESSES = 3
BONES = ("upper", "lower", "hand")
HALF = [
    {"influence": 0.5},
    {"influence": 0.5, "reference": "POSE"},
    {"influence": 0.5, "unreachable": "STRETCH", "max_stretch": 2.0},
    {"use_rotation": True, "tip_bone": "hand", "rotation_influence": 0.5},
]


def half_posed(**fields: object) -> Object:
    """A live arm with these fields of its chain, which stretches where they say so."""
    rigs.arm(**fields)
    rig = bpy.data.objects["Rig"]
    if "max_stretch" in fields:
        rig.data.bones["lower"].inherit_scale = "ALIGNED"
        bpy.data.objects["Target"].location = (2.2, 0.6, 1.3)
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    return rig


def pose(*armatures: Object) -> np.ndarray:
    return np.array([rig.pose.bones[name].matrix_basis for rig in armatures for name in BONES])


def states(*armatures: Object) -> list[State]:
    depsgraph = bpy.context.view_layer.depsgraph
    found = [limb_states(rig, bpy.context.scene, depsgraph) for rig in armatures]
    return [limb.state for limbs in found for limb in limbs.values()]


def two_arms(**fields: object) -> tuple[Object, Object]:
    """Two live arms, of which the second has these fields and reaches for what the hand of the first carries."""
    leader, follower = rigs.armature(name="Leader"), rigs.armature(name="Follower")
    follower.location.y = 1.0
    rigs.chain(leader, "lower", target=(1.2, 0.6, 1.3), influence=0.5)
    held = rigs.empty("Held", (0.0, 0.5, 0.0))
    held.parent, held.parent_type, held.parent_bone = leader, "BONE", "hand"
    rigs.chain(follower, "lower", target=held, **fields)
    leader.two_bone_ik_live = follower.two_bone_ik_live = True
    bpy.context.view_layer.update()
    return leader, follower


def two_limbs(**fields: object) -> Object:
    """A live armature with a second arm, with these fields, that reaches for the hand of the first."""
    rig = rigs.armature([*rigs.ARM, *rigs.LEFT])
    rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), influence=0.5)
    rigs.chain(rig, "lower.L", target=rig, subtarget="hand", **fields)
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("fields", HALF)
def test_each_press_gives_the_pose_that_live_shows(fields: dict[str, object]) -> None:
    rig = half_posed(**fields)
    shown, seen = pose(rig), states(rig)
    for _ in range(PRESSES):
        api.solve(rig)
        np.testing.assert_allclose(pose(rig), shown, atol=CLOSE)
        bpy.context.view_layer.update()
        np.testing.assert_allclose(pose(rig), shown, atol=CLOSE)
        assert states(rig) == seen != [State.HIDDEN]


@pytest.mark.parametrize("fields", HALF[:2])
def test_so_does_a_press_on_a_chain_that_follows_a_live_limb(fields: dict[str, object]) -> None:
    for armatures in (two_arms(**fields), (two_limbs(**fields),)):
        shown, seen = pose(*armatures), states(*armatures)
        assert State.HIDDEN not in seen
        for _ in range(PRESSES):
            for rig in reversed(armatures):
                api.solve(rig)
                np.testing.assert_allclose(pose(*armatures), shown, atol=CLOSE)
                bpy.context.view_layer.update()
                np.testing.assert_allclose(pose(*armatures), shown, atol=CLOSE)
                assert states(*armatures) == seen


@pytest.mark.parametrize("fields", HALF)
def test_a_press_goes_by_a_target_that_was_moved_just_now(fields: dict[str, object]) -> None:
    rig = half_posed(**fields)
    bpy.data.objects["Target"].location = (0.9, -0.5, 1.8)
    api.solve(rig)
    pressed = pose(rig)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(pose(rig), pressed, atol=CLOSE)
    bpy.data.objects["Target"].location = (1.2, 0.6, 1.3)
    bpy.context.view_layer.update()
    bpy.data.objects["Target"].location = (0.9, -0.5, 1.8)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(pose(rig), pressed, atol=CLOSE)


def test_a_press_goes_by_a_live_leader_that_was_moved_just_now() -> None:
    arms = two_arms(influence=0.5)
    before = pose(*arms)
    bpy.data.objects["Target"].location = (0.9, -0.5, 1.8)
    bpy.context.view_layer.update()
    wanted = pose(*arms)
    assert np.abs(wanted - before).max(axis=(1, 2))[[0, 3]].min() > 0.1
    bpy.data.objects["Target"].location = (1.2, 0.6, 1.3)
    bpy.context.view_layer.update()
    bpy.data.objects["Target"].location = (0.9, -0.5, 1.8)
    api.solve(arms[1])
    np.testing.assert_allclose(pose(*arms), wanted, atol=CLOSE)


@pytest.mark.parametrize("fields", HALF[:2])
def test_keys_of_each_press_are_the_pose_that_live_shows(fields: dict[str, object]) -> None:
    rig = live_arm(**fields)
    shown, seen = pose(rig), states(rig)
    for _ in range(PRESSES):
        api.solve(rig, insert_keys=True)
        bpy.context.view_layer.update()
        np.testing.assert_allclose(pose(rig), shown, atol=CLOSE)
        assert states(rig) == seen


def test_flip_bend_twice_gives_the_pose_that_live_shows() -> None:
    rig = live_arm(influence=0.5)
    shown = pose(rig)
    for _ in range(2):
        api.flip_bend(rig)
        bpy.context.view_layer.update()
    np.testing.assert_allclose(pose(rig), shown, atol=CLOSE)


def test_a_pose_set_by_hand_is_what_the_next_press_starts_from() -> None:
    rig = live_arm(influence=0.5)
    rig.two_bone_ik_live = False
    rig.pose.bones["upper"].rotation_quaternion = (0.9, 0.1, 0.3, -0.2)
    rig.pose.bones["lower"].rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    shown = pose(rig)
    api.solve(rig)
    np.testing.assert_allclose(pose(rig), shown, atol=CLOSE)
