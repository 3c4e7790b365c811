"""Hands that rest on several things stay at the height of each, and what slides down a wall is told."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import ARM, animate, armature
from support.truth import on_frame

COUNT, LEAVES, COMES, GOES = 150, 100, 115, 135


def hand_keys(other: float) -> Object:
    """An arm whose hand rests most of the time, and then for 0.8 s where the arm is turned by so many radians."""
    names = {"spine": "spine", "upper": "upper_arm.L", "lower": "forearm.L", "hand": "hand.L"}
    rig = armature([bone._replace(name=names[bone.name], parent=names.get(bone.parent, "")) for bone in ARM])
    frames, rng = np.arange(1, COUNT + 1), np.random.default_rng(3)
    turns = np.interp(frames, (LEAVES, COMES, GOES, COUNT), (0.0, other, other, 0.0)) + rng.normal(0, 1e-4, COUNT)
    for frame, turn in zip(frames, turns, strict=True):
        animate(rig.pose.bones["upper_arm.L"], rotation_quaternion={frame: (np.cos(turn), np.sin(turn), 0, 0)})
        animate(rig.pose.bones["forearm.L"], rotation_quaternion={frame: (1, 0, 0, 0)})
    return rig


def places(rig: Object, bone: str, offset: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """(n, 3) of a point of this bone in the world, as Blender shows it."""
    found = []
    for frame in range(1, COUNT + 1):
        evaluated = rig.evaluated_get(on_frame(frame))
        matrix = np.array(evaluated.matrix_world @ evaluated.pose.bones[bone].matrix)
        found.append((matrix @ (*offset, 1.0))[:3])
    return np.array(found)


def heights(rig: Object) -> np.ndarray:
    """(n,) of the wrist."""
    return places(rig, "hand.L")[:, 2]


@pytest.mark.parametrize("other", [0.3, -0.3], ids=["one side", "other side"])
def test_a_hand_stays_at_the_height_of_what_it_rests_on(other: float) -> None:
    rig = hand_keys(other)
    before = heights(rig)
    [hand] = api.plant(rig, limbs=["ARMS"]).feet
    off = np.abs(heights(rig) - before).max()
    print(f"it goes by {np.ptp(before):.2f}, is moved by up to {off:.4f}, and rests on {hand.frames} frames")
    assert np.ptp(before) > 0.3
    assert off < 0.01
    assert hand.frames >= LEAVES + GOES - COMES - 5


def test_a_hand_that_goes_up_and_down_is_told_to_slide() -> None:
    rig = hand_keys(0.3)
    steps = np.diff(places(rig, "hand.L"), axis=0)
    slides = np.linalg.norm(steps, axis=1)
    assert slides.max() > 1.5 * np.linalg.norm(steps[:, :2], axis=1).max()
    [hand] = api.plant(rig, limbs=["ARMS"], contacts=[api.Contact("Arm.L", 1, COUNT, "hand.L", (0.0, 0.0, 0.0))]).feet
    assert hand.before == pytest.approx((np.median(slides), slides.max()), abs=1e-6), "single precision"
