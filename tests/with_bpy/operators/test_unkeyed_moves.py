"""Who presses a button sees what was moved without a key: no request throws it away in silence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bl_ext.user_default.two_bone_ik.operators import armature_operator, progress
from bpy.types import NlaTrack, Object, PropertyGroup

from support import file_data
from support.characters import select_bones
from support.rigify import generated
from support.rigs import animate, arm, empty

FRAMES = {"frame_start": 8, "frame_end": 14}
REFUSING = [
    ("hold", FRAMES),
    ("build", {}),
    ("bake_targets", FRAMES),
    ("change_target_space", FRAMES | {"space": "Rig"}),
]
LOST = "{} was moved on frame 10 without a key, and that move would be lost: key it first, or go to another frame"
TOLD = "{} was moved on frame 10 without a key: what counted were its keys"


@pytest.fixture
def pressed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blender without a window hands no event to operators, so that a button looks like a script: here it has one."""
    monkeypatch.setattr(progress, "_SHARE", inf)
    monkeypatch.setattr(armature_operator.ArmatureOperator, "window", bpy.context.window)


def on_frame_10() -> PropertyGroup:
    """An arm that follows an empty with keys."""
    chain = arm(pole=(1.0, -3.0, 1.0))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 20: (0.8, -0.4, 1.5)})
    bpy.context.scene.frame_set(10)
    return chain


def move(owner: Any) -> None:
    owner.location.z += 0.1
    bpy.context.view_layer.update()


def is_refused(press: Callable[..., Any], name: str, **options: object) -> bool:
    """With what is moved named; and nothing has changed for it."""
    before = file_data.dump()
    with pytest.raises(RuntimeError, match=LOST.format(name)):
        press(**options)
    return not file_data.changed(before)


def goes_back() -> None:
    bpy.context.scene.frame_set(11)
    bpy.context.scene.frame_set(10)


@pytest.mark.parametrize(("name", "options"), REFUSING)
def test_a_move_of_a_keyed_target_is_not_lost(pressed: None, name: str, options: Mapping[str, Any]) -> None:
    chain, press = on_frame_10(), getattr(bpy.ops.two_bone_ik, name)
    before = file_data.dump()
    move(chain.target)
    assert is_refused(press, '"Target"', **options)
    goes_back()
    assert not file_data.changed(before)
    assert press(**options) == {"FINISHED"}


@pytest.mark.parametrize(("name", "options"), REFUSING)
def test_a_move_with_a_key_counts(pressed: None, name: str, options: Mapping[str, Any]) -> None:
    chain = on_frame_10()
    move(chain.target)
    chain.target.keyframe_insert("location")
    before = np.array(chain.target.matrix_world.translation)
    assert getattr(bpy.ops.two_bone_ik, name)(**options) == {"FINISHED"}
    if name == "hold":
        bpy.context.scene.frame_set(12)
        np.testing.assert_allclose(chain.target.matrix_world.translation, before, atol=1e-6)


@pytest.mark.parametrize(("name", "options"), REFUSING)
def test_scripts_leave_values_as_they_set_them(name: str, options: Mapping[str, Any]) -> None:
    chain = on_frame_10()
    animate(chain.target, location={5: (1.0, 0.6, 1.3), 15: (0.8, -0.2, 1.5)})
    assert getattr(bpy.ops.two_bone_ik, name)(**options) == {"FINISHED"}


def test_what_carries_a_target_and_what_it_is_held_to_count(pressed: None) -> None:
    chain = on_frame_10()
    for name in ("Carrier", "Cup"):
        animate(empty(name), location={1: (0, 0, 0), 20: (0, 0, 0.2)})
    chain.target.parent = bpy.data.objects["Carrier"]
    bpy.context.scene.two_bone_ik_hold_to = bpy.data.objects["Cup"]
    for name in ("Carrier", "Cup"):
        goes_back()
        move(bpy.data.objects[name])
        assert is_refused(bpy.ops.two_bone_ik.hold, f'"{name}"', **FRAMES)


def test_an_object_has_no_bone_though_its_chain_still_names_one(pressed: None) -> None:
    chain = on_frame_10()
    chain.target, chain.subtarget, target = chain.id_data, "upper", chain.target
    chain.target = target
    goes_back()
    move(target)
    assert is_refused(bpy.ops.two_bone_ik.hold, '"Target"', **FRAMES)


def test_all_that_was_moved_is_named(pressed: None) -> None:
    chain = on_frame_10()
    animate(chain.pole_target, location={1: (1, -3, 1), 20: (1, -3, 1.2)})
    goes_back()
    move(chain.target)
    move(chain.pole_target)
    with pytest.raises(RuntimeError, match='"Pole", "Target" were moved on frame 10 without keys, and those moves'):
        bpy.ops.two_bone_ik.build()


