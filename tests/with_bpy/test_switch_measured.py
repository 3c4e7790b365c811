"""A long switch is measured on few frames, those among them on which it is likely to be off; on request on all."""

from __future__ import annotations

import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigify import generated
from support.rigs import animate

PEAK, COUNT = 37, 60


@pytest.fixture
def rig(empty_file: None) -> Object:
    """Its left foot is lifted for one frame, on which its FK controls are not let bend the knee as far."""
    rig = generated("basic_human")
    heights = {1: 0.0, PEAK - 1: 0.0, PEAK: 0.5, PEAK + 1: 0.0}
    animate(rig.pose.bones["foot_ik.L"], location={frame: (0, 0, height) for frame, height in heights.items()})
    limit = rig.pose.bones["shin_fk.L"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.min_x, limit.max_x = True, -0.5, 0.5
    limit.owner_space = "LOCAL"
    return rig


def test_the_one_frame_that_is_off_is_measured_among_many(rig: Object) -> None:
    report = api.switch(rig, "FK", ["Leg.L"], frames=(1, COUNT))
    (leg,) = report.chains
    assert leg.measured.sum() < COUNT / 2
    assert leg.frames[leg.misposed].tolist() == [PEAK]
    assert report.headline().startswith("Switched, but not all stay where they were: Leg.L")
    assert f"stays where it was on {leg.measured.sum() - 1} of {leg.measured.sum()} frames" in str(report)
    assert f"on 1 frame ({PEAK})" in str(report)
    assert f"measured on {leg.measured.sum()} of {COUNT} frames" in " ".join(report.notes)


def test_a_switch_is_measured_on_all_frames_on_request(rig: Object) -> None:
    report = api.switch(rig, "FK", ["Leg.L"], frames=(1, COUNT), measure="ALL")
    assert report.chains[0].measured.all()
    assert not any("easured" in note for note in report.notes)


def test_a_short_switch_is_measured_on_all_frames(rig: Object) -> None:
    assert api.switch(rig, "FK", ["Leg.L"], frames=(30, 41)).chains[0].measured.all()


def test_a_switch_tells_whether_limbs_stay(rig: Object) -> None:
    report = api.switch(rig, "FK", ["Leg.R"], frames=(1, 12))
    assert report.lines() == ["Leg.R: stays where it was on all 12 frames that were measured"]
    assert report.headline() == "All limbs stay where they were"
    back = api.switch(rig, "IK", ["Leg.R"], frames=(1, 12), measure="NONE")
    assert back.lines()[0] == "Leg.R: switched"
    assert back.headline().startswith("Switched. ")
