"""Removing targets takes their keys, and leaves an action in which anything else is keyed."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Action

from support import rigs

pytestmark = pytest.mark.versions


@pytest.mark.skipif("slots" not in Action.bl_rna.properties, reason="actions have no slots before Blender 4.4")
def test_an_action_with_keys_of_another_slot_stays() -> None:
    rig = rigs.armature()
    api.add_chain(rig, "lower")
    api.create_targets(rig, kind="BONES")
    api.bake_targets(rig, frames=(1, 4))
    action = rig.animation_data.action
    strip = action.layers[0].strips[0]
    bag = strip.channelbag(action.slots.new(id_type="OBJECT", name="Cam"), ensure=True)
    bag.fcurves.new("location", index=0).keyframe_points.insert(1, 3.0)
    name = action.name
    api.remove_targets(rig)
    left = bpy.data.actions[name].layers[0].strips[0].channelbags
    assert [curve.data_path for bag in left for curve in bag.fcurves] == ["location"]
