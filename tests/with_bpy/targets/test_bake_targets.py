"""The way back: targets follow a motion keyed on the bones, and a bake then gives that motion again.

Also on limbs that are hard on it: scaled and sheared, straight, moved by constraints, one on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object, PropertyGroup
from mathutils import Quaternion

from support import fk
from support.fk import FRAMES
from support.rigs import ARM, STRAIGHT, Bone, animate, armature, empty
from support.truth import Limb, on_frame

CLOSE = 1e-5  # of the chain's length
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
BONES = ("upper", "lower", "hand")
CONTROLS = (
    Bone("control", (1, 1, 1), (1, 1.5, 1.2), roll=0.4),
    Bone("pole control", (0, 1, 0), (0, 1, 0.4), "control"),
)


def swinging_arm(*bones: Bone, mode: str = "QUATERNION", **fields: object) -> PropertyGroup:
    """An arm on a rig that moves in every way, with an empty for a target and one for a pole."""
    rig = armature((*ARM, *bones))
    for bone in rig.pose.bones:
        bone.rotation_mode = mode if bone.name != "spine" else "QUATERNION"
    fk.swing(rig)
    fk.carry(rig)
    fields = {"target": empty("Target"), "pole_target": empty("Pole"), **fields}
    return api.add_chain(rig, "lower", **fields)


def joints(frames: Iterable[float] = FRAMES) -> np.ndarray:
    return np.array([Limb().joints(on_frame(frame)) for frame in frames])


def assert_comes_back(
    rig: Object, frames: Iterable[float] = FRAMES, *, step: float = 1.0, close: float = CLOSE, way: str = "AUTO"
) -> None:
    """Motion to targets, and from these to the motion: joints and, on every frame, the bones' own rotations."""
    names = [name for name in BONES if name in rig.pose.bones]
    frames = list(frames)
    before, turned = joints(frames), fk.turns(rig, *names, frames=frames)
    report = api.bake_targets(rig, frames=(frames[0], frames[-1], step), sampling=way)
    assert report.reached
    assert not report.notes
    fk.forget(rig, *names)
    on_frame(frames[0])
    assert api.bake(rig, frames=(frames[0], frames[-1], step)).reached
    length = np.linalg.norm(np.diff(before[0], axis=0), axis=-1).sum()
    assert np.abs(joints(frames) - before).max() < close * length
    keyed = names if rig.two_bone_ik_chains[0].use_rotation else names[:2]
    found = fk.turns(rig, *keyed, frames=frames)
    turned = turned[:, : len(keyed)]
    found *= np.sign(np.sum(found * turned, axis=-1, keepdims=True))
    assert np.abs(found - turned).max() < close


@pytest.mark.versions
@pytest.mark.parametrize("mode", MODES)
def test_baked_targets_give_the_motion_back_in_every_mode(mode: str) -> None:
    """Of the bones and of the target, which turns the hand."""
    chain = swinging_arm(mode=mode, tip_bone="hand", use_rotation=True)
    chain.target.rotation_mode = mode
    for frame in fk.KEYED:
        turn = Quaternion((1, sin(frame / 3), 0.3, frame / 50)).normalized()
        fk.pose(chain.id_data, "hand", turn.to_matrix(), frame)
    assert_comes_back(chain.id_data)


@pytest.mark.parametrize(
    ("frames", "step", "way"),
    [
        *((np.arange(2, 12, 0.25), 0.25, "AUTO"), (np.arange(-3, 5), 1.0, "AUTO"), ([7], 1.0, "AUTO")),
        *((FRAMES, 1.0, way) for way in ("CURVES", "ISOLATED", "SCENE")),
    ],
    ids=["quarters", "before", "one", "curves", "isolated", "scene"],
)
def test_any_range_step_and_way_of_sampling(frames: Iterable[float], step: float, way: str) -> None:
    assert_comes_back(swinging_arm().id_data, frames, step=step, way=way)


def control_of_same_rig(chain: PropertyGroup) -> None:
    chain.target, chain.subtarget = chain.id_data, "control"
    chain.pole_target, chain.pole_subtarget = chain.id_data, "pole control"


def control_of_other_rig(chain: PropertyGroup) -> None:
    other = armature(CONTROLS, "Other")
    other.location, other.rotation_euler, other.scale = (1, 2, 3), (0.5, 0.1, 0.2), (0.5, 0.5, 0.5)
    other.parent = moving_root()
    animate(other, location={1: (0, 0, 0), 30: (1, 1, 1)})
    chain.target, chain.subtarget = other, "control"
    chain.pole_target, chain.pole_subtarget = other, "pole control"


