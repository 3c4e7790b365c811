"""Targets on another space: the reason why one of them cannot be hung there, how it is keyed there, and the hanging."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np
from bpy.types import Object, Scene
from mathutils import Matrix

from ...skeleton.target_channels import KeyedTarget, carried_by, without_scale
from ...skeleton.values import Plan, Point, Samples
from ...solver.values import Array
from ...solver.vectors import product
from ..bake.checks import refuse_stretched_time, refuse_too_many_frames
from ..messages.refused import Refused
from ..messages.translation import point_text
from ..rigs import controls
from ..scene import dependencies
from ..scene.bone import read_bone
from ..settings.key_settings import KeyStyle
from ..settings.properties import holds_of
from . import target_bones
from .checks import keyable
from .edit_bones import edit_bones


def hangable(plan: Plan, space: Point | None, style: KeyStyle) -> dict[Point, KeyedTarget]:
    """The targets as they are to be keyed once they hang on the space; Refused where one of them cannot."""
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    _refuse_circle(plan, space)
    keyed = keyable(plan, over_range=True, style=style, turn_all=True)
    _refuse_unmovable(plan, space)
    return {point: _on_space(target, space) for point, target in keyed.items()}


def _refuse_circle(plan: Plan, space: Point | None) -> None:
    """Raise `Refused` where the space would move along with a target or a limb that is to follow it."""
    sources = dependencies.upstream(space) if space else set()
    for chain in plan.chains:
        for point in (Point(chain.rig, chain.root.name), chain.target, chain.pole):
            if point in sources:
                raise Refused("SPACE_FOLLOWS", chain=chain, value=point_text(space))


def _refuse_unmovable(plan: Plan, space: Point | None) -> None:
    """Raise `Refused` where a target is held, and its kept keys are relative to its present parent.

    So it is where a bone is to leave its armature, or cannot get another parent.
    """
    for chain in plan.chains:
        for point in chain.targets:
            if holds_of(point):
                raise Refused("HELD_SPACE", chain=chain, object=point.object, value=point_text(point))
            if (control := controls.keyed_point(point)) != point:
                named = {"value": point_text(point), "control": control.bone}
                raise Refused("RIG_SPACE", chain=chain, object=point.object, **named)
            if point.bone:
                if space is None or space.object != point.object:
                    raise Refused("BONE_SPACE", chain=chain, object=point.object, value=point_text(point))
                target_bones.refuse_impossible(point.object, plan.scene)


def _on_space(target: KeyedTarget, space: Point | None) -> KeyedTarget:
    """The target as it is to be keyed once it hangs on the space."""
    point = target.parents[0]
    parents = (point, *(dependencies.with_parents(space) if space else ()))
    bone = read_bone(point.object, point.bone, parent=space.bone) if space and point.bone else None
    return replace(target, parents=parents, bone=bone)


def hung_samples(samples: Samples, items: Iterable[Object], space: Point | None) -> tuple[Samples, Array]:
    """The samples once the objects hang on the space, and (4, 4) what is to be between that and them.

    A bone carries objects at its tail.
    """
    carrier, tail = np.eye(4)[None], np.eye(4)
    if space:
        tail[1, 3] = space.object.data.bones[space.bone].length if space.bone else 0.0
        carrier = product(samples.world(space), tail)
    inverse = without_scale(carrier)
    for item in items:
        samples = carried_by(samples, item, product(carrier, inverse))
    return samples, inverse


def hang(points: Collection[Point], space: Point | None, inverse: Array, scene: Scene) -> None:
    """Hang objects on the space, with the matrix `inverse` between them, and bones on their armature or its bone."""
    for item in (point.object for point in points if not point.bone):
        item.parent = space.object if space else None
        if space:
            item.parent_type, item.parent_bone = ("BONE", space.bone) if space.bone else ("OBJECT", "")
        item.matrix_parent_inverse = Matrix(inverse.tolist())
    names = [point.bone for point in points if point.bone]
    if names and space:
        with edit_bones(space.object, scene) as bones:
            for name in names:
                bones[name].parent = bones.get(space.bone)
