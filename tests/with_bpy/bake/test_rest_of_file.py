"""A bake changes the keys of its bones and nothing else, also over NLA strips; a check, nothing; a solve, the pose."""

from __future__ import annotations

import re

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.scene import probe
from bl_ext.user_default.two_bone_ik.blender.session import session
from bpy.types import Action, NlaStrip, Object, PropertyGroup

from support import file_data
from support.empty_file import open_empty_file
from support.rigs import animate, arm, empty
from support.truth import Limb

WAYS = ["CURVES", "ISOLATED", "SCENE"]
POSED = {f"objects['Rig'].pose.bones[{bone}].rotation_quaternion" for bone in (1, 2)}


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    """An arm on an animated spine, its target animated, on frame 5.25, and edits without keys all over the file."""
    chain = arm()
    rig = chain.id_data
    bones = rig.pose.bones
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (1, -0.6, 1.3)})
    animate(bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 10: (1, 0.1, 0, 0)})
    animate(bones["hand"], location={1: (0, 0, 0), 10: (0, 1, 0)})
    animate(rig, location={1: (0, 0, 0), 10: (1, 0, 0)})
    other = empty("Other")
    animate(other, location={1: (0, 0, 0), 10: (1, 0, 0)})
    material = bpy.data.materials.new("Material")
    animate(material, diffuse_color={1: (0, 0, 0, 1), 10: (1, 1, 1, 1)})
    bpy.context.scene.frame_set(5, subframe=0.25)
    for owner in (chain.target, bones["hand"], rig, other):
        owner.location = (0.3, 0.2, 0.1)
    bones["spine"].rotation_quaternion = (1, 0, 0.2, 0)
    bones["spine"].scale = (2, 2, 2)
    material.diffuse_color = (0.5, 0.25, 0, 1)
    bpy.context.view_layer.update()
    return chain


def changed_after_update(before: dict[str, object]) -> set[str]:
    """What an evaluation of the scene shows, as the next redraw would."""
    bpy.context.view_layer.update()
    return file_data.changed(before)


@pytest.mark.parametrize("way", WAYS)
def test_a_check_changes_nothing_and_a_bake_its_bones_alone(chain: PropertyGroup, way: str) -> None:
    before = file_data.dump()
    api.check(chain.id_data, frames=(1, 10), sampling=way)
    assert not changed_after_update(before)
    before = file_data.dump()
    api.bake(chain.id_data, frames=(1, 10), sampling=way)
    keys = re.compile(r"actions\['RigAction'\]|objects\['Rig'\]\.animation_data\.action_")
    assert {path for path in changed_after_update(before) if not keys.match(path)} == POSED


def play_the_same(rig: Object, other: Object) -> None:
    other.animation_data.action = rig.animation_data.action
    if hasattr(other.animation_data, "action_slot"):
        other.animation_data.action_slot = rig.animation_data.action.slots.new("OBJECT", "Other")


def test_what_an_edited_custom_property_drives_stays(chain: PropertyGroup) -> None:
    rig, other, driven = chain.id_data, bpy.data.objects["Other"], empty("Driven")
    play_the_same(rig, other)
    for frame, value in ((1, 0.0), (10, 1.0)):
        other["open"] = value
        other.keyframe_insert('["open"]', frame=frame)
    driver = driven.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = other, '["open"]'
    driver.type = "SUM"
    for value in (1.0, 0.8):  # the first tells Blender that the property is there
        other["open"] = value
        other.update_tag(refresh={"OBJECT"})
        bpy.context.view_layer.update()
    assert driven.location.x == pytest.approx(0.8)
    api.bake(rig, frames=(1, 10))
    bpy.context.view_layer.update()
    assert driven.location.x == pytest.approx(0.8)


def test_edits_of_all_players_stay_in_every_view_layer(chain: PropertyGroup) -> None:
    rig = chain.id_data
    other = bpy.data.objects["Other"]
    play_the_same(rig, other)
    if hasattr(other.animation_data, "action_slot"):
        animate(other, location={1: (0, 0, 0), 10: (1, 0, 0)})
    bpy.context.view_layer.update()
    other.location = (3, 4, 5)
    api.bake(rig, frames=(1, 10))
    bpy.context.view_layer.update()
    assert tuple(other.location) == (3, 4, 5)
    second = bpy.context.scene.view_layers.new("Second")
    second.update()
    api.bake(chain.id_data, frames=(1, 10))
    for layer in (bpy.context.view_layer, second):
        layer.update()
    assert tuple(chain.id_data.pose.bones["hand"].location) == pytest.approx((0.3, 0.2, 0.1))


