"""Edits without a key over NLA strips stay through a bake, as they do over an action alone."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Action, NlaStrip, Object

from support.rigs import animate, arm


def strip_of(item: Object) -> NlaStrip:
    """Its action pushed down."""
    action: Action = item.animation_data.action
    strip = item.animation_data.nla_tracks.new().strips.new("Strip", 1, action)
    if hasattr(strip, "action_slot") and strip.action_slot is None:
        strip.action_slot = action.slots[0]
    item.animation_data.action = None
    return strip


@pytest.fixture
def rig(empty_file: None) -> Object:
    """An arm over a strip that moves hand and spine, and another with half the influence, on frame 5."""
    rig = arm().id_data
    bones = rig.pose.bones
    animate(bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 10: (1, 0.1, 0, 0)})
    animate(bones["hand"], location={1: (0, 0, 0), 10: (0, 1, 0)}, scale={1: (1, 1, 1), 10: (2, 2, 2)})
    strip_of(rig)
    animate(bones["hand"], location={1: (0, 0, 0), 10: (0, 0, 4)})
    strip_of(rig).influence = 0.5
    animate(bones["hand"], scale={1: (1, 1, 1), 10: (3, 3, 3)})
    animate(bpy.data.objects["Target"], location={1: (1.2, 0.6, 1.3), 10: (1, -0.6, 1.3)})
    bpy.context.scene.frame_set(5)
    return rig


def own(rig: Object) -> list[tuple[float, ...]]:
    """As it shows, and as the next evaluation leaves it."""
    found = []
    for _ in range(2):
        bpy.context.view_layer.update()
        hand, spine = rig.pose.bones["hand"], rig.pose.bones["spine"]
        found += [tuple(hand.location), tuple(hand.scale), tuple(spine.rotation_quaternion)]
    return found


@pytest.mark.parametrize("way", ["ISOLATED", "SCENE"])
def test_edits_over_strips_stay(rig: Object, way: str) -> None:
    rig.pose.bones["hand"].location = (0.3, 0.2, 0.1)
    rig.pose.bones["hand"].scale = (4, 4, 4)
    rig.pose.bones["spine"].rotation_quaternion = (1, 0, 0.2, 0)
    before = own(rig)
    api.bake(rig, frames=(1, 10), sampling=way)
    assert own(rig) == before


@pytest.mark.parametrize("way", ["ISOLATED", "SCENE"])
def test_what_strips_move_plays_on(rig: Object, way: str) -> None:
    before = own(rig)
    api.bake(rig, frames=(1, 10), sampling=way)
    assert own(rig) == before
    bpy.context.scene.frame_set(9)
    moved = own(rig)
    assert moved[0] != before[0]
    assert moved[2] != before[2]
