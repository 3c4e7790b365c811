"""The order of the steps that move targets to another space, in which they go on as they did."""

from bpy.types import Object, Scene

from ...skeleton import solve
from ...skeleton.solved_group import one_by_one
from ...skeleton.steps import part
from ...skeleton.target_channels import KeyedTarget, carried_by, without_scale, world_transform
from ...skeleton.values import Plan, Point
from ...solver.vectors import product
from ..armatures import Rig
from ..bake import convert
from ..bake.build_plan import Frames, Names, build_plan
from ..bake.checks import refuse_stretched_time, refuse_too_many_frames
from ..bake.request import MeasurePhase, Preparation, Resources, request
from ..curves.unkeyed_edits import Keeper
from ..messages.translation import frame_text, translated
from ..scene import sampling
from ..settings.key_settings import Keys, KeySettings
from .checks import keyable
from .space import carrier, hang, hang_bones, on_space, range_with_all_keys, refuse_bones, refuse_circle, refuse_held
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
    plan = build_plan(rig, names, range_with_all_keys(short_plan, space), scene, settings.keys)
    targets = _targets(plan, space, settings)
    objects: list[Object] = [point.object for point in targets if not point.bone]

    sampler = resources.enter_context(sampling.Sampler(plan, settings.sampling, slow=resources.slow.append))
    sampled = 0.5 if settings.keys == Keys.REDUCED else 1.0
    samples = yield from part(sampler.pose_over_range({*targets, *([space] if space else [])}), 0.0, sampled)
    solved = one_by_one(plan, solve.solve_groups(plan, samples))
    places = {point: world_transform(samples, point, len(plan.frames)) for point in targets}
    carriers = carrier(samples, space)
    inverse = without_scale(carriers)
    for item in objects:
        samples = carried_by(samples, item, product(carriers, inverse))
    converting = convert.target_channels(plan, solved, places, samples, targets, settings)
    by_target = yield from part(converting, sampled, 1.0)
    notes, moved = _range_notes(short_plan, plan), MovedTargets(plan, sampler, solved, places, by_target, settings)

    def write(keep: Keeper) -> MeasurePhase:
        sampler.removal.refuse()
        for item in objects:
            hang(item, space, inverse)
        hang_bones([point for point in targets if point.bone], space, plan.scene)
        return moved.keyed("Change Target Space", notes, keep)

    return write


def _targets(plan: Plan, space: Point | None, settings: KeySettings) -> dict[Point, KeyedTarget]:
    """The targets as they are to be keyed once they hang on the space; Refused where one of them cannot."""
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    refuse_circle(plan, space)
    keyed = keyable(plan, over_range=True, style=settings, turn_all=True)
    refuse_held(plan)
    refuse_bones(plan, space)
    return {point: on_space(target, space) for point, target in keyed.items()}


def _range_notes(short_plan: Plan, plan: Plan) -> list[str]:
    ends = plan.frames[0], plan.frames[-1]
    if ends == (short_plan.frames[0], short_plan.frames[-1]):
        return []
    return [translated("note.all_keys", start=frame_text(ends[0]), end=frame_text(ends[1]))]
