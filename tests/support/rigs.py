"""The smallest rigs for a test: bones from a table, empties, keys, and a chain that follows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import bpy
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import ArmatureEditBones, Collection, Object, PoseBone, PropertyGroup

WorldTransform = tuple[float, float, float]


class Bone(NamedTuple):
    """A bone at rest; roll in radians."""

    name: str
    head: WorldTransform
    tail: WorldTransform
    parent: str = ""
    roll: float = 0.0


ARM = (
    Bone("spine", (0, 0, 0), (0, 0, 1)),
    Bone("upper", (0, 0, 1), (1, 0.2, 1), "spine"),
    Bone("lower", (1, 0.2, 1), (1.8, 0, 1.1), "upper"),
    Bone("hand", (1.8, 0, 1.1), (2, 0, 1.1), "lower"),
)
"""An arm along x, bent to the side of y: two bones of different lengths on a spine, with a hand."""

LEFT = tuple(
    Bone(f"{name}.L", (-x, *head), (-end, *tail), parent if parent == "spine" else f"{parent}.L")
    for name, (x, *head), (end, *tail), parent, _ in ARM[1:]
)
"""Another arm, on the same spine, along -x."""

STRAIGHT = (Bone("upper", (0, 0, 0), (0, 0, 1)), Bone("lower", (0, 0, 1), (0, 0, 1.8), "upper"))
"""A leg straight along world up."""


def armature(bones: Sequence[Bone] = ARM, name: str = "Rig") -> Object:
    """An armature object with these bones, in the scene and active."""
    rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(rig)
    with editing(rig) as edit_bones:
        for bone in bones:
            edit_bone = edit_bones.new(bone.name)
            edit_bone.head, edit_bone.tail, edit_bone.roll = bone.head, bone.tail, bone.roll
            edit_bone.parent = edit_bones.get(bone.parent)
    return rig


@contextmanager
def editing(rig: Object) -> Iterator[ArmatureEditBones]:
    """The bones in Edit Mode, then Object Mode again; the armature is active."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    yield rig.data.edit_bones
    bpy.ops.object.mode_set(mode="OBJECT")


def empty(name: str, location: WorldTransform = (0, 0, 0), collection: Collection | None = None) -> Object:
    """An empty in this collection, by default that of the scene."""
    item = bpy.data.objects.new(name, None)
    item.location = location
    (collection or bpy.context.scene.collection).objects.link(item)
    return item


def animate(owner: Object | PoseBone, **keys: Mapping[float, Sequence[float]]) -> None:
    """Key properties of an object or a pose bone; each property is given by its value on each frame."""
    for name, values in keys.items():
        for frame, value in values.items():
            setattr(owner, name, value)
            owner.keyframe_insert(name, frame=frame, group=owner.name)


def keys(bone: PoseBone, name: str = "rotation_quaternion", index: int = 0) -> dict[float, float]:
    """The keys of one of the bone's F-curves: value by frame."""
    curves = {(curve.data_path, curve.array_index): curve for curve in versions.curves(bone.id_data)}
    return {key.co.x: key.co.y for key in curves[bone.path_from_id(name), index].keyframe_points}


def arm(
    *, target: WorldTransform = (1.2, 0.6, 1.3), pole: WorldTransform | None = None, **fields: object
) -> PropertyGroup:
    """The chain of an ARM "Rig" with an empty "Target" and, if a place is given, an empty "Pole"."""
    return chain(armature(), "lower", target=target, pole=pole, **fields)


def chain(
    rig: Object, end_bone: str, *, target: WorldTransform | Object, pole: WorldTransform | None = None, **fields: object
) -> PropertyGroup:
    """A chain of `rig` with an empty "Target" and, if a place is given, an empty "Pole"."""
    if not isinstance(target, Object):
        target = empty("Target", target)
    if pole is not None:
        fields["pole_target"] = empty("Pole", pole)
    return api.add_chain(rig, end_bone, target=target, **fields)
