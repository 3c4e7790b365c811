"""What becomes of holds when the file changes around them: other actions, other parents, things that are gone."""

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.hold import holds
from mathutils import Euler

from support import file_data
from support.held import everything, scene, world
from support.rigs import animate, chain, empty


def test_an_action_that_is_played_instead_is_left_alone() -> None:
    rig, target, cup = scene()
    api.hold(rig, frames=(20, 40), space=cup)
    target.animation_data.action = None
    animate(target, location={1: (1, 1, 1), 30: (1.2, 0.2, 1), 80: (1, 0, 1)})
    target.animation_data.action.name = "Take2"
    before = file_data.dump()
    for request in (lambda: api.hold(rig, frames=(50, 60)), lambda: api.update_holds(rig)):
        with pytest.raises(api.Refused, match='plays "Take2"'):
            request()
    assert not file_data.changed(before)


def test_a_held_target_stays_in_its_space() -> None:
    rig, _target, _cup = scene()
    api.hold(rig, frames=(20, 40))
    before = file_data.dump()
    with pytest.raises(api.Refused, match="remove its holds first"):
        api.change_target_space(rig, ["lower"], (1, 80), space=empty("Base", (5, 0, 0)))
    bpy.data.objects.remove(bpy.data.objects["Base"])
    assert not file_data.changed(before)


def test_a_cup_that_is_gone_is_told_and_the_hold_can_go() -> None:
    rig, target, cup = scene()
    before = everything(target)
    api.hold(rig, frames=(20, 40), space=cup)
    bpy.data.objects.remove(cup)
    assert any("is gone" in note for note in api.check(rig, frames=(1, 80)).notes)
    with pytest.raises(api.Refused, match="is gone"):
        api.update_holds(rig)
    api.remove_hold(rig, "lower")
    assert everything(target) == before


def test_a_bone_that_is_gone_is_told_too() -> None:
    rig, _target, _cup = scene()
    other = bpy.data.objects.new("Other", rig.data.copy())
    bpy.context.collection.objects.link(other)
    bpy.context.view_layer.update()
    api.hold(rig, frames=(20, 40), space=(other, "hand"))
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    other.data.edit_bones.remove(other.data.edit_bones["hand"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert any("is gone" in note for note in api.check(rig, frames=(1, 80)).notes)
    with pytest.raises(api.Refused, match="is gone"):
        api.update_holds(rig)


def test_chains_that_share_a_bone_are_refused_first() -> None:
    rig, target, cup = scene()
    chain(rig, "upper", target=target)
    before = file_data.dump()
    with pytest.raises(api.Refused, match='both pose bone "upper"'):
        api.hold(rig, frames=(20, 40), space=cup)
    assert not file_data.changed(before)


def test_rotation_keys_are_kept_where_rotation_is_free() -> None:
    rig, target, cup = scene()
    api.hold(rig, frames=(20, 40), space=cup, rotation=False)
    target.rotation_euler = (1.0, 0.5, 0.2)
    target.keyframe_insert("rotation_euler", frame=30)
    api.update_holds(rig)
    assert np.abs(world("Target", 30)[:3, :3] - np.array(Euler((1.0, 0.5, 0.2)).to_matrix())).max() < 1e-5


def test_a_bone_picked_for_another_thing_does_not_count() -> None:
    rig, _target, cup = scene()
    settings = bpy.context.scene
    settings.two_bone_ik_hold_to, settings.two_bone_ik_hold_to_bone = rig, "spine"
    settings.two_bone_ik_hold_to = cup
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.two_bone_ik.hold(frame_start=20, frame_end=40) == {"FINISHED"}


def test_the_selected_keys_of_the_target_say_when() -> None:
    rig, target, cup = scene()
    for curve in versions.curves(target):
        for key in curve.keyframe_points:
            key.select_control_point = key.co.x in {13, 31, 44}
    for curve in versions.curves(cup):
        for key in curve.keyframe_points:
            key.select_control_point = True
    assert holds.usual_frames(rig, bpy.context.scene) == (13, 44)


def test_another_rotation_mode_is_refused_until_it_is_set_back() -> None:
    rig, target, cup = scene()
    before = everything(target)
    api.hold(rig, frames=(20, 40), space=cup)
    target.rotation_mode = "QUATERNION"
    with pytest.raises(api.Refused, match="held in rotation mode XYZ"):
        api.remove_hold(rig, "lower")
    target.rotation_mode = "XYZ"
    api.remove_hold(rig, "lower")
    assert everything(target) == before


def test_a_duplicate_of_a_held_target_moves_on_its_own() -> None:
    rig, target, cup = scene()
    api.hold(rig, frames=(20, 40), space=cup)
    twin = target.copy()
    twin.animation_data.action = target.animation_data.action.copy()
    bpy.context.collection.objects.link(twin)
    bpy.context.view_layer.update()
    api.remove_hold(rig, "lower")
    rig.two_bone_ik_chains["lower"].target = twin
    api.remove_hold(rig, "lower")
    assert twin.animation_data.action != target.animation_data.action
    assert everything(twin) == everything(target)
