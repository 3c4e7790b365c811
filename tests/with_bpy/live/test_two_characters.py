"""Two live characters side by side: each goes by its own last solution, and one may follow the other by drivers."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from mathutils import Vector

from support import rigs
from support.live import CLOSE, WITHIN_REACH
from support.truth import Limb, on_frame

LIMBS = tuple(Limb(rig=f"{name} rig", target=f"{name} target") for name in ("First", "Second"))
PLACES = tuple(np.array(place) for place in WITHIN_REACH.values())


@pytest.fixture(autouse=True)
def _side_by_side() -> None:
    """Two live arms apart from each other, their targets within reach."""
    for number, limb in enumerate(LIMBS):
        rig, target = rigs.armature(name=limb.rig), rigs.empty(limb.target)
        rig.location.y = 3.0 * number
        target.location = rig.location
        api.add_chain(rig, "lower", target=target)
        rig.two_bone_ik_live = True
    move_targets(PLACES[0])


def move_targets(place: np.ndarray) -> None:
    """Put both targets at this place beside their armatures."""
    for limb in LIMBS:
        bpy.data.objects[limb.target].location = place + np.array(bpy.data.objects[limb.rig].location)
    bpy.context.view_layer.update()


def misses() -> list[float]:
    """How far each tip is from its target, as Blender evaluates both."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return [float(np.linalg.norm(limb.joints(depsgraph)[2] - limb.goal(depsgraph))) for limb in LIMBS]


def test_a_keyed_pose_beside_brings_back_no_old_solution() -> None:
    keyed = bpy.data.objects[LIMBS[1].rig].pose.bones["upper"]
    rigs.animate(keyed, rotation_quaternion={1: (1, 0, 0, 0), 10: (0.7, 0.5, 0.3, -0.4)})
    rigs.animate(bpy.data.objects[LIMBS[0].target], location=WITHIN_REACH)
    move_targets(PLACES[2])
    for frame in range(1, 11):
        on_frame(frame)
        np.testing.assert_allclose(misses(), 0.0, atol=CLOSE, err_msg=f"frame {frame}")


def test_a_pose_by_hand_beside_brings_back_no_old_solution() -> None:
    move_targets(PLACES[1])
    bpy.data.objects[LIMBS[0].target].location = PLACES[2]
    bpy.data.objects[LIMBS[1].rig].pose.bones["lower"].rotation_quaternion = (0.7, 0.5, 0.3, -0.4)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(misses(), 0.0, atol=CLOSE)


def drive_by_the_other_hand() -> None:
    """By drivers the first target goes where the second character's hand goes."""
    for index, axis in enumerate("XYZ"):
        driver = bpy.data.objects[LIMBS[0].target].driver_add("location", index).driver
        driver.type = "SUM"
        variable = driver.variables.new()
        bpy.context.view_layer.update()  # a driver is there before it has a target
        variable.type = "TRANSFORMS"
        target = variable.targets[0]
        target.id, target.bone_target, target.transform_type = bpy.data.objects[LIMBS[1].rig], "hand", f"LOC_{axis}"


def test_a_limb_follows_another_character_by_drivers() -> None:
    first, second = (bpy.data.objects[limb.rig] for limb in LIMBS)
    first.location = second.location + first.location + Vector((0.4, 0.2, 0.0))
    rigs.animate(
        bpy.data.objects[LIMBS[1].target],
        location={frame: place + np.array(second.location) for frame, place in WITHIN_REACH.items()},
    )
    bpy.context.view_layer.update()
    drive_by_the_other_hand()
    for frame in range(1, 11):
        on_frame(frame)
        np.testing.assert_allclose(misses(), 0.0, atol=CLOSE, err_msg=f"frame {frame}")


def test_characters_follow_each_other_with_other_limbs() -> None:
    first, second = (bpy.data.objects[limb.rig] for limb in LIMBS)
    first.two_bone_ik_chains[0].target = second
    first.two_bone_ik_chains[0].subtarget = "hand"
    first.location = second.location + Vector((0.4, 0.2, 0.0))
    target = bpy.data.objects[LIMBS[1].target]
    follows = target.constraints.new("COPY_ROTATION")
    follows.target, follows.subtarget = first, "spine"
    for place in PLACES:
        target.location = second.location + Vector(place)
        bpy.context.view_layer.update()
        shown = [rig.evaluated_get(bpy.context.evaluated_depsgraph_get()) for rig in (first, second)]
        tips = [rig.matrix_world @ rig.pose.bones["lower"].tail for rig in shown]
        hand = shown[1].matrix_world @ shown[1].pose.bones["hand"].head
        np.testing.assert_allclose(tips, [hand, target.location], atol=CLOSE)
