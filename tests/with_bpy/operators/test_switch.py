"""Limbs of known rigs are switched, revealed and taken in hand by what is selected."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bl_ext.user_default.two_bone_ik.blender.status import in_hand
from bpy.types import Object

from support import file_data
from support.characters import select_bones
from support.held import everything
from support.rigify import generated
from support.rigs import animate, armature
from support.truth import on_frame, worlds


@pytest.fixture
def rig() -> Object:
    """The rig generated from the basic human metarig, with a foot and a hand that move by their IK controls."""
    rig = generated("basic_human")
    for bone in ("foot_ik.L", "hand_ik.R"):
        animate(rig.pose.bones[bone], location={1: (0, 0, 0), 20: (0, 0.2, 0.1)})
    return rig


def switched(rig: Object) -> set[str]:
    """Names of the bones whose switch has keys."""
    return {curve.data_path.split('"')[1] for curve in versions.curves(rig) if "IK_FK" in curve.data_path}


def test_the_operator_switches_all_limbs_over_its_frames(rig: Object) -> None:
    before = worlds(rig, range(1, 21), "DEF-foot.L")
    assert bpy.ops.two_bone_ik.switch(direction="FK", frame_start=5, frame_end=15) == {"FINISHED"}
    assert report.last(rig).headline().startswith("All limbs stay where they were")
    assert len(switched(rig)) == 4
    curve = versions.curve_finder(rig)('pose.bones["thigh_parent.L"]["IK_FK"]', index=0)
    assert [(key.co.x, key.co.y) for key in curve.keyframe_points] == [(4, 0), (5, 1), (pytest.approx(15.02), 0)]
    np.testing.assert_allclose(worlds(rig, range(1, 21), "DEF-foot.L"), before, atol=1e-4)
    assert report.last(rig).operation == "Switch"


@pytest.mark.parametrize(
    ("chosen", "here", "frames"),
    [
        ("RANGE", 7, (3, 20)),
        ("FROM_HERE", 7, (7, 20)),
        ("FROM_HERE", 25, (25, 25)),
        ("HERE", 7, (7, 7)),
    ],
)
def test_the_panel_has_frames_to_switch(chosen: str, here: int, frames: tuple[int, int]) -> None:
    from bl_ext.user_default.two_bone_ik.ui import switch

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.two_bone_ik_switch_frames = 3, 20, chosen
    scene.frame_set(here)
    assert switch._frames(scene) == frames
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 3, 20
    scene.frame_start, scene.frame_end = 1, 40
    assert switch._frames(scene) == frames


@pytest.mark.parametrize("frames", [(5, 15), (5, 20), (1, 20)])
def test_a_switch_adds_no_frames_to_what_is_planted(rig: Object, frames: tuple[int, int]) -> None:
    """It keys what keeps the limbs outside of its frames, on either side: those keys are no captured motion."""
    select_bones(rig, "foot_ik.L")
    assert contact_keys.keyed_span(rig) == (1, 20)
    for direction in ("FK", "IK", "FK"):
        options = {"frame_start": frames[0], "frame_end": frames[1], "only_active": True}
        bpy.ops.two_bone_ik.switch(direction=direction, **options)
        assert contact_keys.keyed_span(rig) == (1, 20)
    keyed = [key.co.x for curve in versions.curves(rig) for key in curve.keyframe_points]
    assert frames == (5, 15) or not min(keyed) >= 1 or max(keyed) > 20


def test_one_limb_is_switched_by_any_of_its_bones(rig: Object) -> None:
    select_bones(rig, "foot_heel_ik.L")
    options = {"only_active": True, "frame_start": 1, "frame_end": 20}
    assert bpy.ops.two_bone_ik.switch(direction="FK", **options) == {"FINISHED"}
    assert switched(rig) == {"thigh_parent.L"}


def test_a_refused_switch_leaves_the_file_as_it_was(rig: Object) -> None:
    select_bones(rig, "torso")
    before = file_data.dump()
    with pytest.raises(RuntimeError, match='Bone "torso" of "basic_human" is in no limb'):
        bpy.ops.two_bone_ik.switch(direction="FK", only_active=True)
    assert not file_data.changed(before)


def test_a_rig_of_no_known_kind_is_told_which_are_known() -> None:
    bpy.context.view_layer.objects.active = armature()
    with pytest.raises(RuntimeError, match="no rig of a kind that is known"):
        bpy.ops.two_bone_ik.switch(direction="FK")


def test_a_switch_that_is_given_up_leaves_no_trace(rig: Object) -> None:
    before = file_data.dump()
    request = api.switch.request(rig, "FK", frames=(1, 20))
    next(request.prepare())
    request.close()
    assert not file_data.changed(before)


def baked_leg(rig: Object) -> None:
    """The left leg has keys from 5 to 15, which its rig does not show."""
    api.add_detected(rig)
    rig.two_bone_ik_active = [chain.name for chain in rig.two_bone_ik_chains].index("Leg.L")
    rig.two_bone_ik_chains["Leg.L"].pole_angle = 0.5
    api.bake(rig, ["Leg.L"], frames=(5, 15))
    on_frame(8)


def test_the_button_sets_the_switch_of_a_baked_limb(rig: Object) -> None:
    baked_leg(rig)
    keys = everything(rig)
    assert bpy.ops.two_bone_ik.reveal() == {"FINISHED"}
    assert everything(rig) == keys
    for frame in range(5, 16):
        shown = rig.evaluated_get(on_frame(frame)).pose.bones
        np.testing.assert_allclose(shown["ORG-shin.L"].matrix, shown["shin_fk.L"].matrix, atol=1e-5)


def test_an_animated_switch_is_turned_for_the_frame(rig: Object) -> None:
    baked_leg(rig)
    path = 'pose.bones["thigh_parent.L"]["IK_FK"]'
    rig.keyframe_insert(path, frame=1)
    frames = range(1, 21)
    before = worlds(rig, frames, "DEF-foot.L")
    on_frame(8)
    assert bpy.ops.two_bone_ik.reveal() == {"FINISHED"}
    shown = [rig.evaluated_get(on_frame(frame)).pose.bones["thigh_parent.L"]["IK_FK"] for frame in frames]
    assert shown == [float(frame == 8) for frame in frames]
    np.testing.assert_allclose(worlds(rig, frames, "DEF-foot.L"), before, atol=1e-4)


def test_a_bake_that_the_rig_does_not_show_is_told(rig: Object) -> None:
    """Detect, Targets, Live, Bake on a fresh rig, whose IK-FK is 0."""
    for operator in ("chains_detect", "create_targets"):
        assert getattr(bpy.ops.two_bone_ik, operator)() == {"FINISHED"}
    rig.two_bone_ik_live = True
    assert bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=5) == {"FINISHED"}
    told = report.last(rig)
    assert told.to_know == 4
    assert 'The rig does not show chain "Leg.L": set its property "IK_FK" to 1' in told.lines()


def test_a_control_of_a_known_rig_has_its_limb_in_hand(rig: Object) -> None:
    api.add_detected(rig)
    for bone, limb in (("foot_ik.L", "Leg.L"), ("hand_ik.R", "Arm.R"), ("thigh_parent.R", "Leg.R")):
        select_bones(rig, bone)
        assert in_hand.chain_in_hand(bpy.context).name == limb
