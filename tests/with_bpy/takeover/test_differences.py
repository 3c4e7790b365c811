"""IK constraints that a chain cannot replace exactly, as under uneven scale: it is told, and what is told differs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import KinematicConstraint, Object
from mathutils import Quaternion

from support import ik_constraint, rigs
from support.empty_file import open_empty_file
from support.ik_constraint import DEGREES, JOINTS, apart, limb, shown
from support.rigs import ARM
from support.told import told_length
from support.truth import on_frame

Change = Callable[[KinematicConstraint], object]


def limit(c: KinematicConstraint) -> None:
    lower = c.id_data.pose.bones["lower"]
    for name in "xyz":
        setattr(lower, f"use_ik_limit_{name}", True)
        setattr(lower, f"ik_min_{name}", 0.0)
        setattr(lower, f"ik_max_{name}", 0.01)


def another(c: KinematicConstraint) -> None:
    other = c.id_data.pose.bones["hand"].constraints.new("IK")
    other.target, other.chain_count = c.target, 3


def bone(**fields: object) -> Change:
    """The upper bone with these values."""
    return lambda c: [setattr(c.id_data.pose.bones["upper"], name, value) for name, value in fields.items()]


def having(**fields: object) -> Change:
    return lambda c: [setattr(c, name, value) for name, value in fields.items()]


def stiffness(c: KinematicConstraint) -> None:
    bone(ik_stiffness_z=0.9)(c)
    c.target.location = (1.9, 0.4, 1.3)


DIFFERENT = [
    (bone(ik_stretch=0.2), 'IK Stretch lengthens bone "upper"'),
    (having(use_rotation=True), "Its Rotation turns the end bone"),
    (having(use_location=False), "Its Position is off"),
    (bone(lock_ik_z=True), 'IK Lock about Z holds bone "upper"'),
    (limit, 'stops bone "lower"'),
    (stiffness, 'IK Stiffness about Z holds bone "upper" back'),
    (having(pole_target=None), "Without a pole target the constraint bends the limb sideways"),
    (
        having(pole_target=None, influence=0.5),
        "Without a pole target the Influence of the constraint moves the goal",
    ),
    (another, 'Constraint "IK" of bone "hand" moves the same bones'),
]


@pytest.mark.parametrize(("change", "sentence"), DIFFERENT, ids=[sentence for _, sentence in DIFFERENT])
def test_what_a_takeover_changes_is_told(change: Change, sentence: str) -> None:
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
        ({}, "iTaSC"),
    ],
    ids=["three bones", "one bone", "no target", "another solver"],
)
def test_where_no_chain_can_take_over_none_is_added(fields: dict, sentence: str) -> None:
    rig = limb(rigs.ARM, **fields).id_data
    rig.pose.ik_solver = "LEGACY" if fields else "ITASC"
    (takeover,) = api.chains_from_constraints(rig)
    assert sentence in str(takeover)
    assert (takeover.chain, len(rig.two_bone_ik_chains)) == (("", 0) if fields else ("Arm", 1))


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


ROUNDED = 5e-3
"""Part of what is told, which has three digits."""

LEFT = 0.01
"""Of the forearm: what the iteration of the constraint leaves, and that of a chain whose bones shear."""


def uneven_limb(scaled: str, inherit: str, seed: int) -> Object:
    """An arm under an IK constraint with a pole target, somewhere within reach; this item is scaled unevenly."""
    open_empty_file()
    random = np.random.default_rng(seed)
    constraint = ik_constraint.limb(ARM, pole=(1, 3, 1), pole_angle=float(random.uniform(-3, 3)))
    rig = constraint.id_data
    rig.data.bones["lower"].inherit_scale = inherit
    bones = rig.pose.bones
    bones["spine"].rotation_quaternion, bones["upper"].rotation_quaternion = random.normal(size=(2, 4))
    bones["lower"].rotation_quaternion = 1, *random.uniform(-0.2, 0.2, 3)
    (rig if scaled == "rig" else bones[scaled]).scale = random.uniform(0.5, 1.8, 3)
    constraint.target.parent, constraint.target.parent_type, constraint.target.parent_bone = rig, "BONE", "spine"
    constraint.target.location = random.uniform(-0.5, 0.5, 3)
    bpy.context.view_layer.update()
    return rig


def joints(rig: Object) -> np.ndarray:
    """(2, 3) elbow and wrist in the world."""
    shown = ik_constraint.shown(rig, "lower")[:, :3, 3]
    matrix = np.array(rig.matrix_world)
    return shown @ matrix[:3, :3].T + matrix[:3, 3]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("scaled", "inherit", "sheared"),
    [
        ("rig", "FULL", ""),
        ("spine", "FULL", "upper"),
        ("spine", "ALIGNED", "upper"),
        ("spine", "NONE", "upper"),
        ("upper", "FULL", "lower"),
        ("upper", "ALIGNED", ""),
        ("upper", "NONE", ""),
        ("lower", "FULL", ""),
    ],
)
def test_what_uneven_scale_changes_is_told_and_measured(scaled: str, inherit: str, sheared: str, seed: int) -> None:
    rig = uneven_limb(scaled, inherit, seed)
    before = joints(rig)
    (takeover,) = api.chains_from_constraints(rig)
    api.bake(rig, frames=(1, 1))
    bpy.context.scene.frame_set(1)
    off, size = np.linalg.norm(joints(rig) - before, axis=-1).max(), np.linalg.norm(np.diff(before, axis=0))
    if not sheared:
        assert not takeover.differs
        assert off < LEFT * size
        return
    (sentence,) = takeover.differs
    assert f'bone "{sheared}"' in sentence
    told = told_length(sentence, "up to")
    assert told == pytest.approx(off, rel=ROUNDED, abs=LEFT * size)


def test_what_cannot_be_measured_is_told_all_the_same() -> None:
    rig = uneven_limb("spine", "FULL", 0)
    bpy.data.objects["Target"].hide_viewport = True
    (takeover,) = api.chains_from_constraints(rig)
    assert takeover.chain
    assert any(line.startswith('Uneven scale shears bone "upper"') for line in takeover.differs)


def test_a_thousandth_of_the_limb_is_told_and_less_is_not() -> None:
    told = []
    for seed, scale in ((seed, scale) for seed in range(8) for scale in (1.0004, 1.0019, 1.006, 1.03)):
        rig = uneven_limb("spine", "FULL", seed)
        rig.pose.bones["spine"].scale = (1.0, scale, 1.0)
        bpy.context.view_layer.update()
        (takeover,) = api.chains_from_constraints(rig)
        size = sum(bone.vector.length for bone in (rig.pose.bones["upper"], rig.pose.bones["lower"]))
        told.append(max((told_length(sentence, "up to") for sentence in takeover.differs), default=0.0) / size)
        assert not 0.0 < told[-1] < 0.99e-3
    assert 0.0 in told
    assert max(told) > 1e-3
