"""Targets that are bones of the armature itself: they are keyed in its action and selected in Pose Mode.

At rest a target lies on the tip, or a tail that reaches for it, turned as the tip bone is, and a pole target where the
rest pose needs it. So the limb is in its rest pose once both are cleared.
"""

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any

import bpy
import numpy as np
from bpy.types import BoneCollection, Object, Scene
from mathutils import Matrix, Vector

from ...skeleton import transform
from ...skeleton.values import Point
from ...solver import targets
from ...solver.values import Bend, ReachWith
from ..armatures import Rig
from ..bake.chain import rest_chain
from ..messages.refused import Refused
from ..messages.translation import translated
from ..scene.bone import rest
from ..settings.properties import TwoBoneIKChain, root_name
from .edit_bones import edit_bones
from .made_for import is_marked, mark
from .target_empties import LOOKS
from .target_names import NewTarget, Role

_SHAPES = {Role.TARGET: "Two-Bone IK Target", Role.POLE: "Two-Bone IK Pole"}
"""Names and marks of the empties that bones are shown as."""

_COLLECTION = "Two-Bone IK Targets"


def refuse_impossible(rig: Rig, scene: Scene, *, limbs: bool = False) -> None:
    """Raise `Refused` where the armature cannot get bones, or where others would get them too.

    limbs : for those that are built, or were; otherwise empties would do as well
    """
    if reasons := obstacle(rig, scene, limbs=limbs):
        raise reasons[0]


def obstacle(rig: Rig, scene: Scene, *, limbs: bool = False) -> tuple[Refused, str] | None:
    """What `refuse_impossible` raises, and a note that says why empties were created instead; None if it can."""
    data, name = rig.data, rig.name
    if rig.override_library or data.override_library or not data.is_editable:
        refused = Refused("LIBRARY_BONES.limbs" if limbs else "LIBRARY_BONES.targets", object=rig)
        return refused, translated("note.empties_library", object=name)
    other = next((item for item in bpy.data.objects if item.data == data and item != rig), None)
    if other:
        values: dict[str, Any] = {"value": data.name, "other": other.name}
        refused = Refused("SHARED_ARMATURE.limbs" if limbs else "SHARED_ARMATURE.targets", object=rig, **values)
        return refused, translated("note.empties_shared", object=name, **values)
    if not any(rig in layer.objects.values() for layer in scene.view_layers):
        refused = Refused("NO_VIEW_LAYER.limbs" if limbs else "NO_VIEW_LAYER.targets", object=rig)
        return refused, translated("note.empties_no_layer", object=name)
    return None


def make(rig: Rig, scene: Scene, new: Sequence[NewTarget], undo: ExitStack) -> tuple[list[Point], list[str]]:
    """Make the bones at rest, which `undo` removes again; returns them, and sentences for the report."""
    names: list[str] = []  # each as soon as it is there
    undo.callback(remove, rig, scene, names)
    rests = [_rest(target.chain, target.role) for target in new]
    with edit_bones(rig, scene) as bones:
        for target, (matrix, length) in zip(new, rests, strict=True):
            bone = bones.new(target.name)
            names.append(bone.name)
            bone.head, bone.tail = matrix.translation, matrix @ Vector((0.0, length, 0.0))
            bone.align_roll(matrix.to_3x3() @ Vector((0.0, 0.0, 1.0)))
            bone.parent = bones.get(target.parent)
            bone.use_deform = False
    collection = _collection(rig)
    for name, target in zip(names, new, strict=True):
        collection.assign(rig.data.bones[name])
        rig.pose.bones[name].custom_shape = _shape(target.role)
    named: dict[str, Any] = {"count": len(new), "collection": collection.name}
    created = translated("note.created_bone" if len(new) == 1 else "note.created_bones", **named)
    return [Point(rig, name) for name in names], [created]


def remove(rig: Rig, scene: Scene, names: Collection[str]) -> None:
    """Remove the bones again, and shapes and bone collections that no bone has any more."""
    if not names:
        return
    with edit_bones(rig, scene) as bones:
        for name in names:
            bones.remove(bones[name])
    for collection in [other for other in rig.data.collections_all if is_marked(other) and not other.bones]:
        rig.data.collections.remove(collection)
    bpy.data.batch_remove([shape for shape in _shapes(_SHAPES.values()) if not shape.users])


def _rest(chain: TwoBoneIKChain, role: Role) -> tuple[Matrix, float]:
    """Matrix in armature space of the new bone at rest, and its length."""
    bones = chain.id_data.data.bones
    at_rest, _ = rest_chain(chain.id_data, chain)
    size = float(np.linalg.norm(np.diff(at_rest.joints, axis=0), axis=-1).sum())
    length = 2.0 * LOOKS[role][1] * size  # so it looks as large as an empty would
    if role is Role.TARGET:
        if chain.tip_bone and chain.reach_with == ReachWith.JOINT:
            return bones[chain.tip_bone].matrix_local, length
        end: Any = bones[chain.tip_bone or chain.hock_bone or chain.end_bone]
        return Matrix.Translation(end.tail_local - end.head_local) @ end.matrix_local, length
    # A chain that bends away from its pole has it in front.
    in_front = chain.bend == Bend.NEGATIVE or (chain.use_bend_limits and chain.bend_max <= 0.0)
    still = np.broadcast_to(np.eye(3), (1, 2, 3, 3))
    pole = targets.from_pose(at_rest, still, -size if in_front else size, chain.pole_angle).pole
    root = rest(bones[root_name(chain.id_data, chain)])
    return Matrix.Translation(transform.transform_points(root, pole)[0].tolist()), length


def _collection(rig: Rig) -> BoneCollection:
    collections = rig.data.collections_all
    collection = next((collection for collection in collections if is_marked(collection)), None)
    if collection is None:
        solo = any(other.is_solo for other in collections)
        collection = rig.data.collections.new(_COLLECTION)
        collection.is_solo = solo  # while only others are, it would be hidden
        mark(collection, rig.name)
    return collection


def _shape(role: Role) -> Object:
    """The shape, which lies in no collection; made where the file has none."""
    name = _SHAPES[role]
    if made := _shapes([name]):
        return made[0]
    shape = bpy.data.objects.new(name, None)
    shape.empty_display_type, shape.empty_display_size = LOOKS[role][0], 0.5
    mark(shape, name)
    return shape


def _shapes(names: Collection[str]) -> list[Object]:
    """The empties of these names, and meshes that files from before have in their place."""
    objects: Any = bpy.data.objects
    return [item for item in objects if item.two_bone_ik_made_for in names and item.is_editable]
