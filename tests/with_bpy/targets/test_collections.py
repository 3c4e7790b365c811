"""In which collections new empties land."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support import rigs


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
