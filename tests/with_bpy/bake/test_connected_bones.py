"""Blender ignores the location of a connected bone, whatever it holds, and so does a bake."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import animate, arm
from support.truth import Limb

CLOSE = 1e-5
WAYS = ["AUTO", "ISOLATED", "SCENE"]


def connected_arm(*names: str) -> Object:
    """An arm whose bones of these names are connected to their parents."""
    link = arm(pole=(1, 3, 1), tip_bone="hand")
    bpy.ops.object.mode_set(mode="EDIT")
    for name in names:
        link.id_data.data.edit_bones[name].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    rig = bpy.data.objects["Rig"]
    animate(bpy.data.objects["Target"], location={1: (1.2, 0.6, 1.3), 8: (0.5, 0.8, 1.5)})
    return rig


@pytest.mark.parametrize(
    ("bone", "keyed", "way"),
    [
        (bone, keyed, way)
        for keyed, ways in ((False, WAYS), (True, WAYS[::-1]))
        for bone, way in zip(("upper", "lower", "hand"), ways, strict=True)
    ],
)
def test_the_location_of_a_connected_bone_moves_no_joint(bone: str, keyed: bool, way: str) -> None:
    rig = connected_arm("upper", "lower", "hand")
    rig.pose.bones[bone].location = (0.2, 0.3, -0.1)
    if keyed:
        animate(rig.pose.bones[bone], location={1: (0.2, 0.3, -0.1), 8: (-0.3, 0.1, 0.2)})
    api.bake(rig, frames=(1, 8), sampling=way)
    assert Limb(pole="Pole", tip="hand").misses(range(1, 9)).max() < CLOSE


@pytest.mark.parametrize("way", WAYS)
def test_the_location_of_a_connected_spine_moves_no_chain(way: str) -> None:
    rig = connected_arm("upper")
    bpy.ops.object.mode_set(mode="EDIT")
    hips = rig.data.edit_bones.new("hips")
    hips.head, hips.tail = (0, 0, -1), (0, 0, 0)
    rig.data.edit_bones["spine"].parent = hips
    rig.data.edit_bones["spine"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    animate(rig.pose.bones["spine"], location={1: (0.2, 0.3, -0.1), 8: (-0.3, 0.1, 0.2)})
    api.bake(rig, frames=(1, 8), sampling=way)
    assert Limb(pole="Pole", tip="hand").misses(range(1, 9)).max() < CLOSE


def test_a_solve_ignores_the_location_of_a_connected_bone() -> None:
    rig = connected_arm("upper", "lower", "hand")
    rig.pose.bones["lower"].location = (0.2, 0.3, -0.1)
    api.solve(rig)
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    limb = Limb(tip="hand")
    assert abs(limb.joints(depsgraph)[2] - limb.goal(depsgraph)).max() < CLOSE
