"""Which layer of a rig shows is told by what Blender plays: neither by muted keys, nor by the name of a choice."""

from __future__ import annotations

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.rigs.known_limbs import known_limbs, other_end
from bl_ext.user_default.two_bone_ik.blender.rigs.switch_property import shown_control_set
from bpy.types import FCurve, Object, PoseBone

from support.rigify import generated
from support.rigs import armature, keys
from support.truth import on_frame
from support.walking import deforming, off, stride

pytestmark = pytest.mark.versions

FRAMES = range(1, 21)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig."""
    return generated("basic_human")


def keyed(rig: Object, name: str, value: float) -> FCurve:
    """A key on a property of the left leg."""
    curve = versions.ensure_channelbag(rig).fcurves.new(f'pose.bones["thigh_parent.L"]["{name}"]')
    curve.keyframe_points.insert(1.0, value)
    return curve


def mute(rig: Object, curve: FCurve, *, whole_group: bool) -> None:
    """From 4.4 on a group that a script mutes plays; the editors mute its curves too."""
    if whole_group:
        curve.group = versions.ensure_channelbag(rig).groups.new("Switches")
    (curve.group or curve).mute = True


def choose(owner: PoseBone) -> None:
    """The switch becomes an integer with a choice for each layer."""
    del owner["IK_FK"]
    owner["IK_FK"] = 0
    owner.id_properties_ui("IK_FK").update(min=0, max=1, items=[("IK", "IK", "", 0, 0), ("FK", "FK", "", 0, 1)])


@pytest.mark.parametrize("whole_group", [False, True])
def test_muted_keys_of_the_pole_do_not_count(rig: Object, whole_group: bool) -> None:
    stride(rig)
    curve = keyed(rig, "pole_vector", 1.0)
    mute(rig, curve, whole_group=whole_group)
    before = deforming(rig, FRAMES)
    assert api.switch(rig, "IK", ["Leg.L"], frames=(1, 20)).posed
    assert off(deforming(rig, FRAMES), before)[0] < 1e-4


@pytest.mark.versions
@pytest.mark.parametrize("whole_group", [False, True])
def test_muted_keys_do_not_say_which_layer_shows(rig: Object, whole_group: bool) -> None:
    curve = keyed(rig, "IK_FK", 1.0)
    curve.keyframe_points.insert(20.0, 0.0)
    curve.keyframe_points[0].interpolation = "CONSTANT"
    mute(rig, curve, whole_group=whole_group)
    [leg] = known_limbs(rig, ["Leg.L"])
    shown = rig.evaluated_get(on_frame(5)).pose.bones["thigh_parent.L"]["IK_FK"]
    assert shown == 0.0 or whole_group
    on_frame(20)
    assert shown_control_set(rig, leg, 5.0) == {0.0: "IK", 1.0: "FK"}[shown]


def test_a_switch_with_choices_shows_its_layer(rig: Object) -> None:
    owner = rig.pose.bones["thigh_parent.L"]
    choose(owner)
    [leg] = known_limbs(rig, ["Leg.L"])
    for value, layer in enumerate(("IK", "FK")):
        owner["IK_FK"] = value
        assert shown_control_set(rig, leg) == shown_control_set(rig, leg, 5.0) == layer


def test_a_switch_with_choices_is_keyed(rig: Object) -> None:
    stride(rig)
    choose(rig.pose.bones["thigh_parent.L"])
    rig.pose.bones["thigh_parent.L"]["IK_FK"] = 1
    before = deforming(rig, FRAMES)
    assert api.switch(rig, "IK", ["Leg.L"], frames=(6, 15)).posed
    assert off(deforming(rig, FRAMES), before)[0] < 1e-4
    found = keys(rig.pose.bones["thigh_parent.L"], '["IK_FK"]', 0)
    assert {round(frame, 2): value for frame, value in found.items()} == {5: 1, 6: 0, 15.02: 1}


@pytest.mark.parametrize(("value", "found"), [(False, 1.0), (True, 0.0), (1, 0.0), (0.4, None), ("FK", None)])
def test_a_switch_has_two_ends(value: object, found: float | None) -> None:
    rig = armature()
    rig["switch"] = value
    if isinstance(value, float):
        rig.id_properties_ui("switch").update(min=0.0, max=1.0)
    elif type(value) is int:
        rig.id_properties_ui("switch").update(min=0, max=1)
    assert other_end(rig, '["switch"]') == found


def test_what_drives_by_a_property_that_is_gone_is_no_switch() -> None:
    rig = armature()
    assert other_end(rig, '["gone"]') is None
    assert other_end(rig, 'pose.bones["gone"]["switch"]') is None
