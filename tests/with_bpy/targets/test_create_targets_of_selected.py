"""Create Targets takes all armatures that are selected at once."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import rigs
from support.rigs import arm


def selected(count: int) -> list[Object]:
    """Selected arms whose chains have no targets."""
    rigs = []
    for number in range(count):
        link = arm()
        rig = link.id_data
        rig.location.x = 2.0 * number
        link.target = None
        rig.select_set(True)
        rigs.append(rig)
    bpy.context.view_layer.update()
    return rigs


def evaluations(**options: str) -> int:
    """How often Blender evaluates the scene while targets are created."""
    seen: list[object] = []

    def notice(scene: object, *_: object) -> None:
        seen.append(scene)

    bpy.app.handlers.depsgraph_update_post.append(notice)
    try:
        bpy.ops.two_bone_ik.create_targets(**options)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(notice)
    return len(seen)


def test_four_take_as_many_evaluations_as_one() -> None:
    selected(1)
    for_one = evaluations()
    bpy.ops.object.select_all(action="DESELECT")
    rigs = selected(4)
    assert evaluations() == for_one
    assert all(rig.two_bone_ik_chains[0].target for rig in rigs)


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_one_that_is_refused_leaves_the_others_theirs(kind: str) -> None:
    rigs = selected(3)
    rigs[1].two_bone_ik_chains[0].end_bone = "gone"
    with pytest.raises(RuntimeError, match="gone"):
        bpy.ops.two_bone_ik.create_targets(kind=kind)
    assert [bool(rig.two_bone_ik_chains[0].target) for rig in rigs] == [True, False, True]


@pytest.mark.parametrize("how", ["exclude", "hide_viewport"])
def test_empties_land_where_the_view_layer_shows_them(how: str) -> None:
    rig = rigs.armature()
    char, backup = (bpy.data.collections.new(name) for name in ("Char", "Backup"))
    bpy.context.scene.collection.children.link(char)
    char.children.link(backup)
    bpy.context.scene.collection.objects.unlink(rig)
    for collection in (char, backup):
        collection.objects.link(rig)
    setattr(bpy.context.view_layer.layer_collection.children["Char"].children["Backup"], how, True)
    rig.location = (1, 2, 3)
    chain = api.add_chain(rig, "lower")
    api.create_targets(rig)
    assert chain.target.visible_get()
    assert [made.name for made in char.children] == ["Backup", "Rig Targets"]
    bpy.context.view_layer.update()
    tip = rig.matrix_world @ rig.pose.bones["lower"].tail
    assert (chain.target.matrix_world.translation - tip).length < 1e-5


def test_a_character_has_one_collection_for_its_targets() -> None:
    bpy.data.collections.new("Rig Targets")
    rig = rigs.armature()
    chains = [api.add_chain(rig, bone) for bone in ("lower", "hand")]
    for chain in chains:
        api.create_targets(rig, [chain.name])
    assert chains[0].target.users_collection == chains[1].target.users_collection


def test_a_character_that_is_hidden_keeps_its_empties() -> None:
    rig = rigs.armature()
    char = bpy.data.collections.new("Char")
    bpy.context.scene.collection.children.link(char)
    bpy.context.scene.collection.objects.unlink(rig)
    char.objects.link(rig)
    bpy.context.view_layer.layer_collection.children["Char"].hide_viewport = True
    api.add_chain(rig, "lower")
    api.create_targets(rig)
    assert [made.name for made in char.children] == ["Rig Targets"]
