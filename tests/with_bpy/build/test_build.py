"""Limbs that are built into the rig, against geometry over what Blender evaluates, without a key and without Live."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data, rigs
from support.truth import Limb, on_frame

FRAMES = range(1, 41)
CLOSE = 2e-5
"""Part of the limb: what single precision leaves near straight, where the mid joint turns most."""


def scatter(item: Object, seed: int, shoulder: tuple[float, float, float] = (0, 0, 1), reach: float = 1.75) -> None:
    """Key the object somewhere else around the shoulder on each frame, now and then out of reach."""
    random = np.random.default_rng(seed)
    for frame in FRAMES:
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        item.location = np.array(shoulder) + random.uniform(0.4, reach) * direction
        item.keyframe_insert("location", frame=frame)


def poses(*bones: str) -> np.ndarray:
    """(n, k, 4, 4) of these bones of "Rig" as Blender evaluates them."""
    frames = [bpy.data.objects["Rig"].evaluated_get(on_frame(frame)).pose.bones for frame in FRAMES]
    return np.array([[evaluated[bone].matrix for bone in bones] for evaluated in frames])


def carried(rig: Object, scale: float, *, mirrored: bool = False) -> None:
    """Turn and scale the armature object, and what it carries, and turn the limb's parent."""
    for item in (bpy.data.objects["Target"], bpy.data.objects.get("Pole")):
        if item:
            item.parent = rig
    bpy.context.scene.frame_end = FRAMES[-1]
    rig.location, rig.rotation_euler = (0.3, -2.0, 0.7), (0.4, 1.1, -2.0)
    rig.scale = (-scale if mirrored else scale, scale, scale)
    spine = rig.pose.bones["spine"]
    spine.rotation_mode = "XYZ"
    rigs.animate(spine, rotation_euler={1: (0, 0, 0), 40: (0.9, -0.6, 1.2)})
    bpy.context.view_layer.update()


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("pole", [None, (0.3, 3.0, 1.4)])
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_built_limb_follows_its_target_as_geometry_says(scale: float, pole: object, mirrored: bool) -> None:
    rigs.arm(pole=pole)
    rig = bpy.data.objects["Rig"]
    scatter(bpy.data.objects["Target"], seed=1)
    if pole:
        scatter(bpy.data.objects["Pole"], seed=2)
    carried(rig, scale, mirrored=mirrored)
    report = api.build(rig)
    assert report.posed, report.lines()
    assert Limb(pole="Pole" if pole else "").misses(FRAMES).max() < CLOSE


OPTIONS = [
    {"plane": "AIM", "bend": "NEGATIVE"},
    {"plane": "AIM", "softness": 0.3},
    {"plane": "REST"},
    {"plane": "REST", "bend": "NEGATIVE", "softness": 0.2},
    {"bend": "NEGATIVE"},
    {"bend": "POSITIVE", "pole_angle": 0.7},
    {"softness": 0.15, "pole_angle": -2.5},
    {"pole_influence": 0.4, "pole_angle": 1.5},
    {"influence": 0.35},
    {"influence": 0.0},
    {"use_bend_limits": True, "bend_min": 0.4, "bend_max": 2.0},
    {"use_bend_limits": True, "bend_min": -1.5, "bend_max": -0.2, "softness": 0.2},
    {"hinge_axis": "NEG_X"},
    {"hinge_axis": "Z", "plane": "AIM"},
]


@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_built_limb_is_posed_as_the_solver_poses_it(options: dict[str, object], straight: bool) -> None:
    bones = (rigs.Bone("spine", (0, 0, 0), (0, 0, 1)), rigs.Bone("upper", (0, 0, 1), (1, 0, 1), "spine", 0.4))
    bones += (rigs.Bone("lower", (1, 0, 1), (1.8, 0, 1), "upper", 0.9),)
    rig = rigs.armature(bones if straight else rigs.ARM)
    pole = None if options.get("plane") in ("REST", "AIM") else (0.3, 3.0, 1.4)
    rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=pole, **options)
    for number, item in enumerate(filter(None, map(bpy.data.objects.get, ("Target", "Pole")))):
        scatter(item, seed=number)
    carried(rig, 1.7)
    for number, bone in enumerate(("upper", "lower")):
        turn = np.random.default_rng(number).normal(size=4)
        rig.pose.bones[bone].rotation_quaternion = turn / np.linalg.norm(turn)
    api.build(rig)
    built = poses("upper", "lower")
    api.unbuild(rig)
    api.bake(rig)
    np.testing.assert_allclose(built, poses("upper", "lower"), atol=CLOSE)


def test_unbuild_leaves_the_file_as_it_was() -> None:
    rigs.arm(pole=(0.3, 3.0, 1.4))
    rig = bpy.data.objects["Rig"]
    bpy.context.view_layer.update()
    before = file_data.dump()
    api.build(rig)
    api.unbuild(rig)
    assert file_data.changed(before) == set()
