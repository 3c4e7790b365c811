"""A report names what keeps that from showing which the limb was given, and what to do."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Constraint, Object, PropertyGroup

from support import rigs
from support.rigs import arm, empty
from support.truth import Limb


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    return arm()


def pull_elsewhere(chain: PropertyGroup) -> Constraint:
    """An IK constraint of the hand that moves forearm and hand."""
    constraint = chain.id_data.pose.bones["hand"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Elsewhere", (0.2, -1.5, 0.4)), 2
    return constraint


def miss() -> float:
    """From the tip to the target, as Blender shows both."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return float(np.linalg.norm(Limb().joints(depsgraph)[2] - Limb().goal(depsgraph)))


def given(what: str, chain: PropertyGroup) -> api.Report:
    if what == "pose":
        return api.solve(chain.id_data)
    return api.bake(chain.id_data, frames=(1, 3), mute_constraints=False)


@pytest.mark.parametrize("what", ["pose", "keys"])
def test_a_constraint_that_hides_it_is_named_until_it_is_muted(chain: PropertyGroup, what: str) -> None:
    constraint = pull_elsewhere(chain)
    report = given(what, chain)
    assert miss() > 0.1
    assert report.notes == (f'Constraint "IK" of bone "hand" hides the {what}: mute it',)
    constraint.mute = True
    assert given(what, chain).notes == ()
    assert miss() < 1e-5


def test_a_solve_names_what_acts_on_top_of_it(chain: PropertyGroup) -> None:
    constraint = chain.id_data.pose.bones["lower"].constraints.new("COPY_ROTATION")
    constraint.target = empty("Elsewhere")
    report = api.solve(chain.id_data, insert_keys=True)
    assert miss() > 0.1
    assert report.notes == ('Constraint "Copy Rotation" of bone "lower" acts on top of the pose',)


def test_a_constraint_that_does_nothing_is_not_named(chain: PropertyGroup) -> None:
    pull_elsewhere(chain).influence = 0.0
    pull_elsewhere(chain).target = None
    chain.id_data.pose.bones["lower"].constraints.new("COPY_ROTATION").mute = True
    assert api.solve(chain.id_data).notes == ()
    assert miss() < 1e-5


def test_a_bake_that_mutes_a_constraint_does_not_ask_for_it(chain: PropertyGroup) -> None:
    pull_elsewhere(chain)
    assert api.bake(chain.id_data, frames=(1, 3)).notes == ('Constraint "IK" of bone "hand" is muted',)
    assert miss() < 1e-5


def test_braces_in_names_are_told_as_they_are(chain: PropertyGroup) -> None:
    pull_elsewhere(chain).name = "{bone}"
    assert api.solve(chain.id_data).notes == ('Constraint "{bone}" of bone "hand" hides the pose: mute it',)
    with pytest.raises(api.Refused, match=r'has no chain "\{object\}"'):
        api.solve(chain.id_data, ["{object}"])


def test_the_status_bar_has_it_beside_what_was_reached(chain: PropertyGroup, capfd: pytest.CaptureFixture[str]) -> None:
    pull_elsewhere(chain)
    bpy.context.view_layer.objects.active = chain.id_data
    bpy.ops.two_bone_ik.solve()
    last = capfd.readouterr().out.splitlines()[-1]
    assert last == 'Warning: Done, but not posed so: lower. Constraint "IK" of bone "hand" hides the pose: mute it'


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