def test_a_pose_that_was_changed_is_baked_once_it_has_keys(pressed: None) -> None:
    chain = on_frame_10()
    rig = chain.id_data
    api.bake(rig, frames=(1, 20))
    goes_back()
    upper = rig.pose.bones["upper"]
    upper.rotation_quaternion = (0.9, 0.0, 0.3, 0.3)
    bpy.context.view_layer.update()
    assert is_refused(bpy.ops.two_bone_ik.bake_targets, '"upper"', frame_start=10, frame_end=10)
    upper.keyframe_insert("rotation_quaternion")
    bpy.context.view_layer.update()
    tip = rig.matrix_world @ rig.pose.bones["lower"].tail
    assert bpy.ops.two_bone_ik.bake_targets(frame_start=10, frame_end=10) == {"FINISHED"}
    bpy.context.view_layer.update()
    np.testing.assert_allclose(chain.target.matrix_world.translation, tip, atol=1e-5)


@pytest.mark.parametrize(("name", "options"), [("bake", FRAMES), ("check", FRAMES)])
def test_bake_and_check_tell_that_keys_counted(pressed: None, name: str, options: Mapping[str, Any]) -> None:
    chain = on_frame_10()
    move(chain.target)
    assert getattr(bpy.ops.two_bone_ik, name)(**options) == {"FINISHED"}
    found = report.last(chain.id_data)
    assert TOLD.format('"Target"') in found.notes
    assert found.to_know == 1
    goes_back()
    assert getattr(bpy.ops.two_bone_ik, name)(**options) == {"FINISHED"}
    assert not report.last(chain.id_data).notes


def without_curve(chain: Any) -> None:
    chain.target.animation_data_clear()
    move(chain.target)


def out_of_range(chain: Any) -> None:
    bpy.context.scene.frame_set(20)
    move(chain.target)


def empty_track(chain: Any) -> NlaTrack:
    return chain.target.animation_data.nla_tracks.new()


def track(chain: Any) -> NlaTrack:
    """With a strip of the same keys."""
    found = empty_track(chain)
    found.strips.new("Below", 1, chain.target.animation_data.action)
    return found


def muted_track(chain: Any) -> None:
    track(chain).mute = True


def muted_strip(chain: Any) -> None:
    track(chain).strips[0].mute = True


def strips_off(chain: Any) -> None:
    muted_strip(chain)
    chain.target.animation_data.action_extrapolation = "NOTHING"
    chain.target.animation_data.use_nla = False


@pytest.mark.parametrize("beside", [empty_track, muted_track, muted_strip, strips_off])
def test_a_move_beside_strips_that_do_not_play_is_not_lost(pressed: None, beside: Callable[[Any], Any]) -> None:
    """Blender then plays the keys alone, and puts back what was moved."""
    chain = on_frame_10()
    keyed = chain.target.location.copy()
    beside(chain)
    bpy.context.view_layer.update()
    move(chain.target)
    for name, options in REFUSING:
        assert is_refused(getattr(bpy.ops.two_bone_ik, name), '"Target"', **options)
    assert bpy.ops.two_bone_ik.check(**FRAMES) == {"FINISHED"}
    assert TOLD.format('"Target"') in report.last(chain.id_data).notes
    goes_back()
    assert chain.target.location == keyed


def in_strips(chain: Any) -> None:
    track(chain)
    bpy.context.view_layer.update()
    move(chain.target)


def muted_solo(chain: Any) -> None:
    """It plays nothing, and nor does the action."""
    found = track(chain)
    found.mute = found.strips[0].mute = True
    found.is_solo = True
    goes_back()


def solo_beside_muted(chain: Any) -> None:
    muted_track(chain)
    empty_track(chain).is_solo = True
    goes_back()


def tweaked(chain: Any) -> None:
    """Blender plays no action whose strip is edited on a muted track."""
    found, data = track(chain), chain.target.animation_data
    found.mute, data.nla_tracks.active, found.strips[0].select = True, found, True
    data.use_tweak_mode = True
    bpy.context.view_layer.update()
    move(chain.target)


def half_in(chain: Any) -> None:
    """Mixed with zeros, though the strip is muted."""
    muted_strip(chain)
    chain.target.animation_data.action_influence = 0.5
    goes_back()


def not_beyond_its_keys(chain: Any) -> None:
    muted_strip(chain)
    chain.target.animation_data.action_extrapolation = "NOTHING"
    for curve in versions.curves(chain.target):
        curve.keyframe_points[0].co_ui.x = 12
    goes_back()


def left_behind(chain: Any) -> None:
    chain.target.hide_viewport = True
    bpy.context.scene.frame_set(9)


