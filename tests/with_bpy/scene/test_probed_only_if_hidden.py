"""On the current frame Blender is asked for what shows without a probe, for which it would build its graph anew.

The armature objects of a scene are known at once, however they came and went.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.armatures import local_armatures
from bpy.types import Object
from mathutils import Euler

from support.rigs import arm, armature, empty

pytestmark = pytest.mark.versions


@contextmanager
def probes_seen() -> Iterator[list[list[int]]]:
    """For each time that Blender evaluates the scene how many constraints each probe has."""
    seen: list[list[int]] = []

    def notice(*_: object) -> None:
        seen.append([len(item.constraints) for item in bpy.data.objects if item.name.startswith("Two-Bone IK probe")])

    bpy.app.handlers.depsgraph_update_post.append(notice)
    try:
        yield seen
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(notice)


def characters(count: int) -> list[Object]:
    """Posed arms whose chains have no targets, in a scene that is up to date."""
    rigs = []
    for number in range(count):
        link = arm()
        rig = link.id_data
        rig.location, rig.rotation_euler, rig.scale = (2.0 * number, 0.3, 0.1), (0.2, 0.1, 0.4), (1.2, 1.2, 1.2)
        rig.pose.bones["upper"].rotation_quaternion = Euler((0.3, 0.2 * number, -0.5)).to_quaternion()
        link.target = None
        rigs.append(rig)
    bpy.context.view_layer.update()
    return rigs


def world(rig: Object) -> np.ndarray:
    bpy.context.view_layer.update()
    return np.array([rig.matrix_world @ bone.matrix for bone in list(rig.pose.bones)[1:4]])


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_targets_are_created_without_a_probe(kind: str) -> None:
    rigs = characters(2)
    with probes_seen() as seen:
        api.create_targets(rigs, kind=kind)
    assert not any(seen)


def test_a_pose_is_solved_without_a_probe() -> None:
    [rig] = characters(1)
    api.create_targets(rig)
    bpy.context.view_layer.update()
    rig.two_bone_ik_chains[0].target.location.z += 0.2
    with probes_seen() as seen:
        api.solve(rig)
    assert seen
    assert not any(seen)


def disable(rig: Object) -> None:
    rig.hide_viewport = True


def animate_away(rig: Object) -> None:
    rig.hide_viewport = True
    rig.keyframe_insert("hide_viewport", frame=1)


def exclude(rig: Object) -> None:
    collection = bpy.data.collections.new("Excluded")
    scene = bpy.context.scene
    scene.collection.children.link(collection)
    scene.collection.objects.unlink(rig)
    collection.objects.link(rig)
    scene.view_layers[0].layer_collection.children["Excluded"].exclude = True


def show(rig: Object) -> None:
    rig.animation_data_clear()
    rig.hide_viewport = False
    for child in bpy.context.view_layer.layer_collection.children:
        child.exclude = False


@pytest.mark.parametrize("hide", [disable, animate_away, exclude])
def test_what_is_hidden_is_evaluated_as_well(hide: Callable[[Object], None]) -> None:
    [rig] = characters(1)
    hide(rig)
    bpy.context.view_layer.update()
    rig.location.x += 0.5
    rig.pose.bones["upper"].rotation_quaternion = Euler((-0.4, 0.3, 0.2)).to_quaternion()
    with probes_seen() as seen:
        api.create_targets(rig)
    assert any(seen)
    show(rig)
    before = world(rig)
    api.solve(rig)
    assert np.abs(world(rig) - before).max() < 1e-5  # float32 within some metres


def test_no_probe_has_many_constraints() -> None:
    rigs = characters(12)
    for rig in rigs:
        rig.hide_viewport = True
    with probes_seen() as seen:
        api.create_targets(rigs)
    [counts] = [each for each in seen if each]
    assert sum(counts) > 40
    assert max(counts) <= 32


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_the_pose_stays_where_a_scaled_bone_carries(kind: str, relative: bool) -> None:
    [rig] = characters(1)
    carrier = rig.pose.bones["upper"].parent
    assert carrier
    carrier.name, rig.data.bones["upper"].name = "wrist", "f_index.01"
    carrier.bone.use_relative_parent = relative
    carrier.location, carrier.scale = (0.1, 0.2, -0.1), (1.3, 1.3, 1.3)
    carrier.rotation_mode = "XYZ"
    carrier.rotation_euler = 0.4, -0.2, 0.3
    before = world(rig)
    api.create_targets(rig, kind=kind)
    api.solve(rig)
    assert np.abs(world(rig) - before).max() < 1e-5


@pytest.fixture
def first(empty_file: None) -> Object:
    """An armature in a scene with an empty; it was asked for before."""
    empty("Something else")
    first = armature(name="First")
    assert names() == ["First"]
    return first


def names() -> list[str]:
    return sorted(rig.name for rig in local_armatures(bpy.context.scene))


def test_a_copy_is_known_at_once_and_after_undo(first: Object) -> None:
    bpy.ops.ed.undo_push(message="One")
    bpy.context.scene.collection.objects.link(first.copy())
    bpy.ops.ed.undo_push(message="Two")
    assert names() == ["First", "First.001"]
    bpy.ops.ed.undo()
    assert names() == ["First"]


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
