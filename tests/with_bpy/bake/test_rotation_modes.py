"""Keys in every rotation mode: the same pose, and no needless jump from key to key or from the keys before."""

from __future__ import annotations

from itertools import pairwise
from math import pi

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import PoseBone, PropertyGroup
from mathutils import Euler

from support.empty_file import open_empty_file
from support.rigs import animate, arm, keys
from support.truth import Limb

EULERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
MODES = ["QUATERNION", "AXIS_ANGLE", *EULERS]
PROPERTIES = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
CLOSE = 1e-5


def property_of(mode: str) -> str:
    return PROPERTIES.get(mode, "rotation_euler")


def circling_arm(mode: str, **fields: object) -> PropertyGroup:
    """An arm whose target circles twice about its root, far out and near, so that every angle winds on."""
    chain = arm(**fields)
    for name in ("upper", "lower"):
        chain.id_data.pose.bones[name].rotation_mode = mode
    angles = np.linspace(0, 4 * pi, 61)
    radius = 1.2 + 0.5 * np.sin(angles / 3)
    places = np.column_stack((radius * np.cos(angles), radius * np.sin(angles), 1 + 0.3 * np.sin(angles)))
    animate(chain.target, location=dict(enumerate(places, start=1)))
    return chain


def keyed_values(bone: PoseBone) -> np.ndarray:
    """(n, k) the keys of the bone's rotation."""
    name = property_of(bone.rotation_mode)
    return np.array([list(keys(bone, name, index).values()) for index in range(len(getattr(bone, name)))]).T


@pytest.mark.parametrize("mode", MODES)
def test_keys_of_each_mode_follow_geometry_without_a_jump(mode: str) -> None:
    rig = circling_arm(mode, pole=(0, 0, 4)).id_data
    api.bake(rig, frames=(1, 60))
    assert {curve.data_path.rpartition(".")[2] for curve in versions.curves(rig)} == {property_of(mode)}
    for name in ("upper", "lower"):
        values = keyed_values(rig.pose.bones[name])
        # The target goes on by twelve degrees a frame.
        assert np.abs(np.diff(values, axis=0)).max() < (pi / 2 if mode in EULERS else 0.6)
        for before, now in pairwise(values if mode in EULERS else ()):
            nearest = Euler(now, mode).to_matrix().to_euler(mode, Euler(before, mode))
            assert np.abs(now - before).sum() <= np.abs(np.subtract(nearest, before)).sum() + 1e-4
    misses = Limb(pole="Pole").misses(np.arange(1, 60.1, 0.5))
    assert misses[::2].max() < CLOSE
    # Between keys on every frame the curves pass near the geometry; a jump would spin the bone once around.
    assert misses[9:108:2].max() < 0.1


@pytest.mark.parametrize("mode", MODES)
def test_the_first_key_goes_on_from_the_key_before_the_range(mode: str) -> None:
    chain = circling_arm(mode, pole=(0, 0, 4))
    rig = chain.id_data
    api.bake(rig, frames=(1, 60))
    upper = rig.pose.bones["upper"]
    values = keyed_values(upper)
    if mode == "QUATERNION":
        expected = -values
    elif mode == "AXIS_ANGLE":
        expected = np.add(values, (4 * pi, 0, 0, 0))
    else:
        expected = np.add(values, (4 * pi, -2 * pi, 6 * pi))
    animate(upper, **{property_of(mode): {-5: expected[0]}})
    api.bake(rig, frames=(1, 60))
    np.testing.assert_allclose(keyed_values(upper), [expected[0], *expected], atol=1e-5)


@pytest.mark.parametrize("mode", EULERS)
def test_gimbal_lock_on_the_way_is_passed(mode: str) -> None:
    """The root bone turns a whole circle about each axis of the order in turn."""
    for axis in range(3):
        open_empty_file()
        chain = arm()
        chain.id_data.pose.bones["upper"].rotation_mode = mode
        angles = np.linspace(0, 2 * pi, 61)
        places = np.full((61, 3), 0.2)
        places[:, (axis + 1) % 3], places[:, (axis + 2) % 3] = 1.2 * np.cos(angles), 1.2 * np.sin(angles)
        animate(chain.target, location=dict(enumerate(np.add(places, (0, 0, 1)), start=1)))
        api.bake(chain.id_data, frames=(1, 60))
        assert Limb().misses(range(1, 61, 2)).max() < CLOSE
