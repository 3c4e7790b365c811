"""Curves that change across the border of a switch keep what they are outside of its frames, between frames too."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigify import generated
from support.rigs import animate
from support.walking import deforming, key_switch, off

OUTSIDE = [1.0, 4.5, 8.0, 9.5, 10.0, 10.5, 50.5, 51.0, 51.5, 54.0, 57.5, 61.0, 63.5]


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig, with a foot that moves by IK, and a thigh by FK."""
    rig = generated("basic_human")
    animate(rig.pose.bones["foot_ik.L"], location={1: (0, 0, 0), 30: (0, 0.3, 0.1), 61: (0, 0.2, 0.1)})
    turns = {1: (1.0, 0.0, 0.0, 0.0), 31: (0.9, 0.4, 0.0, 0.1), 61: (1.0, 0.1, 0.0, 0.0)}
    animate(rig.pose.bones["thigh_fk.L"], rotation_quaternion=turns)
    return rig


@pytest.mark.parametrize(
    ("values", "interpolation"),
    [
        ({1: 0.0, 31: 0.6, 61: 0.2}, "BEZIER"),
        ({1: 0.0, 31: 0.6, 61: 0.2}, "CONSTANT"),
        ({5: 1.0, 61: 0.0}, "BEZIER"),
        ({5: 1.0, 61: 0.0}, "LINEAR"),
        ({1: 0.0, 51: 1.0, 60: 0.0}, "BEZIER"),
    ],
)
def test_a_blend_across_the_border_stays_outside(
    rig: Object, values: Mapping[float, float], interpolation: str
) -> None:
    key_switch(rig, values, interpolation)
    before = deforming(rig, OUTSIDE)
    api.switch(rig, "FK", ["Leg.L"], frames=(11, 50))
    # Splitting a curve rounds its handles to single precision.
    assert off(deforming(rig, OUTSIDE), before)[0] < 2e-6
