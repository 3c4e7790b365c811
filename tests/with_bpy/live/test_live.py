"""A limb that is live follows its target as the scene is evaluated, and leaves no trace but its pose.

It is named while it has no keys: a render plays keys, and shows it otherwise.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake.build_plan import build_plan
from bl_ext.user_default.two_bone_ik.blender.live import state
from bl_ext.user_default.two_bone_ik.blender.scene import sampling
from bl_ext.user_default.two_bone_ik.blender.scene.need import sample_need
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import PropertyGroup

from support import rigs
from support.empty_file import open_empty_file
from support.live import CLOSE, WITHIN_REACH, live_arm, move_target, pose, tip


def test_the_limb_follows_a_target_that_is_moved() -> None:
    rig = live_arm()
    for place in WITHIN_REACH.values():
        move_target(place)
        np.testing.assert_allclose(tip(), place, atol=CLOSE)
    assert rig.animation_data is None
    rig.two_bone_ik_live = False
    move_target((1.0, 0.3, 1.5))
    np.testing.assert_allclose(tip(), place, atol=CLOSE)


def test_live_names_a_target_that_the_viewport_leaves_out() -> None:
    rig = live_arm()
    before = pose()
    target = bpy.data.objects["Target"]
    target.hide_viewport = True
    move_target(WITHIN_REACH[5])
    assert (pose() == before).all()
    refused = state.update(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get()).refused
    assert refused["lower"].kind == "DISABLED"
    assert "Target" in str(refused["lower"])


def test_a_chain_that_cannot_be_solved_does_not_stop_the_others() -> None:
    api.add_chain(live_arm(), "hand")
    move_target(WITHIN_REACH[5])
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)


def test_a_muted_chain_stays() -> None:
    rig = live_arm()
    rig.two_bone_ik_chains[0].mute = True
    before = pose()
    move_target(WITHIN_REACH[5])
    assert (pose() == before).all()


def test_live_follows_a_new_rig_in_place_of_an_old_one() -> None:
    other = rigs.empty("Other")
    live_arm()
    bpy.data.objects.remove(other)
    rig = bpy.data.objects.new("New", bpy.data.objects["Rig"].data.copy())
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.update()
    rigs.chain(rig, "lower", target=bpy.data.objects["Target"])
    rig.two_bone_ik_live = True
    move_target(WITHIN_REACH[5])
    tail = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["lower"].tail
    np.testing.assert_allclose(tail, WITHIN_REACH[5], atol=CLOSE)


def test_a_linked_rig_of_the_same_name_does_not_stand_in_the_way(tmp_path: Path) -> None:
    rigs.arm()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    open_empty_file()
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.objects = ["Rig"]
    bpy.context.scene.collection.objects.link(linked.objects[0])
    chain = rigs.arm()
    rig, target = chain.id_data, chain.target
    assert rig.name == linked.objects[0].name
    rig.two_bone_ik_live = True
    target.location = WITHIN_REACH[5]
    bpy.context.view_layer.update()
    tail = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["lower"].tail
    np.testing.assert_allclose(tail, WITHIN_REACH[5], atol=CLOSE)


def test_a_probe_left_by_a_crash_does_not_stop_live() -> None:
    rigs.empty("Two-Bone IK probe")
    live_arm()
    move_target(WITHIN_REACH[5])
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("sampling", ["AUTO", "ISOLATED", "SCENE"])
def test_a_bake_gives_the_same_keys_live_or_not(sampling: str, keyed: bool) -> None:
    """Wherever a live limb stands that has no keys."""
    rig = live_arm(influence=0.5)
    upper = rig.pose.bones["upper"]
    rigs.animate(bpy.data.objects["Target"], location=WITHIN_REACH)
    found = []
    for live in (True, False):
        rig.two_bone_ik_live = False
        rig.animation_data_clear()
        upper.rotation_quaternion = (0.9, 0.1, 0.3, -0.2)
        rig.pose.bones["lower"].rotation_quaternion = (1, 0, 0, 0)
        if keyed:
            rigs.animate(upper, rotation_quaternion={1: (1, 0, 0, 0), 10: (0.8, 0.0, 0.6, 0.0)})
        rig.two_bone_ik_live = live
        bpy.context.scene.frame_set(5)
        api.bake(rig, frames=(1, 10), sampling=sampling, new_action=keyed)
        found.append([rigs.keys(upper, index=index) for index in range(4)])
    assert found[0] == found[1]


def test_our_own_handler_is_no_reason_to_play_the_whole_scene() -> None:
    rig = live_arm()
    assert not sampling.needs_playing(sample_need(build_plan(rig, None, None, None)))


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
