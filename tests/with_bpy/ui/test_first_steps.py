"""With what the panel lets work begin on an armature that has no chains."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.ui.panel import PIN, PLANT, SWITCH, TAKE_OVER, first_step
from bpy.types import Object

from support.rigify import generated, metarig
from support.rigs import animate, armature


@pytest.fixture
def rig() -> Object:
    return armature()


def constrain(rig: Object, *, mute: bool = False) -> None:
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target = bpy.data.objects.new("Target", None)
    constraint.chain_count, constraint.mute = 2, mute


def capture(rig: Object) -> None:
    rig.pose.bones["lower"].rotation_mode = "XYZ"
    animate(rig.pose.bones["lower"], rotation_euler={frame: (0.01 * frame, 0.0, 0.0) for frame in range(1, 31)})


def test_a_bare_armature_gets_pins(rig: Object) -> None:
    assert first_step(rig) == PIN


@pytest.mark.parametrize("mute", [False, True])
def test_constraints_are_taken_over(rig: Object, mute: bool) -> None:
    constrain(rig, mute=mute)
    assert first_step(rig) == TAKE_OVER


def test_a_capture_is_planted_whatever_constrains_it(rig: Object) -> None:
    capture(rig)
    constrain(rig)
    assert first_step(rig) == PLANT


def test_a_metarig_gets_pins_and_what_it_generates_switches() -> None:
    assert first_step(metarig("human")) == PIN
    assert first_step(generated("human")) == SWITCH
