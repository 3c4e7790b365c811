"""A chain that hangs on another reaches from where that one plays, also on frames on which it gets no key."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data
from support.rigs import ARM, Bone, animate, armature, empty, keys
from support.truth import Limb

WAYS = ["AUTO", "ISOLATED", "SCENE"]
FRAMES = range(1, 25)
CLOSE = 1e-5
FINGER = (
    Bone("palm", (2, 0, 1.1), (2.2, 0, 1.1), "hand"),
    Bone("near", (2.2, 0, 1.1), (2.4, 0.05, 1.1), "palm"),
    Bone("far", (2.4, 0.05, 1.1), (2.6, 0, 1.1), "near"),
)
TIP = Limb(root="near", end="far", target="Ball", pole="Pole")


def hand_and_finger(**fields: object) -> Object:
    """An arm whose target leaves its reach and comes back, with a finger that follows a ball held before the hand."""
    rig = armature((*ARM, *FINGER))
    for name in ("hand", "palm"):
        rig.data.bones[name].inherit_scale = "NONE"
    target, ball = empty("Target"), empty("Ball", (0.1, 0.15, 0.1))
    animate(target, location={1: (1.2, 0.6, 1.3), 7: (2.5, 1.5, 1.6), 13: (0.6, -0.8, 1.5), 24: (1.4, 0.3, 0.6)})
    ball.parent, ball.parent_type, ball.parent_bone = rig, "BONE", "palm"
    animate(ball, location={frame: (0.1, 0.15 + 0.002 * frame, 0.1) for frame in FRAMES})
    api.add_chain(rig, "far", target=ball, pole_target=empty("Pole", (1, 3, 3)))
    api.add_chain(rig, "lower", target=target, **fields)
    return rig


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR", "CONSTANT"])
def test_a_finger_reaches_while_its_arm_skips(interpolation: str, way: str) -> None:
    rig = hand_and_finger(unreachable="SKIP")
    report = api.bake(rig, frames=(1, 24), interpolation=interpolation, sampling=way)
    assert report.chains[1].reached
    assert len(keys(rig.pose.bones["lower"])) < 24 == len(keys(rig.pose.bones["far"]))
    assert TIP.misses(FRAMES).max() < CLOSE


@pytest.mark.parametrize("way", WAYS)
def test_a_finger_reaches_between_the_keys_of_its_arm(way: str) -> None:
    rig = hand_and_finger()
    api.bake(rig, frames=(1, 24), keys="TARGET_KEYS", sampling=way)
    assert list(keys(rig.pose.bones["lower"])) == [1, 7, 13, 24]
    assert len(keys(rig.pose.bones["far"])) == 24
    assert TIP.misses(FRAMES).max() < CLOSE


def test_a_finger_reaches_where_its_arm_keeps_keys_from_before() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    animate(rig.pose.bones["upper"], rotation_quaternion={0: (1, 0.3, 0, 0), 40: (1, 0, 0, 0.5)})
    api.bake(rig, frames=(5, 24))
    assert TIP.misses(range(5, 25)).max() < CLOSE


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR"])
def test_a_reduced_finger_holds_its_tolerance_on_a_reduced_arm(interpolation: str) -> None:
    rig = hand_and_finger()
    ball, tolerance = bpy.data.objects["Ball"], 0.05
    ball.animation_data_clear()
    ball.parent, ball.parent_type, ball.location = bpy.data.objects["Target"], "OBJECT", (0.3, 0.1, 0.1)
    length = sum(rig.data.bones[name].length for name in ("near", "far"))
    api.bake(rig, frames=(1, 24), keys="REDUCED", tolerance=tolerance, interpolation=interpolation)
    off = TIP.misses(np.arange(1.0, 24.1, 0.25))[:, 1] * length
    assert off.max() <= tolerance * 1.001 + CLOSE


def test_a_finger_hangs_on_the_hand_as_its_target_turns_it() -> None:
    rig = hand_and_finger(tip_bone="hand", use_rotation=True)
    animate(bpy.data.objects["Target"], rotation_euler={1: (0, 0, 0), 24: (1, 2, 0.5)})
    api.bake(rig, frames=(1, 24))
    assert TIP.misses(FRAMES).max() < CLOSE


def test_a_solve_takes_a_skipped_arm_as_it_stands() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    bpy.context.scene.frame_set(7)
    rig.pose.bones["upper"].rotation_quaternion = (1, 0.2, 0, 0.3)
    api.solve(rig)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert np.linalg.norm(TIP.joints(depsgraph)[2] - TIP.goal(depsgraph)) < CLOSE


@pytest.mark.parametrize("way", WAYS)
def test_a_finger_reaches_while_its_arm_has_a_driven_scale(way: str) -> None:
    rig = hand_and_finger(unreachable="SKIP")
    for index in range(3):
        rig.pose.bones["lower"].driver_add("scale", index).driver.expression = "1 + 0.01 * frame"
    assert api.bake(rig, frames=(1, 24), sampling=way).posed
    assert TIP.misses(FRAMES).max() < CLOSE


def test_a_check_refuses_by_the_name_of_the_armature() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    rig.pose.bones["upper"].driver_add("rotation_quaternion", 0).driver.expression = "1"
    with pytest.raises(api.Refused, match='of bone "upper" on "Rig" is driven'):
        api.check(rig, frames=(1, 24))


def test_nothing_is_left_behind_by_what_was_tried() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    rig.pose.bones["spine"].keyframe_insert("location", frame=1)
    rig.pose.bones["spine"].location = (0.1, 0.2, 0.3)
    before = file_data.dump()
    api.check(rig, frames=(1, 24))
    assert not file_data.changed(before)
    bpy.context.view_layer.update()
    assert not file_data.changed(before)
    assert rig.animation_data.action.users == 1
    assert tuple(rig.pose.bones["spine"].location) == pytest.approx((0.1, 0.2, 0.3))
