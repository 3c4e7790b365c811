"""What a rig's switch, and the controls that it shows, are on frames that nobody has asked to change.

Also between frames, where curves change across the border, and where others have switched before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import FCurve, Object

from support.rigify import generated
from support.rigs import animate
from support.truth import on_frame
from support.walking import deforming, key_switch, off

LEG = 'pose.bones["thigh_parent.L"]["IK_FK"]'
THIGH = 'pose.bones["thigh_fk.L"].rotation_quaternion'
TURNED = (0.9, 0.3, 0.2, 0.1)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig, with a foot that moves by its IK control."""
    rig = generated("basic_human")
    animate(rig.pose.bones["foot_ik.L"], location={1: (0, 0, 0), 30: (0, 0.3, 0.1), 120: (0, 0.2, 0.1)})
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


@contextmanager
def unmoved(rig: Object, frames: Sequence[float], most: float) -> Iterator[None]:
    """What is done meanwhile moves nothing on these frames by more than so many metres."""
    before = deforming(rig, frames)
    yield
    assert off(deforming(rig, frames), before)[0] < most


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
    with unmoved(rig, [*range(1, 11), *range(51, 62)], 1e-6):
        assert api.switch(rig, "FK", ["Leg.L"], frames=(11, 50)).posed


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


@pytest.mark.parametrize(
    ("values", "interpolation"),
    [
        ({1: 0.0, 31: 0.6, 61: 0.2}, "BEZIER"),
        ({1: 0.0, 31: 0.6, 61: 0.2}, "CONSTANT"),
        ({5: 1.0, 61: 0.0}, "BEZIER"),
        ({5: 1.0, 61: 0.0}, "LINEAR"),
        ({1: 0.0, 51: 1.0, 60: 0.0}, "BEZIER"),
    ],
)
def test_a_blend_across_the_border_stays_outside(
    rig: Object, values: Mapping[float, float], interpolation: str
) -> None:
    turns = {1: (1.0, 0.0, 0.0, 0.0), 31: (0.9, 0.4, 0.0, 0.1), 61: (1.0, 0.1, 0.0, 0.0)}
    animate(rig.pose.bones["thigh_fk.L"], rotation_quaternion=turns)
    key_switch(rig, values, interpolation)
    outside = [1.0, 4.5, 8.0, 9.5, 10.0, 10.5, 50.5, 51.0, 51.5, 54.0, 57.5, 61.0, 63.5]
    # Splitting a curve rounds its handles to single precision.
    with unmoved(rig, outside, 2e-6):
        api.switch(rig, "FK", ["Leg.L"], frames=(11, 50))


def switches(rig: Object, *frames: int) -> set[float]:
    """Of the left leg, as Blender evaluates it: 1 where FK shows."""
    bones = (rig.evaluated_get(on_frame(frame)).pose.bones for frame in frames)
    return {float(each["thigh_parent.L"]["IK_FK"]) for each in bones}


@pytest.mark.parametrize("end", [50, 64, 100])
def test_a_longer_switch_to_the_same_end_holds(rig: Object, end: int) -> None:
    """Keys behind some of these frames are rounded towards them."""
    key_switch(rig, {1: 0.0}, "BEZIER")
    with unmoved(rig, range(1, 121, 7), 1e-4):
        api.switch(rig, "FK", ["Leg.L"], frames=(10, end))
        api.switch(rig, "FK", ["Leg.L"], frames=(5, end))
    assert switches(rig, *range(5, 12), end // 2, end - 1, end) == {1.0}
    assert switches(rig, *range(1, 5), end + 1, end + 2, 120) == {0.0}


def test_what_shows_later_stays(rig: Object) -> None:
    """FK shows on the frame behind the range, and IK again later on: its keys are not to move the foot there."""
    key_switch(rig, {1: 1.0, 21: 0.0}, "CONSTANT")
    with unmoved(rig, range(21, 31), 2e-6):
        api.switch(rig, "IK", ["Leg.L"], frames=(1, 10))
