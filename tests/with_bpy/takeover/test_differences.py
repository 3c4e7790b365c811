"""IK constraints that a chain cannot replace exactly: it is told, and what is told does differ."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import KinematicConstraint
from mathutils import Quaternion

from support import ik_constraint, rigs
from support.ik_constraint import DEGREES, JOINTS, apart, limb, shown
from support.rigs import ARM
from support.truth import on_frame


def stretch(c: KinematicConstraint) -> None:
    c.id_data.pose.bones["upper"].ik_stretch = 0.2


def rotation(c: KinematicConstraint) -> None:
    c.use_rotation = True


def position_off(c: KinematicConstraint) -> None:
    c.use_location = False


def lock(c: KinematicConstraint) -> None:
    c.id_data.pose.bones["upper"].lock_ik_z = True


def limit(c: KinematicConstraint) -> None:
    lower = c.id_data.pose.bones["lower"]
    for name in "xyz":
        setattr(lower, f"use_ik_limit_{name}", True)
        setattr(lower, f"ik_min_{name}", 0.0)
        setattr(lower, f"ik_max_{name}", 0.01)


def stiffness(c: KinematicConstraint) -> None:
    c.id_data.pose.bones["upper"].ik_stiffness_z = 0.9
    c.target.location = (1.9, 0.4, 1.3)


def no_pole(c: KinematicConstraint) -> None:
    c.pole_target = None


def no_pole_and_influence(c: KinematicConstraint) -> None:
    c.pole_target, c.influence = None, 0.5


def another(c: KinematicConstraint) -> None:
    other = c.id_data.pose.bones["hand"].constraints.new("IK")
    other.target, other.chain_count = c.target, 3


DIFFERENT = [
    (stretch, 'IK Stretch lengthens bone "upper"'),
    (rotation, "Its Rotation turns the end bone"),
    (position_off, "Its Position is off"),
    (lock, 'IK Lock about Z holds bone "upper"'),
    (limit, 'stops bone "lower"'),
    (stiffness, 'IK Stiffness about Z holds bone "upper" back'),
    (no_pole, "Without a pole target the constraint bends the limb sideways"),
    (no_pole_and_influence, "Without a pole target the Influence of the constraint moves the goal"),
    (another, 'Constraint "IK" of bone "hand" moves the same bones'),
]


@pytest.mark.parametrize(("change", "sentence"), DIFFERENT, ids=lambda value: getattr(value, "__name__", ""))
def test_what_a_takeover_changes_is_told(change: Callable[[KinematicConstraint], None], sentence: str) -> None:
    constraint = limb(rigs.ARM, pole_angle=0.7)
    rig = constraint.id_data
    rig.pose.bones["lower"].rotation_quaternion = Quaternion((0, 0, 1), -0.4)
    constraint.target.location = (0.9, 0.9, 0.9)
    change(constraint)
    before = shown(rig)
    found = {takeover.bone: takeover for takeover in api.chains_from_constraints(rig)}
    assert any(sentence in line for line in found["lower"].differs)
    assert found["lower"].chain == "Arm"
    api.bake(rig, ["Arm"], frames=(1, 1))
    on_frame(1)
    joint, turn = apart(before, shown(rig))
    assert joint > JOINTS or turn > DEGREES


def test_a_straight_limb_bends_as_was_told() -> None:
    constraint = limb(rigs.STRAIGHT, pole=(0, 3, 1), pole_angle=0.7)
    constraint.target.location = (0, 0.2, 1.2)
    rig = constraint.id_data
    joints = shown(rig)[:, :3, 3]
    assert np.linalg.norm(np.cross(*np.diff(joints[-3:], axis=0))) < 1e-3, "the constraint does not bend it"
    (takeover,) = api.chains_from_constraints(rig)
    (sentence,) = takeover.differs
    assert 'Bones "upper" and "lower" are straight beneath the constraint, which does not bend them' in sentence
    assert api.bake(rig, frames=(1, 1)).reached


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"chain_count": 3}, "It moves three bones, and "),
        ({"chain_count": 1}, "It moves one bone, and a chain has two"),
        ({"target": None}, "It has no target"),
    ],
    ids=["three bones", "one bone", "no target"],
)
def test_where_no_chain_can_take_over_none_is_added(fields: dict, sentence: str) -> None:
    rig = limb(rigs.ARM, **fields).id_data
    (takeover,) = api.chains_from_constraints(rig)
    assert sentence in str(takeover)
    assert not takeover.chain
    assert not rig.two_bone_ik_chains


def test_another_solver_is_told() -> None:
    rig = limb(rigs.ARM).id_data
    rig.pose.ik_solver = "ITASC"
    (takeover,) = api.chains_from_constraints(rig)
    assert "iTaSC" in takeover.differs[0]


@pytest.mark.parametrize("path", ["influence", "pole_angle"])
def test_an_animated_setting_goes_over_without_a_word(path: str) -> None:
    constraint = limb(rigs.ARM)
    constraint.keyframe_insert(path, frame=1)
    (takeover,) = api.chains_from_constraints(constraint.id_data)
    assert takeover.differs == ()


@pytest.mark.parametrize("bone", ["spine", "upper", "lower"])
@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)), ids=str)
def test_a_mirrored_limb_is_posed_alike_or_the_report_says_so(signs: tuple, bone: str) -> None:
    constraint = ik_constraint.limb(ARM, pole=(1, 3, 1))
    rig = constraint.id_data
    rig.pose.bones[bone].scale = signs
    constraint.target.parent, constraint.target.parent_type, constraint.target.parent_bone = rig, "BONE", "spine"
    constraint.target.location = (1.0, -0.5, 0.3)
    before = ik_constraint.shown(rig)
    (takeover,) = api.chains_from_constraints(rig)
    constraint.mute = True
    api.solve(rig)
    joints, degrees = ik_constraint.apart(ik_constraint.shown(rig), before)
    alike = joints < ik_constraint.JOINTS and degrees < ik_constraint.DEGREES
    assert alike or any("mirrors" in line for line in takeover.differs)
    assert bool(takeover.differs) == (signs[0] * signs[1] * signs[2] < 0), "two negative axes are half a turn"
