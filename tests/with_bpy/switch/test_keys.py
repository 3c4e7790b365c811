"""How many keys a switch makes and where, and what keys outside of its frames keep."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support import published_rigs
from support.published_rigs import limbs, move, published
from support.refused import refused
from support.rigify import generated
from support.rigs import animate
from support.walking import SPAN, off, walk


def test_reduced_keys_are_refused_before_anything_is_keyed(rig: Object) -> None:
    walk(rig)
    before = frames_of(rig, "thigh_fk.L")
    with refused("SWITCH_REDUCED", f'for "{rig.name}"', "Decimate"):
        api.switch(rig, "FK", ["Leg.L"], frames=SPAN, keys="REDUCED")
    assert frames_of(rig, "thigh_fk.L") == before
    with pytest.raises(TypeError, match="REDUCED"):
        bpy.ops.two_bone_ik.switch(direction="FK", keys="REDUCED")


def test_source_keys_are_where_the_shown_controls_have_some(rig: Object) -> None:
    walk(rig)
    api.switch(rig, "FK", ["Leg.L"], frames=(3, 40), keys="SOURCE")
    assert frames_of(rig, "thigh_fk.L") == {3.0, *range(6, 40, 5), 40.0}


def frames_of(rig: Object, bone: str) -> set[float]:
    """On which frames a bone has keys."""
    curves = (curve for curve in versions.curves(rig) if curve.data_path.startswith(f'pose.bones["{bone}"].'))
    return {round(key.co.x, 2) for curve in curves for key in curve.keyframe_points}


def test_keys_of_what_moves_ik_count_without_a_control() -> None:
    """CloudRig's legs, where what takes their IK keys is called otherwise."""
    rig = published("cloudrig", build=-1)
    for frame in (1, 6, 11):
        animate(rig.pose.bones["control of IK-Foot.L"], location={frame: (0.0, 0.02 * frame, 0.05)})
    for frame in (1, 3):  # what carries the limb is no control of it
        animate(rig.pose.bones["hips"], location={frame: (0.0, 0.0, 0.0)})
    api.switch(rig, "FK", ["Leg.L"], frames=(1, 11), keys="SOURCE")
    assert frames_of(rig, "FK-Thigh.L") == {1.0, 6.0, 11.0}


def test_keys_of_a_quadrupeds_paw_count() -> None:
    rig = generated("basic_quadruped")
    for frame in (1, 6, 11):
        animate(rig.pose.bones["foot_ik.L"], location={frame: (0.0, 0.01 * frame, 0.02)})
    api.switch(rig, "FK", ["Hind Leg.L"], frames=(1, 11), keys="SOURCE")
    assert frames_of(rig, "thigh_fk.L") == {1.0, 6.0, 11.0}


@pytest.mark.parametrize("step", [2.0, 3.0, 20.0])
@pytest.mark.parametrize("keys", ["SOURCE", "TARGET_KEYS"])
def test_source_keys_between_the_steps_stay_where_they_are(step: float, keys: str) -> None:
    rig = published("auto_rig_pro")
    move(rig, "auto_rig_pro", "IK")
    arm = [limb for limb in limbs("auto_rig_pro") if limb.name == "Arm.l"]
    for frame in (4, 10.5):
        animate(rig.pose.bones["c_hand_ik.l"], location={frame: (0.0, 0.05, 0.02 * frame)})
    before = published_rigs.deforming(rig, arm)
    report = api.switch(rig, "FK", ["Arm.l"], frames=(1, 15, step), keys=keys)
    end = {2.0: 15.0, 3.0: 13.0, 20.0: 1.0}[step]
    keyed = {frame for frame in (1.0, 4.0, 8.0, 10.5, 15.0, end) if frame <= end}
    assert frames_of(rig, "c_arm_fk.l") == keyed
    after = published_rigs.deforming(rig, arm)
    rows = [int(frame) - 1 for frame in keyed if frame.is_integer()]
    assert off(after[rows], before[rows])[0] < 1e-4
    # Between its keys the arm goes otherwise, and the report says so.
    assert report.posed == (off(after[: int(end)], before[: int(end)])[0] < 1e-4)


def test_slopes_on_uneven_frames_are_those_of_a_parabola() -> None:
    """Exact: three frames tell a parabola, and its slope is 2 a x + b."""
    from bl_ext.user_default.two_bone_ik.skeleton.switch.control_channels import _slopes

    frames = np.array([1.0, 2.0, 4.5, 5.0, 9.0])
    values = np.stack((0.5 * frames**2 - frames, 3.0 * frames), axis=1)
    wanted = np.stack((frames - 1.0, np.full(5, 3.0)), axis=1)
    for corners in (np.zeros(5, dtype=bool), np.array([False, False, True, False, False])):
        slopes = _slopes(values, frames, corners, np.arange(0), values[:0])
        np.testing.assert_allclose(slopes[:, 0], wanted[:-1], atol=1e-12)
        np.testing.assert_allclose(slopes[:, 1], wanted[1:], atol=1e-12)