@pytest.mark.parametrize("way", WAYS)
def test_a_custom_property_may_be_shorter_than_its_curves(chain: PropertyGroup, way: str) -> None:
    rig = chain.id_data
    rig["vector"] = (0.0, 1.0)
    rig.keyframe_insert('["vector"]', frame=1)
    rig["vector"] = (2.0,)
    assert api.bake(rig, frames=(1, 10), sampling=way).posed
    bpy.context.view_layer.update()
    assert tuple(rig["vector"]) == (2.0,)


@pytest.mark.parametrize("way", WAYS)
def test_edits_of_custom_properties_stay(chain: PropertyGroup, way: str) -> None:
    rig = chain.id_data
    hand = rig.pose.bones["hand"]
    hand.name = "hand.L"
    owners = {"slide": (rig, 0.5, 2.5), 'IK "or" FK': (hand, 0, 1), "vector": (hand, (0.0, 1.0), (2.0, 3.0))}
    owners |= dict.fromkeys(("x[", '["', "a.b", "\\"), (rig, 1.0, 5.0))
    for name, (owner, keyed, _) in owners.items():
        owner[name] = keyed
        owner.keyframe_insert(f'["{bpy.utils.escape_identifier(name)}"]', frame=1)
    for name, (owner, _, edited) in owners.items():
        owner[name] = edited
    api.bake(rig, frames=(1, 10), sampling=way)
    bpy.context.view_layer.update()
    for name, (owner, _, edited) in owners.items():
        assert owner[name] == edited if isinstance(edited, (int, float)) else tuple(owner[name]) == edited


@pytest.mark.parametrize("way", ["ISOLATED", "SCENE"])
def test_a_bake_ends_with_its_file(chain: PropertyGroup, way: str) -> None:
    chain.id_data.pose.bones["lower"].constraints.new("IK").chain_count = 0
    bake = api.bake.request(chain.id_data, frames=(1, 10), sampling=way)
    assert next(bake) < next(bake) < 1.0
    open_empty_file()
    before = file_data.dump()
    bake.close()
    assert not session.samplings
    assert not changed_after_update(before)


@pytest.mark.parametrize("way", ["ISOLATED", "SCENE"])
@pytest.mark.parametrize("frames", [0, 5])
def test_a_bake_that_fails_on_the_way_leaves_no_trace(
    chain: PropertyGroup, monkeypatch: pytest.MonkeyPatch, way: str, frames: int
) -> None:
    """After so many frames."""
    recorded, record = [], probe.Recorder.record

    def fail(*given: object) -> None:
        if len(recorded) == frames:
            raise KeyboardInterrupt
        recorded.append(record(*given))

    chain.id_data.pose.bones["lower"].constraints.new("IK").chain_count = 0
    bpy.context.view_layer.update()
    before = file_data.dump()
    monkeypatch.setattr(probe.Recorder, "record", fail)
    with pytest.raises(KeyboardInterrupt):
        api.bake(chain.id_data, frames=(1, 10), sampling=way)
    assert not changed_after_update(before)


def test_a_solve_poses_the_current_scene_and_keys_it_on_request(chain: PropertyGroup) -> None:
    before = file_data.dump()
    report = api.solve(chain.id_data)
    assert changed_after_update(before) == POSED
    assert list(report.chains[0].frames) == [5.25]
    assert Limb().off() < 1e-5
    api.solve(chain.id_data, insert_keys=True)
    assert Limb().off() < 1e-5
    keyed = [curve for curve in versions.curves(chain.id_data) if '"lower"' in curve.data_path]
    assert {tuple(key.co.x for key in curve.keyframe_points) for curve in keyed} == {(5.25,)}
    bpy.context.view_layer.update()
    hand = chain.id_data.pose.bones["hand"]
    assert tuple(hand.location) == pytest.approx((0.3, 0.2, 0.1))


@pytest.mark.parametrize("hidden", ["in the viewport", "in an excluded collection", "in no scene"])
def test_a_solve_sees_a_hidden_target_where_it_was_moved_to(chain: PropertyGroup, hidden: str) -> None:
    target = chain.target
    if hidden == "in the viewport":
        target.hide_viewport = True
    else:
        bpy.context.scene.collection.objects.unlink(target)
    if hidden == "in an excluded collection":
        collection = bpy.data.collections.new("Excluded")
        bpy.context.scene.collection.children.link(collection)
        collection.objects.link(target)
        bpy.context.view_layer.layer_collection.children["Excluded"].exclude = True
    bpy.context.view_layer.update()
    target.location = (1.3, 0.5, 1.2)
    api.solve(chain.id_data)
    assert tuple(target.location) == pytest.approx((1.3, 0.5, 1.2))
    assert Limb().off() < 1e-5


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