def driven(chain: Any) -> None:
    chain.target.driver_add("location", 2).driver.expression = "1.35"
    bpy.context.view_layer.update()


def muted_curve(chain: Any) -> None:
    for curve in versions.curves(chain.target):
        curve.mute = True
    move(chain.target)


def beyond_its_limits(chain: Any) -> None:
    chain.target["reach"] = 0.5
    chain.target.id_properties_ui("reach").update(min=0.0, max=1.0)
    for frame, value in ((1, 0.0), (9, 1.0), (11, 1.0), (20, 0.0)):
        chain.target["reach"] = value
        chain.target.keyframe_insert('["reach"]', frame=frame)
    for curve in versions.curves(chain.target):
        for key in curve.keyframe_points:
            key.co.y *= 1.5 if "reach" in curve.data_path else 1.0
        curve.update()
    chain.target.update_tag()
    goes_back()
    assert chain.target["reach"] == 1.0


def rounded(chain: Any) -> None:
    """A curve that Blender has not made for a whole number itself does not go in steps."""
    chain.target["parent"] = 0
    curve = versions.new_curve(versions.ensure_channelbag(chain.target), '["parent"]', 0, "Target")
    for frame, value in ((1, 0), (20, 5)):
        curve.keyframe_points.insert(frame, value)
    chain.target.update_tag()
    goes_back()
    assert 0 < chain.target["parent"] < 5


@pytest.mark.parametrize(
    "arrange",
    [
        *(without_curve, out_of_range, left_behind, driven, muted_curve, beyond_its_limits, rounded),
        *(in_strips, muted_solo, solo_beside_muted, tweaked, half_in, not_beyond_its_keys),
    ],
)
def test_what_nobody_moved_is_not_told(pressed: None, arrange: Callable[[Any], None]) -> None:
    arrange(on_frame_10())
    assert bpy.ops.two_bone_ik.bake(**FRAMES) == {"FINISHED"}
    assert not [note for note in report.last(bpy.data.objects["Rig"]).notes if "without a key" in note]


def test_a_custom_property_that_was_changed_counts(pressed: None) -> None:
    chain = on_frame_10()
    rounded(chain)
    chain.target["parent"] += 2
    assert is_refused(bpy.ops.two_bone_ik.hold, '"Target"', **FRAMES)


def test_bones_that_live_poses_were_not_moved(pressed: None) -> None:
    chain = on_frame_10()
    rig = chain.id_data
    animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 20: (0.9, 0.1, 0, 0)})
    goes_back()
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    assert bpy.ops.two_bone_ik.bake_targets(**FRAMES) == {"FINISHED"}


@pytest.fixture
def walking(pressed: None) -> Object:
    """A generated rig whose hand moves by its IK control; on frame 10."""
    rig = generated("basic_human")
    animate(rig.pose.bones["hand_ik.L"], location={1: (0, 0, 0), 20: (0, 0.2, 0.1)})
    animate(rig.pose.bones["foot_ik.R"], location={1: (0, 0, 0), 20: (0, 0.2, 0.1)})
    bpy.context.scene.frame_set(10)
    return rig


def test_a_switch_of_a_control_that_was_moved_is_refused(walking: Object) -> None:
    here: dict[str, Any] = {"direction": "FK", "frame_start": 10, "frame_end": 10, "only_active": True}
    select_bones(walking, "hand_ik.L")
    move(walking.pose.bones["foot_ik.R"])  # of another limb
    move(walking.pose.bones["hand_ik.L"])
    assert is_refused(bpy.ops.two_bone_ik.switch, '"hand_ik.L"', **here)
    walking.pose.bones["hand_ik.L"].keyframe_insert("location")
    bpy.context.view_layer.update()
    hand = np.array(walking.pose.bones["DEF-hand.L"].matrix)
    assert bpy.ops.two_bone_ik.switch(**here) == {"FINISHED"}
    bpy.context.view_layer.update()
    np.testing.assert_allclose(walking.pose.bones["DEF-hand.L"].matrix, hand, atol=1e-4)


def test_to_fk_of_a_hidden_limb_is_refused(walking: Object) -> None:
    bone = walking.pose.bones["upper_arm_parent.L"]
    for frame, value in ((1, 0.0), (30, 1.0)):
        bone["IK_FK"] = value
        bone.keyframe_insert('["IK_FK"]', frame=frame)
    api.add_detected(walking)
    select_bones(walking, "hand_ik.L")
    goes_back()
    move(walking.pose.bones["hand_ik.L"])
    assert is_refused(bpy.ops.two_bone_ik.reveal, '"hand_ik.L"')
    goes_back()
    assert bpy.ops.two_bone_ik.reveal() == {"FINISHED"}
