"""Toes stay with the rest of the limb: those with one control for FK and IK, and those that an IK of their own aims."""

from __future__ import annotations

from math import pi, sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Euler

from support import published_rigs
from support.published_rigs import limbs, move, published
from support.rigify import generated
from support.rigs import animate
from support.truth import on_frame
from support.walking import assert_kept, off, pose_of

FRAMES, HALVES = range(1, 21), np.arange(1.5, 20.0)
SIDES = (("L", 0.0), ("R", pi))


@pytest.fixture
def bird() -> Object:
    rig = generated("bird")
    bones = rig.pose.bones
    for frame in range(1, 26, 4):
        for side, shift in SIDES:
            turn = sin(2.0 * pi * frame / 20.0 + shift)
            bones[f"foot_heel_ik.{side}"].rotation_mode = "QUATERNION"
            for name, angles in (
                ("foot_ik", (0.2 * turn, 0.1, 0)),
                ("foot_heel_ik", (0.3 * turn, 0, 0)),
                ("toe", (0.3 * turn, 0, 0)),
            ):
                turned = {frame: Euler(angles).to_quaternion()}
                animate(bones[f"{name}.{side}"], rotation_quaternion=turned)
            animate(bones[f"foot_ik.{side}"], location={frame: (0, 0.02 * turn, 0.01)})
    return rig


def of_feet(rig: Object, frames: object = FRAMES) -> np.ndarray:
    """Of the bones that deform feet and toes, claws included."""
    names = [f"DEF-{name}.{side}" for name in ("foot", "toe", "t_middle.003", "t_thumb.002") for side, _ in SIDES]
    return pose_of(rig, names, frames)


def test_toes_that_share_a_control_go_to_fk_and_back(bird: Object) -> None:
    before, between = of_feet(bird), of_feet(bird, HALVES)
    for to in ("FK", "IK"):
        assert api.switch(bird, to, frames=(1, 20)).posed
        assert_kept(of_feet(bird), before)
        assert off(of_feet(bird, HALVES), between)[0] < 1e-3


def test_feet_keep_their_keys_while_toes_get_theirs(bird: Object) -> None:
    def keys_of_feet() -> dict[tuple[str, int], list[tuple[float, float]]]:
        return {
            (curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points]
            for curve in versions.curves(bird)
            if "_ik." in curve.data_path
        }

    before = keys_of_feet()
    for to in ("FK", "IK"):
        api.switch(bird, to, frames=(1, 20))
    assert keys_of_feet() == before


def test_toes_lie_right_on_a_limb_that_ik_stretches(bird: Object) -> None:
    bones = bird.pose.bones
    for side, shift in SIDES:
        bones[f"thigh_parent.{side}"]["IK_FK"] = 1.0
        for frame in range(1, 26, 4):
            turn = sin(2.0 * pi * frame / 20.0 + shift)
            animate(bones[f"shin_fk.{side}"], rotation_quaternion={frame: Euler((0.2 * turn, 0, 0)).to_quaternion()})
            for name in ("thigh_fk", "shin_fk"):
                animate(bones[f"{name}.{side}"], scale={frame: [1.2 + 0.1 * turn] * 3})
    bird.update_tag()
    before = of_feet(bird)
    assert api.switch(bird, "IK", frames=(1, 20)).posed
    assert_kept(of_feet(bird), before)


def test_a_report_tells_of_toes_that_share_a_control(bird: Object) -> None:
    limit = bird.pose.bones["toe.L"].constraints.new("LIMIT_ROTATION")
    # It acts on what is keyed, and the keys of the toes go along with their parent, which turns.
    limit.owner_space = "LOCAL"
    limit.use_limit_x = True
    report = api.switch(bird, "FK", frames=(1, 20))
    assert [chain.off_bone for chain in report.chains if not chain.posed] == ["toe.L"]


