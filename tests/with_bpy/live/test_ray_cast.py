"""A tip snaps to what lies under the mouse, but for the character itself."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender.status.ray_cast import surface
from bpy.types import Object
from mathutils import Vector

from support.rigs import armature, empty

WALL = 5.0


def plane(name: str, y: float) -> Object:
    """A square across the y axis."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)], [], [(0, 1, 2, 3)])
    item = bpy.data.objects.new(name, mesh)
    item.location.y = y
    bpy.context.scene.collection.objects.link(item)
    return item


def seen(rig: Object, eye: float = -100.0) -> Vector | None:
    """Along the y axis."""
    bpy.context.view_layer.update()
    graph = bpy.context.view_layer.depsgraph
    return surface(bpy.context.scene, graph, Vector((0.1, eye, 0.2)), Vector((0.0, 1.0, 0.0)), rig=rig)


def deform(item: Object, rig: Object) -> None:
    item.modifiers.new("Skin", "ARMATURE").object = rig


def hang_on_a_bone(item: Object, rig: Object) -> None:
    item.parent, item.parent_type, item.parent_bone = rig, "BONE", "hand"
    item.matrix_parent_inverse = (rig.matrix_world @ rig.pose.bones["hand"].matrix).inverted()
    item.matrix_parent_inverse.translation.y -= rig.pose.bones["hand"].length


def hang_on_what_is_deformed(item: Object, rig: Object) -> None:
    body = plane("Body", 1.5)
    deform(body, rig)
    item.parent = body
    item.location.y -= 1.5


def hang_on_what_hangs_on_it(item: Object, rig: Object) -> None:
    item.parent = empty("Group")
    item.parent.parent = rig


@pytest.mark.parametrize("tie", [deform, hang_on_a_bone, hang_on_what_is_deformed, hang_on_what_hangs_on_it])
def test_the_character_itself_is_looked_through(tie: object) -> None:
    rig = armature()
    plane("Wall", WALL)
    for y in (1.0, 1.0, 2.0):
        tie(plane("Skin", y), rig)
    np.testing.assert_allclose(seen(rig), (0.1, WALL, 0.2), atol=1e-4)  # the ray is cast in single precision


def test_other_characters_are_not() -> None:
    rig, other = armature(), armature(name="Other")
    plane("Wall", WALL)
    deform(plane("Skin", 1.0), other)
    np.testing.assert_allclose(seen(rig), (0.1, 1.0, 0.2), atol=1e-4)


@pytest.mark.parametrize("eye", [-100.0, -1e4])
def test_what_lies_close_behind_is_found_from_afar(eye: float) -> None:
    rig = armature()
    deform(plane("Skin", 1.0), rig)
    plane("Wall", 1.2)
    assert seen(rig, eye).y == pytest.approx(1.2, abs=1e-3)


def test_nothing_is_found_where_there_is_nothing_else() -> None:
    rig = armature()
    deform(plane("Skin", 1.0), rig)
    assert seen(rig) is None


@pytest.mark.parametrize("eye", [1.0, -3e7, -1e9])
def test_a_ray_from_the_skin_comes_to_an_end(eye: float) -> None:
    rig = armature()
    deform(plane("Skin", 1.0), rig)
    place = seen(rig, eye)
    assert place is None
