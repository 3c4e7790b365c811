"""Options of a chain that keys, drivers and NLA strips animate, on its end bone, and that change over a range."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.settings.keyed_options import NAMES, bone_field
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bl_ext.user_default.two_bone_ik.skeleton.values import OF_BONES
from bl_ext.user_default.two_bone_ik.solver import values
from bpy.types import Object, PoseBone

from support import rigs
from support.empty_file import open_empty_file
from support.refused import refused
from support.truth import Limb, on_frame

FRAMES = range(1, 8)
ENDS = {
    "hock_angle": (0.0, 0.9),
    "pole_angle": (0.0, 0.9),
    "pole_influence": (1.0, 0.2),
    "pole_pin": (0.0, 1.0),
    "softness": (0.0, 0.4),
    "max_stretch": (1.0, 1.3),
    "bend_min": (-3.1, 0.4),
    "bend_max": (3.1, 1.1),
    "rotation_influence": (1.0, 0.1),
    "influence": (1.0, 0.0),
}
"""The first and the last value of each option, between which it changes evenly."""
FIELDS = {
    "max_stretch": {"unreachable": "STRETCH"},
    "softness": {"unreachable": "CLAMP"},
    "bend_min": {"use_bend_limits": True},
    "bend_max": {"use_bend_limits": True},
    "rotation_influence": {"use_rotation": True},
    "hock_angle": {"hock_bone": "hand", "tip_bone": ""},
}


def at(name: str, frame: float) -> float:
    """The value of the option on this frame."""
    low, high = ENDS[name]
    return low + (high - low) * (frame - FRAMES[0]) / (FRAMES[-1] - FRAMES[0])


def arm(name: str) -> Object:
    """An arm with a moving target, far enough for stretch and softness to count, a pole, and poses of its own."""
    far = name in {"softness", "max_stretch"}
    chain = rigs.arm(pole=(0.5, 2.0, 1.5), **{"tip_bone": "hand"} | FIELDS.get(name, {}))
    rig = chain.id_data
    for bone in rig.data.bones:
        bone.inherit_scale = "NONE"
    places = {1: (1.6, 0.6, 1.3), 7: (1.9, -0.2, 1.6)} if far else {1: (1.2, 0.6, 1.3), 7: (0.7, -0.5, 1.6)}
    rigs.animate(chain.target, location=places, rotation_euler={1: (0, 0, 0), 7: (1, 0.5, 0.2)})
    turns = {"upper": (0.1, 0.3, -0.2), "lower": (0.2, 0.1, 0.1), "hand": (-0.3, 0.2, 0.1)}
    for bone, turn in turns.items():
        rig.pose.bones[bone].rotation_mode = "XYZ"
        rig.pose.bones[bone].rotation_euler = turn
    return rig


def by_keys(bone: PoseBone, name: str) -> None:
    for frame in (FRAMES[0], FRAMES[-1]):
        setattr(bone, bone_field(name), at(name, frame))
        bone.keyframe_insert(bone_field(name), frame=frame)
    for curve in option_curves(bone.id_data):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def by_driver(bone: PoseBone, name: str) -> None:
    low, high = ENDS[name]
    driver = bone.driver_add(bone_field(name)).driver
    driver.expression = f"{low} + ({high} - {low}) * (frame - 1) / 6"


def by_nla(bone: PoseBone, name: str) -> None:
    by_keys(bone, name)
    animation = bone.id_data.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    animation.action = None
    strip = animation.nla_tracks.new().strips.new("Strip", FRAMES[0], action)
    if slot:
        strip.action_slot = slot


def option_curves(rig: Object) -> list[bpy.types.FCurve]:
    return [curve for curve in versions.curves(rig) if "two_bone_ik" in curve.data_path]


def pose(rig: Object) -> np.ndarray:
    """(3, 4, 4) of the limb and its tip bone, as Blender evaluates them now."""
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return np.array([bones[name].matrix for name in ("upper", "lower", "hand")], dtype=float)


def played(rig: Object) -> np.ndarray:
    """(n, 3, 4, 4) the same on each frame."""
    return np.array([on_frame(frame) and pose(rig) for frame in FRAMES])


@cache
def posed_one_by_one(name: str) -> np.ndarray:
    """The pose on each frame of a limb whose option is set, not animated, to what it is there."""
    rig, poses = arm(name), []
    own = {bone.name: bone.rotation_euler.copy() for bone in rig.pose.bones}
    for frame in FRAMES:
        setattr(rig.two_bone_ik_chains[0], name, at(name, frame))
        api.bake(rig, frames=(frame, frame))
        on_frame(frame)
        poses.append(pose(rig))
        rig.animation_data_clear()
        for bone in rig.pose.bones:
            bone.rotation_euler, bone.scale = own[bone.name], (1, 1, 1)
    open_empty_file()
    return np.array(poses)


WAYS = ("AUTO", "ISOLATED", "SCENE")
ANIMATED = [
    *((name, by_keys, ("AUTO", "CURVES")) for name in NAMES),
    *((name, by_driver, (WAYS[row % 3],)) for row, name in enumerate(NAMES)),
    *((name, by_nla, (WAYS[(row + 1) % 3],)) for row, name in enumerate(NAMES)),
    *(("influence", animate, ("ISOLATED", "SCENE")) for animate in (by_keys, by_driver, by_nla)),
]


@pytest.mark.parametrize(("name", "animate", "ways"), ANIMATED, ids=lambda value: getattr(value, "__name__", None))
def test_an_animated_option_counts_on_each_frame(
    name: str, animate: Callable[[PoseBone, str], None], ways: tuple[str, ...]
) -> None:
    wanted = posed_one_by_one(name)
    # Else nothing is shown: the option does change the pose.
    assert np.abs(np.diff(wanted, axis=0)).max() > 1e-2
    for way in ways:
        open_empty_file()
        rig = arm(name)
        animate(rig.pose.bones["lower"], name)
        api.bake(rig, frames=(FRAMES[0], FRAMES[-1]), sampling=way)
        np.testing.assert_allclose(played(rig), wanted, atol=2e-5, err_msg=way)


@pytest.mark.parametrize(
    ("name", "animate"),
    [*((name, by_keys) for name in NAMES), *((name, way) for name in NAMES[::4] for way in (by_driver, by_nla))],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_live_follows_an_animated_option(name: str, animate: Callable[[PoseBone, str], None]) -> None:
    wanted = posed_one_by_one(name)
    rig = arm(name)
    animate(rig.pose.bones["lower"], name)
    rig.two_bone_ik_live = True
    for frame in (*FRAMES, *reversed(FRAMES)):
        on_frame(frame)
        np.testing.assert_allclose(pose(rig), wanted[frame - 1], atol=2e-5)


@pytest.mark.parametrize("name", NAMES)
def test_solve_poses_the_frame_as_the_bake_does(name: str) -> None:
    wanted = posed_one_by_one(name)
    for frame in FRAMES[::3]:
        open_empty_file()
        rig = arm(name)
        by_keys(rig.pose.bones["lower"], name)
        bpy.context.scene.frame_set(frame)
        api.solve(rig)
        np.testing.assert_allclose(pose(rig), wanted[frame - 1], atol=2e-5)


def test_the_options_are_those_that_the_solver_lets_vary() -> None:
    assert set(NAMES) == {*values.VARYING, *OF_BONES}


def test_the_list_tells_of_the_influence_on_this_frame() -> None:
    rig = arm("influence")
    by_keys(rig.pose.bones["lower"], "influence")
    rig.two_bone_ik_live = True
    told = []
    for frame in (1, 4):
        depsgraph = on_frame(frame)
        found = limb_states(rig, bpy.context.scene, depsgraph, playing=False)["lower"]
        told.append((found.state, found.cause))
    assert told == [("REACHED", ""), ("AS_SET", "Influence")]


def test_a_driver_by_the_scene_counts_on_each_frame() -> None:
    """The temporary scene does not evaluate the animation of the user's: the scene itself is played."""
    rig, scene = arm("influence"), bpy.context.scene
    for frame, value in ((FRAMES[0], 1.0), (FRAMES[-1], 0.0)):
        scene["switch"] = value
        scene.keyframe_insert('["switch"]', frame=frame)
    (curve,) = versions.curves(scene)
    for key in curve.keyframe_points:
        key.interpolation = "LINEAR"
    driver = rig.pose.bones["lower"].driver_add("two_bone_ik_influence").driver
    variable = driver.variables.new()
    variable.name, variable.targets[0].id_type = "switch", "SCENE"
    variable.targets[0].id, variable.targets[0].data_path = scene, '["switch"]'
    driver.expression = "switch"
    with pytest.raises(api.Refused, match="animated property of the scene"):
        api.bake(rig, frames=(FRAMES[0], FRAMES[-1]), sampling="ISOLATED")
    report = api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    found = played(rig)
    np.testing.assert_allclose(found, posed_one_by_one("influence"), atol=2e-5)
    assert report.posed


