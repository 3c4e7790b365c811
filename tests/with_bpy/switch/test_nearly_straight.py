"""Limbs that are straight but for a hair stay on frames and between them when they go to IK.

There a tip that is rounded by a ten-thousandth of a millimetre moves the mid joint by a third of one.
"""

from math import cos

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigify import generated
from support.straight import set_poles, swing
from support.walking import assert_kept, deforming, off

FRAMES, HALVES, KEYS = range(1, 31), np.arange(1.5, 30.0), range(1, 38, 6)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig."""
    return generated("basic_human")


@pytest.mark.parametrize(
    ("bends", "pole"),
    [(dict.fromkeys(KEYS, 0.001), False), ({key: 0.01 * cos(key / 5.0) for key in KEYS}, True)],
    ids=["always", "to both sides, with poles"],
)
def test_nearly_straight_limbs_stay_within_a_tenth_of_a_mm(rig: Object, bends: dict[int, float], pole: bool) -> None:
    swing(rig, bends)
    set_poles(rig, pole)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    api.switch(rig, "IK", frames=(1, 30))
    assert_kept(deforming(rig, FRAMES), before)
    assert off(deforming(rig, HALVES), between)[0] < 1e-3
