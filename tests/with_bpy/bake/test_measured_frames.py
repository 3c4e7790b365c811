"""After a bake of many frames only some are measured: always the same ones, and all on which something changes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Constraint, NlaStrip, PropertyGroup

from support.rigs import animate, arm, empty

LAST = 500


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), LAST: (0.9, -0.3, 1.5)})
    return chain


def bake(chain: PropertyGroup, last: float = LAST, **options: object) -> api.Report:
    return api.bake(chain.id_data, frames=(1, last), mute_constraints=False, **options)


def measured(report: api.Report) -> list[float]:
    return report.chains[0].frames[report.chains[0].measured].tolist()


def misposed(report: api.Report) -> list[float]:
    return report.chains[0].frames[report.chains[0].misposed].tolist()


def disturb(chain: PropertyGroup, values: dict[float, float], interpolation: str) -> Constraint:
    """A constraint that moves the end bone, with influence as keyed."""
    constraint = chain.id_data.pose.bones["lower"].constraints.new("DAMPED_TRACK")
    constraint.target = empty("Elsewhere", (0.2, -1.5, 0.4))
    bpy.context.preferences.edit.keyframe_new_interpolation_type = interpolation
    for frame, value in values.items():
        constraint.influence = value
        constraint.keyframe_insert("influence", frame=frame)
    bpy.context.preferences.edit.keyframe_new_interpolation_type = "BEZIER"
    return constraint


def on_strip(chain: PropertyGroup, values: dict[float, float], interpolation: str, start: int) -> NlaStrip:
    """The same keys in a strip that starts on this frame; without it the constraint does nothing."""
    constraint = disturb(chain, values, interpolation)
    animation = chain.id_data.animation_data
    strip = animation.nla_tracks.new().strips.new("Strip", start, animation.action)
    animation.action = None
    constraint.influence = 0.0
    bpy.context.scene.frame_set(1)
    return strip


def test_up_to_64_frames_all_are_measured(chain: PropertyGroup) -> None:
    assert measured(bake(chain, 64)) == list(range(1, 65))
    assert bake(chain, 64).notes == ()


def test_of_more_frames_some_are_measured_always_the_same(chain: PropertyGroup) -> None:
    report = bake(chain)
    found = measured(report)
    assert 16 <= len(found) <= 20
    assert {1, LAST} <= set(found)
    assert np.diff(found).max() < 2 * LAST / 16
    assert report.notes == (f"Joints were measured on {len(found)} of 500 frames",)
    assert measured(bake(chain)) == found
    assert measured(bake(chain, LAST - 1)) != [*found[:-1], LAST - 1]


def test_all_frames_are_measured_on_request(chain: PropertyGroup) -> None:
    report = bake(chain, measure="ALL")
    assert measured(report) == list(range(1, LAST + 1))
    assert report.chains[0].off.max() < 1e-5
    assert report.notes == ()


@pytest.mark.parametrize(
    ("start", "interpolation", "way"),
    [
        *((start, "BEZIER", "CURVES") for start in (37, 201, 333)),
        *((201, "CONSTANT", "CURVES"), (37, "CONSTANT", "ISOLATED"), (333, "BEZIER", "ISOLATED")),
        *((201, "BEZIER", "SCENE"), (333, "CONSTANT", "SCENE")),
    ],
)
def test_a_constraint_that_acts_on_three_frames_is_found(
    chain: PropertyGroup, start: int, interpolation: str, way: str
) -> None:
    disturb(chain, dict(zip((start - 1, start, start + 2, start + 3), (0, 1, 1, 0), strict=True)), interpolation)
    if way == "ISOLATED":
        chain.target.constraints.new("COPY_LOCATION").influence = 0.0
    report = bake(chain, sampling=way)
    assert {start, start + 2} <= set(misposed(report)) <= {start, start + 1, start + 2}
    assert misposed(bake(chain, sampling=way, measure="ALL")) == [start, start + 1, start + 2]


def test_a_mute_that_is_off_on_one_frame_is_found(chain: PropertyGroup) -> None:
    constraint = disturb(chain, {}, "BEZIER")
    for frame, value in ((1, True), (307, False), (308, True)):
        constraint.mute = value
        constraint.keyframe_insert("mute", frame=frame)
    assert misposed(bake(chain)) == [307]


def test_a_driven_influence_is_found_where_its_property_changes(chain: PropertyGroup) -> None:
    rig = chain.id_data
    driver = disturb(chain, {}, "BEZIER").driver_add("influence").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, '["ik"]'
    driver.expression = variable.name
    for frame, value in ((1, 0.0), (420, 0.0), (421, 1.0), (422, 0.0)):
        rig["ik"] = value
        rig.keyframe_insert('["ik"]', frame=frame)
    assert misposed(bake(chain)) == [421]


def test_a_strip_that_plays_on_three_frames_is_found(chain: PropertyGroup) -> None:
    on_strip(chain, {1: 1.0, 4: 1.0}, "CONSTANT", 250).extrapolation = "NOTHING"
    found = misposed(bake(chain))
    assert {250, 253} <= set(found) <= {250, 251, 252, 253}


def test_a_strip_is_measured_while_it_blends_in_and_out(chain: PropertyGroup) -> None:
    strip = on_strip(chain, {1: 1.0, 201: 1.0}, "CONSTANT", 100)
    strip.blend_in, strip.blend_out = 40, 60
    assert {100, 120, 140, 240, 270, 300} <= set(measured(bake(chain)))


@pytest.mark.parametrize(("scale", "frame"), [(1.0, 341), (0.5, 211)])
def test_an_influence_inside_a_strip_is_found(chain: PropertyGroup, scale: float, frame: int) -> None:
    on_strip(chain, {1: 0.0, 260: 0.0, 262: 1.0, 264: 0.0, 420: 0.0}, "LINEAR", 80).scale = scale
    assert min(abs(found - frame) for found in misposed(bake(chain))) <= 1


def test_a_ramp_is_found_even_if_it_is_short(chain: PropertyGroup) -> None:
    disturb(chain, {100: 0.0, 106: 1.0, 112: 0.0}, "BEZIER")
    assert {103, 106, 109} <= set(misposed(bake(chain)))


def test_many_changes_do_not_make_a_bake_slow(chain: PropertyGroup) -> None:
    """The greatest come first."""
    rig = chain.id_data
    spine = rig.pose.bones["hand"]
    animate(spine, scale={frame: (1 + 1e-3 * (frame % 7),) * 3 for frame in range(1, LAST + 1)})
    disturb(chain, {300: 0.0, 301: 1.0, 302: 0.0}, "CONSTANT")
    report = bake(chain)
    assert len(measured(report)) <= 64 + 16 + 2
    assert misposed(report) == [301]
