"""Hips whose keys would not play, and a leg that is planted alone: what nobody asked for stays where it is."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import FCurve, Object

from support.truth import on_frame
from support.walker import shown

LOCATION = 'pose.bones["hips"].location'
COUNT = 61
LOW = -0.08
"""A floor so far below the captured one that legs do not reach it."""


def locked(curve: FCurve) -> None:
    curve.lock = True


def muted(curve: FCurve) -> None:
    curve.mute = True


@pytest.mark.parametrize("change", [locked, muted], ids=lambda function: function.__name__)
def test_feet_give_way_where_keys_of_the_hips_would_not_play(rig: Object, change: Callable[[FCurve], None]) -> None:
    change(next(curve for curve in versions.curves(rig) if curve.data_path == LOCATION and curve.array_index == 2))
    before = shown(rig, COUNT)
    report = api.plant(rig, floor=LOW)
    after = shown(rig, COUNT)
    assert np.abs(after.hips - before.hips).max() == 0.0
    assert any("location" in alert and change.__name__ in alert for alert in report.as_dict()["alerts"])
    assert max(foot.short for foot in report.feet) > 0.02


def test_the_other_leg_stays_where_one_is_planted_alone(rig: Object) -> None:
    before = shown(rig, COUNT)
    [left] = api.plant(rig, ["Leg.L"], floor=LOW).feet
    after = shown(rig, COUNT)
    dropped = (before.hips - after.hips)[..., 2]
    off = np.linalg.norm(after.points - before.points, axis=-1)
    print(f"hips go down by {dropped.max():.3f}, the other foot moves by {off[:, 1].max():.2g}")
    assert dropped.max() > 0.03
    assert off[:, 1].max() < 1e-5
    assert off[:, 0].max() > 0.03
    assert left.name == "Leg.L"
    assert left.short == 0.0


def test_contacts_of_a_leg_that_is_not_planted_are_not_keyed(rig: Object) -> None:
    api.plant(rig, ["Leg.L"], floor=LOW)
    rows = [curve.data_path for curve in versions.curves(rig) if contact_keys.is_row(curve)]
    assert len(rows) == 1
    assert "shin.L" in rows[0]


def constrained(rig: Object) -> None:
    rig.pose.bones["shin.R"].constraints.new("LIMIT_ROTATION")


def with_locked_keys(rig: Object) -> None:
    for curve in versions.curves(rig):
        curve.lock = '"thigh.R"' in curve.data_path


@pytest.mark.parametrize("hold", [constrained, with_locked_keys], ids=lambda function: function.__name__)
def test_hips_stay_where_the_other_leg_cannot_be_keyed(rig: Object, hold: Callable[[Object], None]) -> None:
    hold(rig)
    before = shown(rig, COUNT)
    report = api.plant(rig, ["Leg.L"], floor=LOW)
    after = shown(rig, COUNT)
    assert np.abs(after.points - before.points)[:, 1].max() == 0.0
    assert np.abs(after.hips - before.hips).max() == 0.0
    assert report.feet[0].short > 0.02
    assert any('"Leg.R"' in alert for alert in report.as_dict()["alerts"])


def test_hips_stay_where_the_chain_of_the_other_leg_is_broken(rig: Object) -> None:
    api.add_chain(rig, "shin.R", name="Right", tip_bone="foot.R")
    rig.two_bone_ik_chains["Right"].tip_bone = "gone"
    before = shown(rig, COUNT)
    report = api.plant(rig, ["Leg.L"], floor=LOW)
    assert np.abs(shown(rig, COUNT).hips - before.hips).max() == 0.0
    assert any('"gone"' in alert for alert in report.as_dict()["alerts"])


def test_a_leg_without_a_partner_is_told(rig: Object) -> None:
    for number, bone in enumerate(("thigh", "shin", "foot", "toe", "heel")):
        rig.data.bones[f"{bone}.R"].name = f"tail{number}.R"
    report = api.plant(rig)
    assert [foot.name for foot in report.feet] == ["Leg.L"]
    assert any("Found on one side alone: Leg.L" in alert for alert in report.as_dict()["alerts"])


def test_a_leg_whose_partner_has_other_names_is_not_alone(rig: Object) -> None:
    for number, bone in enumerate(("thigh", "shin", "foot", "toe", "heel")):
        rig.data.bones[f"{bone}.R"].name = f"b{number}"
    report = api.plant(rig)
    assert sorted(foot.name for foot in report.feet) == ["Leg.L", "Leg.R"]
    assert not any("one side" in note for note in report.notes)


def test_keyed_bones_on_feet_that_stay_behind_are_named(rig: Object) -> None:
    """As Unreal has them: below the root, at the feet; others are keyed elsewhere, or have no keys."""
    on_frame(1)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, bone in (("ik_foot_l", "foot.L"), ("ik_foot_r", "foot.R"), ("aside", "toe.R"), ("unkeyed", "foot.R")):
        made, place = rig.data.edit_bones.new(name), rig.data.edit_bones[bone]
        made.head, made.tail = place.head, place.tail
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in ("ik_foot_l", "ik_foot_r", "aside"):
        rig.pose.bones[name].keyframe_insert("location", frame=1)
    alerts = api.plant(rig).as_dict()["alerts"]
    assert [alert.split(":")[1].split(".")[0] for alert in alerts] == [" ik_foot_l, ik_foot_r"]
