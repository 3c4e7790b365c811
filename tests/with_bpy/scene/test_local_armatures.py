"""The armature objects of a scene are known at once, however they came and went."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender.armatures import local_armatures
from bpy.types import Object

from support.rigs import armature, empty


@pytest.fixture
def first(empty_file: None) -> Object:
    """An armature in a scene with an empty; it was asked for before."""
    empty("Something else")
    first = armature(name="First")
    assert names() == ["First"]
    return first


def names() -> list[str]:
    return sorted(rig.name for rig in local_armatures(bpy.context.scene))


def test_a_copy_is_known_at_once(first: Object) -> None:
    bpy.context.scene.collection.objects.link(first.copy())
    assert names() == ["First", "First.001"]


def test_an_armature_of_another_scene_is_not_in_this_one(first: Object) -> None:
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(first)
    bpy.context.scene.collection.objects.unlink(first)
    bpy.context.view_layer.update()
    assert names() == []
    assert [rig.name for rig in local_armatures(other)] == ["First"]


def test_an_armature_that_is_linked_again_is_known(first: Object) -> None:
    collection = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(first)
    bpy.context.scene.frame_set(3)
    assert names() == []
    collection.objects.link(first)
    bpy.context.scene.frame_set(4)
    assert names() == ["First"]


def test_an_armature_in_the_place_of_another_is_known(first: Object) -> None:
    data = first.data
    bpy.data.objects.remove(first)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Second", data))
    assert names() == ["Second"]


def test_after_undo_the_armatures_of_before_are_known(first: Object) -> None:
    bpy.ops.ed.undo_push(message="One")
    bpy.context.scene.collection.objects.link(first.copy())
    bpy.ops.ed.undo_push(message="Two")
    assert names() == ["First", "First.001"]
    bpy.ops.ed.undo()
    assert names() == ["First"]
