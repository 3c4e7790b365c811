"""Hands, chest and head keep their place on request while the hips go down, as Blender shows them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import Object
from mathutils import Matrix

from support.body import COUNT, body, off, shown
from support.told import told_length

LOW = -0.08
"""A floor so far below the captured one that the hips have to go down."""


def planted(rig: Object, names: str, floor: float = LOW, **given: object) -> tuple[api.Report, np.ndarray, np.ndarray]:
    """The report; (b,) how far these bones go at the most; and (n, b, 4, 4) the change of where they are."""
    before = shown(rig, *names.split())
    report = api.plant(rig, floor=floor, **given)
    after = shown(rig, *names.split())
    return report, off(after, before), after - before


def test_hands_keep_their_place_and_orientation() -> None:
    report, moved, change = planted(body(), "hips hand.L hand.R", keep=["ARMS"])
    assert moved[0] > 0.05
    assert moved[1:].max() < 1e-5
    assert np.abs(change)[:, 1:, :3, :3].max() < 1e-5
    assert report.reached


def test_a_hand_alone_keeps_its_place() -> None:
    rig = body()
    report, moved, _ = planted(rig, "hips hand.L hand.R", keep=["Arm.L"])
    assert moved[1] < 1e-5
    assert moved[2] > 0.05
    assert [foot.name for foot in report.feet] == ["Leg.L", "Leg.R"]
    rows = {curve.data_path.split('"')[1] for curve in versions.curves(rig) if contact_keys.is_row(curve)}
    assert rows == {"shin.L", "shin.R"}


def test_a_hand_that_gets_out_of_reach_is_told() -> None:
    rig = body()
    rig.pose.bones["forearm.L"].rotation_mode = "QUATERNION"
    for curve in [curve for curve in versions.curves(rig) if "arm.L" in curve.data_path]:
        versions.ensure_channelbag(rig).fcurves.remove(curve)
    # Straight up.
    for name in ("upper_arm.L", "forearm.L"):
        bone = rig.pose.bones[name]
        matrix = bone.matrix.copy()
        turn = matrix.to_3x3().col[1].rotation_difference((0.0, 0.0, 1.0)).to_matrix() @ matrix.to_3x3()
        bone.matrix = Matrix.Translation(matrix.translation) @ turn.to_4x4()
        bpy.context.view_layer.update()
        for frame in (1, COUNT):
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    for curve in [curve for curve in versions.curves(rig) if "spine.002" in curve.data_path]:
        versions.ensure_channelbag(rig).fcurves.remove(curve)
    report, _, change = planted(rig, "hand.L", keep=["Arm.L"])
    [arm] = [chain for chain in report.chains if chain.name == "Arm.L"]
    missed = np.linalg.norm(change[:, 0, :3, 3], axis=-1)
    assert missed.max() > 0.03
    assert arm.miss.max() == pytest.approx(missed.max(), abs=1e-4)
    assert not report.reached


def test_chest_and_head_keep_their_place_with_the_spine() -> None:
    report, moved, _ = planted(body(), "hips chest head hand.L", -0.04, keep=["SPINE"])
    assert moved[0] > 0.02
    assert moved[1:].max() < 1e-5
    assert report.reached
    assert not report.as_dict()["alerts"]


def test_hands_are_kept_on_a_spine_that_is_too_short() -> None:
    report, moved, _ = planted(body(), "chest hand.L hand.R", -0.14, keep=["SPINE", "ARMS"])
    assert moved[0] > 0.01
    assert moved[1:].max() < 1e-5
    assert {chain.name for chain in report.chains if not chain.reached} == {"Spine"}


def test_a_spine_whose_upper_bone_has_the_arms_is_left_out() -> None:
    rig = body()
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for child in bones["chest"].children:
        child.parent = bones["spine.002"]
    bones.remove(bones["chest"])
    bpy.ops.object.mode_set(mode="OBJECT")
    report, _, change = planted(rig, "hips spine.002 hand.L hand.R", keep=["SPINE"])
    moved = change[..., :3, 3]
    assert np.abs(moved - moved[:, :1]).max() < 1e-5
    assert {chain.name for chain in report.chains} == {"Leg.L", "Leg.R"}


def test_nothing_is_kept_without_being_asked() -> None:
    report, moved, _ = planted(body(), "hips chest hand.L hand.R")
    assert moved[1:] == pytest.approx([moved[0]] * 3, abs=1e-4)
    assert [chain.name for chain in report.chains] == ["Leg.L", "Leg.R"]


def test_hands_are_planted_where_they_are_kept() -> None:
    rig = body()
    contact = api.Contact("Arm.L", 11, 16, "hand.L", (0.0, 0.1, 0.0))
    report = api.plant(rig, ["Leg.L", "Leg.R", "Arm.L"], contacts=[contact], floor=LOW, keep=["ARMS"])
    after = shown(rig, "hand.L", "hand.R")
    place = (after @ np.array((0.0, 0.1, 0.0, 1.0)))[10:16, 0, :3]
    assert np.ptp(place, axis=0).max() < 1e-5
    assert {foot.name for foot in report.feet} == {"Leg.L", "Leg.R", "Arm.L"}
    assert report.reached


def test_planted_hands_do_not_go_down_with_the_hips() -> None:
    """Arms that are planted as well, and free, are on the chest that is kept."""
    _, moved, _ = planted(body(), "hips hand.L hand.R", limbs=["LEGS", "ARMS"], keep=["SPINE"])
    assert moved[0] > 0.05
    assert moved[1:].max() < 1e-5


def test_how_far_chest_and_head_leave_their_place_is_told() -> None:
    report, moved, _ = planted(body(), "chest head", -0.14, keep=["SPINE"])
    told = [alert for alert in report.as_dict()["alerts"] if alert.startswith("Spine ")]
    assert moved.max() > 0.05
    assert told_length(told[0], "by up to") == pytest.approx(moved.max(), rel=0.01)
    assert told[0] in report.headline()
