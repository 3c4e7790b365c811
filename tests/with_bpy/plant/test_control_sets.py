"""Planted bones of a rig with several layers, of which another shows."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.walker import captured, walker

LEFT = ("thigh.L", "shin.L", "foot.L")


def layered() -> Object:
    """A captured walk whose left leg another layer copies; the property FK of its hips says how far."""
    rig = walker(captured("walk", 1.0))
    bpy.ops.object.mode_set(mode="EDIT")
    edit = rig.data.edit_bones
    for name in LEFT:
        copy, bone = edit.new(f"DEF-{name}"), edit[name]
        copy.head, copy.tail, copy.roll = bone.head, bone.tail, bone.roll
        copy.parent = edit["hips"]
    bpy.ops.object.mode_set(mode="OBJECT")
    hips = rig.pose.bones["hips"]
    hips["FK"] = 1.0
    hips.id_properties_ui("FK").update(min=0.0, max=1.0)
    for name in LEFT:
        constraint = rig.pose.bones[f"DEF-{name}"].constraints.new("COPY_TRANSFORMS")
        constraint.target, constraint.subtarget = rig, name
        driver = constraint.driver_add("influence").driver
        driver.type, variable = "AVERAGE", driver.variables.new()
        variable.targets[0].id, variable.targets[0].data_path = rig, f'{hips.path_from_id()}["FK"]'
    return rig


@pytest.mark.parametrize("shown", [0.0, 1.0])
def test_planted_limbs_that_the_rig_does_not_show_are_told(shown: float) -> None:
    rig = layered()
    rig.pose.bones["hips"]["FK"] = shown
    rig.update_tag()
    bpy.context.view_layer.update()
    alerts = api.plant(rig, ["Leg.L", "Leg.R"]).as_dict()["alerts"]
    told = [alert for alert in alerts if '"FK"' in alert]
    assert ["Leg.L" in alert for alert in told] == ([] if shown else [True])
