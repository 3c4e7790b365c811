"""A target that this scene does not hold: the panel says where it is, and a bake follows it all the same."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import LimbState, limb_states
from bl_ext.user_default.two_bone_ik.ui import limb_notice
from bpy.types import Object

from support import rigs
from support.live import WITHIN_REACH


def arm_without_its_target(*scenes: str) -> Object:
    """An arm in the scene that is shown; its target is in scenes of these names alone, and moves."""
    rig = rigs.arm(target=WITHIN_REACH[5]).id_data
    target = bpy.data.objects["Target"]
    rigs.animate(target, location={1: WITHIN_REACH[1], 5: WITHIN_REACH[5]})
    for name in scenes:
        bpy.data.scenes.new(name).collection.objects.link(target)
    bpy.context.collection.objects.unlink(target)
    rig.two_bone_ik_live = True
    return rig


def told(rig: Object) -> tuple[LimbState, str]:
    """Its state, and what the panel says of it."""
    bpy.context.view_layer.update()
    found = limb_states(rig, bpy.context.scene, bpy.context.view_layer.depsgraph)["lower"]
    return found, limb_notice.short(bpy.context, found) + ": " + limb_notice.long(bpy.context, found)


@pytest.mark.parametrize(
    ("scenes", "state", "sentence"),
    [
        (("Props",), "OTHER_SCENE", 'Other scene: "Target" is in no scene but "Props"'),
        (("Props", "Set"), "OTHER_SCENE", 'Other scene: "Target" is in no scene but "Props", "Set"'),
        ((), "IN_NO_SCENE", 'In no scene: "Target" is in no scene'),
    ],
)
def test_where_a_target_is_that_the_scene_lacks_is_told(scenes: tuple[str, ...], state: str, sentence: str) -> None:
    found, text = told(arm_without_its_target(*scenes))
    assert (found.state, found.refusal) == (state, None)
    assert text == f"{sentence}: Bake and Solve follow it, Live does not"


@pytest.mark.parametrize("scenes", [("Props",), ()], ids=["another scene", "no scene"])
def test_a_target_that_the_scene_lacks_is_baked(scenes: tuple[str, ...]) -> None:
    rig = arm_without_its_target(*scenes)
    rig.two_bone_ik_live = False
    for posed, frames in ((api.bake, (1, 5)), (api.solve, None)):
        report = posed(rig, frames=frames) if frames else posed(rig)
        assert report.reached, str(report)
    for frame in (1, 5):
        bpy.context.scene.frame_set(frame)
        found = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        tip = found.matrix_world @ found.pose.bones["lower"].tail
        np.testing.assert_allclose(tip, WITHIN_REACH[frame], atol=1e-5)


def test_a_target_that_comes_into_the_scene_is_followed() -> None:
    rig = arm_without_its_target("Props")
    assert told(rig)[0].state == "OTHER_SCENE"
    bpy.context.collection.objects.link(bpy.data.objects["Target"])
    assert told(rig)[0].state == "REACHED"


def test_a_target_that_the_viewport_leaves_out_is_told_so_still() -> None:
    rig = rigs.arm(target=WITHIN_REACH[5]).id_data
    bpy.data.objects["Target"].hide_viewport = True
    assert told(rig)[0].refusal.kind == "DISABLED"
