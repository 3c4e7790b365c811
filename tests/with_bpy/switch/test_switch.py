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
from support.walking import (
    FRAMES,
    HALVES,
    LIMBS,
    SIDES,
    SPAN,
    assert_kept,
    deforming,
    key_setting,
    off,
    pose_of,
    set_poles,
    staying,
    stride,
    walk,
)

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
    with staying(rig):
        assert api.switch(rig, "FK", frames=SPAN).posed


@pytest.mark.parametrize("keys", [(2, 8), (29, 23)])
def test_a_limb_stays_between_a_key_and_the_end_beside_it(rig: Object, keys: tuple[int, int]) -> None:
    """It rests on one side of the key and moves on the other: no slope passes the key."""
    animate(rig.pose.bones["foot_ik.L"], location=dict(zip(keys, ((0, 0, 0.1), (0, 0.15, 0.1)), strict=True)))
    with staying(rig):
        assert api.switch(rig, "FK", frames=SPAN).posed


@pytest.mark.versions
def test_ik_to_fk_to_ik_keeps_what_deforms_the_character(rig: Object) -> None:
    walk(rig)
    before = deforming(rig, FRAMES)
    with staying(rig):
        assert api.switch(rig, "FK", frames=SPAN).posed
    api.switch(rig, "IK", frames=SPAN)
    assert_kept(deforming(rig, FRAMES), before)
    assert all(rig.pose.bones[f"{limb}_parent.L"]["IK_FK"] == 0.0 for limb in LIMBS)


@pytest.mark.parametrize("pole", [False, True])
def test_fk_to_ik_keeps_what_deforms_the_character(rig: Object, pole: bool) -> None:
    stride(rig)
    set_poles(rig, pole)
    with staying(rig):
        assert api.switch(rig, "IK", frames=SPAN).posed


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
    for name, (before, after) in changing.items():
        key_setting(rig, name, {1.0: before, 16.0: after})
    motion(rig)
    with staying(rig):
        assert api.switch(rig, to, frames=SPAN).posed


@pytest.mark.parametrize("name", ["pole_vector", "pole_parent"])
def test_limbs_stay_between_frames_as_the_rig_changes(rig: Object, name: str) -> None:
    first, second = {"pole_vector": (0.0, 1.0), "pole_parent": (1.0, 2.0)}[name]
    set_poles(rig, pole=True)
    key_setting(rig, name, {1.0: first, 11.0: second, 21.0: first})
    stride(rig)
    animate(rig.pose.bones["torso"], location={1: (0, 0, 0), 30: (0.1, 0.2, -0.3)})
    before = deforming(rig, HALVES)
    api.switch(rig, "IK", TWO, frames=SPAN)
    assert off(deforming(rig, HALVES), before)[0] < 1e-3


def test_limbs_stay_just_ahead_of_a_jump(rig: Object) -> None:
    set_poles(rig, pole=True)
    for limb, side in product(LIMBS, "LR"):
        rig.pose.bones[f"{limb}_parent.{side}"]["IK_Stretch"] = 1.0
    key_setting(rig, "IK_parent", {1.0: 1.0, 11.0: 2.0, 21.0: 1.0})
    walk(rig)
    torso = rig.pose.bones["torso"]
    animate(torso, location={1: (0, 0, 0), 30: (0.1, 0.2, -0.2)})
    animate(torso, rotation_quaternion={1: (1, 0, 0, 0), 11: (1, 0, 0.5, 0.5), 30: (1, 0, 0.2, 0)})
    before = deforming(rig, HALVES)
    for to in ("FK", "IK"):
        api.switch(rig, to, frames=SPAN)
        assert off(deforming(rig, HALVES), before)[0] < 1e-3
        if to == "FK":
            forget_ik(rig)


def forget_ik(rig: Object) -> None:
    """Remove all keys of IK controls, as if nobody had posed them."""
    forget(rig, *(bone.name for bone in rig.pose.bones if "_ik" in bone.name))


@pytest.mark.skipif(
    bpy.app.version[:2] not in ((4, 2), (5, 2)), reason="a whole human takes long; the basic one is tried in all"
)
def test_a_whole_human_goes_to_fk_and_back_and_stays(empty_file: None) -> None:
    """With all bones that deform it, fingers included, on some frames: one takes as long as 12 of the basic human."""
    rig = generated("human")
    key_setting(rig, "IK_Stretch", {1.0: 1.0, 31.0: 0.0})
    walk(rig)
    names = [bone.name for bone in rig.data.bones if bone.use_deform]
    frames, halves = range(1, 61, 6), np.arange(3.5, 60.0, 12.0)
    before, between = pose_of(rig, names, frames), pose_of(rig, names, halves)
    for to in ("FK", "IK"):
        report = api.switch(rig, to, frames=(1, 60))
        assert_kept(pose_of(rig, names, frames), before)
        assert off(pose_of(rig, names, halves), between)[0] < 1e-3
        assert report.posed
        if to == "FK":
            forget_ik(rig)


def test_a_switch_changes_nothing_outside_of_its_frames(rig: Object) -> None:
    """Keys keep every bit, but for those beside the range, whose handles may be set free."""
    walk(rig)
    outside = [*np.arange(-3.0, 10.1, 0.75), 9.75, *np.arange(31.0, 46.0, 0.75), 31.25]
    before, keys = deforming(rig, outside), all_keys(rig)
    for to in ("FK", "IK"):
        api.switch(rig, to, frames=(INSIDE[0], INSIDE[-1]))
        assert off(deforming(rig, outside), before)[0] < 1e-6
        after = all_keys(rig)
        for path, old in keys.items():
            kept = [key for key in old if not INSIDE[0] <= key[0] <= INSIDE[-1]]
            assert {key[:2] for key in kept} <= {key[:2] for key in after[path]}
            assert {key for key in kept if not 1.0 < key[0] < 61.0} <= {*after[path]}
        rig.pose.bones["thigh_fk.L"].rotation_quaternion.x += 0.1
        rig.pose.bones["thigh_fk.L"].keyframe_insert("rotation_quaternion", frame=20)


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

    before = pose_of(rig, names, range(1, 11))
    assert api.switch(rig, "FK", ["Hind Leg.L"], frames=(1, 10)).posed
    assert_kept(pose_of(rig, names, range(1, 11)), before)
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
