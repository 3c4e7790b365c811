"""Limbs that get straight, or bend a little beyond, stay on frames and between them when they switch."""

from math import cos

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigify import generated
from support.straight import reach_out, set_poles, swing
from support.truth import on_frame
from support.walking import assert_kept, deforming, off

FRAMES, HALVES, KEYS = range(1, 31), np.arange(1.5, 30.0), range(1, 38, 6)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig."""
    return generated("basic_human")


def bend(rig: Object, side: str = "L") -> float:
    """Degrees between thigh and shin as Blender shows them now."""
    along = [np.array(rig.pose.bones[f"ORG-{name}.{side}"].y_axis.normalized()) for name in ("thigh", "shin")]
    return float(np.degrees(np.arccos(np.clip(along[0] @ along[1], -1.0, 1.0))))


@pytest.mark.parametrize(
    ("bends", "pole"),
    [
        (dict.fromkeys(KEYS, 0.0), False),
        (dict.fromkeys(KEYS, 0.0), True),
        ({key: 0.0 if key == 13 else 0.6 for key in KEYS}, False),
    ],
    ids=["straight", "straight with poles", "straight once"],
)
def test_straight_limbs_stay_on_frames_and_between(rig: Object, bends: dict[int, float], pole: bool) -> None:
    swing(rig, bends)
    set_poles(rig, pole)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    report = api.switch(rig, "IK", frames=(1, 30))
    assert_kept(deforming(rig, FRAMES), before)
    assert off(deforming(rig, HALVES), between)[0] < 1e-3
    assert report.posed


def test_knees_may_bend_to_both_sides(rig: Object) -> None:
    swing(rig, {key: 0.3 * cos(key / 5.0) for key in KEYS})
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    api.switch(rig, "IK", frames=(1, 30))
    moved, turned, scaled = off(deforming(rig, FRAMES), before)
    # Single precision: a tip that is off by 1e-7 of a metre moves a nearly straight knee by the root of that.
    assert moved < 5e-4
    assert turned < 0.1
    assert scaled < 1e-3
    assert off(deforming(rig, HALVES), between)[0] < 1e-3


@pytest.mark.parametrize("stretch", [0.0, 1.0])
def test_limbs_out_of_reach_go_to_fk_between_frames_too(rig: Object, stretch: float) -> None:
    reach_out(rig, stretch)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    assert api.switch(rig, "FK", frames=(1, 30)).posed
    assert off(deforming(rig, FRAMES), before)[0] < 1e-4
    assert off(deforming(rig, HALVES), between)[0] < 1e-3


def test_a_limb_that_went_straight_to_ik_can_be_bent(rig: Object) -> None:
    """Blender's IK does not bend a chain that starts from straight."""
    swing(rig, dict.fromkeys(KEYS, 0.0))
    api.switch(rig, "IK", ["Leg.L"], frames=(1, 30))
    on_frame(20)
    assert bend(rig) < 0.1
    foot = rig.pose.bones["foot_ik.L"]
    foot.location.z += 0.2
    foot.keyframe_insert("location", frame=20)
    on_frame(20)
    assert bend(rig) > 20.0


def test_what_is_off_between_frames_is_told(rig: Object) -> None:
    reach_out(rig, 0.0)
    between = deforming(rig, HALVES)
    report = api.switch(rig, "FK", frames=(1, 30), keys="SOURCE")
    assert off(deforming(rig, HALVES), between)[0] > 1e-3
    told = [note for note in report.notes if "between the frames" in note]
    assert [note.split()[0] for note in told] == ["Arm.L", "Arm.R", "Leg.L", "Leg.R"]
    assert all(note.endswith("key every frame, or take a smaller Step") for note in told)


@pytest.mark.parametrize("step", [1.0, 0.5])
def test_what_the_report_advises_keeps_it_between_frames(rig: Object, step: float) -> None:
    reach_out(rig, 0.0)
    between = deforming(rig, HALVES)
    report = api.switch(rig, "FK", frames=(1, 30, step))
    assert off(deforming(rig, HALVES), between)[0] < (1e-3 if step == 1.0 else 1e-4)
    assert not [note for note in report.notes if "between the frames" in note]
