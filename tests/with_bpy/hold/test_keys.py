"""What a hold leaves alone, how it is made anew, how it goes again, and what becomes of it when the file changes."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.hold import holds
from mathutils import Euler

from support.held import DRIFT, OUTSIDE, drift, everything, keys, outside, raise_keys, scene, values, world
from support.refused import refused
from support.renamed import in_edit_mode
from support.rigs import animate, chain, empty
from support.truth import on_frame, save_and_load

KINDS = ("BEZIER", "LINEAR", "CONSTANT")


SPANS = [(20, 40), (24, 29), (-6, 4), (76, 90), (90, 95), (-9, -5)]


@pytest.mark.parametrize(
    ("kind", "extrapolation", "span"),
    [
        *(("BEZIER", "CONSTANT", span) for span in SPANS),
        *(("BEZIER", "LINEAR", span) for span in SPANS[2:]),
        *(("LINEAR", "LINEAR", span) for span in SPANS),
        *(("CONSTANT", "CONSTANT", span) for span in SPANS[:4:2]),
    ],
    ids=str,
)
def test_outside_of_a_hold_nothing_changes(kind: str, extrapolation: str, span: tuple[int, int]) -> None:
    rig, target, cup = scene(kind)
    for curve in versions.curves(target):
        curve.extrapolation = extrapolation
    first, last = span[0] - 3, span[1] + 5
    frames = outside(first, last)
    before, evaluated = keys(target), values(target, frames)
    api.hold(rig, frames=span, space=cup, ease=(3, 5))
    assert np.abs(values(target, frames) - evaluated).max() < OUTSIDE
    after = keys(target)
    for path, old in before.items():
        kept = [key for key in old if not first <= key[0] <= last]
        assert [key for key in after[path] if not first <= key[0] <= last] == kept


@pytest.mark.parametrize("handles", ["AUTO", "AUTO_CLAMPED", "VECTOR", "ALIGNED", "FREE"])
def test_handles_of_any_kind_keep_the_curve_outside(handles: str) -> None:
    rig, target, cup = scene()
    for curve in versions.curves(target):
        for key in curve.keyframe_points:
            key.handle_left_type = key.handle_right_type = handles
        curve.update()
    frames = outside(17, 44)
    evaluated = values(target, frames)
    api.hold(rig, frames=(20, 40), space=cup, ease=(3, 4))
    assert np.abs(values(target, frames) - evaluated).max() < OUTSIDE


@pytest.mark.parametrize("loaded", [False, True])
def test_removing_a_hold_gives_back_what_was_there(loaded: bool) -> None:
    """Also once the file was saved and loaded, and the hold updated."""
    rig, target, cup = scene()
    before, action = everything(target), target.animation_data.action.name
    api.hold(rig, frames=(20, 40), space=cup)
    api.hold(rig, frames=(35, 60))
    if loaded:
        save_and_load()
        rig, target, cup = (bpy.data.objects[name] for name in ("Rig", "Target", "Cup"))
        animate(cup, location={31: (1, 0.3, 1.1)})
        api.update_holds(rig)
        assert drift(20, 30, "Cup") < DRIFT
    assert everything(target) != before
    api.remove_hold(rig, "lower")
    assert everything(target) == before
    assert target.animation_data.action.name == action
    assert len(bpy.data.actions) == 2
    assert not len(target.two_bone_ik_holds)


@pytest.mark.parametrize(
    ("shown", "rotation", "updates"), [(30, False, 2), (60, True, 2), (30, True, 2), (60, False, 2), (35, True, 0)]
)
def test_a_target_without_keys_gets_its_place_back(shown: int, rotation: bool, updates: int) -> None:
    """Also after its hold was updated."""
    rig, target, cup = scene()
    target.animation_data_clear()
    target.location, target.rotation_euler = (1.2, 0.5, 1.1), (0.1, 0.2, 0.3)
    before = world("Target", 1)
    api.hold(rig, frames=(20, 40), space=cup, rotation=rotation)
    on_frame(shown)
    if updates:
        raise_keys(cup, 0.3)
    on_frame(shown)
    for _ in range(updates):
        api.update_holds(rig)
    assert drift(20, 40, "Cup") < DRIFT or not rotation
    on_frame(shown)
    api.remove_hold(rig, "lower")
    assert not (target.animation_data and target.animation_data.action)
    for frame in (1, 20, 30, 40, 60):
        np.testing.assert_array_equal(world("Target", frame), before)


@pytest.mark.parametrize(("start", "end"), [(12.5, 40), (12.3, 30.75), (12, 30.5)])
def test_a_hold_from_part_of_a_frame_stays_on_all(start: float, end: float) -> None:
    rig, _, cup = scene()
    for frame in range(1, 61):  # shaken: its motion has a kink on each frame
        shaken = np.array((1.1, 0.5, 1.2)) + 0.2 * (-1) ** frame
        animate(cup, location={frame: shaken}, rotation_euler={frame: (0.2 * (-1) ** frame, 0, frame / 30)})
    for curve in versions.curves(cup):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    api.hold(rig, frames=(start, end), space=cup)
    assert drift(13, int(end), "Cup") < DRIFT


def test_of_two_holds_the_later_wins_and_the_other_returns() -> None:
    rig, target, cup = scene()
    api.hold(rig, frames=(20, 50), space=cup)
    first = everything(target)
    api.hold(rig, frames=(30, 40))
    assert drift(30, 40) < DRIFT
    assert drift(20, 26, "Cup") < DRIFT
    assert drift(44, 50, "Cup") < DRIFT
    api.remove_hold(rig, "lower", 1)
    assert drift(20, 50, "Cup") < DRIFT
    found, wanted = (values_of(each) for each in (everything(target), first))
    assert np.abs(found - wanted).max() < OUTSIDE


def values_of(found: dict[tuple[str, int], list[tuple]]) -> np.ndarray:
    return np.array([key[:2] for each in found.values() for key in each])


@pytest.mark.parametrize("mute", [False, True])
def test_a_prop_that_has_moved_makes_a_hold_out_of_date(mute: bool) -> None:
    """Also that of a muted chain, which is named then."""
    rig, target, cup = scene()
    rig.two_bone_ik_chains["lower"].mute = mute
    names = ["lower"] if mute else None
    assert not api.hold(rig, names, (20, 40), space=cup).notes
    assert not api.check(rig, names, frames=(1, 60)).notes
    assert drift(20, 40, "Cup") < DRIFT
    raise_keys(cup, 0.1)
    [note] = api.check(rig, names, frames=(1, 60)).notes
    assert "out of date" in note
    frames = outside(16, 44)
    before = values(target, frames)
    assert not api.update_holds(rig, names).notes
    assert drift(20, 40, "Cup") < DRIFT
    assert np.abs(values(target, frames) - before).max() < OUTSIDE
    assert not api.check(rig, names, frames=(1, 60)).notes


def test_what_is_keyed_outside_later_survives_an_update() -> None:
    rig, target, cup = scene()
    before = keys(target)
    api.hold(rig, frames=(20, 40), space=cup)
    animate(target, location={75: (1, 1, 1)})
    animate(cup, location={31: (1, 0.3, 1.1)})
    api.update_holds(rig)
    assert drift(20, 40, "Cup") < DRIFT
    assert world("Target", 75)[:3, 3] == pytest.approx((1, 1, 1))
    api.remove_hold(rig, "lower")
    after = keys(target)
    for path, old in before.items():
        assert [key for key in after[path] if key[0] != 75] == [key for key in old if key[0] != 75]


def test_others_that_share_the_action_keep_it() -> None:
    rig, target, cup = scene()
    other = empty("Other")
    other.animation_data_create()
    versions.play(other, *versions.played(target))
    before = everything(other)
    api.hold(rig, frames=(20, 40), space=cup)
    assert everything(other) == before
    assert everything(target) != before


@pytest.mark.versions
@pytest.mark.parametrize(("out", "into"), [(0.7, 0.7), (1.5, 0.3), (0.2, 1.3)])
def test_long_handles_stay_outside_of_a_hold(empty_file: None, out: float, into: float) -> None:
    rig, target, _ = scene()
    for curve in versions.curves(target):
        points = curve.keyframe_points
        for key, after in pairwise(points):
            key.handle_right_type = after.handle_left_type = "FREE"
            length = after.co.x - key.co.x
            key.handle_right = key.co.x + out * length, key.co.y + 0.2
            after.handle_left = after.co.x - into * length, after.co.y - 0.1
        curve.update()
    frames = outside(20 - 4, 40 + 4)
    before = values(target, frames)
    api.hold(rig, frames=(20, 40), space=None)
    # Half a step of single precision at frame 100, times a slope of 1 a frame.
    assert np.abs(values(target, frames) - before).max() < 0.5 * np.spacing(np.float32(100.0)) + 1e-6


def test_an_action_that_is_played_instead_is_left_alone() -> None:
    rig, target, cup = scene()
    api.hold(rig, frames=(20, 40), space=cup)
    target.animation_data.action = None
    animate(target, location={1: (1, 1, 1), 30: (1.2, 0.2, 1), 80: (1, 0, 1)})
    target.animation_data.action.name = "Take2"
    for request in (lambda: api.hold(rig, frames=(50, 60)), lambda: api.update_holds(rig)):
        with refused(match='plays "Take2"'):
            request()


def test_a_held_target_stays_in_its_space() -> None:
    rig, _target, _cup = scene()
    api.hold(rig, frames=(20, 40))
    base = empty("Base", (5, 0, 0))
    with refused(match="remove its holds first"):
        api.change_target_space(rig, ["lower"], (1, 80), space=base)


@pytest.mark.parametrize("bone", ["", "hand"])
def test_what_is_gone_is_told_and_the_hold_can_go(bone: str) -> None:
    rig, target, cup = scene()
    before = everything(target)
    if bone:
        cup = bpy.data.objects.new("Other", rig.data.copy())
        bpy.context.collection.objects.link(cup)
        bpy.context.view_layer.update()
    api.hold(rig, frames=(20, 40), space=(cup, bone) if bone else cup)
    if bone:
        in_edit_mode(cup, lambda: cup.data.edit_bones.remove(cup.data.edit_bones[bone]))
    else:
        bpy.data.objects.remove(cup)
    assert any("is gone" in note for note in api.check(rig, frames=(1, 80)).notes)
    with pytest.raises(api.Refused, match="is gone"):
        api.update_holds(rig)
    api.remove_hold(rig, "lower")
    assert everything(target) == before


def test_chains_that_share_a_bone_are_refused_first() -> None:
    rig, target, cup = scene()
    chain(rig, "upper", target=target)
    with refused(match='both pose bone "upper"'):
        api.hold(rig, frames=(20, 40), space=cup)


def test_rotation_keys_are_kept_where_rotation_is_free() -> None:
    rig, target, cup = scene()
    api.hold(rig, frames=(20, 40), space=cup, rotation=False)
    target.rotation_euler = (1.0, 0.5, 0.2)
    target.keyframe_insert("rotation_euler", frame=30)
    api.update_holds(rig)
    assert np.abs(world("Target", 30)[:3, :3] - np.array(Euler((1.0, 0.5, 0.2)).to_matrix())).max() < 1e-5


def test_a_curve_for_an_element_that_there_is_not_is_no_matter() -> None:
    rig, target, cup = scene()
    curve = versions.new_curve(versions.ensure_channelbag(target), "rotation_euler", 3, "")
    curve.keyframe_points.insert(20, 1.0)
    assert api.hold(rig, frames=(20, 40), space=cup).posed
    assert drift(20, 40, "Cup") < DRIFT


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
