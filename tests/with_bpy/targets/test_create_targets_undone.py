"""Targets that cannot be put in place leave nothing behind."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support import file_data, rigs


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_a_parent_out_of_all_bounds_leaves_no_targets(kind: str) -> None:
    rig = rigs.armature()
    chain = api.add_chain(rig, "lower", tip_bone="hand")
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 8: (0.9, 0.1, 0.3, 0.2)})
    with bpy.context.temp_override(active_object=rig, object=rig):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        bone = rig.data.edit_bones.new("prop")
        bone.tail = (0, 0, 1)
        bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["prop"].scale = (1e25,) * 3
    bpy.context.view_layer.update()
    before = file_data.dump()
    with pytest.raises(api.Refused, match="nowhere"):
        api.create_targets(rig, kind=kind, parent="BONE", parent_bone="prop")
    assert not file_data.changed(before)
    assert not chain.is_property_set("use_rotation")
    assert not chain.is_property_set("reference")
