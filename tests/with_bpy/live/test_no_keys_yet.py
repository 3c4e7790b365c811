"""Limbs that Live poses and that have no keys yet are named: a render plays keys, and shows them otherwise."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import PropertyGroup

from support import rigs

SENTENCE = "Live poses bones that have no keys, and a render shows these as they were on the frame before: lower ("


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    """A live arm whose hand turns with its target."""
    chain = rigs.arm(tip_bone="hand", use_rotation=True)
    chain.id_data.two_bone_ik_live = True
    return chain


def told(chain: PropertyGroup) -> str:
    """The bones that Check names; the overlay names the limb where there are any."""
    rig = chain.id_data
    bpy.context.view_layer.update()
    notes = [note for note in api.check(rig, frames=(1, 2)).notes if "no keys" in note]
    found = limb_states(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get())["lower"]
    assert found.lacks_keys == bool(notes)
    if not notes:
        return ""
    assert notes[0].startswith(SENTENCE)
    return notes[0].removeprefix(SENTENCE).partition(")")[0]


def test_a_limb_without_keys_is_named_until_it_is_baked(chain: PropertyGroup) -> None:
    assert told(chain) == "upper, lower, hand"
    api.bake(chain.id_data, frames=(1, 3))
    assert told(chain) == ""


def test_a_hand_without_keys_is_named_beside_a_keyed_arm(chain: PropertyGroup) -> None:
    for name in ("upper", "lower"):
        rigs.animate(chain.id_data.pose.bones[name], rotation_quaternion={1: (1, 0, 0, 0)})
    assert told(chain) == "hand"


def test_without_live_nothing_is_missing(chain: PropertyGroup) -> None:
    chain.id_data.two_bone_ik_live = False
    assert told(chain) == ""


def test_keys_of_strips_count(chain: PropertyGroup) -> None:
    rig = chain.id_data
    api.bake(rig, frames=(1, 3))
    data = rig.animation_data
    strip = data.nla_tracks.new().strips.new("Baked", 1, data.action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = data.action_slot
    data.action = None
    assert not list(versions.curves(rig))
    assert told(chain) == ""
