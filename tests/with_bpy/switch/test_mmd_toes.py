"""The foot of an MMD model is aimed at the toes by IK of its own: it is switched with the leg's."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.published_rigs import FRAMES, deforming, limbs, move, published
from support.rigs import animate
from support.truth import on_frame
from support.walking import off

FOOT, TOES = "足首.L", "つま先ＩＫ.L"
INFLUENCE = f'pose.bones["{FOOT}"].constraints["IK"].influence'
LEG = {"FK": "IK", "IK": "FK"}


@pytest.fixture
def rig() -> Object:
    return published("mmd")


def foot(rig: Object, frame: float) -> np.ndarray:
    on_frame(frame)
    return np.array(rig.pose.bones[FOOT].matrix)


def influence(rig: Object, frame: float) -> float:
    on_frame(frame)
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).path_resolve(INFLUENCE)


@pytest.mark.parametrize("to", ["FK", "IK"])
def test_ik_of_the_toes_is_keyed_as_that_of_the_leg(rig: Object, to: str) -> None:
    move(rig, "mmd", LEG[to])
    animate(rig.pose.bones[TOES], location={1: (0, 0, 0), 15: (0.02, 0.05, 0.04)})
    before = deforming(rig, limbs("mmd"))
    assert api.switch(rig, to, frames=(4, 10)).posed
    moved, turned, _ = off(deforming(rig, limbs("mmd")), before)
    assert (moved < 1e-4, turned < 0.1) == (True, True)
    on, beside = (0.0, 1.0) if to == "FK" else (1.0, 0.0)
    assert [influence(rig, frame) for frame in (3, 4, 10, 11)] == [beside, on, on, beside]


def test_fk_keys_of_the_foot_act_where_fk_shows(rig: Object) -> None:
    move(rig, "mmd", "IK")
    api.switch(rig, "FK", frames=(FRAMES[0], FRAMES[-1]))
    before = foot(rig, 7)
    animate(rig.pose.bones[FOOT], rotation_quaternion={7: (0.9, 0.4, 0, 0)})
    assert np.abs(foot(rig, 7) - before).max() > 0.1


def test_the_toes_control_moves_the_foot_where_ik_shows(rig: Object) -> None:
    move(rig, "mmd", "FK")
    api.switch(rig, "IK", frames=(FRAMES[0], FRAMES[-1]))
    before = foot(rig, 7)
    rig.pose.bones[TOES].location.z += 0.1
    bpy.context.view_layer.update()
    assert np.abs(np.array(rig.pose.bones[FOOT].matrix) - before).max() > 0.1


def test_a_model_without_ik_of_the_toes_switches(rig: Object) -> None:
    rig.pose.bones[FOOT].constraints.remove(rig.pose.bones[FOOT].constraints["IK"])
    animate(rig.pose.bones["足ＩＫ.L"], location={1: (0, 0, 0), 15: (-0.05, 0.05, 0.1)})
    before = deforming(rig, limbs("mmd"))
    assert api.switch(rig, "FK", frames=(4, 10)).posed
    assert off(deforming(rig, limbs("mmd")), before)[0] < 1e-4
    assert INFLUENCE not in {curve.data_path for curve in versions.curves(rig)}