def test_target_keys_are_those_of_keyed_options_too() -> None:
    rig = arm("influence")
    by_keys(rig.pose.bones["lower"], "influence")
    rig.pose.bones["lower"].keyframe_insert("two_bone_ik_influence", frame=3)
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]), keys="TARGET_KEYS")
    assert list(rigs.keys(rig.pose.bones["upper"], "rotation_euler")) == [1, 3, 7]


@pytest.mark.parametrize("sampling", ["AUTO", "ISOLATED"])
def test_limits_that_cross_on_a_frame_of_the_range_are_refused(sampling: str) -> None:
    rig = rigs.arm(use_bend_limits=True, bend_min=0.0, bend_max=1.0).id_data
    rigs.animate(rig.pose.bones["lower"], two_bone_ik_bend_min={1: 0.0, 11: 2.0})
    bpy.context.scene.frame_set(1)
    with refused("CROSSED_LIMITS", match=r'Bone "lower" of "Rig" has bend limits .* on frame \d+'):
        api.bake(rig, frames=(1, 11), sampling=sampling)
    bpy.context.scene.frame_set(11)
    assert api.bake(rig, frames=(1, 4), sampling=sampling).posed


@pytest.mark.parametrize("name", ["pole_angle", "softness", "bend_max"])
def test_targets_follow_a_pose_by_the_options_of_each_frame(name: str) -> None:
    """Bake, targets from the pose, and bake again: the same motion."""
    chain = rigs.arm(pole=(0.5, 2.0, 1.5), use_bend_limits=name == "bend_max")
    rig, values = chain.id_data, (2.9, 2.6) if name == "bend_max" else (0.1, 0.4)
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 11: (0.7, -0.5, 1.6)})
    rigs.animate(rig.pose.bones["lower"], **{bone_field(name): dict(zip((1, 11), values, strict=True))})

    api.bake(rig, frames=(1, 11))
    before = Limb().played(range(1, 12))
    api.bake_targets(rig, frames=(1, 11))
    api.bake(rig, frames=(1, 11))
    np.testing.assert_allclose(Limb().played(range(1, 12)), before, atol=1e-4)