def moving_root() -> Object:
    root = empty("Root")
    root.scale = (2, 2, 2)
    animate(root, location={1: (0, 0, 0), 40: (3, -1, 0)}, rotation_euler={1: (0, 0, 0), 40: (1, 0.5, 2)})
    return root


def parented(chain: PropertyGroup) -> None:
    for item in (chain.target, chain.pole_target):
        item.parent = bpy.data.objects.get("Root") or moving_root()
        item.matrix_parent_inverse = item.parent.matrix_world.inverted()


def pole_on_target(chain: PropertyGroup) -> None:
    parented(chain)
    chain.pole_target.parent = chain.target


def pole_below_something_on_the_target(chain: PropertyGroup) -> None:
    between = empty("Between", (0, 1, 0))
    between.parent, between.scale = chain.target, (0.5, 0.5, 0.5)
    animate(between, rotation_euler={1: (0, 0, 0), 40: (1, 2, 0)})
    chain.pole_target.parent = between


def on_a_bone(chain: PropertyGroup) -> None:
    other = armature(CONTROLS, "Other")
    animate(other.pose.bones["control"], location={1: (0, 0, 0), 40: (1, 0, 0)}, scale={1: (1, 1, 1), 40: (2, 2, 2)})
    for item in (chain.target, chain.pole_target):
        item.parent, item.parent_type, item.parent_bone = other, "BONE", "control"


def on_a_path(chain: PropertyGroup) -> None:
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.use_path, curve.dimensions = True, "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (3, 2, 1, 1)
    path = bpy.data.objects.new("Path", curve)
    bpy.context.scene.collection.objects.link(path)
    curve.eval_time = 0
    curve.keyframe_insert("eval_time", frame=1)
    curve.eval_time = 100
    curve.keyframe_insert("eval_time", frame=40)
    chain.target.parent = path


def with_delta(chain: PropertyGroup) -> None:
    for item in (chain.target, chain.pole_target):
        item.delta_location, item.delta_rotation_euler, item.delta_scale = (1, 2, 3), (0.3, 1, -1), (2, 1, 1)
    parented(chain)


def with_delta_quaternion(chain: PropertyGroup) -> None:
    chain.target.rotation_mode = "QUATERNION"
    chain.target.delta_rotation_quaternion = (0.5, 0.5, -0.5, 0.5)


def hidden(chain: PropertyGroup) -> None:
    parented(chain)
    for item in (chain.target, chain.pole_target, chain.target.parent):
        item.hide_viewport = True


PLACES = [
    *(control_of_same_rig, control_of_other_rig, parented, pole_on_target, pole_below_something_on_the_target),
    *(on_a_bone, on_a_path, with_delta, with_delta_quaternion, hidden),
]


@pytest.mark.parametrize(
    ("place", "turns"),
    [*((place, True) for place in PLACES), (control_of_other_rig, False), (pole_below_something_on_the_target, False)],
)
def test_targets_are_keyed_wherever_they_hang(place: Callable[[PropertyGroup], None], turns: bool) -> None:
    chain = swinging_arm(*CONTROLS, tip_bone="hand", use_rotation=turns)
    place(chain)
    assert_comes_back(chain.id_data)


@pytest.mark.parametrize(
    ("inherit", "mode", "local"),
    [
        *(("FULL", mode, True) for mode in MODES),
        *(("FULL", "QUATERNION", False), ("NONE", "XZY", True), ("NONE", "QUATERNION", False)),
        *(("ALIGNED", "QUATERNION", True), ("ALIGNED", "XZY", False)),
    ],
)
def test_bones_are_keyed_however_they_inherit(inherit: str, mode: str, local: bool) -> None:
    parent = Bone("root", (0, 0, 0), (0.3, 0, 1), roll=0.3)
    chain = swinging_arm(parent, *(bone._replace(parent=bone.parent or "root") for bone in CONTROLS))
    rig = chain.id_data
    animate(rig.pose.bones["root"], rotation_quaternion={1: (1, 0, 0, 0), 40: (1, 1, 0, 0.5)})
    rig.pose.bones["root"].scale = (2, 2, 2)
    for name in ("control", "pole control"):
        bone = rig.data.bones[name]
        bone.inherit_scale, bone.use_local_location, bone.use_inherit_rotation = inherit, local, inherit == "FULL"
        rig.pose.bones[name].rotation_mode = mode
    control_of_same_rig(chain)
    chain.tip_bone, chain.use_rotation = "hand", True
    assert_comes_back(rig)


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
    rig = fk.two_arms()
    fk.carry(rig)
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
