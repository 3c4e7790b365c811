"""The order of the steps that move targets to another space, in which they go on as they did."""

from math import ceil

import numpy as np
from bpy.types import Scene

from ...skeleton import solve
from ...skeleton.solved_group import one_by_one
from ...skeleton.steps import part
from ...skeleton.target_channels import world_transform
from ...skeleton.values import Plan, Point
from ..armatures import Rig
from ..bake import convert
from ..bake.build_plan import Frames, Names, build_plan
from ..bake.request import MeasurePhase, Preparation, Resources, request
from ..curves.keys import key_frames
from ..curves.unkeyed_edits import Keeper
from ..messages.translation import frame_text, translated
from ..scene import dependencies, sampling
from ..scene.need import pose_need
from ..settings.key_settings import Keys, KeySettings
from .new_space import hang, hangable, hung_samples
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
    targets = hangable(plan, space, settings)
    sampler = resources.enter_context(sampling.Sampler(plan, settings.sampling, slow=resources.slow.append))
    sampled = 0.5 if settings.keys == Keys.REDUCED else 1.0
    samples = yield from part(sampler.of(pose_need(plan, {*targets, *([space] if space else [])})), 0.0, sampled)
    solved = one_by_one(plan, solve.solve_groups(plan, samples))
    places = {point: world_transform(samples, point, len(plan.frames)) for point in targets}
    hanging, inverse = hung_samples(samples, [point.object for point in targets if not point.bone], space)
    converting = convert.target_channels(plan, solved, places, hanging, targets, settings)
    by_target = yield from part(converting, sampled, 1.0)
    notes, moved = _range_notes(short_plan, plan), MovedTargets(plan, sampler, solved, places, by_target, settings)

    def write(keep: Keeper) -> MeasurePhase:
        sampler.removal.refuse()
        hang(targets, space, inverse, plan.scene)
        return moved.keyed("Change Target Space", notes, keep)

    return write


def _range_notes(short_plan: Plan, plan: Plan) -> list[str]:
    ends = plan.frames[0], plan.frames[-1]
    if ends == (short_plan.frames[0], short_plan.frames[-1]):
        return []
    return [translated("note.all_keys", start=frame_text(ends[0]), end=frame_text(ends[1]))]


def _range_with_all_keys(plan: Plan, space: Point | None) -> Frames:
    """The plan's range, longer by as many steps as it takes to hold all keys."""
    points = {point for chain in plan.chains for point in (*chain.targets, space) if point}
    places = {place for point in points for place in dependencies.with_parents(point)}
    start, end = plan.frames[0], plan.frames[-1]
    step = float(plan.frames[1] - start) if len(plan.frames) > 1 else 1.0
    keyed = np.concatenate([np.array((start, end)), *map(key_frames, places)])
    before, after = ((start - keyed.min()) / step, (keyed.max() - end) / step)
    return float(start - step * ceil(before - 1e-3)), float(end + step * ceil(after - 1e-3)), step
