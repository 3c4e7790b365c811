"""read, sample, solve, convert, write, measure: the order of the product from targets to poses.

`way_back` has the other way.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from bpy.types import Object, Scene
from numpy.typing import NDArray

from ...skeleton import bone_channels, chain_group, solve, transform
from ...skeleton.channel import Channel, Keys, KeyStyle
from ...skeleton.plan import Plan
from ...skeleton.reduced_keys import reduced
from ...skeleton.samples import Samples
from ...skeleton.solved_group import SolvedGroup, one_by_one
from ...solver import diagnostics
from ...solver.values import Solution, Unreachable
from ...solver.vectors import norm
from ..messages.refused import Refused
from ..messages.report import ChainReport, Report, frame_text, unmeasured
from . import trial_keys, unkeyed_edits, write
from .checks import keys
from .checks.finite import refuse_not_finite
from .checks.frame_count import refuse_stretched_time, refuse_too_many_frames
from .checks.shared_bones import refuse_shared_bones
from .measure import compare
from .measure.chosen_frames import Measure
from .read import dependencies
from .read.build_plan import Frames, build_plan
from .read.notes import hiding_constraints, rig_notes
from .sample.request import sample_request
from .sample.sampling import Sampler, Sampling, current_frame_sampler, sample_current_frame, samples_over_range

Found = TypeVar("Found")

Steps = Generator[float, None, Report]
"""A request carried out bit by bit: yields the part that is done; closed early, it leaves the file as it was.

It yields 1 when it is ready to change the file. Asked to go on, it does that, measures what plays, and is done."""


def bake(
    rig: Object,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    *,
    way: Sampling,
    style: KeyStyle,
    mute_constraints: bool,
    measuring: Measure = Measure.AUTO,
    beside: Collection[Object] = (),
) -> Steps:
    """Key the chains over the range; none may follow a limb of armatures that are baked `beside` this one."""
    plan = build_plan(rig, names, frames, scene, style.keys)
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    dependencies.refuse_following(plan.chains, beside)
    posed = paths(plan)
    keys.refuse_unwritable(rig, posed, style)
    with Sampler(plan, way) as sampler:
        solved = _solutions(plan, (yield from sampler.over_range()), style)
        _refuse_unreachable(plan, solved)
        channels = _channels(plan, solved, style)
        yield 1.0
        sampler.removal.refuse()
        with unkeyed_edits.preserve_edits(rig, plan.scene, posed):
            notes = write.keys(rig, channels, span=(plan.frames[0], plan.frames[-1]), style=style)
        hiding = hiding_constraints(plan)
        if mute_constraints:
            notes += write.mute_constraints(rig, hiding)
        notes += rig_notes(plan, hiding, keyed=True)
        # At one go: who gives up a bake in time has no keys, and who has keys is told how they play.
        measured, told = compare.compare_joints(
            plan, solved, style, measuring, lambda need, frames: run(sampler.played(need, frames, {rig: posed}))
        )
    return report_of(plan, solved, [*notes, *told], measured)


def check(
    rig: Object, names: Sequence[str] | None, frames: Frames | None, scene: Scene | None, *, way: Sampling
) -> Steps:
    """The report of a bake, without the bake."""
    plan = build_plan(rig, names, frames, scene)
    refuse_too_many_frames(plan)
    refuse_shared_bones(plan.chains)
    solved = _solutions(plan, (yield from samples_over_range(plan, way)), KeyStyle())
    # Constraints that hide keys the bake will mute; what acts on top of the keys it leaves.
    return report_of(plan, solved, rig_notes(plan, (), keyed=True))


def _solutions(plan: Plan, samples: Samples, style: KeyStyle) -> list[SolvedGroup]:
    """All chains, those that hang on others as these will play once they are keyed in this style."""
    return solve.solve_groups(
        plan, samples, trial_keys.moved_as_keyed(plan, style, partial(_channels, plan, style=style))
    )


def run(steps: Generator[float, None, Found]) -> Found:
    """Carry a request out, or what is left of it, at one go."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def pose(rig: Object, names: Sequence[str] | None, scene: Scene | None, *, insert_keys: bool) -> Report:
    """Pose the chains for the scene as it stands, on its current frame; key them where that is asked for."""
    plan = at_current_frame(build_plan(rig, names, None, scene))
    refuse_shared_bones(plan.chains)
    keys.refuse_unsettable(rig, paths(plan), insert_keys=insert_keys)
    with current_frame_sampler(plan) as look:
        samples = look(sample_request(plan))
        refuse_not_finite(samples, plan.frames)
        solved = solve.solve_groups(plan, samples)
        _refuse_unreachable(plan, solved)
        channels = _channels(plan, solved, KeyStyle())
        write.pose(rig, channels)
        notes = rig_notes(plan, hiding_constraints(plan), keyed=False)
        notes += key_pose(plan, channels) if insert_keys else []
        measured, told = compare.compare_joints(plan, solved, KeyStyle(), Measure.ALL, lambda need, _: look(need))
    return report_of(plan, solved, [*notes, *told], measured)


