"""Limbs of a kind that is named with wildcards and without."""

from __future__ import annotations

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.chains.rigs import rig_files

from support.empty_file import open_empty_file
from support.published_rigs import published
from support.rig_file import own_rig_file
from support.rigs import ARM, Bone, armature

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
