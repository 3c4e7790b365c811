"""The order of the steps for a bake, and for the report of a bake without its keys."""

from bpy.types import Scene

from ...skeleton import solve
from ...skeleton.bone_channels import keyed_rows
from ...skeleton.solved_group import requested
from ...skeleton.steps import part, run
from ..armatures import Rig
from ..curves import key_checks
from ..curves.unkeyed_edits import Keeper
from ..scene import dependencies, sampling
from ..settings.key_settings import DEFAULTS, Keys, KeySettings, Sampling
from . import built, convert, write_channels
from .build_plan import Frames, Names, build_plan
from .checks import refuse_shared_bones, refuse_stretched_time, refuse_too_many_frames, refuse_unreachable
from .compare import compare_joints
from .mute_constraints import hiding_constraints, mute_constraints
from .notes import flat_notes, render_notes, rig_notes, track_notes
from .report import Report, build_report
from .request import MeasurePhase, Need, NotesOf, Preparation, Resources, request
from .write_channels import Channels, paths, write_keys


@request
def bake(
    resources: Resources, rig: Rig, names: Names, frames: Frames | None, scene: Scene | None, settings: KeySettings
) -> Preparation:
    """Key the chains over the range."""
    plan = build_plan(rig, names, frames, scene, settings.keys)
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    key_checks.refuse_unwritable(rig, convert.paths(plan), settings, frames=plan.frames)
    constraints = dependencies.constrained(rig)
    hiding = hiding_constraints(plan, constraints)
    to_mute = hiding if settings.mute_constraints else ()
    read_notes = [*rig_notes(plan, constraints, () if to_mute else hiding, keyed=True), *track_notes(plan)]

    sampler = resources.enter_context(sampling.Sampler(plan, settings.sampling, resources.slow.append))
    # Sampling takes nearly all of the time, but for keys that are reduced.
    sampled = 0.5 if settings.keys == Keys.REDUCED else 1.0
    samples = yield from part(sampler.over_range(known=constraints), 0.0, sampled)
    move = write_channels.moved_as_keyed(plan, settings)
    solved = yield from part(solve.solving(plan, samples, move), sampled, sampled)
    refuse_unreachable(plan, solved)
    if settings.keys == Keys.REDUCED:
        # That takes long: of a long range, nothing is kept meanwhile that is not read any more.
        solved = [group.with_what_is_read for group in solved]
    del samples
    # These may sample as well, and so call handlers, which may remove what is read above.
    read_notes += resources.more_notes(plan)
    converting = convert.channels(plan, solved, keyed_rows(plan, solved), settings)
    plan, solved = requested(plan, solved)
    rows = keyed_rows(plan, solved)
    channels: Channels = {rig: (yield from part(converting, sampled, 1.0))}

    def write(keep: Keeper) -> MeasurePhase:
        sampler.removal.refuse()
        notes = [*write_keys(plan, channels, settings, keep), *mute_constraints(rig, to_mute), *read_notes]
        comparison = compare_joints(plan, solved, rows, settings)
        need = Need.of(comparison.points, comparison.frames, sampler, paths(channels))
        return MeasurePhase(
            need, lambda sampled: build_report("Bake", plan, solved, notes, comparison.measured(sampled), rows)
        )

    return write


def check(
    rig: Rig, names: Names, frames: Frames | None, scene: Scene | None, way: Sampling, *, more_notes: NotesOf
) -> Report:
    """The report of a bake, without the bake. What shows already, as it is built into the rig, is measured.

    more_notes : what other features have to say of the plan's chains
    """
    plan, numbers = built.with_properties(build_plan(rig, names, frames, scene))
    refuse_too_many_frames(plan)
    refuse_shared_bones(plan.chains)
    # Constraints that hide keys the bake will mute; what acts on top of the keys it leaves.
    notes = [*rig_notes(plan, dependencies.constrained(rig), (), keyed=True), *track_notes(plan), *more_notes(plan)]
    if rig.two_bone_ik_live:
        notes += render_notes(plan)

    with sampling.Sampler(plan, way) as sampler:
        samples = built.with_numbers(run(sampler.over_range()), numbers)
        solved = run(solve.solving(plan, samples, write_channels.moved_as_keyed(plan, DEFAULTS)))
        comparison = compare_joints(plan, solved, built.shown_rows(plan, numbers), DEFAULTS, everywhere=False)
        measured = comparison.measured_now(lambda need: sampler.played(need, comparison.frames, {}))
    return build_report("Check", plan, solved, [*notes, *flat_notes(plan, solved)], measured)
