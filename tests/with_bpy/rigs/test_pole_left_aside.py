"""Chains bend towards the pole control of a rig whose IK may do without it: then the report says so."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigify import generated
from support.rigs import animate
from support.truth import on_frame

LEG = "thigh_parent.L"


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig; a leg of it swivels by the control that IK has without a pole."""
    rig = generated("basic_human")
    api.add_detected(rig)
    for frame in (1, 10):
        animate(rig.pose.bones["foot_ik.L"], location={frame: (0.0, -0.1, 0.15)})
    rig.pose.bones["thigh_ik.L"].rotation_euler.y = 0.6
    return rig


def told(report: api.Report) -> list[str]:
    return [note for note in report.notes if "pole_vector" in note]


def knees_apart(rig: Object, frame: int) -> float:
    """From that of the chain to the plane in which IK bends the leg; IK may stretch it."""
    on_frame(frame)
    hip, knee, foot = (rig.pose.bones[name].head for name in ("thigh_ik.L", "MCH-shin_ik.L", "MCH-thigh_ik_target.L"))
    normal = (knee - hip).cross(foot - hip).normalized()
    return abs(normal.dot(rig.pose.bones["shin_fk.L"].head - hip))


def set_pole(rig: Object, **frames: int) -> None:
    for value, frame in frames.items():
        rig.pose.bones[LEG]["pole_vector"] = value == "on"
        rig.pose.bones[LEG].keyframe_insert('["pole_vector"]', frame=frame)


def test_a_pole_that_ik_leaves_aside_is_told(rig: Object) -> None:
    [note] = told(api.bake(rig, ["Leg.L", "Leg.R"], frames=(1, 10)))
    assert note.endswith("Leg.L, Leg.R")
    assert knees_apart(rig, 5) > 0.05


def test_a_pole_that_counts_is_not_told(rig: Object) -> None:
    for side in "LR":
        rig.pose.bones[f"thigh_parent.{side}"]["pole_vector"] = True
    rig.pose.bones["thigh_ik.L"].rotation_euler.y = 0.0
    rig.update_tag()
    bpy.context.view_layer.update()
    assert told(api.bake(rig, ["Leg.L", "Leg.R"], frames=(1, 10))) == []
    assert knees_apart(rig, 5) < 1e-3


def test_a_pole_that_counts_on_some_frames_is_told(rig: Object) -> None:
    set_pole(rig, on=1, off=8)
    assert len(told(api.check(rig, ["Leg.L"], (1, 10)))) == 1
    assert told(api.check(rig, ["Leg.L"], (1, 3))) == []


def test_a_pole_of_the_users_own_is_not_told(rig: Object) -> None:
    chain = rig.two_bone_ik_chains["Leg.L"]
    chain.pole_target, chain.pole_subtarget = None, ""
    assert told(api.solve(rig, ["Leg.L"])) == []
    assert np.isfinite(knees_apart(rig, 1))
