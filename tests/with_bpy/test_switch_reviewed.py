"""Limbs of a kind named with wildcards and without; IK controls that hang on what shakes."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.chains.rigs import rig_files

from support.empty_file import open_empty_file
from support.published_rigs import published
from support.rig_file import own_rig_file
from support.rigs import ARM, Bone, animate, armature
from support.walking import pose_of

KNEE = "ひざ.L"
ONE_SWITCH = """
[[limb]]
name = "Own Leg.?"
switch_bone = "hips"
switch = "IK"
fk_value = 0.0
ik_value = 1.0
fk = ["足.?", "ひざ.?", "足首.?"]
ik = ["足.?", "ひざ.?", "足首.?"]
control = "足ＩＫ.?"
"""


@pytest.fixture(autouse=True)
def empty_file() -> None:
    open_empty_file()


def test_one_bone_may_have_the_switches_of_both_sides() -> None:
    rig = published("mmd")
    rig.pose.bones["hips"]["IK"] = 1.0
    influence = rig.pose.bones[KNEE].constraints["IK"].driver_add("influence").driver
    influence.expression = "ik"
    variable = influence.variables.new()
    variable.name = "ik"
    variable.targets[0].id = rig
    variable.targets[0].data_path = 'pose.bones["hips"]["IK"]'
    with own_rig_file(ONE_SWITCH):
        assert [limb.name for limb in api.known_limbs(rig)] == ["Own Leg.L", "Leg.L"]
        assert api.known_limbs(rig)[0].switch_bone == "hips"


def test_a_shared_bone_alone_makes_no_rig_a_known_one() -> None:
    rig = armature([*ARM, Bone("hips", (0, 0, 0), (0, 0, 1))])
    with own_rig_file(ONE_SWITCH), pytest.raises(api.Refused) as refused:
        api.known_limbs(rig)
    assert refused.value.kind == "UNKNOWN_RIG"


def test_the_switch_of_a_pole_has_the_limbs_wildcards() -> None:
    with own_rig_file(ONE_SWITCH + 'pole_switch = "pole_*_?"\n'):
        assert [fault.kind for fault in rig_files.faults()] == ["OTHER_WILDCARDS"]


CRANE = """
[[limb]]
name = "Crane"
switch_bone = "lower"
switch = "influence"
fk_value = 0.0
ik_value = 1.0
fk = ["upper", "lower", "hand"]
ik = ["upper", "lower", "hand"]
control = "hook"
pole = "jib"
"""
ARM_NAMES = ("upper", "lower", "hand")
BETWEEN = np.arange(1, 20) + 0.5


@pytest.mark.parametrize("carried", ["hook", "jib"])
def test_controls_on_what_shakes_are_right_between_frames(carried: str) -> None:
    above = {carried: "carrier"}
    rig = armature(
        [
            *ARM,
            Bone("carrier", (3, 0, 0), (3, 0, 1)),
            Bone("hook", (1.8, 0, 1.1), (2, 0, 1.1), above.get("hook", "")),
            Bone("jib", (1, 1, 1), (1, 1.2, 1), above.get("jib", "")),
        ]
    )
    reach = rig.pose.bones["lower"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count, reach.influence = rig, "hook", 2, 0.0
    reach.pole_target, reach.pole_subtarget = rig, "jib"
    animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 20: (0.9, 0.2, 0.2, 0.1)})
    animate(rig.pose.bones["lower"], rotation_quaternion={1: (0.9, 0.4, 0, 0), 20: (0.8, 0.5, 0, 0)})
    places = np.random.default_rng(1).normal(scale=0.1, size=(20, 3))
    animate(rig.pose.bones["carrier"], location=dict(enumerate(places.tolist(), 1)))
    for curve in versions.curves(rig):
        for key in curve.keyframe_points if "carrier" in curve.data_path else ():
            key.interpolation = "LINEAR"
    before = pose_of(rig, ARM_NAMES, BETWEEN)
    with own_rig_file(CRANE):
        assert api.switch(rig, "IK", frames=(1, 20)).posed
    moved = np.linalg.norm((pose_of(rig, ARM_NAMES, BETWEEN) - before)[..., :3, 3], axis=-1)
    assert moved.max() < 1e-3
