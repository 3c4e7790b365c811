"""A leg that is planted alone, or has no partner: what nobody asked for stays where it is, or is told."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import Object

from support.truth import on_frame
from support.walker import shown

COUNT = 61
LOW = -0.08
"""A floor so far below the captured one that legs do not reach it."""


def test_the_other_leg_stays_where_one_is_planted_alone(rig: Object) -> None:
    before = shown(rig, COUNT)
    [left] = api.plant(rig, ["Leg.L"], floor=LOW).feet
    after = shown(rig, COUNT)
    dropped = (before.hips - after.hips)[..., 2]
    off = np.linalg.norm(after.points - before.points, axis=-1)
    assert dropped.max() > 0.03
    assert off[:, 1].max() < 1e-5
    assert off[:, 0].max() > 0.03
    assert left.name == "Leg.L"
    assert left.short == 0.0
    [row] = [curve.data_path for curve in versions.curves(rig) if contact_keys.is_row(curve)]
    assert "shin.L" in row, "contacts of the other are not keyed"


def constrained(rig: Object) -> None:
    rig.pose.bones["shin.R"].constraints.new("LIMIT_ROTATION")


def with_locked_keys(rig: Object) -> None:
    for curve in versions.curves(rig):
        curve.lock = '"thigh.R"' in curve.data_path


def broken(rig: Object) -> None:
    api.add_chain(rig, "shin.R", name="Right", tip_bone="foot.R")
    rig.two_bone_ik_chains["Right"].tip_bone = "gone"


@pytest.mark.parametrize(
    ("hold", "told"), [(constrained, '"Leg.R"'), (with_locked_keys, '"Leg.R"'), (broken, '"gone"')]
)
def test_hips_stay_where_the_other_leg_cannot_be_keyed(rig: Object, hold: Callable[[Object], None], told: str) -> None:
    hold(rig)
    before = shown(rig, COUNT)
    report = api.plant(rig, ["Leg.L"], floor=LOW)
    after = shown(rig, COUNT)
    assert np.abs(after.points - before.points)[:, 1].max() == 0.0
    assert np.abs(after.hips - before.hips).max() == 0.0
    assert report.feet[0].short > 0.02
    assert any(told in alert for alert in report.as_dict()["alerts"])


@pytest.mark.parametrize(("name", "feet"), [("tail{}.R", ["Leg.L"]), ("b{}", ["Leg.L", "Leg.R"])])
def test_a_leg_without_a_partner_is_told(rig: Object, name: str, feet: list[str]) -> None:
    """One whose partner has other names is not alone."""
    for number, bone in enumerate(("thigh", "shin", "foot", "toe", "heel")):
        rig.data.bones[f"{bone}.R"].name = name.format(number)
    report = api.plant(rig)
    assert sorted(foot.name for foot in report.feet) == feet
    told = [note for note in report.as_dict()["alerts"] if "Found on one side alone: Leg.L" in note]
    assert len(told) == (feet == ["Leg.L"])
    assert told or not any("one side" in note for note in report.notes)


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
