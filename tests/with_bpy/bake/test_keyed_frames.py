"""Which frames get keys: each, those of the target, or as few as a tolerance allows."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.messages.refused import Refused

from support import rigs
from support.truth import Limb, on_frame

FRAMES = range(1, 61)
WAVE = {frame: (1.2 + 0.5 * np.sin(frame / 7), 0.5 * np.cos(frame / 9), 1.3) for frame in range(1, 62, 4)}


def moving_arm(**fields: object) -> None:
    rigs.arm(pole=(0.5, 2.0, 1.0), **fields)
    rigs.animate(bpy.data.objects["Target"], location=WAVE)
    rigs.animate(
        bpy.data.objects["Rig"].pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 60: (1, 0.2, 0, 0.1)}
    )


def joints() -> np.ndarray:
    return np.array([Limb().joints(on_frame(frame)) for frame in FRAMES])


@pytest.mark.parametrize(
    ("mode", "tolerance", "interpolation"),
    [
        *(("QUATERNION", tolerance, kind) for tolerance in (0.02, 0.001) for kind in ("BEZIER", "LINEAR")),
        *((mode, *choice) for mode in ("AXIS_ANGLE", "XZY") for choice in ((0.001, "BEZIER"), (0.02, "LINEAR"))),
    ],
)
def test_reduced_keys_keep_every_joint_within_the_tolerance(interpolation, tolerance, mode) -> None:
    moving_arm()
    rig = bpy.data.objects["Rig"]
    for name in ("upper", "lower"):
        rig.pose.bones[name].rotation_mode = mode
    api.bake(rig, frames=(1, 60))
    right = joints()
    api.bake(rig, frames=(1, 60), keys="REDUCED", tolerance=tolerance, interpolation=interpolation)
    # Half a hair more than the tolerance: handles and values are float32.
    assert np.linalg.norm(joints() - right, axis=-1).max() <= tolerance * 1.001 + 1e-6


def test_a_greater_tolerance_takes_fewer_keys() -> None:
    moving_arm()
    rig = bpy.data.objects["Rig"]
    counts = []
    for tolerance in (0.0005, 0.005, 0.05):
        api.bake(rig, frames=(1, 60), keys="REDUCED", tolerance=tolerance)
        counts.append(len(rigs.keys(rig.pose.bones["upper"], "rotation_quaternion")))
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] <= 20 < 60


def test_reduced_keys_hold_stretch_and_hand_rotation() -> None:
    moving_arm(unreachable="STRETCH", max_stretch=1.5, tip_bone="hand", use_rotation=True)
    rig = bpy.data.objects["Rig"]
    for name in ("lower", "hand"):
        rig.data.bones[name].inherit_scale = "NONE"
    rigs.animate(bpy.data.objects["Target"], rotation_euler={1: (0, 0, 0), 60: (1, 2, 0.5)})
    api.bake(rig, frames=(1, 60))
    limb = Limb(tip="hand")
    right = [limb.joints(on_frame(frame)) for frame in FRAMES]
    api.bake(rig, frames=(1, 60), keys="REDUCED", tolerance=0.002)
    off = np.array([limb.joints(on_frame(frame)) for frame in FRAMES]) - right
    assert np.linalg.norm(off, axis=-1).max() <= 0.002 * 1.001 + 1e-6


def test_target_keys_include_poles_and_parents() -> None:
    moving_arm()
    target, pole = bpy.data.objects["Target"], bpy.data.objects["Pole"]
    target.parent = rigs.empty("Carrier")
    rigs.animate(target.parent, location={6: (0, 0, 0), 7.5: (0, 0, 0.1)})
    rigs.animate(pole, location={30: (0, 2, 1), 200: (0, 2, 1)})
    rig = bpy.data.objects["Rig"]
    api.bake(rig, frames=(1, 60), keys="TARGET_KEYS")
    found = rigs.keys(rig.pose.bones["lower"])
    assert set(found) == {*(frame for frame in WAVE if frame <= 60), 6.0, 7.5, 30.0}
    assert Limb(pole="Pole").misses(found).max() < 1e-5


def test_a_target_without_keys_in_the_range_is_refused_by_name() -> None:
    rigs.arm()
    with pytest.raises(Refused, match='"Target" of chain "lower" has no keys from 1 to 60') as refusal:
        api.bake(bpy.data.objects["Rig"], frames=(1, 60), keys="TARGET_KEYS")
    assert refusal.value.kind == "NO_TARGET_KEYS"
    assert bpy.data.objects["Rig"].animation_data is None
