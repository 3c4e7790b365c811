"""The way back on limbs that are hard on it: scaled and sheared, straight, moved by constraints, one on the other."""

from __future__ import annotations

from collections.abc import Callable
from math import sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support import fk
from support.fk import FRAMES
from support.rigs import ARM, STRAIGHT, Bone, animate, armature, empty
from support.truth import Limb, on_frame

CLOSE = 1e-5  # of the chain's length


def joints() -> np.ndarray:
    """(n, 3, 3) root, mid and tip as they play."""
    return np.array([Limb().joints(on_frame(frame)) for frame in FRAMES])


@pytest.mark.parametrize(
    "parts", [{"spine": (2, 1, 1)}, {"upper": (1, 1.3, 1)}, {"spine": (1.5, 1, 1), "lower": (1, 2, 1)}]
)
@pytest.mark.parametrize("inherit", ["FULL", "ALIGNED", "NONE"])
def test_joints_come_back_under_scale_and_shear(inherit: str, parts: dict) -> None:
    rig = armature()
    fk.swing(rig)
    fk.carry(rig)
    api.add_chain(rig, "lower", target=empty("Target"), pole_target=empty("Pole"))
    for name, scale in parts.items():
        rig.pose.bones[name].scale = scale
    for name in ("upper", "lower"):
        rig.data.bones[name].inherit_scale = inherit
    before = joints()
    assert api.bake_targets(rig, frames=(1, 37)).reached
    for name in ("upper", "lower"):
        rig.pose.bones[name].rotation_quaternion = (1, 0, 0, 0)
    api.bake(rig, frames=(1, 37))
    length = np.linalg.norm(np.diff(before[0], axis=0), axis=-1).sum()
    assert np.abs(joints() - before).max() < CLOSE * length


def straightening(most: float) -> Callable[[float], float]:
    """A hinge that is straight half of the time, and then opens up to an angle."""
    return lambda frame: most * max(0.0, sin(frame / 4))


def bent_by(joints: np.ndarray) -> np.ndarray:
    """(n,) the angle between the bones."""
    first, second = np.moveaxis(np.diff(joints, axis=1), 1, 0)
    return np.arctan2(np.linalg.norm(np.cross(first, second), axis=-1), np.sum(first * second, axis=-1))


@pytest.mark.parametrize("most", [1.5, 0.1, 0.01, 0.0])
@pytest.mark.parametrize("way", ["CURVES", "ISOLATED"])
def test_a_straightening_leg_comes_back_with_its_twist(most: float, way: str) -> None:
    rig = armature(STRAIGHT)
    fk.swing(rig, straightening(most))
    fk.carry(rig)
    api.add_chain(rig, "lower", target=empty("Target"), pole_target=empty("Pole"))
    before, turned = joints(), fk.turns(rig, "upper", "lower")
    assert api.bake_targets(rig, frames=(1, 37), sampling=way).reached
    assert_steady_pole(before, turned)
    fk.forget(rig, "upper", "lower")
    api.bake(rig, frames=(1, 37), sampling=way)
    after = joints()
    # The target's float32 moves the mid joint by the square root of its error, and by no more where it is well bent.
    error = 4 * np.spacing(np.float32(np.abs(before).max()))
    height = 0.4 * bent_by(before)
    allowed = 1.8 * CLOSE + np.minimum(np.sqrt(error), np.where(height > 0, error / np.where(height > 0, height, 1), 0))
    assert (np.abs(after - before).max(axis=(1, 2)) < allowed).all()
    found = fk.turns(rig, "upper", "lower")
    found *= np.sign(np.sum(found * turned, axis=-1, keepdims=True))
    assert (np.abs(found - turned).max(axis=(1, 2)) < 2 * allowed).all()


