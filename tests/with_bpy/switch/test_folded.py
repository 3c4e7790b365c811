"""Limbs that are folded hard, and swung anywhere, stay when they go to IK."""

import numpy as np
from bl_ext.user_default.two_bone_ik import api
from mathutils import Quaternion

from support.rigify import generated
from support.rigs import animate
from support.straight import set_poles
from support.walking import LIMBS, assert_kept, deforming

FRAMES = range(1, 31)
BONES = (("thigh", "shin"), ("upper_arm", "forearm"))


def test_folded_limbs_stay_when_they_go_to_ik_without_a_pole(empty_file: None) -> None:
    """A turn about a bone's own axis would take a folded limb's tip away, and IK would undo the turn."""
    rig, random = generated("basic_human"), np.random.default_rng(1)
    set_poles(rig, False)
    for side in "LR":
        for limb, (upper, lower) in zip(LIMBS, BONES, strict=True):
            rig.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] = 1.0
            for frame in FRAMES:
                turns = {upper: (random.normal(size=3), random.uniform(0.0, 1.6))}
                turns[lower] = np.array((1.0, 0.0, 0.0)), random.uniform(2.2, 2.6)
                for name, (axis, angle) in turns.items():
                    rotation = Quaternion(axis / np.linalg.norm(axis), angle)
                    animate(rig.pose.bones[f"{name}_fk.{side}"], rotation_quaternion={frame: rotation})
    before = deforming(rig, FRAMES)
    assert api.switch(rig, "IK", frames=(1, 30)).posed
    assert_kept(deforming(rig, FRAMES), before)
