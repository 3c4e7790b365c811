"""The way back: targets follow a motion keyed on the bones, and a bake then gives that motion again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object, PropertyGroup

from support import fk
from support.fk import FRAMES
from support.rigs import ARM, Bone, animate, armature, empty
from support.truth import Limb, on_frame

CLOSE = 1e-5  # of the chain's length
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
BONES = ("upper", "lower", "hand")
CONTROLS = (
    Bone("control", (1, 1, 1), (1, 1.5, 1.2), roll=0.4),
    Bone("pole control", (0, 1, 0), (0, 1, 0.4), "control"),
)


def swinging_arm(*bones: Bone, **fields: object) -> PropertyGroup:
    """An arm on a rig that moves in every way, with an empty for a target and one for a pole."""
    rig = armature((*ARM, *bones))
    fk.swing(rig)
    fk.carry(rig)
    fields = {"target": empty("Target"), "pole_target": empty("Pole"), **fields}
    return api.add_chain(rig, "lower", **fields)


def joints(frames: Iterable[float]) -> np.ndarray:
    return np.array([Limb().joints(on_frame(frame)) for frame in frames])


def assert_comes_back(rig: Object, frames: Iterable[float] = FRAMES, step: float = 1.0, close: float = CLOSE) -> None:
    """Motion to targets, and from these to the motion: joints and, on every frame, the bones' own rotations."""
    names = [name for name in BONES if name in rig.pose.bones]
    frames = list(frames)
    before, turned = joints(frames), fk.turns(rig, *names, frames=frames)
    report = api.bake_targets(rig, frames=(frames[0], frames[-1], step))
    assert report.reached
    assert not report.notes
    fk.forget(rig, *names)
    on_frame(frames[0])
    report = api.bake(rig, frames=(frames[0], frames[-1], step))
    assert report.reached
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
    rig = armature()
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    fk.swing(rig)
    fk.carry(rig)
    api.add_chain(rig, "lower", target=empty("Target"), pole_target=empty("Pole"))
    assert_comes_back(rig)


@pytest.mark.parametrize("mode", MODES)
def test_the_hand_comes_back_where_the_target_turns_it(mode: str) -> None:
    chain = swinging_arm(tip_bone="hand", use_rotation=True)
    chain.target.rotation_mode = mode
    for frame in fk.KEYED:
        animate(chain.id_data.pose.bones["hand"], rotation_quaternion={frame: (1, sin(frame / 3), 0.3, frame / 50)})
    assert_comes_back(chain.id_data)


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED", "SCENE"])
def test_every_way_of_sampling_gives_the_motion_again(way: str) -> None:
    chain = swinging_arm()
    before = joints(FRAMES)
    api.bake_targets(chain.id_data, frames=(1, 37), sampling=way)
    fk.forget(chain.id_data, "upper", "lower")
    api.bake(chain.id_data, frames=(1, 37))
    assert np.abs(joints(FRAMES) - before).max() < 1.8 * CLOSE


@pytest.mark.parametrize("frames", [np.arange(2, 12, 0.25), np.arange(-3, 5), [7]], ids=["quarters", "before", "one"])
def test_any_range_and_step(frames: Iterable[float]) -> None:
    chain = swinging_arm()
    assert_comes_back(chain.id_data, frames, step=0.25 if frames[-1] % 1 else 1.0)


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
        *(
            (inherit, mode, local)
            for inherit, local in (
                ("FULL", False),
                ("NONE", True),
                ("NONE", False),
                ("ALIGNED", True),
                ("ALIGNED", False),
            )
            for mode in ("QUATERNION", "XZY")
        ),
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