def key_pose(plan: Plan, channels: Sequence[Channel]) -> list[str]:
    """Key what was posed on the one frame of the plan; returns sentences for the report."""
    span = (plan.frames[0], plan.frames[0])
    with unkeyed_edits.preserve_edits(plan.rig, plan.scene, paths(plan)):
        return write.keys(plan.rig, channels, span=span, style=KeyStyle())


def bends(rig: Object, names: Sequence[str] | None, scene: Scene | None) -> dict[str, int]:
    """For each chain the way in which it bends as the scene stands: +1 or -1, with a pole target +1 towards it."""
    plan = at_current_frame(build_plan(rig, names, None, scene))
    solved = solve.solve_groups(plan, sample_current_frame(plan))
    return {one.plan.name: bend_of(one) for one in one_by_one(plan, solved)}


def bend_of(solved: SolvedGroup) -> int:
    """The way in which one chain bends on the first frame, as `bends` has it."""
    if solved.goals.pole is None:
        return 1 if solved.solution.hinge_angle[0] >= 0.0 else -1
    root, mid, tip = solved.solution.joints[0]
    line = tip - root
    beside, towards = (point - line * (point @ line) / (line @ line or 1.0) for point in (mid, solved.goals.pole[0]))
    return 1 if beside @ towards >= 0.0 else -1


def at_current_frame(plan: Plan) -> Plan:
    """The plan for the current frame alone."""
    return replace(plan, frames=np.array([plan.scene.frame_current_final], dtype=np.float64))


def paths(plan: Plan) -> set[str]:
    """RNA paths of all that the plan poses or keys."""
    rotations = {bone_channels.rotation_path(bone) for chain in plan.chains for bone in chain.keyed}
    stretched = [bone for chain in plan.chains if chain.stretches for bone in (chain.root, chain.end)]
    return rotations | {bone_channels.scale_path(bone) for bone in stretched}


def _channels(plan: Plan, solved: Sequence[SolvedGroup], style: KeyStyle) -> list[Channel]:
    by_chain = bone_channels.channels(plan, solved)
    if style.keys == Keys.REDUCED:
        each = zip(one_by_one(plan, solved), by_chain, strict=True)
        by_chain = [_reduced(plan, one, found, style) for one, found in each]
    return [channel for found in by_chain for channel in found]


def _reduced(plan: Plan, solved: SolvedGroup, channels: list[Channel], style: KeyStyle) -> list[Channel]:
    rows = bone_channels.keyed_rows(plan, solved.plan, chain_group.out_of_reach(solved.solution))
    cubic = style.interpolation == "BEZIER"
    return reduced(channels, rows, solved, step=plan.step, tolerance=style.tolerance, cubic=cubic)


def _refuse_unreachable(plan: Plan, solved: Iterable[SolvedGroup]) -> None:
    """Raise `Refused` for the first frame out of reach of a chain whose Unreachable is Error."""
    erring = [group for group in solved if group.plan.options.unreachable == Unreachable.ERROR]
    for one in one_by_one(plan, erring):
        out = chain_group.out_of_reach(one.solution)[plan.asked]
        if out.any():
            frame = plan.step * int(np.argmax(out))
            distance, inner, outer = chain_group.distances(one.here, one.solution, frame)
            when = frame_text(plan.frames[frame])
            raise Refused("UNREACHABLE", chain=one.plan, value=distance, frame=when, inner=inner, outer=outer).saying(
                'Chain "{chain}" of "{object}" cannot reach its target on frame {frame}: it is {value:.4g} away, '
                "and the chain reaches from {inner:.4g} to {outer:.4g}"
            )


def report_of(
    plan: Plan,
    solved: Iterable[SolvedGroup],
    notes: Sequence[str] = (),
    measured: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Report:
    """What was found, for each chain and frame; `measured` is what `measure` has found, by chain."""
    found = {report.name: report for group in solved for report in _chain_reports(plan, group, measured)}
    chains = tuple(found[chain.name] for chain in plan.chains)
    return Report(rig=plan.name, chains=chains, notes=tuple(notes))


def _chain_reports(plan: Plan, solved: SolvedGroup, measured: Mapping[str, Mapping[str, Any]]) -> Iterator[ChainReport]:
    solution = Solution(**{each.name: getattr(solved.solution, each.name)[plan.asked] for each in fields(Solution)})
    frames, to_world = plan.frames[plan.asked], solved.here.to_world[plan.asked]
    found: dict[str, NDArray[Any]] = {
        "status": solution.status,
        "degenerate": solution.degenerate,
        "miss": norm(transform.transform_vectors(to_world[..., :3, :3], solution.miss)),
        "sin_hinge": solution.sin_hinge,
        "speed": diagnostics.speed(solution, frames),
        "stretch": solution.stretch,
        "flips": diagnostics.flips(solution),
        "near_straight": diagnostics.near_straight(solution),
    }
    for row, chain in enumerate(solved.here.plans):
        columns: dict[str, Any] = {name: values[:, row] for name, values in found.items()}
        columns |= measured.get(chain.name) or unmeasured(len(frames))
        yield ChainReport(name=chain.name, frames=frames, **columns)
