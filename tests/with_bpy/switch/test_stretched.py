"""Limbs that are longer than Rigify's IK reaches keep their pose when they go to IK, whatever IK Stretch says."""

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigify import generated
from support.rigs import animate
from support.straight import swing
from support.truth import on_frame
from support.walking import LIMBS, assert_kept, deforming, off

FRAMES, HALVES, KEYS = range(1, 13), np.arange(1.5, 12.0), range(1, 20, 6)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig, swinging by its FK controls; left IK Stretch is 0, right 0.5."""
    rig = generated("basic_human")
    swing(rig, {key: 0.3 if key == 7 else 0.0 for key in KEYS})
    for side, stretch in (("L", 0.0), ("R", 0.5)):
        for limb in LIMBS:
            rig.pose.bones[f"{limb}_parent.{side}"]["IK_Stretch"] = stretch
    return rig


def lengthen(rig: Object) -> None:
    """Upper bones grow by up to a fifth, and lower ones by half as much more."""
    for side in "LR":
        for upper, lower in (("thigh", "shin"), ("upper_arm", "forearm")):
            for key, more in zip(KEYS, (0.0, 0.2, 0.1, 0.0), strict=True):
                animate(rig.pose.bones[f"{upper}_fk.{side}"], scale={key: (1.0 + more,) * 3})
                animate(rig.pose.bones[f"{lower}_fk.{side}"], scale={key: (1.0 + 0.5 * more,) * 3})


def test_limbs_longer_than_ik_reaches_keep_their_pose(rig: Object) -> None:
    lengthen(rig)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    report = api.switch(rig, "IK", frames=(1, 12))
    assert_kept(deforming(rig, FRAMES), before)
    assert off(deforming(rig, HALVES), between)[0] < 1e-3
    assert report.posed


def test_ik_stretch_stays_where_ik_reaches_far_enough(rig: Object) -> None:
    api.switch(rig, "IK", frames=(1, 12))
    on_frame(6)
    assert [rig.pose.bones[f"{limb}_parent.{side}"]["IK_Stretch"] for side in "LR" for limb in LIMBS] == [
        0,
        0,
        0.5,
        0.5,
    ]