def assert_steady_pole(joints: np.ndarray, turned: np.ndarray) -> None:
    """The pole's direction from the limb turns no farther than the limb: with the upper bone, and with its hinge."""
    poles = np.array([on_frame(frame) and tuple(bpy.data.objects["Pole"].matrix_world.translation) for frame in FRAMES])
    root, _, tip = np.moveaxis(joints, 1, 0)
    line = (tip - root) / np.linalg.norm(tip - root, axis=-1, keepdims=True)
    beside = poles - root - np.sum((poles - root) * line, axis=-1, keepdims=True) * line
    beside /= np.linalg.norm(beside, axis=-1, keepdims=True)
    steps = np.linalg.norm(np.diff(beside, axis=0), axis=-1)
    quaternions = np.abs(np.sum(turned[1:] * turned[:-1], axis=-1)).clip(max=1)
    carried = 0.12  # radians a frame by which the spine and the object turn at the most
    assert (steps < 2 * np.arccos(quaternions).sum(axis=-1) + carried).all()


def test_a_pose_that_constraints_make_is_followed_as_it_shows() -> None:
    """Retargeted motion lives in constraints, not in keys."""
    source = armature(ARM, "Source")
    fk.swing(source)
    rig = armature(ARM)
    for name in ("upper", "lower"):
        constraint = rig.pose.bones[name].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget = source, name
    api.add_chain(rig, "lower", target=empty("Target"), pole_target=empty("Pole"))
    before = joints()
    assert not api.bake_targets(rig, frames=(1, 37)).notes
    for name in ("upper", "lower"):
        rig.pose.bones[name].constraints[0].mute = True
    api.bake(rig, frames=(1, 37))
    assert np.abs(joints() - before).max() < 1.8 * CLOSE


def test_targets_follow_a_pose_made_by_an_ik_constraint() -> None:
    rig = armature()
    fk.carry(rig)
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.pole_target, constraint.chain_count = empty("Goal"), empty("Side", (1, 5, 1)), 2
    animate(constraint.target, location={1: (1.2, 0.6, 1.3), 40: (4, 0.5, 1.5)})
    api.add_chain(rig, "lower", target=empty("Target"), pole_target=empty("Pole"))
    before = joints()
    api.bake_targets(rig, frames=(1, 37))
    assert not constraint.mute
    api.bake(rig, frames=(1, 37))
    assert constraint.mute
    assert np.abs(joints() - before).max() < 1.8 * CLOSE


def test_all_chains_at_once_with_one_target_on_the_other() -> None:
    other_arm = (
        Bone("upper.L", (0, 0, 1), (-1, 0.2, 1), "spine"),
        Bone("lower.L", (-1, 0.2, 1), (-1.8, 0, 1), "upper.L"),
    )
    rig = armature((*ARM, *other_arm))
    fk.swing(rig)
    fk.carry(rig)
    animate(rig.pose.bones["upper.L"], rotation_quaternion={1: (1, 0.3, 1, 0), 40: (1, 1, 0, 0)})
    for side in ("", ".L"):
        api.add_chain(rig, f"lower{side}", target=empty(f"Target{side}"), pole_target=empty(f"Pole{side}"))
    bpy.data.objects["Target.L"].parent = bpy.data.objects["Target"]
    limbs = (Limb(), Limb(root="upper.L", end="lower.L"))

    def joints_of_both() -> np.ndarray:
        return np.array([[limb.joints(on_frame(frame)) for limb in limbs] for frame in FRAMES])

    before = joints_of_both()
    api.bake_targets(rig, frames=(1, 37))
    fk.forget(rig, "upper", "lower", "upper.L", "lower.L")
    api.bake(rig, frames=(1, 37))
    assert np.abs(joints_of_both() - before).max() < 1.8 * CLOSE


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED", "SCENE"])
@pytest.mark.parametrize("turns", [False, True])
def test_targets_follow_a_tip_that_moves_on_a_limb_at_rest(way: str, turns: bool) -> None:
    rig = armature()
    animate(rig.pose.bones["hand"], location={1: (0, 0, 0), 10: (0.1, -0.3, 0.2)})
    api.add_chain(rig, "lower", tip_bone="hand", use_rotation=turns, target=empty("Target"), pole_target=empty("Pole"))
    api.bake_targets(rig, frames=(1, 10), sampling=way)
    limb = Limb(tip="hand")
    off = [limb.joints(depsgraph)[2] - limb.goal(depsgraph) for depsgraph in map(on_frame, range(1, 11))]
    assert np.abs(off).max() < 1e-5
