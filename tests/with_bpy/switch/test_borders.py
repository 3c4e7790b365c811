"""What a rig's switch, and the controls that it shows, are on frames that nobody has asked to change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import FCurve, Object

from support.rigify import generated
from support.rigs import animate
from support.truth import on_frame
from support.walking import deforming, off

LEG = 'pose.bones["thigh_parent.L"]["IK_FK"]'
THIGH = 'pose.bones["thigh_fk.L"].rotation_quaternion'
TURNED = (0.9, 0.3, 0.2, 0.1)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig, with a foot that moves by its IK control."""
    rig = generated("basic_human")
    animate(rig.pose.bones["foot_ik.L"], location={1: (0, 0, 0), 61: (0, 0.2, 0.1)})
    return rig


def key(rig: Object, path: str, values: Mapping[float, float], interpolation: str = "CONSTANT") -> FCurve:
    """Keys on the first element of a property, which has none."""
    curve = versions.ensure_channelbag(rig).fcurves.new(path, index=0)
    for frame, value in values.items():
        curve.keyframe_points.insert(frame, value).interpolation = interpolation
    return curve


def stored(rig: Object) -> list[tuple[object, ...]]:
    """By curve its keys."""
    return [
        (curve.data_path, curve.array_index, *(tuple(one.co) for one in curve.keyframe_points))
        for curve in versions.curves(rig)
    ]


def shown(rig: Object, frames: range) -> dict[int, float]:
    """Of the left leg, 1 on frames on which FK shows, as Blender evaluates them."""
    return {frame: rig.evaluated_get(on_frame(frame)).pose.bones["thigh_parent.L"]["IK_FK"] for frame in frames}


@pytest.mark.parametrize(
    ("switched", "posed", "now", "turned"),
    [
        ({1: 1, 21: 0}, (1, 20, 60, 80), 70, range(60, 81)),
        ({1: 0, 30: 1, 60: 0}, (10, 20, 40, 50), 15, range(10, 21)),
        ({1: 1, 21: 0, 40: 0}, (1, 20, 60, 80), 70, range(60, 81)),
    ],
)
def test_the_button_turns_one_stretch_of_the_switch(
    rig: Object, switched: Mapping[float, float], posed: tuple[int, ...], now: int, turned: range
) -> None:
    api.add_detected(rig)
    rig.two_bone_ik_active = [chain.name for chain in rig.two_bone_ik_chains].index("Leg.L")
    animate(rig.pose.bones["thigh_fk.L"], rotation_quaternion=dict.fromkeys(posed, TURNED))
    key(rig, LEG, switched)
    frames = range(-2, 90)
    before = shown(rig, frames)
    on_frame(now)
    assert bpy.ops.two_bone_ik.reveal() == {"FINISHED"}
    assert shown(rig, frames) == {frame: 1.0 if frame in turned else before[frame] for frame in frames}


def strip_below(rig: Object) -> None:
    """The keys that there are of the thigh's FK control go into an NLA strip."""
    key(rig, THIGH, {1: 1.0, 61: 0.8}, "LINEAR")
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Posed", 1, rig.animation_data.action)
    rig.animation_data.action = None
    animate(rig.pose.bones["foot_ik.L"], location={1: (0, 0, 0), 61: (0, 0.2, 0.1)})


def cycling(rig: Object, path: str) -> None:
    key(rig, path, {1: 0.0, 31: 0.5}).modifiers.new("CYCLES")


@pytest.mark.parametrize(
    ("animated", "kind", "told"),
    [
        (strip_below, "HELD_STRIPS", 'NLA strips act on rotation_quaternion of bone "thigh_fk.L" on "basic_human"'),
        (lambda rig: cycling(rig, THIGH), "HELD_MODIFIER", 'CYCLES acts on rotation_quaternion of bone "thigh_fk.L"'),
        (lambda rig: cycling(rig, LEG), "HELD_MODIFIER", 'CYCLES acts on ["IK_FK"] of bone "thigh_parent.L"'),
        (lambda rig: key(rig, THIGH, {1: 1.0, 61: 0.8}, "BOUNCE"), "HELD_EASING", "BOUNCE of rotation_quaternion"),
        (lambda rig: key(rig, LEG, {1: 0.0, 61: 0.5}, "SINE"), "HELD_EASING", 'SINE of ["IK_FK"] of bone'),
    ],
)
def test_a_switch_refuses_what_it_would_change_outside(
    rig: Object, animated: Callable[[Object], object], kind: str, told: str
) -> None:
    animated(rig)
    before = stored(rig)
    with pytest.raises(api.Refused, match=re.escape(told)) as refused:
        api.switch(rig, "FK", ["Leg.L"], frames=(11, 50))
    assert refused.value.kind == kind
    assert stored(rig) == before


def test_an_eased_curve_may_end_where_a_switch_begins(rig: Object) -> None:
    """FK does not show ahead of the range, so that its controls need no key there."""
    key(rig, THIGH, {1: 1.0, 11: 0.8}, "BACK")
    outside = [*range(1, 11), *range(51, 62)]
    before = deforming(rig, outside)
    assert api.switch(rig, "FK", ["Leg.L"], frames=(11, 50)).posed
    assert off(deforming(rig, outside), before)[0] < 1e-6


def test_no_key_ahead_of_a_switch_splits_an_eased_curve(rig: Object) -> None:
    """FK shows ahead of the range already, and a key a frame ahead of it would keep that."""
    key(rig, LEG, {1: 1.0, 11: 0.0})
    key(rig, THIGH, {1: 1.0, 11: 0.8}, "BACK")
    with pytest.raises(api.Refused, match="BACK of rotation_quaternion"):
        api.switch(rig, "FK", ["Leg.L"], frames=(11, 50))


def test_muted_strips_do_not_keep_a_switch_from_its_work(rig: Object) -> None:
    strip_below(rig)
    rig.animation_data.nla_tracks[0].mute = True
    assert api.switch(rig, "FK", ["Leg.L"], frames=(11, 50)).posed
