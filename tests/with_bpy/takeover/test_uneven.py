"""A chain that takes over an IK constraint under uneven scale poses the limb alike, or tells how far it will be off."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import ik_constraint
from support.empty_file import open_empty_file
from support.rigs import ARM
from support.told import told_length

ROUNDED = 5e-3
"""Part of what is told, which has three digits."""
LEFT = 0.01
"""Of the forearm: what the iteration of the constraint leaves, and that of a chain whose bones shear."""


def limb(scaled: str, inherit: str, seed: int) -> Object:
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
    rig = limb(scaled, inherit, seed)
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
    rig = limb("spine", "FULL", 0)
    bpy.data.objects["Target"].hide_viewport = True
    (takeover,) = api.chains_from_constraints(rig)
    assert takeover.chain
    assert any(line.startswith('Uneven scale shears bone "upper"') for line in takeover.differs)


def test_a_thousandth_of_the_limb_is_told_and_less_is_not() -> None:
    told = []
    for seed, scale in ((seed, scale) for seed in range(8) for scale in (1.0004, 1.0019, 1.006, 1.03)):
        rig = limb("spine", "FULL", seed)
        rig.pose.bones["spine"].scale = (1.0, scale, 1.0)
        bpy.context.view_layer.update()
        (takeover,) = api.chains_from_constraints(rig)
        size = sum(bone.vector.length for bone in (rig.pose.bones["upper"], rig.pose.bones["lower"]))
        told.append(max((told_length(sentence, "up to") for sentence in takeover.differs), default=0.0) / size)
        assert not 0.0 < told[-1] < 0.99e-3
    assert 0.0 in told
    assert max(told) > 1e-3
