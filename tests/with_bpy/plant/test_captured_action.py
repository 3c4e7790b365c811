"""The captured action stays as it is, whatever is planted from it, and however often."""

from __future__ import annotations

import re
from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Matrix

from support.empty_file import open_empty_file
from support.held import everything, keys_of
from support.rigs import empty
from support.truth import on_frame, save_and_load
from support.walker import captured, file_of, shown, walker

pytestmark = pytest.mark.versions

UNKEYED = ("hips", "foot.L", "foot.R")


def scene(*, unkeyed: Sequence[int] = ()) -> Object:
    """Two seconds of a walk; some components of hips and feet may have no keys, but a pose."""
    rig = walker(captured("walk", 2.0))
    if unkeyed:
        curves = versions.ensure_channelbag(rig).fcurves
        parts = [curve for curve in curves if any(f'"{bone}"' in curve.data_path for bone in UNKEYED)]
        for curve in [curve for curve in parts if curve.array_index in unkeyed]:
            curves.remove(curve)
        rig.pose.bones["hips"].location = 0.1, 0.2, 0.3
        rig.pose.bones["foot.L"].rotation_quaternion = 0.9, 0.1, 0.0, 0.0
    return rig


@pytest.mark.parametrize("unkeyed", [(), (0, 1), (0, 1, 2, 3)], ids=str)
def test_planted_twice_is_planted_once(unkeyed: Sequence[int]) -> None:
    rig = scene(unkeyed=unkeyed)
    on_frame(20)
    (captured_action, slot), before = versions.played(rig), everything(rig)
    api.plant(rig)
    once = everything(rig)
    on_frame(47)
    api.plant(rig)
    assert everything(rig) == once
    assert keys_of(rig, captured_action, slot) == before, "it stays to the bit"
    assert versions.played(rig)[0].two_bone_ik_source == captured_action != versions.played(rig)[0]
    assert len(bpy.data.actions) == 2


def test_a_pose_without_keys_is_given_back_by_other_hips() -> None:
    rig = scene(unkeyed=(0, 1, 2, 3))
    before = tuple(rig.pose.bones["hips"].location)
    level = -1.0  # the hips have to go down
    api.plant(rig, floor=level)
    on_frame(30)
    assert tuple(rig.pose.bones["hips"].location) != before
    rig.pose.bones["hips"].lock_location = True, True, True
    api.plant(rig, floor=level)
    on_frame(31)
    assert tuple(rig.pose.bones["hips"].location) == before


def test_a_planted_action_knows_its_source_after_loading() -> None:
    rig = scene()
    api.plant(rig)
    once = everything(rig)
    save_and_load()
    rig = bpy.data.objects["Walker"]
    assert versions.played(rig)[0].two_bone_ik_source.name == "Captured"
    api.plant(rig)
    assert everything(rig) == once


def test_a_lost_capture_is_told() -> None:
    rig = scene()
    api.plant(rig)
    bpy.data.actions.remove(bpy.data.actions["Captured"])
    planted = versions.played(rig)[0]
    report = api.plant(rig)
    assert any(planted.name in note for note in report.as_dict()["alerts"])
    assert versions.played(rig)[0].two_bone_ik_source == planted


@pytest.mark.parametrize("planted", [False, True])
def test_a_request_that_is_closed_leaves_nothing(planted: bool) -> None:
    rig = scene()
    if planted:
        api.plant(rig)
    before = file_of(rig)
    request = api.plant.request(rig, sampling="ISOLATED")
    for _ in range(20):
        next(request)
    request.close()
    assert file_of(rig) == before
    assert api.contacts(rig)
    assert file_of(rig) == before


def test_two_characters_share_a_captured_action() -> None:
    rig = scene()
    other = rig.copy()
    bpy.context.scene.collection.objects.link(other)
    api.plant(rig)
    api.plant(other)
    assert everything(rig) == everything(other)
    assert versions.played(rig)[0] != versions.played(other)[0]
    assert {versions.played(item)[0].two_bone_ik_source.name for item in (rig, other)} == {"Captured"}


def test_frames_outside_are_as_captured() -> None:
    rig = scene()
    before = shown(rig, 60)
    report = api.plant(rig, frames=(20, 40))
    after = shown(rig, 60)
    off = np.abs(after.points - before.points).max(axis=(1, 2, 3))
    assert off[:19].max() == off[40:].max() == 0.0
    assert off[19:40].max() > 1e-3
    assert "20" in report.as_dict()["alerts"][0]


def test_edits_without_a_key_stay() -> None:
    rig = scene()
    on_frame(20)
    rig.pose.bones["hips"].scale = 1.1, 1.1, 1.1
    rig.pose.bones["toe.L"].rotation_quaternion = 0.9, 0.1, 0.0, 0.0
    api.plant(rig)
    assert tuple(rig.pose.bones["toe.L"].rotation_quaternion) == pytest.approx((0.9, 0.1, 0.0, 0.0))


def test_each_way_of_sampling_plants_the_same() -> None:
    rig = scene()
    api.plant(rig)
    frame = bpy.context.scene.frame_current
    wanted = shown(rig, 61).points
    for sampling in ("CURVES", "ISOLATED", "SCENE"):
        on_frame(frame)
        assert api.plant(rig, sampling=sampling, find=True).posed
        assert bpy.context.scene.frame_current == frame
        # Each contact begins where float32 matrices of Blender's have it.
        assert np.abs(shown(rig, 61).points - wanted).max() < 1e-4, sampling


def test_a_limb_that_live_poses_is_told() -> None:
    rig = scene()
    target = empty("Target")
    api.add_chain(rig, "shin.L", name="Left", tip_bone="foot.L", target=target)
    assert not api.plant(rig).as_dict()["alerts"]
    rig.two_bone_ik_live = True
    assert any("Left" in alert for alert in api.plant(rig).as_dict()["alerts"])


def test_the_report_tells_of_feet_in_units_of_the_scene() -> None:
    rig = scene()
    report = api.plant(rig)
    assert api.Report.from_json(report.to_json()).feet == report.feet
    left, right = report.feet
    assert left.before[1] > 100 * left.after[1]
    worst = max(left.before[1], right.before[1])
    assert f"{1e3 * worst:.3g} mm" in report.headline()
    bpy.context.scene.unit_settings.scale_length = 0.1
    assert f"{1e2 * worst:.3g} mm" in api.plant(rig).headline()
    bpy.context.scene.unit_settings.system = "NONE"
    assert f"before by {worst:.3g}" in api.plant(rig).headline()


@pytest.mark.parametrize("metres", [0.01, 100.0])
def test_what_can_be_no_leg_in_metres_is_told_in_legs(metres: float) -> None:
    rig = scene()
    leg = sum(rig.data.bones[name].length for name in ("thigh.L", "shin.L"))
    bpy.context.scene.unit_settings.scale_length = metres
    report = api.plant(rig)
    worst = max(foot.before[1] for foot in report.feet)
    assert f"before by {worst:.3g} ({worst / leg:.3g} legs)" in report.headline()
    lines = "\n".join(report.lines())
    assert "legs)" in lines
    assert not re.search(r"\d (mm|cm|m|km)\b", lines)


def test_what_is_told_depends_on_no_unit_of_the_rig() -> None:
    told = []
    for scale in (1.0, 0.001):
        open_empty_file()
        rig = walker(captured("walk", 2.0), to_world=Matrix.Scale(scale, 4))
        told.append(api.plant(rig, frames=(20, 40)).as_dict()["alerts"])
    assert told[0] == told[1]
    assert "jumps" in told[0][0]
