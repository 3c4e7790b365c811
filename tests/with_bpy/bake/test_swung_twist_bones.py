"""Spread Twist where bones in line swing and turn in their pose: the limb is as Blender shows it without the option."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from mathutils import Euler

from support import rigs
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


def test_far_turns_below_much_uneven_scale_are_all_taken_back() -> None:
    """What a second bake does not take back of them swings the limb: eight rounds left 1.6e-5 radians here."""
    upper = rigs.Bone("upper", (0.0, 0.0, 1.0), (0.34, 0.4275, 0.614), "spine")
    line = rigs.Bone("line", upper.tail, (0.68, 0.855, 0.228), "upper")
    lower = rigs.Bone("lower", line.tail, (1.769, 1.277, -0.426), "line")
    rig = rigs.armature([rigs.ARM[0], upper, line, lower])
    rigs.chain(
        rig,
        "lower",
        target=(-0.9, -2.643, 1.6),
        pole=(-0.643, 0.2, 1.901),
        root_bone="upper",
        use_twist=True,
        pole_pin=1.0,
    )
    for name in ("line", "lower"):
        rig.data.bones[name].inherit_scale = "ALIGNED"
    spine = rig.pose.bones["spine"]
    spine.scale, spine.rotation_mode, spine.rotation_euler = (1.41, 1.65, 0.72), "XYZ", (0.9, 0.0, -0.9)
    assert api.bake(rig, frames=(1, 3)).posed
    keys = all_keys(rig)
    api.bake(rig, frames=(1, 3))
    for place, values in all_keys(rig).items():
        np.testing.assert_allclose(values, keys[place], atol=1e-6, err_msg=str(place))
