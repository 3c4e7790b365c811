"""A long switch is measured on few frames, those among them on which it is likely to be off; on request on all."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Euler

from support.rigify import generated
from support.rigs import animate
from support.walking import off, pose_of, stride

PEAK, COUNT = 37, 60


@pytest.fixture
def lifting(empty_file: None) -> Object:
    """Its left foot is lifted for one frame."""
    rig = generated("basic_human")
    heights = {1: 0.0, PEAK - 1: 0.0, PEAK: 0.5, PEAK + 1: 0.0}
    animate(rig.pose.bones["foot_ik.L"], location={frame: (0, 0, height) for frame, height in heights.items()})
    return rig


@pytest.fixture
def twisted(empty_file: None) -> Object:
    """It strides by FK, and for one frame its left shin is twisted about its own length; it bends more on others."""
    rig = generated("basic_human")
    stride(rig)
    bends = {1: (1.6, 0.0), 10: (0.1, 0.0), PEAK - 1: (0.8, 0.0), PEAK: (0.8, 0.3), PEAK + 1: (0.8, 0.0)}
    turns = {
        frame: Euler((bend, 0, 0)).to_quaternion() @ Euler((0, twist, 0)).to_quaternion()
        for frame, (bend, twist) in bends.items()
    }
    animate(rig.pose.bones["shin_fk.L"], rotation_quaternion=turns)
    return rig


def limit_knee(rig: Object) -> None:
    """The FK controls are not let bend the knee as far as IK does on the one frame, and only there."""
    limit = rig.pose.bones["shin_fk.L"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.min_x, limit.max_x = True, -0.05, 0.05
    limit.owner_space = "LOCAL"
    limit.driver_add("influence").driver.expression = f"frame == {PEAK}"


def test_one_frame_is_told_where_a_driver_lets_a_limit_act(lifting: Object) -> None:
    limit_knee(lifting)
    report = api.switch(lifting, "FK", ["Leg.L"], frames=(1, COUNT))
    (leg,) = report.chains
    assert leg.measured.all()
    assert leg.frames[leg.misposed].tolist() == [PEAK]
    assert report.headline().startswith("Switched, but not all stay where they were: Leg.L")
    assert f"stays where it was on {COUNT - 1} of {COUNT} frames" in str(report)
    assert f"on 1 frame ({PEAK})" in str(report)


def test_how_far_a_bone_is_off_is_told_in_the_world(lifting: Object) -> None:
    lifting.scale = (3.0, 3.0, 3.0)
    limit_knee(lifting)
    names = ["ORG-thigh.L", "ORG-shin.L", "ORG-foot.L"]
    before = pose_of(lifting, names, [PEAK])
    report = api.switch(lifting, "FK", ["Leg.L"], frames=(PEAK - 2, PEAK + 2))
    moved = 3.0 * off(pose_of(lifting, names, [PEAK]), before)[0]
    assert moved > 0.1
    np.testing.assert_allclose(report.chains[0].off.max(), moved, rtol=1e-5)


def test_a_twist_that_ik_cannot_show_is_told_by_bone(twisted: Object) -> None:
    before = pose_of(twisted, ["ORG-shin.L"], [PEAK])
    report = api.switch(twisted, "IK", ["Leg.L"], frames=(1, COUNT))
    moved, turned, _ = off(pose_of(twisted, ["ORG-shin.L"], [PEAK]), before)
    assert moved < 1e-4
    assert turned > 10.0
    (leg,) = report.chains
    assert leg.measured.sum() < COUNT / 2
    assert leg.frames[leg.misposed].tolist() == [PEAK]
    assert leg.off_bone == "ORG-shin.L"
    told = f'bone "ORG-shin.L" is turned by up to {turned:.3g} degrees, most on frame {PEAK}'
    assert [note for note in report.notes if "did not stay" in note] == [f"Leg.L did not stay: {told}"]
    assert f"measured on {leg.measured.sum()} of {COUNT} frames" in " ".join(report.notes)


def test_a_switch_is_measured_on_all_frames_on_request(lifting: Object) -> None:
    report = api.switch(lifting, "FK", ["Leg.L"], frames=(1, COUNT), measure="ALL")
    assert report.chains[0].measured.all()
    assert not any("easured" in note for note in report.notes)


def test_a_short_switch_is_measured_on_all_frames(lifting: Object) -> None:
    assert api.switch(lifting, "FK", ["Leg.L"], frames=(30, 41)).chains[0].measured.all()


def test_a_switch_tells_whether_limbs_stay(lifting: Object) -> None:
    report = api.switch(lifting, "FK", ["Leg.R"], frames=(1, 12))
    assert report.lines() == ["Leg.R: stays where it was on all 12 frames that were measured"]
    assert report.headline() == "All limbs stay where they were"
    back = api.switch(lifting, "IK", ["Leg.R"], frames=(1, 12), measure="NONE")
    assert back.lines()[0] == "Leg.R: switched"
    assert back.headline().startswith("Switched. ")
