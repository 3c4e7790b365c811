"""The order of the steps that move targets to another space, in which they go on as they did."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from bpy.types import Object, Scene
from mathutils import Matrix

from ...skeleton import solve
from ...skeleton.solved_group import one_by_one
from ...skeleton.steps import part
from ...skeleton.target_channels import KeyedTarget, carried_by, without_scale, world_transform
from ...skeleton.values import Plan, Point, Samples
from ...solver.values import Array
from ...solver.vectors import product
from ..armatures import Rig
from ..bake import convert
from ..bake.build_plan import Frames, Names, build_plan
from ..bake.checks import refuse_stretched_time, refuse_too_many_frames
from ..bake.request import MeasurePhase, Preparation, Resources, request
from ..curves.keys import key_frames
from ..curves.unkeyed_edits import Keeper
from ..messages.refused import Refused
from ..messages.translation import frame_text, point_text, translated
from ..rigs import controls
from ..scene import dependencies, sampling
from ..scene.bone import read_bone
from ..scene.need import pose_need
from ..settings.key_settings import Keys, KeySettings
from ..settings.properties import holds_of
from . import target_bones
from .checks import keyable
from .edit_bones import edit_bones
from .targets_from_pose import MovedTargets


@request
def change_target_space(
    resources: Resources,
    rig: Rig,
    names: Names,
    frames: Frames | None,
    scene: Scene | None,
    settings: KeySettings,
    *,
    space: Point | None,
) -> Preparation:
    """Hang target and pole target on `space`, None for the world, and key them so that they go on as they did.

    A parent counts on all frames. So the range becomes longer where targets, what has carried them, or what is to carry
    them have keys outside of it.
    """
    short_plan = build_plan(rig, names, frames, scene)
    plan = build_plan(rig, names, _range_with_all_keys(short_plan, space), scene, settings.keys)
    targets = _targets(plan, space, settings)
    objects: list[Object] = [point.object for point in targets if not point.bone]

    sampler = resources.enter_context(sampling.Sampler(plan, settings.sampling, slow=resources.slow.append))
    sampled = 0.5 if settings.keys == Keys.REDUCED else 1.0
    samples = yield from part(sampler.of(pose_need(plan, {*targets, *([space] if space else [])})), 0.0, sampled)
    solved = one_by_one(plan, solve.solve_groups(plan, samples))
    places = {point: world_transform(samples, point, len(plan.frames)) for point in targets}
    carriers = _carrier(samples, space)
    inverse = without_scale(carriers)
    for item in objects:
        samples = carried_by(samples, item, product(carriers, inverse))
    converting = convert.target_channels(plan, solved, places, samples, targets, settings)
    by_target = yield from part(converting, sampled, 1.0)
    notes, moved = _range_notes(short_plan, plan), MovedTargets(plan, sampler, solved, places, by_target, settings)

    def write(keep: Keeper) -> MeasurePhase:
        sampler.removal.refuse()
        for item in objects:
            _hang(item, space, inverse)
        _hang_bones([point for point in targets if point.bone], space, plan.scene)
        return moved.keyed("Change Target Space", notes, keep)

    return write


def _targets(plan: Plan, space: Point | None, settings: KeySettings) -> dict[Point, KeyedTarget]:
    """The targets as they are to be keyed once they hang on the space; Refused where one of them cannot."""
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    _refuse_circle(plan, space)
    keyed = keyable(plan, over_range=True, style=settings, turn_all=True)
    _refuse_unmovable(plan, space)
    return {point: _on_space(target, space) for point, target in keyed.items()}


def _range_notes(short_plan: Plan, plan: Plan) -> list[str]:
    ends = plan.frames[0], plan.frames[-1]
    if ends == (short_plan.frames[0], short_plan.frames[-1]):
        return []
    return [translated("note.all_keys", start=frame_text(ends[0]), end=frame_text(ends[1]))]


def _refuse_circle(plan: Plan, space: Point | None) -> None:
    """Raise `Refused` where the space would move along with a target or a limb that is to follow it."""
    sources = dependencies.upstream(space) if space else set()
    for chain in plan.chains:
        for point in (Point(chain.rig, chain.root.name), chain.target, chain.pole):
            if point in sources:
                raise Refused("SPACE_FOLLOWS", chain=chain, value=point_text(space))


def _range_with_all_keys(plan: Plan, space: Point | None) -> Frames:
    """The plan's range, longer by as many steps as it takes to hold all keys."""
    points = {point for chain in plan.chains for point in (*chain.targets, space) if point}
    places = {place for point in points for place in dependencies.with_parents(point)}
    start, end = plan.frames[0], plan.frames[-1]
    step = float(plan.frames[1] - start) if len(plan.frames) > 1 else 1.0
    keyed = np.concatenate([np.array((start, end)), *map(key_frames, places)])
    before, after = ((start - keyed.min()) / step, (keyed.max() - end) / step)
    return float(start - step * ceil(before - 1e-3)), float(end + step * ceil(after - 1e-3)), step


def _carrier(samples: Samples, space: Point | None) -> Array:
    """(n, 4, 4) in the world, what objects are put on: a bone carries them at its tail."""
    if space is None:
        return np.eye(4)[None]
    tail = np.eye(4)
    tail[1, 3] = space.object.data.bones[space.bone].length if space.bone else 0.0
    return product(samples.world(space), tail)


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


def _hang(item: Object, space: Point | None, inverse: Array) -> None:
    """Hang an object on the space, with this matrix between them."""
    item.parent = space.object if space else None
    if space:
        item.parent_type, item.parent_bone = ("BONE", space.bone) if space.bone else ("OBJECT", "")
    item.matrix_parent_inverse = Matrix(inverse.tolist())


def _hang_bones(points: Sequence[Point], space: Point | None, scene: Scene) -> None:
    """Hang bones on the space, a bone of their own armature or that itself."""
    if points and space:
        with edit_bones(space.object, scene) as bones:
            for point in points:
                bones[point.bone].parent = bones.get(space.bone)
