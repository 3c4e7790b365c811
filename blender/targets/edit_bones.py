"""Bones of an armature, to be added and removed: Blender does both in Edit Mode only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import bpy
from bpy.types import ArmatureEditBones, Object, Scene

from .. import versions
from ..armatures import Rig
from ..curves import unkeyed_edits


@contextmanager
def edit_bones(rig: Rig, scene: Scene) -> Iterator[ArmatureEditBones]:
    """Inside, the bones of the armature can be edited; pose, selection, mode and edits without keys stay.

    A temporary object in a temporary scene goes into Edit Mode with the same armature. So it does not matter whether
    `rig` is hidden or in Pose Mode, and no object is selected or becomes active.
    """
    armature = rig.data
    mirror = armature.use_mirror_x
    with unkeyed_edits.preserve_edits(rig, scene, ()), versions.preserve_selection(rig):
        armature.use_mirror_x = False  # otherwise bones of the other side would move along
        try:
            with in_edit_mode(rig) as bones:
                yield bones
        finally:
            armature.use_mirror_x = mirror


@contextmanager
def in_edit_mode(rig: Rig) -> Iterator[ArmatureEditBones]:
    """Inside, the bones of an armature can be edited that nothing has posed yet."""
    scene, item = bpy.data.scenes.new("Two-Bone IK bones"), bpy.data.objects.new("Two-Bone IK bones", rig.data)
    try:
        scene.collection.objects.link(item)
        scene.view_layers[0].objects.active = item
        _set_mode(item, scene, "EDIT")
        try:
            yield rig.data.edit_bones
        finally:
            _set_mode(item, scene, "OBJECT")
    finally:
        bpy.data.objects.remove(item)
        bpy.data.scenes.remove(scene)


def _set_mode(item: Object, scene: Scene, mode: Literal["OBJECT", "EDIT"]) -> None:
    """The only place below the operators that overrides the context."""
    overriding: Any = bpy.context.temp_override
    with overriding(
        scene=scene,
        view_layer=scene.view_layers[0],
        active_object=item,
        object=item,
        edit_object=item if item.mode == "EDIT" else None,
    ):
        bpy.ops.object.mode_set(mode=mode)
