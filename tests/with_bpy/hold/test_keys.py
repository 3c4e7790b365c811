"""What a hold leaves alone, how it is made anew, and how it goes again."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions

from support.held import DRIFT, OUTSIDE, drift, everything, keys, outside, scene, values, world
from support.rigs import animate, armature, chain, empty
from support.truth import on_frame, save_and_load

KINDS = ("BEZIER", "LINEAR", "CONSTANT")


@pytest.mark.parametrize(
    ("kind", "extrapolation"),
    [("BEZIER", "CONSTANT"), ("BEZIER", "LINEAR"), ("LINEAR", "LINEAR"), ("CONSTANT", "CONSTANT")],
)
@pytest.mark.parametrize("span", [(20, 40), (24, 29), (-6, 4), (76, 90), (90, 95), (-9, -5)], ids=str)
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


def test_removing_a_hold_gives_back_what_was_there() -> None:
    rig, target, cup = scene()
    before, action = everything(target), target.animation_data.action
    api.hold(rig, frames=(20, 40), space=cup)
    api.hold(rig, frames=(35, 60))
    assert everything(target) != before
    api.remove_hold(rig, "lower")
    assert everything(target) == before
    assert target.animation_data.action == action
    assert len(bpy.data.actions) == 2
    assert not len(target.two_bone_ik_holds)


def test_a_target_without_keys_gets_its_place_back() -> None:
    rig, cup = armature(), empty("Cup")
    animate(cup, location={1: (0, 0, 0), 60: (0.1, 0.2, 0.3)})
    chain(rig, "lower", target=(1.2, 0.6, 1.3))
    target = bpy.data.objects["Target"]
    place = target.location.copy()
    api.hold(rig, frames=(20, 40), space=cup)
    assert drift(20, 40, "Cup") < DRIFT
    on_frame(35)
    api.remove_hold(rig, "lower")
    assert target.location == place
    assert not (target.animation_data and target.animation_data.action)


@pytest.mark.parametrize("rotation", [False, True])
@pytest.mark.parametrize("shown", [30, 60])
def test_after_an_update_it_gets_its_place_back_as_well(shown: int, rotation: bool) -> None:
    rig, target, cup = scene()
    target.animation_data_clear()
    target.location, target.rotation_euler = (1.2, 0.5, 1.1), (0.1, 0.2, 0.3)
    before = world("Target", 1)
    api.hold(rig, frames=(20, 40), space=cup, rotation=rotation)
    on_frame(shown)
    for curve in versions.curves(cup):
        for key in curve.keyframe_points:
            key.co_ui.y += 0.3
    on_frame(shown)
    for _ in range(2):
        api.update_holds(rig)
    assert drift(20, 40, "Cup") < DRIFT or not rotation
    on_frame(shown)
    api.remove_hold(rig, "lower")
    for frame in range(1, 61):
        np.testing.assert_array_equal(world("Target", frame), before)


def test_holds_of_a_muted_chain_are_made_and_updated() -> None:
    rig, _, cup = scene()
    rig.two_bone_ik_chains["lower"].mute = True
    assert not api.hold(rig, ["lower"], (20, 40), space=cup).notes
    assert drift(20, 40, "Cup") < DRIFT
    for curve in versions.curves(cup):
        for key in curve.keyframe_points:
            key.co_ui.y += 0.1
    [note] = api.check(rig, ["lower"], (1, 60)).notes
    assert "out of date" in note
    assert not api.update_holds(rig, ["lower"]).notes
    assert drift(20, 40, "Cup") < DRIFT


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


def test_a_prop_that_has_moved_makes_a_hold_out_of_date() -> None:
    rig, target, cup = scene()
    api.hold(rig, frames=(20, 40), space=cup)
    assert not api.check(rig, frames=(1, 60)).notes
    for curve in versions.curves(cup):
        for key in curve.keyframe_points:
            key.co_ui.y += 0.1
    [note] = api.check(rig, frames=(1, 60)).notes
    assert "out of date" in note
    frames = outside(16, 44)
    before = values(target, frames)
    assert not api.update_holds(rig).notes
    assert drift(20, 40, "Cup") < DRIFT
    assert np.abs(values(target, frames) - before).max() < OUTSIDE
    assert not api.check(rig, frames=(1, 60)).notes


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


def test_a_hold_survives_saving_and_loading() -> None:
    rig, target, cup = scene()
    before = everything(target)
    api.hold(rig, frames=(20, 40), space=cup)
    save_and_load()
    rig, target, cup = (bpy.data.objects[name] for name in ("Rig", "Target", "Cup"))
    animate(cup, location={31: (1, 0.3, 1.1)})
    api.update_holds(rig)
    assert drift(20, 40, "Cup") < DRIFT
    api.remove_hold(rig, "lower", 0)
    assert everything(target) == before


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
