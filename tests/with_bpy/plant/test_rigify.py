"""The FK legs of a rig that Rigify has generated are planted like any others."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.refused import refused
from support.rigify import generated
from support.rigs import animate
from support.truth import worlds
from support.walker import captured, walker

FRAMES = range(1, 31)


@pytest.fixture
def rig() -> Object:
    """One who sways with bent knees, with keys on the FK controls, and shows these."""
    rig = generated("human")
    rng = np.random.default_rng(1)
    for side in "LR":
        rig.pose.bones[f"thigh_parent.{side}"]["IK_FK"] = 1.0
    for frame in FRAMES:
        wander = 0.02 * np.sin(frame / 7)
        animate(rig.pose.bones["torso"], location={frame: (wander, 0.5 * wander, -0.03)})
        for side in "LR":
            for bone, turn in (("thigh_fk", -0.3), ("shin_fk", 0.6), ("foot_fk", -0.3)):
                turn += wander + rng.normal(0, 1e-3)
                animate(
                    rig.pose.bones[f"{bone}.{side}"],
                    rotation_quaternion={frame: (np.cos(turn / 2), np.sin(turn / 2), 0, 0)},
                )
    rig.update_tag()  # a custom property alone does not
    return rig


def toes(rig: Object) -> np.ndarray:
    """(n, 2, 3) where the deforming bones of the toes begin."""
    return worlds(rig, FRAMES, "DEF-toe.L", "DEF-toe.R")[..., :3, 3]


def contacts() -> list[api.Contact]:
    return [api.Contact(f"Leg.{side}", 1, 30, f"MCH-toe_fk.{side}", (0, 0, 0)) for side in "LR"]


def test_feet_of_a_generated_rig_stand(rig: Object) -> None:
    before = toes(rig)
    report = api.plant(rig, contacts=contacts())
    after = toes(rig)
    slides = [1e3 * np.abs(each - each[0])[..., :2].max() for each in (before, after)]
    assert report.posed
    assert slides[0] > 10.0
    assert slides[1] < 0.05


def test_a_foot_that_a_constraint_scales_is_refused(rig: Object) -> None:
    stretched = rig.pose.bones["MCH-foot_fk.L"].constraints.new("LIMIT_SCALE")
    stretched.use_min_y, stretched.min_y = True, 1.4
    with refused("PLANT_CONSTRAINED", "MCH-foot_fk.L"):
        api.plant(rig, contacts=contacts())


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
