"""A hold is refused where keys would change what its target does on other frames."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.held import everything, scene


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
