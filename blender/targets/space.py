"""The space that a target moves in: the world, an object, or a bone; and the floor that feet stand on."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import bpy
import numpy as np
from bpy.types import Object, Scene
from mathutils import Matrix

from ...skeleton.target_channels import KeyedTarget
from ...skeleton.values import Plan, Point, Samples
from ...solver.values import Array
from ...solver.vectors import product
from ..armatures import is_rig
from ..bake.build_plan import Frames
from ..curves.keys import key_frames
from ..messages.refused import Refused
from ..messages.translation import nearest_name, point_text
from ..rigs import controls
from ..scene import dependencies
from ..scene.bone import read_bone
from ..settings.hold_and_plant_properties import holds_of
from . import target_bones
from .edit_bones import edit_bones

Space = Object | tuple[Object, str] | None
"""As scripts give it: None for the world, an object, or an armature object and the name of its bone."""


def space_point(space: Space) -> Point | None:
    """The space as a point; Refused where the object has no such bone."""
    item, bone = space if isinstance(space, tuple) and len(space) == 2 else (space, "")
    if item is None:
        return None
    if not (isinstance(item, Object) and isinstance(bone, str)):
        raise Refused("NOT_A_SPACE", value=space)
    bones: Sequence[str] = item.data.bones.keys() if is_rig(item) else ()
    if bone and bone not in bones:
        raise Refused("NO_BONE.to_carry", object=item, bone=bone, nearest=nearest_name(bone, bones))
    return Point(item, bone)


def space_named(name: str, bone: str) -> Space:
    """The space by the names of an object, "" for the world, and a bone; Refused where there is no such object."""
    if not name:
        return None
    item: Object | None = bpy.data.objects.get(name)
    if item is None:
        raise Refused("NO_SPACE", object=name, value=name, nearest=nearest_name(name, bpy.data.objects.keys()))
    return item, bone


def floor_named(name: str) -> float | Object | None:
    """The floor by a height or the name of an object, None for ""; Refused where it is neither."""
    item: Object | None = bpy.data.objects.get(name)
    if item or not name:
        return item
    try:
        return float(name)
    except ValueError:
        nearest = nearest_name(name, bpy.data.objects.keys())
        raise Refused("FLOOR_UNKNOWN", object=name, value=name, nearest=nearest) from None


def refuse_circle(plan: Plan, space: Point | None) -> None:
    """Raise `Refused` where the space would move along with a target or a limb that is to follow it."""
    sources = dependencies.upstream(space) if space else set()
    for chain in plan.chains:
        for point in (Point(chain.rig, chain.root.name), chain.target, chain.pole):
            if point in sources:
                raise Refused("SPACE_FOLLOWS", chain=chain, value=point_text(space))


def refuse_held(plan: Plan) -> None:
    """Raise `Refused` where a target is held: its kept keys are relative to its present parent."""
    for chain in plan.chains:
        for point in chain.targets:
            if holds_of(point):
                raise Refused("HELD_SPACE", chain=chain, object=point.object, value=point_text(point))


def range_with_all_keys(plan: Plan, space: Point | None) -> Frames:
    """The plan's range, longer by as many steps as it takes to hold all keys."""
    points = {point for chain in plan.chains for point in (*chain.targets, space) if point}
    places = {place for point in points for place in dependencies.with_parents(point)}
    start, end = plan.frames[0], plan.frames[-1]
    step = float(plan.frames[1] - start) if len(plan.frames) > 1 else 1.0
    keyed = np.concatenate([np.array((start, end)), *map(key_frames, places)])
    before, after = ((start - keyed.min()) / step, (keyed.max() - end) / step)
    return float(start - step * ceil(before - 1e-3)), float(end + step * ceil(after - 1e-3)), step


def carrier(samples: Samples, space: Point | None) -> Array:
    """(n, 4, 4) in the world, what objects are put on: a bone carries them at its tail."""
    if space is None:
        return np.eye(4)[None]
    tail = np.eye(4)
    tail[1, 3] = space.object.data.bones[space.bone].length if space.bone else 0.0
    return product(samples.world(space), tail)


def refuse_bones(plan: Plan, space: Point | None) -> None:
    """Raise `Refused` where a bone is to leave its armature, or cannot get another parent."""
    for chain in plan.chains:
        for point in chain.targets:
            if (control := controls.keyed_point(point)) != point:
                named = {"value": point_text(point), "control": control.bone}
                raise Refused("RIG_SPACE", chain=chain, object=point.object, **named)
            if point.bone:
                if space is None or space.object != point.object:
                    raise Refused("BONE_SPACE", chain=chain, object=point.object, value=point_text(point))
                target_bones.refuse_impossible(point.object, plan.scene)


def on_space(target: KeyedTarget, space: Point | None) -> KeyedTarget:
    """The target as it is to be keyed once it hangs on the space."""
    point = target.parents[0]
    parents = (point, *(dependencies.with_parents(space) if space else ()))
    bone = read_bone(point.object, point.bone, parent=space.bone) if space and point.bone else None
    return replace(target, parents=parents, bone=bone)


def hang(item: Object, space: Point | None, inverse: Array) -> None:
    """Hang an object on the space, with this matrix between them."""
    item.parent = space.object if space else None
    if space:
        item.parent_type, item.parent_bone = ("BONE", space.bone) if space.bone else ("OBJECT", "")
    item.matrix_parent_inverse = Matrix(inverse.tolist())


def hang_bones(points: Sequence[Point], space: Point | None, scene: Scene) -> None:
    """Hang bones on the space, a bone of their own armature or that itself."""
    if points and space:
        with edit_bones(space.object, scene) as bones:
            for point in points:
                bones[point.bone].parent = bones.get(space.bone)
