"""Pin: one press, and hands and feet stay where they are while the body moves."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.auto_keying import auto_keying
from support.hero import hero
from support.refused import refused
from support.rigs import Bone, animate, arm, armature, empty
from support.truth import Limb, on_frame, posed, worlds

CLOSE = 1e-5
ENDS = ("hand.L", "hand.R", "foot.L", "foot.R")
FRAMES = range(1, 13)
KINDS = pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])


def body(name: str = "Hero") -> Object:
    """The Hero, posed, without a chain."""
    rig = hero(name)
    for side in (".L", ".R"):
        rig.pose.bones[f"thigh{side}"].rotation_quaternion = (1, 0.3, 0.05, 0)
        bend(rig, f"thigh{side}", f"shin{side}", 0.4)
        bend(rig, f"upper_arm{side}", f"forearm{side}", 0.5)
    bpy.context.view_layer.update()
    return rig


def bend(rig: Object, upper: str, lower: str, by: float) -> None:
    """Bend a limb more, to the side to which it is bent at rest."""
    first, second = (rig.data.bones[name] for name in (upper, lower))
    axis = (first.tail_local - first.head_local).cross(second.tail_local - second.head_local).normalized()
    rig.pose.bones[lower].rotation_quaternion = (1, *(by * (second.matrix_local.to_3x3().inverted() @ axis)))


def move_hips(rig: Object) -> None:
    rig.pose.bones["spine"].location = (0.03, -0.08, 0.04)
    rig.pose.bones["spine"].rotation_quaternion = (1, 0.03, 0.05, 0.02)
    bpy.context.view_layer.update()


def test_one_press_holds_hands_and_feet_of_a_rig_without_chains() -> None:
    rig = body()
    before = posed(rig, *ENDS)
    assert bpy.ops.two_bone_ik.pin() == {"FINISHED"}
    assert rig.two_bone_ik_live
    np.testing.assert_allclose(posed(rig, *ENDS), before, atol=CLOSE)
    move_hips(rig)
    np.testing.assert_allclose(posed(rig, *ENDS), before, atol=CLOSE)
    thigh = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["thigh.L"]
    assert (thigh.head - rig.data.bones["thigh.L"].head_local).length > 0.05


def test_it_says_which_limbs_it_has_found_and_what_it_made() -> None:
    report = api.pin(body())
    assert report.notes[0] == "Hero: added Arm.L, Leg.L, Arm.R, Leg.R"
    assert 'Created 8 empties in the collection "Hero Targets"' in report.notes
    assert report.title.startswith("Pin, frame 1")


def test_limbs_that_have_targets_are_pinned_where_they_are_now() -> None:
    rig = body()
    api.pin(rig)
    rig.two_bone_ik_live = False
    rig.pose.bones["thigh.L"].rotation_quaternion = (1, 0.1, -0.2, 0.1)
    move_hips(rig)
    before, count = posed(rig, *ENDS), len(bpy.data.objects)
    report = api.pin(rig)
    assert len(bpy.data.objects) == count
    assert not report.notes
    rig.pose.bones["spine"].location = (0, -0.05, 0)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(posed(rig, *ENDS), before, atol=CLOSE)


def test_only_named_limbs_are_pinned_and_keyed_with_auto_keying() -> None:
    rig = body()
    api.add_detected(rig)
    api.pin(rig, ["Leg.L", "Leg.R"])
    before = posed(rig, *ENDS)
    move_hips(rig)
    np.testing.assert_allclose(posed(rig, *ENDS)[2:], before[2:], atol=CLOSE)
    assert np.abs(posed(rig, *ENDS)[:2] - before[:2]).max() > 0.01
    auto_keying()
    bpy.ops.two_bone_ik.pin()
    assert all(chain.target.animation_data for chain in rig.two_bone_ik_chains)


def walking() -> Object:
    rig = body()
    for frame in FRAMES:
        swing = 0.3 * sin(frame / 3)
        for side, way in ((".L", 1), (".R", -1)):
            animate(rig.pose.bones[f"thigh{side}"], rotation_quaternion={frame: (1, 0.3 + way * swing, 0.05, 0)})
            bend(rig, f"thigh{side}", f"shin{side}", 0.5 + 0.2 * cos(frame / 2))
            bend(rig, f"upper_arm{side}", f"forearm{side}", 0.6 + way * swing)
            for name in ("shin", "forearm"):
                rig.pose.bones[name + side].keyframe_insert("rotation_quaternion", frame=frame)
        animate(rig.pose.bones["spine"], location={frame: (0, 0.01 * frame, 0.02 * sin(frame))})
    return rig


@KINDS
def test_live_hands_keep_a_motion_that_was_baked_from_the_pose(kind: str) -> None:
    rig = walking()
    api.add_detected(rig, ("ARMS", "LEGS"))
    before = worlds(rig, FRAMES, *ENDS)
    api.create_targets(rig, kind=kind)
    api.bake_targets(rig, frames=(1, 12))
    rig.two_bone_ik_live = True
    assert (rig.two_bone_ik_chains[0].target == rig) == (kind == "BONES")
    hips = rig.pose.bones["spine"].path_from_id("location")
    for curve in versions.curves(rig):
        if curve.data_path == hips:
            for key in curve.keyframe_points:
                key.co.y += (0.02, -0.03, 0.01)[curve.array_index]
            curve.update()
    np.testing.assert_allclose(worlds(rig, FRAMES, *ENDS), before, atol=CLOSE)


@KINDS
def test_a_refused_pin_leaves_no_trace(kind: str) -> None:
    rig = body()
    api.add_chain(rig, "forearm.L", target=empty("Held"))
    rig.two_bone_ik_chains[0].target.lock_location[1] = True
    api.add_chain(rig, "shin.L")
    with refused(match=r'"Held" of chain "forearm\.L" has locked transforms'):
        api.pin(rig, kind=kind)


def test_a_rig_without_limbs_is_refused() -> None:
    rig = armature([Bone("a", (0, 0, 0), (0, 0, 1))])
    with refused(match="No limbs are found"):
        api.pin(rig)


def test_it_tells_of_a_target_that_a_bone_takes_along() -> None:
    rig = body()
    api.add_detected(rig)
    api.create_targets(rig, ["Leg.L"])
    api.change_target_space(rig, ["Leg.L"], (1, 1), space=(rig, "spine"))
    notes = api.pin(rig, ["Leg.L"]).notes
    assert 'Target "Leg Target.L" of chain "Leg.L" goes along with bone "spine"' in notes


def test_keys_and_constraints_that_act_on_a_pinned_limb_are_told() -> None:
    rig = body()
    api.pin(rig)
    target = rig.two_bone_ik_chains[0].target
    animate(target, location={1: tuple(target.location), 12: (1, 1, 1)})
    assert any(f'Keys take "{target.name}" back' in note for note in api.pin(rig).notes)
    assert not any("Keys take" in note for note in api.pin(rig, insert_keys=True).notes)
    constraint: Any = rig.pose.bones["thigh.L"].constraints.new("COPY_ROTATION")
    constraint.target = empty("Other", (1, 2, 3))
    bpy.context.view_layer.update()
    told = 'Constraint "Copy Rotation" of bone "thigh.L" acts on top of the pose'
    assert told in api.pin(rig).notes
    constraint.mute = True
    assert told not in api.pin(rig).notes


def test_a_scaled_limb_in_its_pose_is_live_on_targets_from_it() -> None:
    rig = arm(reference="POSE").id_data
    rig.pose.bones["lower"].scale = (0.67, 0.67, 0.67)
    bpy.context.view_layer.update()
    limb = Limb()
    before = limb.joints(on_frame(2))
    api.bake_targets(rig, frames=(2, 5), keys="REDUCED")
    rig.two_bone_ik_live = True
    for frame in (2, 3, 4, 5):
        np.testing.assert_allclose(limb.joints(on_frame(frame)), before, atol=CLOSE)
