"""Rigs that Rigify has generated: a bake keys the FK controls, and all that hangs on them follows."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Euler, Vector

from support.rigify import generated
from support.rigs import animate, empty
from support.truth import Limb, on_frame

FRAMES = range(1, 21)
CLOSE = 1e-5
BONES = {"Arm": ("upper_arm", "forearm", "hand"), "Leg": ("thigh", "shin", "foot")}
POINTS = {"Arm": np.array((0, 1, 0)), "Leg": np.array((0, -1, 0))}
"""The way in which elbows and knees point."""
LIMBS = [f"{limb}.{side}" for limb in BONES for side in "LR"]


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig, walking and turning, with a chain for each limb."""
    rig = generated("basic_human")
    bones = rig.pose.bones
    animate(
        bones["root"],
        location={1: (0, 0, 0), 20: (0.3, 0.5, 0)},
        rotation_quaternion={1: (1, 0, 0, 0), 20: Euler((0, 0.5, 0)).to_quaternion()},
    )
    animate(
        bones["torso"],
        location={1: (0, 0, 0), 10: (0, 0, -0.1), 20: (0.03, 0, -0.05)},
        rotation_quaternion={1: (1, 0, 0, 0), 20: Euler((0.1, 0.2, 0.1)).to_quaternion()},
    )
    api.add_detected(rig)
    return rig


def controls(limb: str) -> tuple[str, ...]:
    """The FK controls of a limb: root bone, end bone and tip bone."""
    name, side = limb.split(".")
    return tuple(f"{bone}_fk.{side}" for bone in BONES[name])


def switch_to_fk(rig: Object) -> None:
    """As the sliders in the sidebar do."""
    for limb in LIMBS:
        name, side = limb.split(".")
        rig.pose.bones[f"{BONES[name][0]}_parent.{side}"]["IK_FK"] = 1.0
    rig.update_tag()


def rest(rig: Object, bone: str) -> np.ndarray:
    return np.array(rig.data.bones[bone].head_local)


def joints(rig: Object, names: Iterable[str]) -> np.ndarray:
    """Heads of these bones, in armature space, as evaluated."""
    return np.array([rig.pose.bones[name].head for name in names])


def test_a_baked_rigify_rig_reaches_the_targets_in_all_layers(rig: Object) -> None:
    for chain in rig.two_bone_ik_chains:
        root, mid, tip = (rest(rig, bone) for bone in controls(chain.name))
        inwards = 0.3 * (root - tip)
        chain.target = empty(f"Target {chain.name}")
        animate(chain.target, location={1: tip + inwards, 10: tip + 1.5 * inwards - (0, 0.1, 0), 20: tip + inwards})
        chain.pole_target = empty(f"Pole {chain.name}", tuple(mid + POINTS[chain.name[:3]]))
    api.bake(rig, frames=(1, 20))
    switch_to_fk(rig)
    name = rig.name
    for limb in LIMBS:
        root, end, tip = controls(limb)
        found = Limb(rig=name, root=root, end=end, tip=tip, target=f"Target {limb}", pole=f"Pole {limb}")
        assert found.misses(FRAMES).max() < CLOSE
    rig = bpy.data.objects[name]
    for frame in FRAMES:
        on_frame(frame)
        for limb in LIMBS:
            fk = joints(rig, controls(limb))
            for layer in ("ORG-", "DEF-"):
                bones = [layer + bone.replace("_fk", "") for bone in controls(limb)]
                np.testing.assert_allclose(joints(rig, bones), fk, atol=1e-6)


def test_rigify_ik_animation_moves_to_the_fk_controls(rig: Object) -> None:
    """Hands and feet to where they were, and elbows and knees into the planes in which they were.

    Not to their places: bones of the IK limbs give a little, Rigify sets their IK Stretch to 0.1.
    """
    bones = rig.pose.bones
    for side, x in (("L", 1), ("R", -1)):
        hand = bones[f"hand_ik.{side}"]
        to_hand = hand.bone.matrix_local.to_3x3().inverted()
        turns = {1: (1, 0, 0, 0), 20: Euler((0.5, 0.3, 0.4 * x)).to_quaternion()}
        places = {1: (-0.1 * x, -0.1, 0.05), 20: (-0.2 * x, -0.3, 0.2)}
        animate(hand, location={frame: to_hand @ Vector(place) for frame, place in places.items()})
        animate(hand, rotation_quaternion=turns)
        animate(bones[f"foot_ik.{side}"], location={1: (0, 0, 0.1), 20: (0, 0.2, 0.15)}, rotation_quaternion=turns)
        animate(bones[f"foot_heel_ik.{side}"], rotation_euler={1: (0, 0, 0), 20: (0.4, 0, 0)})
    before = shown(rig)
    for chain in rig.two_bone_ik_chains:
        limb, side = chain.name.split(".")
        root, mid, _ = BONES[limb]
        chain.target = chain.pole_target = rig
        chain.subtarget, chain.pole_subtarget = f"MCH-{root}_ik_target.{side}", f"MCH-{mid}_ik.{side}"
        chain.use_rotation = True
    assert api.bake(rig, frames=(1, 20)).reached
    switch_to_fk(rig)
    after = shown(rig)
    # What the constraint misses its own target by.
    np.testing.assert_allclose(after[:, :, 2, :3, 3], before[:, :, 2, :3, 3], atol=1e-4)
    np.testing.assert_allclose(after[:, :, 2, :3, :3], before[:, :, 2, :3, :3], atol=1e-5)
    root, mid, tip = np.moveaxis(before[..., :3, 3], 2, 0)
    normal = np.cross(mid - root, tip - root)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    assert np.abs(((after[:, :, 1, :3, 3] - root) * normal).sum(axis=-1)).max() < 1e-4


def shown(rig: Object) -> np.ndarray:
    """(frames, limbs, 3, 4, 4) the matrices of the bones in the middle layer, which IK and FK both can move."""
    found = []
    for frame in FRAMES:
        on_frame(frame)
        names = [[bone.replace("_fk", "") for bone in controls(limb)] for limb in LIMBS]
        found.append([[np.array(rig.pose.bones[f"ORG-{name}"].matrix) for name in limb] for limb in names])
    return np.array(found)
