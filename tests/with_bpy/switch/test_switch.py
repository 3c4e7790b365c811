"""Limbs of generated rigs switch between IK and FK, and what deforms the character stays where it was."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.command import run
from support.fk import forget
from support.rigify import generated
from support.rigs import animate
from support.truth import on_frame
from support.walking import FRAMES, HALVES, LIMBS, SIDES, SPAN, assert_kept, deforming, off, stride, walk

INSIDE = range(11, 31)
TWO = ["Arm.L", "Leg.R"]
"""A limb of each kind and of each side: the others are switched alike."""


def all_keys(rig: Object) -> dict[tuple[str, int], list[tuple[float, ...]]]:
    """By curve its keys: frame, value, handles."""
    return {
        (curve.data_path, curve.array_index): [
            (*key.co, *key.handle_left, *key.handle_right) for key in curve.keyframe_points
        ]
        for curve in versions.curves(rig)
    }


def test_limbs_that_ease_in_and_out_of_dense_keys_stay(rig: Object) -> None:
    """Blender lets a curve come to rest at its first and last key, however fast it is on the frames beside."""
    for side, shift, _ in SIDES:
        swing = 0.25 * np.sin(2.0 * np.pi * np.array(FRAMES) / 60.0 + shift)
        for name in (f"foot_ik.{side}", f"hand_ik.{side}"):
            animate(rig.pose.bones[name], location={frame: (0, swing[frame - 1], 0.1) for frame in FRAMES})
    between = deforming(rig, HALVES)
    assert api.switch(rig, "FK", frames=SPAN).posed
    assert off(deforming(rig, HALVES), between)[0] < 1e-3


@pytest.mark.parametrize("keys", [(2, 8), (29, 23)])
def test_a_limb_stays_between_a_key_and_the_end_beside_it(rig: Object, keys: tuple[int, int]) -> None:
    """It rests on one side of the key and moves on the other: no slope passes the key."""
    animate(rig.pose.bones["foot_ik.L"], location=dict(zip(keys, ((0, 0, 0.1), (0, 0.15, 0.1)), strict=True)))
    between = deforming(rig, HALVES)
    assert api.switch(rig, "FK", frames=SPAN).posed
    assert off(deforming(rig, HALVES), between)[0] < 1e-3


@pytest.mark.versions
def test_ik_to_fk_to_ik_keeps_what_deforms_the_character(rig: Object) -> None:
    walk(rig)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    assert api.switch(rig, "FK", frames=SPAN).posed
    assert_kept(deforming(rig, FRAMES), before)
    assert off(deforming(rig, HALVES), between)[0] < 1e-3
    api.switch(rig, "IK", frames=SPAN)
    assert_kept(deforming(rig, FRAMES), before)
    assert all(rig.pose.bones[f"{limb}_parent.L"]["IK_FK"] == 0.0 for limb in LIMBS)


@pytest.mark.parametrize("pole", [False, True])
def test_fk_to_ik_keeps_what_deforms_the_character(rig: Object, pole: bool) -> None:
    stride(rig)
    for limb in LIMBS:
        for side in "LR":
            rig.pose.bones[f"{limb}_parent.{side}"]["pole_vector"] = pole
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    report = api.switch(rig, "IK", frames=SPAN)
    assert report.posed
    assert_kept(deforming(rig, FRAMES), before)
    assert off(deforming(rig, HALVES), between)[0] < 1e-3


@pytest.mark.parametrize(("motion", "to"), [(walk, "FK"), (stride, "IK")])
def test_a_switch_follows_what_is_keyed_inside_its_frames(rig: Object, motion: Callable[..., None], to: str) -> None:
    """Pole or no pole, what IK controls, pole and FK hang on: all of it changes in the middle of the range."""
    changing = {
        "pole_vector": (0.0, 1.0),
        "IK_parent": (1.0, 2.0),
        "pole_parent": (1.0, 2.0),
        "FK_limb_follow": (0.0, 1.0),
        "IK_Stretch": (1.0, 0.0),
    }
    curves = versions.ensure_channelbag(rig).fcurves
    for limb, side, name in product(LIMBS, "LR", changing):
        points = curves.new(f'pose.bones["{limb}_parent.{side}"]["{name}"]').keyframe_points
        for frame, value in zip((1.0, 16.0), changing[name], strict=True):
            points.insert(frame, value).interpolation = "CONSTANT"
    motion(rig)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    assert api.switch(rig, to, frames=SPAN).posed
    assert_kept(deforming(rig, FRAMES), before)
    assert off(deforming(rig, HALVES), between)[0] < 1e-3


@pytest.mark.parametrize("name", ["pole_vector", "pole_parent"])
def test_limbs_stay_between_frames_as_the_rig_changes(rig: Object, name: str) -> None:
    values = {"pole_vector": (0.0, 1.0), "pole_parent": (1.0, 2.0)}[name]
    curves = versions.ensure_channelbag(rig).fcurves
    for limb, side in product(LIMBS, "LR"):
        rig.pose.bones[f"{limb}_parent.{side}"]["pole_vector"] = True
        points = curves.new(f'pose.bones["{limb}_parent.{side}"]["{name}"]').keyframe_points
        for frame, value in zip((1.0, 11.0, 21.0), (*values, values[0]), strict=True):
            points.insert(frame, value).interpolation = "CONSTANT"
    stride(rig)
    animate(rig.pose.bones["torso"], location={1: (0, 0, 0), 30: (0.1, 0.2, -0.3)})
    before = deforming(rig, HALVES)
    api.switch(rig, "IK", TWO, frames=SPAN)
    assert off(deforming(rig, HALVES), before)[0] < 1e-3


def test_limbs_stay_just_ahead_of_a_jump(rig: Object) -> None:
    curves = versions.ensure_channelbag(rig).fcurves
    for limb, side in product(LIMBS, "LR"):
        settings = rig.pose.bones[f"{limb}_parent.{side}"]
        settings["IK_Stretch"], settings["pole_vector"] = 1.0, True
        points = curves.new(settings.path_from_id() + '["IK_parent"]').keyframe_points
        for frame, value in zip((1.0, 11.0, 21.0), (1.0, 2.0, 1.0), strict=True):
            points.insert(frame, value).interpolation = "CONSTANT"
    walk(rig)
    torso = rig.pose.bones["torso"]
    animate(torso, location={1: (0, 0, 0), 30: (0.1, 0.2, -0.2)})
    animate(torso, rotation_quaternion={1: (1, 0, 0, 0), 11: (1, 0, 0.5, 0.5), 30: (1, 0, 0.2, 0)})
    before = deforming(rig, HALVES)
    for to in ("FK", "IK"):
        api.switch(rig, to, frames=SPAN)
        assert off(deforming(rig, HALVES), before)[0] < 1e-3
        if to == "FK":
            forget(rig, *(bone.name for bone in rig.pose.bones if "_ik" in bone.name))


def test_a_switch_changes_nothing_outside_of_its_frames(rig: Object) -> None:
    walk(rig)
    outside = [*range(-3, 11), *range(31, 46), 10.75, 31.25]
    before, keys = deforming(rig, outside), all_keys(rig)
    for to in ("FK", "IK"):
        api.switch(rig, to, frames=(INSIDE[0], INSIDE[-1]))
        assert off(deforming(rig, outside), before)[0] < 1e-6
        after = all_keys(rig)
        for path, old in keys.items():
            kept = [key for key in old if not INSIDE[0] <= key[0] <= INSIDE[-1]]
            assert {key[:2] for key in kept} <= {key[:2] for key in after[path]}


def test_the_switch_is_keyed_constant_at_both_borders(rig: Object) -> None:
    walk(rig)
    api.switch(rig, "FK", ["Leg.L"], frames=(11, 50))
    curves = {curve.data_path: curve for curve in versions.curves(rig)}
    curve = curves['pose.bones["thigh_parent.L"]["IK_FK"]']
    keys = [(key.co.x, key.co.y, key.interpolation) for key in curve.keyframe_points]
    assert keys == [(10.0, 0.0, "CONSTANT"), (11.0, 1.0, "CONSTANT"), (pytest.approx(50.02), 0.0, "CONSTANT")]


@pytest.mark.versions
def test_one_limb_switches_alone(rig: Object) -> None:
    walk(rig)
    before = all_keys(rig)
    api.switch(rig, "FK", ["Arm.R"], frames=SPAN)
    new = {path for path, _ in all_keys(rig).keys() - before.keys()}
    bones = {path.split('"')[1] for path in new}
    assert bones == {"upper_arm_fk.R", "forearm_fk.R", "hand_fk.R", "upper_arm_parent.R"}


@pytest.mark.parametrize("kind", ["basic_quadruped", "horse"])
def test_paws_and_hooves_go_to_fk(kind: str) -> None:
    rig = generated(kind)
    hind = next(limb for limb in api.known_limbs(rig) if limb.name == "Hind Leg.L")
    control = rig.pose.bones["foot_ik.L" if kind == "basic_quadruped" else "hind_foot_ik.L"]
    animate(control, location={1: (0, 0, 0), 10: (0.05, 0.1, 0.15)})
    names = [*hind.shown, *(f"ORG-{name}" for name in hind.kept)]

    def shown() -> np.ndarray:
        found = []
        for frame in range(1, 11):
            on_frame(frame)
            found.append([np.array(rig.pose.bones[name].matrix) for name in names])
        return np.array(found)

    before = shown()
    assert api.switch(rig, "FK", ["Hind Leg.L"], frames=(1, 10)).posed
    assert_kept(shown(), before)
    with pytest.raises(api.Refused, match="has no IK control") as refused:
        api.switch(rig, "IK", ["Hind Leg.L"], frames=(1, 10))
    assert refused.value.kind == "NO_IK_KEYS"


def test_the_command_line_switches_one_limb(rig: Object, tmp_path: Path) -> None:
    walk(rig)
    shot, switched = tmp_path / "shot.blend", tmp_path / "fk.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    arguments = ("switch", shot, "--to", "fk", "--limb", "Leg.L", "--frames", "1:20", "--output", switched)
    assert run(*arguments) == 0
    bpy.ops.wm.open_mainfile(filepath=str(switched))
    paths = {curve.data_path for curve in versions.curves(bpy.data.objects["basic_human"])}
    assert 'pose.bones["thigh_parent.L"]["IK_FK"]' in paths
    assert 'pose.bones["thigh_parent.R"]["IK_FK"]' not in paths
    assert run("switch", shot, "--to", "FK", "--limb", "Tail", "--output", tmp_path / "none.blend") == 5
