"""Spread Twist where bones in line swing and turn in their pose: the limb is as Blender shows it without the option."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from mathutils import Euler

from support.twisted import CLOSE, LINE, all_keys, arm, shown


@pytest.mark.parametrize("above", [(1, 1, 1), (-1, 1, 1), (0.6, 1.0, 1.5)], ids=str)
@pytest.mark.parametrize("mode", ["QUATERNION", "YXZ"])
@pytest.mark.parametrize("influence", [1.0, 0.5])
@pytest.mark.parametrize("reference", ["REST", "POSE"])
def test_bones_in_line_that_swing_and_turn_move_no_limb(
    reference: str, influence: float, mode: str, above: Sequence[float]
) -> None:
    poses = []
    for use_twist in (False, True):
        chain = arm(bones=LINE, use_twist=use_twist, reference=reference, influence=influence)
        rig, bones = chain.id_data, chain.id_data.pose.bones
        bones["spine"].scale = above
        turns = {"upper": (0.2, 0.9, 0.4), "upper_line_a": (0.5, 0.7, -0.4), "upper_line_b": (-0.3, -1.1, 0.6)}
        for name, angles in turns.items():
            bones[name].rotation_mode = "QUATERNION" if name == "upper" else mode
            if bones[name].rotation_mode == "QUATERNION":
                bones[name].rotation_quaternion = Euler(angles).to_quaternion()
            else:
                bones[name].rotation_euler = angles
        assert api.bake(rig, frames=(1, 12)).posed
        poses.append(shown(rig, range(1, 13)))
    np.testing.assert_allclose(poses[1], poses[0], atol=CLOSE)
    keys = all_keys(rig)
    if influence == 1.0:
        api.bake(rig, frames=(1, 12))
    for place, values in all_keys(rig).items():
        np.testing.assert_allclose(values, keys[place], atol=1e-6, err_msg=str(place))
