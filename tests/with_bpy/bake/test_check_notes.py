"""A check tells beforehand what a bake will have on top of its keys."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import rigs


@pytest.fixture
def rig(empty_file: None) -> Object:
    return rigs.arm().id_data


def test_a_check_tells_of_constraints_on_top_of_the_keys(rig: Object) -> None:
    constraint = rig.pose.bones["upper"].constraints.new("COPY_LOCATION")
    constraint.target = bpy.data.objects["Target"]
    note = 'Constraint "Copy Location" of bone "upper" acts on top of the keys'
    assert api.check(rig, frames=(1, 2)).notes == (note,)
    assert note in api.bake(rig, frames=(1, 2)).notes


def test_a_check_is_silent_on_constraints_that_a_bake_mutes(rig: Object) -> None:
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target = bpy.data.objects["Target"]
    assert api.check(rig, frames=(1, 2)).notes == ()
