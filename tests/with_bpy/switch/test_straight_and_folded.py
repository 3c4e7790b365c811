"""Limbs that are straight, a hair from it, bent beyond, folded or longer than IK reaches stay where they switch."""

from __future__ import annotations

from collections.abc import Callable
from math import cos

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Quaternion

from support.rigs import animate
from support.truth import on_frame
from support.walking import LIMBS, deforming, off, reach_out, set_poles, swing

FRAMES, HALVES, KEYS = range(1, 15), np.arange(1.5, 14.0), range(1, 26, 6)
SPAN = (FRAMES[0], FRAMES[-1])
BONES = (("thigh", "shin"), ("upper_arm", "forearm"))


def folded(rig: Object) -> None:
    """Folded hard, and swung anywhere: a turn about a bone's own axis would take the tip away, and IK would undo it."""
    random = np.random.default_rng(1)
    for side in "LR":
        for limb, (upper, lower) in zip(LIMBS, BONES, strict=True):
            rig.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] = 1.0
            for frame in FRAMES:
                turns = {upper: (random.normal(size=3), random.uniform(0.0, 1.6))}
                turns[lower] = np.array((1.0, 0.0, 0.0)), random.uniform(2.2, 2.6)
                for name, (axis, angle) in turns.items():
                    rotation = Quaternion(axis / np.linalg.norm(axis), angle)
                    animate(rig.pose.bones[f"{name}_fk.{side}"], rotation_quaternion={frame: rotation})


def longer_than_ik_reaches(rig: Object) -> None:
    """Upper bones grow by up to a fifth, and lower ones by half as much more; left IK Stretch is 0, right 0.5."""
    straight_but_once(rig)
    for side in "LR":
        for upper, lower in BONES:
            for key, more in zip(KEYS, (0.0, 0.2, 0.1, 0.0, 0.0), strict=True):
                animate(rig.pose.bones[f"{upper}_fk.{side}"], scale={key: (1.0 + more,) * 3})
                animate(rig.pose.bones[f"{lower}_fk.{side}"], scale={key: (1.0 + 0.5 * more,) * 3})


def straight_but_once(rig: Object) -> None:
    swing(rig, {key: 0.3 if key == 7 else 0.0 for key in KEYS})
    for side, stretch in (("L", 0.0), ("R", 0.5)):
        for limb in LIMBS:
            rig.pose.bones[f"{limb}_parent.{side}"]["IK_Stretch"] = stretch


def bent(angle: Callable[[int], float]) -> Callable[[Object], None]:
    """Limbs that swing by FK, knees and elbows bent by this angle on each key."""
    return lambda rig: swing(rig, {key: angle(key) for key in KEYS})


# Of the limbs what poses them, whether there are poles, and how far joints may be off.
# A tip that is off by 1e-7 of a metre, single precision, moves a nearly straight knee by the root of that.
LIMBS_TO_IK = {
    "straight": (bent(lambda _: 0.0), False, 1e-4),
    "straight with poles": (bent(lambda _: 0.0), True, 1e-4),
    "straight once": (bent(lambda key: 0.0 if key == 13 else 0.6), False, 1e-4),
    "a hair from straight": (bent(lambda _: 0.001), False, 1e-4),
    "a hair to both sides, with poles": (bent(lambda key: 0.01 * cos(key / 5.0)), True, 1e-4),
    "to both sides": (bent(lambda key: 0.3 * cos(key / 5.0)), None, 5e-4),
    "longer than IK reaches": (longer_than_ik_reaches, None, 1e-4),
    "folded": (folded, False, 1e-4),
}


@pytest.mark.parametrize("limbs", LIMBS_TO_IK)
def test_limbs_stay_on_frames_and_between_as_they_go_to_ik(rig: Object, limbs: str) -> None:
    pose, pole, close = LIMBS_TO_IK[limbs]
    pose(rig)
    if pole is not None:
        set_poles(rig, pole)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    report = api.switch(rig, "IK", frames=SPAN)
    moved, turned, scaled = off(deforming(rig, FRAMES), before)
    assert moved < close
    assert turned < 0.1
    assert scaled < 1e-3
    if limbs != "folded":  # those are anywhere on each frame, and somewhere between
        assert off(deforming(rig, HALVES), between)[0] < 1e-3
    if "hair" not in limbs and limbs != "to both sides":
        assert report.posed


@pytest.mark.parametrize("stretch", [0.0, 1.0])
def test_limbs_out_of_reach_go_to_fk_between_frames_too(rig: Object, stretch: float) -> None:
    reach_out(rig, stretch)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    report = api.switch(rig, "FK", frames=SPAN)
    assert report.posed
    assert off(deforming(rig, FRAMES), before)[0] < 1e-4
    assert off(deforming(rig, HALVES), between)[0] < 1e-3


def test_keys_on_half_frames_keep_it_ten_times_as_near(rig: Object) -> None:
    reach_out(rig, 0.0)
    between = deforming(rig, HALVES)
    api.switch(rig, "FK", frames=(*SPAN, 0.5))
    assert off(deforming(rig, HALVES), between)[0] < 1e-4


def test_ik_stretch_stays_where_ik_reaches_far_enough(rig: Object) -> None:
    straight_but_once(rig)
    api.switch(rig, "IK", frames=(1, 12))
    on_frame(6)
    found = [rig.pose.bones[f"{limb}_parent.{side}"]["IK_Stretch"] for side in "LR" for limb in LIMBS]
    assert found == [0, 0, 0.5, 0.5]


def bend(rig: Object, side: str = "L") -> float:
    """Degrees between thigh and shin as Blender shows them now."""
    along = [np.array(rig.pose.bones[f"ORG-{name}.{side}"].y_axis.normalized()) for name in ("thigh", "shin")]
    return float(np.degrees(np.arccos(np.clip(along[0] @ along[1], -1.0, 1.0))))


def test_a_limb_that_went_straight_to_ik_can_be_bent(rig: Object) -> None:
    """Blender's IK does not bend a chain that starts from straight."""
    swing(rig, dict.fromkeys(KEYS, 0.0))
    api.switch(rig, "IK", ["Leg.L"], frames=SPAN)
    on_frame(12)
    assert bend(rig) < 0.1
    foot = rig.pose.bones["foot_ik.L"]
    foot.location.z += 0.2
    foot.keyframe_insert("location", frame=12)
    on_frame(12)
    assert bend(rig) > 20.0
