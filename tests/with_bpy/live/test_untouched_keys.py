"""Live touches no key that nobody has touched, and holds all that follow one armature; odd switches do no harm."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.rigs import known_limbs
from bl_ext.user_default.two_bone_ik.blender.status import limb_state
from bpy.types import Object

from support import rigs
from support.truth import Limb, on_frame

KEYS = {1: (1, 0, 0, 0), 5: (0.7, 0.5, 0.3, -0.4), 10: (0.6, -0.2, 0.7, 0.1)}
CLOSE = 1e-5


@pytest.fixture
def rig() -> Object:
    """A live arm, the bones of which have keys of their own; auto keying is on."""
    rig = rigs.arm(target=(1.2, 0.6, 1.3)).id_data
    for bone in ("upper", "lower"):
        rigs.animate(rig.pose.bones[bone], rotation_quaternion=KEYS)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    rig.two_bone_ik_live = True
    on_frame(1)
    return rig


def all_keys(rig: Object) -> list[dict[float, float]]:
    return [rigs.keys(rig.pose.bones[bone], index=index) for bone in ("upper", "lower") for index in range(4)]


def test_a_script_that_goes_through_frames_changes_no_key(rig: Object) -> None:
    before = all_keys(rig)
    for frame in range(1, 11):
        bpy.context.scene.frame_current = frame
        bpy.context.view_layer.update()
    assert all_keys(rig) == before


def test_another_action_keeps_its_keys(rig: Object) -> None:
    first, rig.two_bone_ik_live = rig.animation_data.action, False
    other = rig.animation_data.action = first.copy()
    for bone in ("upper", "lower"):
        rigs.animate(rig.pose.bones[bone], rotation_quaternion={5: (0.9, 0.1, 0.3, 0.2)})
    before = all_keys(rig)
    rig.animation_data.action, rig.two_bone_ik_live = first, True
    on_frame(5)
    rig.animation_data.action = other
    bpy.context.view_layer.update()
    assert all_keys(rig) == before


def test_a_key_that_is_moved_past_the_frame_keeps_its_value(rig: Object) -> None:
    on_frame(4)
    curve = next(curve for curve in versions.curves(rig) if "lower" in curve.data_path)
    values = [key.co.y for key in curve.keyframe_points]
    for frame in (4.5, 4.0, 3.5):
        curve.keyframe_points[1].co.x = frame
        curve.update()
        rig.animation_data.action.update_tag()
        bpy.context.view_layer.update()
    assert [key.co.y for key in curve.keyframe_points] == values


def test_all_armatures_that_follow_one_are_held(rig: Object) -> None:
    others = [rigs.armature(name=name) for name in ("Another", "Other", "Third")]
    for number, other in enumerate(others):
        other.location = (0.4, 0.2 * number, 0.0)
        rigs.chain(other, "lower", target=rig, subtarget="hand")
        other.two_bone_ik_live = True
    for frame in (2, 2, 7):
        on_frame(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for other in others:
            limb = Limb(rig=other.name, target="Rig", subtarget="hand")
            assert np.linalg.norm(limb.joints(depsgraph)[2] - limb.goal(depsgraph)) < CLOSE


@pytest.mark.parametrize(("value", "found"), [(False, 1.0), (True, 0.0), (1, 0.0), (0.4, None), ("FK", None)])
def test_a_switch_has_two_ends(value: object, found: float | None) -> None:
    rig = rigs.armature()
    rig["switch"] = value
    if isinstance(value, float):
        rig.id_properties_ui("switch").update(min=0.0, max=1.0)
    elif type(value) is int:
        rig.id_properties_ui("switch").update(min=0, max=1)
    assert known_limbs.other_end(rig, '["switch"]') == found


def test_what_drives_by_a_property_that_is_gone_is_no_switch() -> None:
    rig = rigs.armature()
    assert known_limbs.other_end(rig, '["gone"]') is None
    assert known_limbs.other_end(rig, 'pose.bones["gone"]["switch"]') is None


def test_a_copying_bone_that_is_renamed_breaks_no_list(rig: Object) -> None:
    bone = rig.pose.bones["hand"]
    copy = bone.constraints.new("COPY_TRANSFORMS")
    copy.target, copy.subtarget, copy.mute = rig, "lower", True
    on_frame(2)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    before = limb_state.limb_states(rig, bpy.context.scene, depsgraph)
    bone.name = "paw"
    bpy.context.view_layer.update()
    after = limb_state.limb_states(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert after.keys() == before.keys()


def test_a_name_that_begins_like_a_side_has_no_counterpart() -> None:
    rig = rigs.armature(
        bones=(
            rigs.Bone("thigh.L", (0.1, 0, 1), (0.1, -0.05, 0.5)),
            rigs.Bone("shin.L", (0.1, -0.05, 0.5), (0.1, 0, 0), "thigh.L"),
            rigs.Bone("thigh.R", (-0.1, 0, 1), (-0.1, -0.05, 0.5)),
            rigs.Bone("shin.R", (-0.1, -0.05, 0.5), (-0.1, 0, 0), "thigh.R"),
        )
    )
    rigs.empty("Lock")
    chain = rigs.chain(rig, "shin.L", target=rigs.empty("Rock"))
    chain.name = "Leg"
    api.mirror_settings(rig, "Leg")
    assert [each.name for each in rig.two_bone_ik_chains] == ["Leg", "shin.R"]
    assert rig.two_bone_ik_chains["shin.R"].target in (None, bpy.data.objects["Rock"])
