"""Hands on a table, on several things, on a wall: they stay at the height of each, and the figures that are told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.rigs import ARM, Bone, animate, armature
from support.truth import worlds

NAMES = {"spine": "spine", "upper": "upper_arm.L", "lower": "forearm.L", "hand": "hand.L"}
COUNT, LEAVES, COMES, GOES = 150, 100, 115, 135


def arm(bones: Sequence[Bone] = ARM) -> Object:
    """One of a kind that is found by its names."""
    return armature([bone._replace(name=NAMES[bone.name], parent=NAMES.get(bone.parent, "")) for bone in bones])


def hand_keys(other: float) -> Object:
    """An arm whose hand rests most of the time, and then for 0.8 s where the arm is turned by so many radians."""
    rig = arm()
    frames, rng = np.arange(1, COUNT + 1), np.random.default_rng(3)
    turns = np.interp(frames, (LEAVES, COMES, GOES, COUNT), (0.0, other, other, 0.0)) + rng.normal(0, 1e-4, COUNT)
    for frame, turn in zip(frames, turns, strict=True):
        animate(rig.pose.bones["upper_arm.L"], rotation_quaternion={frame: (np.cos(turn), np.sin(turn), 0, 0)})
        animate(rig.pose.bones["forearm.L"], rotation_quaternion={frame: (1, 0, 0, 0)})
    return rig


def places(rig: Object) -> np.ndarray:
    """(n, 3) of the wrist, as Blender shows it."""
    return worlds(rig, range(1, COUNT + 1), "hand.L")[:, 0, :3, 3]


@pytest.mark.parametrize("other", [0.3, -0.3], ids=["one side", "other side"])
def test_a_hand_stays_at_the_height_of_what_it_rests_on(other: float) -> None:
    rig = hand_keys(other)
    before = places(rig)[:, 2]
    [hand] = api.plant(rig, limbs=["ARMS"]).feet
    off = np.abs(places(rig)[:, 2] - before).max()
    assert np.ptp(before) > 0.3
    assert off < 0.01
    assert hand.frames >= LEAVES + GOES - COMES - 5


def test_a_hand_that_goes_up_and_down_is_told_to_slide() -> None:
    rig = hand_keys(0.3)
    steps = np.diff(places(rig), axis=0)
    slides = np.linalg.norm(steps, axis=1)
    assert slides.max() > 1.5 * np.linalg.norm(steps[:, :2], axis=1).max()
    [hand] = api.plant(rig, limbs=["ARMS"], contacts=[api.Contact("Arm.L", 1, COUNT, "hand.L", (0.0, 0.0, 0.0))]).feet
    assert hand.before == pytest.approx((np.median(slides), slides.max()), abs=1e-6), "single precision"


def test_hands_are_planted_on_a_table() -> None:
    rig = arm()
    rng = np.random.default_rng(3)
    for frame in range(1, 61):
        slow = np.clip((frame - 40) / 20, 0, 1) ** 2
        for name, turn in (("upper_arm.L", 0.01), ("forearm.L", 0.02)):
            wander = turn * np.sin(frame / 9) * 0.3 + rng.normal(0, 1e-4) + 0.8 * slow
            animate(rig.pose.bones[name], rotation_quaternion={frame: (np.cos(wander), 0, 0, np.sin(wander))})
    [foot] = api.plant(rig, limbs=["ARMS"]).feet
    assert foot.frames > 30
    assert foot.before[1] > 1e-3
    assert foot.after[1] < 1e-5
    assert not any('"spine"' in curve.data_path for curve in versions.curves(rig))


CONTACT = [api.Contact("Arm.L", 1, 60, "hand.L", (0, 0, 0))]


def held(bones: Sequence[Bone] = ARM) -> Object:
    """One whose hand is to be held, with a pose that is keyed and nearly the same on 60 frames."""
    rig = arm(bones)
    rng = np.random.default_rng(1)
    for name in ("upper_arm.L", "forearm.L"):
        for frame in range(1, 61):
            turn = rng.normal(0, 1e-4)
            animate(rig.pose.bones[name], rotation_quaternion={frame: (1.0, 0.0, turn, 0.0)})
    return rig


@pytest.mark.parametrize("step", [0.5, 1.0, 2.0])
def test_a_slide_is_told_a_frame_whatever_the_step(step: float) -> None:
    rig = held()
    for frame in range(1, 61):
        animate(rig, location={frame: (0.0, 0.002 * frame, 0.0)})
    [hand] = api.plant(rig, frames=(1, 60, step), contacts=CONTACT, limbs=["ARMS"]).feet
    assert hand.before[0] == pytest.approx(0.002, rel=0.1)


def test_a_limb_that_falls_short_by_rounding_does_not() -> None:
    ends = {
        "upper": ((0, 0, 1), (1, 0.2, 1)),
        "lower": ((1, 0.2, 1), (1.8, 0.36, 1)),
        "hand": ((1.8, 0.36, 1), (2, 0.4, 1)),
    }
    bones = [
        bone._replace(head=ends[bone.name][0], tail=ends[bone.name][1]) if bone.name in ends else bone for bone in ARM
    ]
    rig = held(bones)
    report = api.plant(rig, contacts=CONTACT, limbs=["ARMS"])
    [hand] = report.feet
    assert hand.frames == 60
    assert "falls short" not in str(report)
    assert hand.short == 0.0
