"""What Create Targets has made can be removed, with keys and shapes, and the file is then as it was before."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Action, Object

from support import file_data, rigs
from support.refused import refused

pytestmark = pytest.mark.versions

KINDS = pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])


def hero(*, keyed: bool = True, name: str = "Rig") -> Object:
    rig = rigs.armature(name=name)
    if keyed:
        for bone, turn in (("upper", (0.9, 0.1, 0.3, 0.2)), ("hand", (0.9, -0.3, 0, 0.2))):
            rigs.animate(rig.pose.bones[bone], rotation_quaternion={1: (1, 0, 0, 0), 8: turn})
    api.add_chain(rig, "lower", tip_bone="hand", use_rotation=True, reference="POSE")
    bpy.context.scene.frame_set(3)
    return rig


def paths(rig: Object) -> set[str]:
    return {curve.data_path for curve in versions.curves(rig)}


@KINDS
@pytest.mark.parametrize("keyed", [True, False], ids=["keyed limb", "limb without keys"])
@pytest.mark.parametrize("baked", [True, False], ids=["keyed targets", "targets without keys"])
def test_the_file_is_as_before(kind: str, keyed: bool, baked: bool) -> None:
    rig = hero(keyed=keyed)
    rig.pose.bones["lower"].rotation_quaternion = (0.8, 0, 0, 0.6)
    rig.pose.bones["upper"].rotation_quaternion = (0.8, 0, 0.6, 0)  # edits without a key
    bpy.context.view_layer.update()
    before = file_data.dump()
    api.create_targets(rig, kind=kind)
    if baked:
        api.bake_targets(rig, frames=(1, 8))
        assert len(bpy.data.actions) == keyed + (2 if kind == "EMPTIES" else not keyed)
    assert file_data.changed(before)
    names = api.remove_targets(rig)
    assert names == ("lower Target", "lower Pole")
    bpy.context.view_layer.update()
    assert not file_data.changed(before)


def test_keys_in_a_strip_go_as_well() -> None:
    rig = hero()
    before = paths(rig)
    api.create_targets(rig, kind="BONES")
    api.bake_targets(rig, frames=(1, 4))
    animation = rig.animation_data
    strip = animation.nla_tracks.new().strips.new("Walk", 1, animation.action)
    animation.action = None
    api.remove_targets(rig)
    assert {curve.data_path for _, curves in versions.strips(rig) for curve in curves} == before
    assert strip.action.users == 1


def test_an_empty_action_that_was_there_stays() -> None:
    rig = hero(keyed=False)
    rig.animation_data_create().action = bpy.data.actions.new("Mine")
    api.create_targets(rig, kind="BONES")
    api.remove_targets(rig)
    assert rig.animation_data.action.name == "Mine"


@KINDS
def test_the_users_own_targets_stay(kind: str) -> None:
    rig = hero()
    chain = rigs.chain(rig, "hand", target=(2.2, 0.1, 1.3))
    api.create_targets(rig, kind=kind)
    assert chain.pole_target
    api.remove_targets(rig)
    assert chain.target.name == "Target"
    assert chain.pole_target is None
    bpy.context.view_layer.update()  # chains forget marks of bones that are gone
    with refused(match='Create Targets has made no target of "Rig"'):
        api.remove_targets(rig)


@KINDS
def test_only_the_targets_of_these_chains_go(kind: str) -> None:
    rig = hero()
    api.add_chain(rig, "hand")
    api.create_targets(rig, kind=kind)
    api.bake_targets(rig, frames=(1, 4))
    bpy.ops.two_bone_ik.remove_targets(only_active=True)
    lower, hand = rig.two_bone_ik_chains
    assert (hand.target, hand.subtarget, hand.pole_target, hand.pole_subtarget) == (None, "", None, "")
    assert lower.target
    assert lower.pole_target
    left = (
        paths(rig) if kind == "BONES" else {path for item in (lower.target, lower.pole_target) for path in paths(item)}
    )
    assert any("location" in path for path in left)
    assert not any("hand Target" in path for path in left)
    assert not [name for name in bpy.data.objects.keys() if "hand" in name]


@KINDS
def test_what_another_chain_uses_stays(kind: str) -> None:
    rig = hero()
    api.create_targets(rig, kind=kind)
    chain = rig.two_bone_ik_chains[0]
    other = api.add_chain(rig, "hand", target=chain.target, subtarget=chain.subtarget)
    removed = api.remove_targets(rig, ["lower"])
    assert [name.rpartition(" ")[2] for name in removed] == ["Pole"]
    assert other.target
    assert chain.target is None
    assert not other.subtarget or other.subtarget in rig.pose.bones


def test_shapes_stay_while_an_armature_has_them() -> None:
    one, two = hero(name="One"), hero(name="Two")
    for rig in (one, two):
        api.create_targets(rig, kind="BONES")
    api.remove_targets(one)
    assert all(two.pose.bones[f"lower {role}"].custom_shape for role in ("Target", "Pole"))
    api.remove_targets(two)
    assert {*bpy.data.objects} == {one, two}


@KINDS
def test_a_collection_with_something_else_in_it_stays(kind: str) -> None:
    rig = hero()
    api.create_targets(rig, kind=kind)
    if kind == "EMPTIES":
        prop = rigs.empty("Prop", collection=bpy.data.collections["Rig Targets"])
    else:
        rig.data.collections["Two-Bone IK Targets"].assign(rig.data.bones["spine"])
    api.remove_targets(rig)
    if kind == "EMPTIES":
        assert [item.name for item in bpy.data.collections["Rig Targets"].objects] == [prop.name]
    else:
        assert rig.data.collections["Two-Bone IK Targets"].bones.keys() == ["spine"]


def test_keys_that_another_armature_plays_stay() -> None:
    rig = hero()
    api.create_targets(rig, kind="BONES")
    api.bake_targets(rig, frames=(1, 4))
    rig.select_set(True)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    twin.animation_data.action = rig.animation_data.action
    if hasattr(twin.animation_data, "action_slot"):
        twin.animation_data.action_slot = rig.animation_data.action_slot
    api.remove_targets(rig)
    assert 'pose.bones["lower Target"].location' in paths(twin)
    assert twin.two_bone_ik_chains[0].target == twin
    api.remove_targets(twin)
    assert not [path for path in paths(twin) if "Target" in path]


@KINDS
def test_a_linked_or_busy_armature_is_refused(kind: str) -> None:
    rig = hero()
    api.create_targets(rig, kind=kind)
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(api.Refused, match="is in Edit Mode: leave it first"):
        api.remove_targets(rig)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(api.remove_targets(rig)) == 2


@pytest.mark.skipif("slots" not in Action.bl_rna.properties, reason="actions have no slots before Blender 4.4")
def test_an_action_with_keys_in_another_slot_stays() -> None:
    rig = hero(keyed=False)
    api.create_targets(rig)
    api.bake_targets(rig, frames=(1, 4))
    action = bpy.data.objects["lower Target"].animation_data.action
    other = rigs.empty("Cup")
    other.animation_data_create().action = action
    other.animation_data.action_slot = action.slots.new(id_type="OBJECT", name="Cup")
    rigs.animate(other, location={1: (0, 0, 0), 4: (1, 2, 3)})
    other.animation_data.action = None
    kept = action.name
    api.remove_targets(rig)
    other.animation_data.action = bpy.data.actions[kept]
    other.animation_data.action_slot = next(
        slot for slot in other.animation_data.action_suitable_slots if slot.name_display == "Cup"
    )
    bpy.context.scene.frame_set(4)
    assert tuple(other.location) == (1, 2, 3)


@pytest.mark.skipif("slots" not in Action.bl_rna.properties, reason="actions have no slots before Blender 4.4")
def test_an_action_with_keys_of_another_slot_stays() -> None:
    rig = rigs.armature()
    api.add_chain(rig, "lower")
    api.create_targets(rig, kind="BONES")
    api.bake_targets(rig, frames=(1, 4))
    action = rig.animation_data.action
    strip = action.layers[0].strips[0]
    bag = strip.channelbag(action.slots.new(id_type="OBJECT", name="Cam"), ensure=True)
    bag.fcurves.new("location", index=0).keyframe_points.insert(1, 3.0)
    name = action.name
    api.remove_targets(rig)
    left = bpy.data.actions[name].layers[0].strips[0].channelbags
    assert [curve.data_path for bag in left for curve in bag.fcurves] == ["location"]