def test_toes_that_share_a_control_stay_between_frames() -> None:
    rig = generated("basic_quadruped")
    random = np.random.default_rng(1)
    for side, _ in SIDES:
        for name in ("foot_ik", "foot_heel_ik", "toe", "front_foot_ik", "front_foot_heel_ik", "front_toe"):
            bone = rig.pose.bones[f"{name}.{side}"]
            bone.rotation_mode = "QUATERNION"
            for frame in (-4, 5, 13, 25):
                turned = Euler(random.normal(scale=0.3, size=3)).to_quaternion()
                animate(bone, rotation_quaternion={frame: turned})
                if not bone.lock_location[0]:
                    animate(bone, location={frame: random.normal(scale=0.04, size=3)})
    for frame in (-4, 5, 13, 25):
        turned = Euler(random.normal(scale=0.2, size=3)).to_quaternion()
        animate(rig.pose.bones["torso"], rotation_quaternion={frame: turned})
    names = [f"DEF-{name}.{side}" for name in ("toe", "front_toe") for side, _ in SIDES]
    before = pose_of(rig, names, HALVES)
    assert api.switch(rig, "FK", frames=(1, 20)).posed
    # Blender was evaluated there, so it is as near as on frames.
    assert off(pose_of(rig, names, HALVES), before)[0] < 1e-4


FOOT, TOES = "足首.L", "つま先ＩＫ.L"
INFLUENCE = f'pose.bones["{FOOT}"].constraints["IK"].influence'
LEG = {"FK": "IK", "IK": "FK"}


@pytest.fixture
def model() -> Object:
    """Of MMD, whose feet are aimed at the toes."""
    return published("mmd")


def foot(rig: Object, frame: float) -> np.ndarray:
    on_frame(frame)
    return np.array(rig.pose.bones[FOOT].matrix)


def influence(rig: Object, frame: float) -> float:
    on_frame(frame)
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).path_resolve(INFLUENCE)


@pytest.mark.parametrize("to", ["FK", "IK"])
def test_ik_of_the_toes_is_keyed_as_that_of_the_leg(model: Object, to: str) -> None:
    move(model, "mmd", LEG[to])
    animate(model.pose.bones[TOES], location={1: (0, 0, 0), 15: (0.02, 0.05, 0.04)})
    before = published_rigs.deforming(model, limbs("mmd"))
    assert api.switch(model, to, frames=(4, 10)).posed
    moved, turned, _ = off(published_rigs.deforming(model, limbs("mmd")), before)
    assert (moved < 1e-4, turned < 0.1) == (True, True)
    on, beside = (0.0, 1.0) if to == "FK" else (1.0, 0.0)
    assert [influence(model, frame) for frame in (3, 4, 10, 11)] == [beside, on, on, beside]


def test_fk_keys_of_the_foot_act_where_fk_shows(model: Object) -> None:
    move(model, "mmd", "IK")
    api.switch(model, "FK", frames=(1, 15))
    before = foot(model, 7)
    animate(model.pose.bones[FOOT], rotation_quaternion={7: (0.9, 0.4, 0, 0)})
    assert np.abs(foot(model, 7) - before).max() > 0.1


def test_the_toes_control_moves_the_foot_where_ik_shows(model: Object) -> None:
    move(model, "mmd", "FK")
    api.switch(model, "IK", frames=(1, 15))
    before = foot(model, 7)
    model.pose.bones[TOES].location.z += 0.1
    bpy.context.view_layer.update()
    assert np.abs(np.array(model.pose.bones[FOOT].matrix) - before).max() > 0.1


def test_a_model_without_ik_of_the_toes_switches(model: Object) -> None:
    model.pose.bones[FOOT].constraints.remove(model.pose.bones[FOOT].constraints["IK"])
    animate(model.pose.bones["足ＩＫ.L"], location={1: (0, 0, 0), 15: (-0.05, 0.05, 0.1)})
    before = published_rigs.deforming(model, limbs("mmd"))
    assert api.switch(model, "FK", frames=(4, 10)).posed
    assert off(published_rigs.deforming(model, limbs("mmd")), before)[0] < 1e-4
    assert INFLUENCE not in {curve.data_path for curve in versions.curves(model)}
