"""A chain that takes over an IK constraint on a mirrored limb poses it alike, or tells that it will not."""

from __future__ import annotations

from itertools import product

import pytest
from bl_ext.user_default.two_bone_ik import api

from support import ik_constraint
from support.empty_file import open_empty_file
from support.rigs import ARM


@pytest.mark.parametrize("bone", ["spine", "upper", "lower"])
@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)), ids=str)
def test_a_mirrored_limb_is_posed_alike_or_the_report_says_so(signs: tuple, bone: str) -> None:
    open_empty_file()
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
