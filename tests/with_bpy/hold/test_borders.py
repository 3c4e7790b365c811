"""A hold is refused where keys would change what its target does on other frames."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.held import DRIFT, OUTSIDE, everything, scene, values, world
from support.rigs import animate, armature, chain, empty


def strip(target: Object) -> None:
    track = target.animation_data.nla_tracks.new()
    track.strips.new("Moved", 1, target.animation_data.action)
    target.animation_data.action = None


def cycle(target: Object) -> None:
    next(iter(versions.curves(target))).modifiers.new("CYCLES")


def bounce(target: Object) -> None:
    curve = next(iter(versions.curves(target)))
    for key in curve.keyframe_points:
        key.interpolation = "BOUNCE"


@pytest.mark.parametrize(
    ("animated", "kind", "told"),
    [
        (strip, "HELD_STRIPS", 'NLA strips act on location of "Target"'),
        (cycle, "HELD_MODIFIER", 'F-curve modifier CYCLES acts on location of "Target"'),
        (bounce, "HELD_EASING", 'Interpolation BOUNCE of location of "Target"'),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_hold_refuses_what_it_would_change_outside(animated: Callable[[Object], None], kind: str, told: str) -> None:
    rig, target, cup = scene()
    animated(target)
    before = everything(target)
    with pytest.raises(api.Refused, match=told) as refused:
        api.hold(rig, frames=(20.5, 40.5), space=cup)
    assert refused.value.kind == kind
    assert everything(target) == before


def test_a_hold_is_made_over_muted_strips() -> None:
    rig, target, cup = scene()
    track = target.animation_data.nla_tracks.new()
    track.strips.new("Stashed", 1, target.animation_data.action)
    track.mute = True
    versions.copy_action(target)
    assert not api.hold(rig, frames=(20, 40), space=cup).notes


@pytest.mark.parametrize(
    ("span", "update"),
    [
        *((span, False) for span in ((1, 3), (2, 6), (7, 11), (12, 17), (14, 20), (14, 24), (20, 30))),
        *((span, True) for span in ((2, 6), (14, 20), (20, 30))),
    ],
    ids=str,
)
@pytest.mark.parametrize("kinds", [("LINEAR",), ("CONSTANT",), ("BEZIER", "LINEAR"), ("LINEAR", "BEZIER")], ids=str)
def test_far_from_a_hold_lines_go_on_as_before(kinds: tuple[str, ...], span: tuple[int, int], update: bool) -> None:
    rig, target, cup = armature(), empty("Target"), empty("Cup")
    for number, frame in enumerate((1, 6, 11, 17, 24)):  # spans begin and end on the first key and the last, and beside
        animate(target, location={frame: (1.1, 0.4 + 0.05 * (-1) ** number, 1.2 + 0.01 * number**2)})
        animate(cup, location={frame: (1.2, 0.1 * number, 1.0)})
    for curve in versions.curves(target):
        curve.extrapolation = "LINEAR"
        for number, key in enumerate(curve.keyframe_points):
            key.interpolation = kinds[number % len(kinds)]
        curve.keyframe_points[-1].interpolation = kinds[0]
        curve.update()
    chain(rig, "lower", target=target)
    first, last = span
    frames = np.array([frame for frame in range(-300, 301) if not first <= frame <= last], dtype=float)
    before, all_keys = values(target, frames), everything(target)
    start, end = (first + 1, last - 1) if last - first > 2 else (first + 1, first + 1)
    api.hold(rig, frames=(start, end), space=cup, rotation=False, ease=(start - first, last - end))
    if update:
        for curve in versions.curves(cup):
            for key in curve.keyframe_points:
                key.co_ui.y += 0.3
        api.update_holds(rig)
    # Blender draws such a line through two keys that float32 rounds, 300 frames from here.
    assert np.abs(values(target, frames) - before).max() < 300 * OUTSIDE
    api.remove_hold(rig, "lower")
    assert everything(target) == all_keys


def test_a_hold_is_as_on_a_frame_close_to_a_whole_one() -> None:
    rig, _, cup = scene()
    animate(cup, rotation_euler={27: (-0.9, 0.4, -0.8), 33: (0.9, -0.1, -0.3)})
    grip = np.linalg.inv(world("Cup", 29.993)) @ world("Target", 29.993)
    api.hold(rig, frames=(22, 30), space=cup, at=29.993)
    for frame in range(22, 31):
        assert np.abs(np.linalg.inv(world("Cup", frame)) @ world("Target", frame) - grip).max() < 2 * DRIFT
