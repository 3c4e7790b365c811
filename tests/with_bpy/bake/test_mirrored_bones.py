"""Bones with negative scale, of their own or of the bone that carries the chain, end where Blender puts them."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.empty_file import open_empty_file
from support.rigs import animate, arm
from support.truth import Limb, on_frame
from support.twisted import shown

CLOSE = 1e-5
FRAMES = (1, 4, 8)
AXES = [(1, 1, -1), (1, -1, 1), (-1, 1, -1), (-1, -1, -1)]
"""Those that differ in kind: across the bone or along it, turned, turned inside out."""
INHERIT = ["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"]
WAYS = ["AUTO", "ISOLATED", "SCENE"]


def mirrored_arm(bone: str, scale: object, **fields: object) -> Object:
    """An arm on a turning spine, one bone of which is scaled so; its target and pole move along with the spine."""
    open_empty_file()
    link = arm(target=(1.0, -0.6, 0.3), pole=(1.0, 2.0, 0.2), **fields)
    rig = link.id_data
    animate(link.target, location={1: (1.0, -0.6, 0.3), 8: (0.6, -0.4, 0.6)})
    for goal in (link.target, link.pole_target):
        goal.parent, goal.parent_type, goal.parent_bone = rig, "BONE", "spine"
    animate(rig.pose.bones["spine"], rotation_quaternion={1: (1, 0.1, 0.2, 0), 8: (1, 0.3, -0.2, 0.1)})
    rig.pose.bones[bone].scale = scale
    return rig


def signs_with(of: Sequence[str], others: Sequence) -> list[tuple]:
    """Each of these with all signs; the others in turn, so that each meets each of the signs and of these."""
    return [
        (one, others[(row + column) % len(others)], signs)
        for row, one in enumerate(of)
        for column, signs in enumerate(AXES)
    ]


UNEVEN = np.array((1.1, 0.8, 1.2))


@pytest.mark.parametrize(
    ("inherit", "turns", "scale"),
    [
        *signs_with(INHERIT, (True, False)),
        *((rule, turns, UNEVEN * AXES[1 + turns]) for rule in INHERIT[1:] for turns in (True, False)),
    ],
)
def test_a_mirrored_parent_carries_a_chain_that_reaches(inherit: str, turns: bool, scale: Sequence[float]) -> None:
    rig = mirrored_arm("spine", scale)
    for name in ("upper", "lower"):
        rig.data.bones[name].inherit_scale, rig.data.bones[name].use_inherit_rotation = inherit, turns
    assert api.bake(rig, frames=(1, 8)).reached
    assert Limb(pole="Pole").hits(FRAMES).max() < CLOSE


@pytest.mark.parametrize(("bone", "way", "signs"), signs_with(["upper", "lower", "hand"], WAYS))
def test_a_mirrored_bone_of_the_chain_reaches(bone: str, way: str, signs: Sequence[float]) -> None:
    rig = mirrored_arm(bone, signs, tip_bone="hand")
    assert api.bake(rig, frames=(1, 8), sampling=way).reached
    assert Limb(pole="Pole", tip="hand").hits(FRAMES).max() < CLOSE


def test_a_scale_that_turns_negative_during_the_shot_is_followed() -> None:
    rig = mirrored_arm("upper", (1, 1, 1))
    animate(rig.pose.bones["upper"], scale={1: (1, 1, 1), 4: (-1, 0.9, 1), 8: (-1, 1.1, -1)})
    for curve in versions.curves(rig):
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
    assert api.bake(rig, frames=(1, 8)).reached
    assert Limb(pole="Pole").hits(FRAMES).max() < CLOSE


@pytest.mark.parametrize(("inherit", "bone", "signs"), signs_with(INHERIT[2:], ["spine", "upper", "lower"]))
def test_a_mirrored_chain_stretches_to_its_target(inherit: str, bone: str, signs: Sequence[float]) -> None:
    rig = mirrored_arm(bone, signs, unreachable="STRETCH", max_stretch=3.0)
    animate(bpy.data.objects["Target"], location={8: (1.6, 1.0, 1.5)})
    for name in ("upper", "lower"):
        rig.data.bones[name].inherit_scale = inherit
    assert api.bake(rig, frames=(1, 8)).reached
    assert Limb(pole="Pole").hits(FRAMES).max() < CLOSE
    scale = bpy.data.objects["Rig"].pose.bones[bone].scale
    assert [factor < 0 for factor in scale] == [sign < 0 for sign in signs]


@pytest.mark.parametrize("bone", ["spine", "upper", "lower", "hand"])
def test_a_mirrored_hand_points_as_its_target_does(bone: str) -> None:
    """Mirrored, only two of its axes can; x and y do."""
    for signs in AXES:
        rig = mirrored_arm(bone, signs, tip_bone="hand", use_rotation=True)
        animate(bpy.data.objects["Target"], rotation_euler={1: (0.3, 0.1, 0.0), 8: (2.0, -1.0, 0.5)})
        api.bake(rig, frames=(1, 8))
        for frame in FRAMES:
            on_frame(frame)
            hand = np.array(rig.matrix_world @ rig.pose.bones["hand"].matrix)[:3, :2]
            target = np.array(bpy.data.objects["Target"].matrix_world)[:3, :2]
            np.testing.assert_allclose(*(m / np.linalg.norm(m, axis=0) for m in (hand, target)), atol=CLOSE)


@pytest.mark.parametrize("bone", ["spine", "upper", "lower", "hand"])
def test_a_mirrored_chain_keeps_its_pose_where_it_shall(bone: str) -> None:
    """Without influence, and with a target that was snapped to it."""
    for signs in AXES:
        rig = mirrored_arm(bone, signs, tip_bone="hand", use_rotation=True, rotation_influence=0.0, influence=0.0)
        for index, name in enumerate(("upper", "lower", "hand")):
            rig.pose.bones[name].rotation_quaternion = (0.8, 0.1 * index, 0.3, -0.2)
        before = poses(rig)
        api.bake(rig, frames=(1, 8))
        np.testing.assert_allclose(poses(rig), before, atol=CLOSE)
        rig = mirrored_arm(bone, signs, tip_bone="hand", use_rotation=True, reference="POSE")
        for name, turn in (("upper", (0.8, 0.1, 0.3, -0.2)), ("hand", (0.5, 0.5, -0.2, 0.1))):
            rig.pose.bones[name].rotation_quaternion = turn
        before = poses(rig)
        api.bake_targets(rig, frames=(1, 8))
        api.bake(rig, frames=(1, 8))
        np.testing.assert_allclose(poses(rig), before, atol=1e-4)  # of near straight limbs a pole says little


def poses(rig: Object) -> np.ndarray:
    """(n, 4, 4, 4) every bone as Blender poses it."""
    return shown(rig, FRAMES, rig.pose.bones.keys())
