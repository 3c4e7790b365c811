"""What a rig's switch, and the controls that it shows, are on frames that nobody has asked to change."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import FCurve, Object

from support.rigify import generated
from support.rigs import animate
from support.truth import on_frame

LEG = 'pose.bones["thigh_parent.L"]["IK_FK"]'
THIGH = 'pose.bones["thigh_fk.L"].rotation_quaternion'
TURNED = (0.9, 0.3, 0.2, 0.1)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig, with a foot that moves by its IK control."""
    rig = generated("basic_human")
    animate(rig.pose.bones["foot_ik.L"], location={1: (0, 0, 0), 61: (0, 0.2, 0.1)})
    return rig


def key(rig: Object, path: str, values: Mapping[float, float], interpolation: str = "CONSTANT") -> FCurve:
    """Keys on the first element of a property, which has none."""
    curve = versions.ensure_channelbag(rig).fcurves.new(path, index=0)
    for frame, value in values.items():
        curve.keyframe_points.insert(frame, value).interpolation = interpolation
    return curve


def shown(rig: Object, frames: range) -> dict[int, float]:
    """Of the left leg, 1 on frames on which FK shows, as Blender evaluates them."""
    return {frame: rig.evaluated_get(on_frame(frame)).pose.bones["thigh_parent.L"]["IK_FK"] for frame in frames}


@pytest.mark.parametrize(
    ("switched", "posed", "now", "turned"),
    [
        ({1: 1, 21: 0}, (1, 20, 180, 200), 190, range(180, 201)),
        ({1: 0, 30: 1, 60: 0}, (10, 20, 40, 50), 15, range(10, 21)),
        ({1: 1, 21: 0, 100: 0}, (1, 20, 180, 200), 190, range(180, 201)),
    ],
)
def test_the_button_turns_one_stretch_of_the_switch(
    rig: Object, switched: Mapping[float, float], posed: tuple[int, ...], now: int, turned: range
) -> None:
    api.add_detected(rig)
    rig.two_bone_ik_active = [chain.name for chain in rig.two_bone_ik_chains].index("Leg.L")
    animate(rig.pose.bones["thigh_fk.L"], rotation_quaternion=dict.fromkeys(posed, TURNED))
    key(rig, LEG, switched)
    frames = range(-2, 210)
    before = shown(rig, frames)
    on_frame(now)
    assert bpy.ops.two_bone_ik.reveal() == {"FINISHED"}
    assert shown(rig, frames) == {frame: 1.0 if frame in turned else before[frame] for frame in frames}
