"""Every order of the steps: read, sample, solve, convert, write, measure.

Nothing in the file changes before *write*: what is refused or given up until then leaves no trace.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from bpy.types import ID, Object, Scene

from ...skeleton import chain_group, solve, targets_from_pose, transform, uneven_scale
from ...skeleton.bone_channels import keyed_rows
from ...skeleton.chain_group import SolvedGroup, one_by_one
from ...skeleton.steps import part, run
from ...skeleton.target_channels import WorldTransform, target_channels, world_transforms
from ...skeleton.targets_from_pose import TargetsFromPose
from ...skeleton.values import ChainPlan, Channel, Plan, Point
from ...solver.values import Array, Bend, Plane
from ..armatures import Rig
from ..key_settings import DEFAULTS, Keys, KeySettings, KeyStyle, Measure, Sampling
from ..messages.pose_kept import pose_notes
from ..messages.report import Report
from . import convert, trial_keys, unkeyed_edits, write
from .checks import keys
from .checks.frames import refuse_stretched_time, refuse_too_many_frames, refuse_unreachable
from .checks.shared_bones import refuse_shared_bones
from .checks.targets import keyable, keyed_target
from .measure.build_report import build_report
from .measure.compare import compare_joints, compare_targets
from .phases import Opened, Preparation, request
from .read import dependencies
from .read.build_plan import Frames, build_plan
from .read.notes import hiding_constraints, rig_notes
from .sample import sampling
from .sample.request import pose_request, sample_request

Channels = Mapping[Object, Sequence[Channel]]
"""What is to be written, by object."""


@request
def bake(
    opened: Opened,
    rig: Rig,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    settings: KeySettings,
    *,
    beside: Collection[Rig] = (),
    pose_before: sampling.PoseBefore = sampling.as_sampled,
) -> Preparation:
    """Key the chains over the range; none may follow a limb of armatures that are baked `beside` this one."""
    plan = build_plan(rig, names, frames, scene, settings.keys)
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    refuse_shared_bones(plan.chains)
    dependencies.refuse_following(plan.chains, beside)
    keys.refuse_unwritable(rig, convert.paths(plan), settings)
    hiding = hiding_constraints(plan)
    to_mute = hiding if settings.mute_constraints else ()
    read_notes = rig_notes(plan, () if to_mute else hiding, keyed=True)

    sampler = opened.enter_context(sampling.Sampler(plan, settings.sampling, pose_before, opened.slow.append))
    # Sampling takes nearly all of the time, but for keys that are reduced.
    sampled = 0.5 if settings.keys == Keys.REDUCED else 1.0
    samples = yield from part(sampler.over_range(), 0.0, sampled)
    move = trial_keys.moved_as_keyed(plan, settings)
    solved = yield from part(solve.solving(plan, samples, move), sampled, sampled)
    refuse_unreachable(plan, solved)
    rows = keyed_rows(plan, solved)
    channels: Channels = {rig: (yield from part(convert.channels(plan, solved, rows, settings), sampled, 1.0))}

    def write_and_measure() -> Report:
        sampler.removal.refuse()
        notes = [*_key(plan, channels, settings), *write.mute_constraints(rig, to_mute), *read_notes]
        played = partial(sampler.played, keyed=_paths(channels))
        measured = compare_joints(plan, solved, rows, settings, settings.measure, played)
        return build_report("Bake", plan, solved, notes, measured)

    return write_and_measure


@request
def bake_targets(
    opened: Opened,
    rig: Rig,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    settings: KeySettings,
) -> Preparation:
    """Key target and pole target over the range, so that they follow the pose that shows."""
    plan = build_plan(rig, names, frames, scene)
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    points = keyable(plan, over_range=True, insert_keys=True)

    sampler = opened.enter_context(sampling.Sampler(plan, settings.sampling, slow=opened.slow.append))
    samples = yield from sampler.pose_over_range(points)
    found = targets_from_pose.targets_from_pose(plan, samples)
    places = world_transforms(found)
    channels = target_channels(plan, places, samples, points)

    def write_and_measure() -> Report:
        sampler.removal.refuse()
        notes = [*pose_notes(plan, found), *_key(plan, channels, settings)]
        played = partial(sampler.played, keyed=_paths(channels))
        measured = compare_targets(plan, found, places, settings.measure, played)
        return build_report("Bake from Pose", plan, [one.solved for one in found], notes, measured)

    return write_and_measure


def check(
    rig: Rig,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    way: Sampling,
    *,
    pose_before: sampling.PoseBefore = sampling.as_sampled,
) -> Report:
    """The report of a bake, without the bake."""
    plan = build_plan(rig, names, frames, scene)
    refuse_too_many_frames(plan)
    refuse_shared_bones(plan.chains)
    # Constraints that hide keys the bake will mute; what acts on top of the keys it leaves.
    notes = rig_notes(plan, (), keyed=True)

    samples = run(sampling.samples_over_range(plan, way, pose_before))
    solved = run(solve.solving(plan, samples, trial_keys.moved_as_keyed(plan, DEFAULTS)))
    return build_report("Check", plan, solved, notes)


def pose(rig: Rig, names: Sequence[str] | None, scene: Scene | None, *, insert_keys: bool) -> Report:
    """Pose the chains for the scene as it stands, on its current frame; key them where that is asked for."""
    plan = current_plan(rig, names, scene)
    _refuse_unposable(plan, insert_keys=insert_keys)
    read_notes = rig_notes(plan, hiding_constraints(plan), keyed=False)

    with sampling.sampled_current_frame(plan, sample_request(plan)) as (samples, played):
        solved = solve.solve_groups(plan, samples)
        refuse_unreachable(plan, solved)
        rows = keyed_rows(plan, solved)
        channels: Channels = {rig: run(convert.channels(plan, solved, rows, DEFAULTS))}

        notes = [*read_notes, *_pose(plan, channels, insert_keys=insert_keys)]
        measured = compare_joints(plan, solved, rows, DEFAULTS, Measure.ALL, played)
    return build_report("Solve", plan, solved, notes, measured)


def refuse_unposed(rig: Rig, names: Sequence[str] | None, scene: Scene | None) -> None:
    """Raise `Refused` where `pose` would, without keys; changes nothing."""
    plan = current_plan(rig, names, scene)
    _refuse_unposable(plan, insert_keys=False)
    refuse_unreachable(plan, solve.solve_groups(plan, sampling.sample_current_frame(plan, sample_request(plan))))


def _refuse_unposable(plan: Plan, *, insert_keys: bool) -> None:
    refuse_shared_bones(plan.chains)
    keys.refuse_unsettable(plan.rig, convert.paths(plan), insert_keys=insert_keys)


def bend_signs(rig: Rig, names: Sequence[str] | None, scene: Scene | None) -> dict[str, int]:
    """For each chain the way in which it bends as the scene stands: +1 or -1, with a pole target +1 towards it."""
    plan = current_plan(rig, names, scene)
    solved = solve.solve_groups(plan, sampling.sample_current_frame(plan, sample_request(plan)))
    return {one.plan.name: one.bend_sign for one in one_by_one(plan, solved)}


def snap_targets(rig: Rig, names: Sequence[str] | None, scene: Scene | None, *, insert_keys: bool) -> Report:
    """Move target and pole target to where the pose is that shows, on the current frame; key them on request."""
    plan = current_plan(rig, names, scene)
    points = keyable(plan, over_range=False, insert_keys=insert_keys)

    samples = sampling.sample_current_frame(plan, pose_request(plan, points))
    found = targets_from_pose.targets_from_pose(plan, samples)
    channels = target_channels(plan, world_transforms(found), samples, points)
    notes = [*pose_notes(plan, found), *_pose(plan, channels, insert_keys=insert_keys)]
    return build_report("Snap to Pose", plan, [one.solved for one in found], notes)


def find_targets(rig: Rig, names: Sequence[str], scene: Scene | None) -> tuple[Report, list[TargetsFromPose]]:
    """Where target and pole target have to be for the scene as it stands, for chains that may lack them."""
    plan = current_plan(rig, names, scene, stand_in=Point(rig))
    found = targets_from_pose.targets_from_pose(plan, sampling.sample_current_frame(plan, pose_request(plan, ())))
    return build_report("Create Targets", plan, [one.solved for one in found], pose_notes(plan, found)), found


def place_targets(rig: Rig, names: Sequence[str], scene: Scene, transforms: Mapping[Point, WorldTransform]) -> None:
    """Move new targets of these chains, objects or bones, to where they have to be on the current frame."""
    plan = current_plan(rig, names, scene, stand_in=Point(rig))
    samples = sampling.sample_current_frame(plan, pose_request(plan, transforms))
    targets = {point: keyed_target(point, plan.frames[0]) for point in transforms}
    _pose(plan, target_channels(plan, transforms, samples, targets))


class FreeLimb:
    """One chain whose tip or mid joint is pulled: read and sampled once, solved and written as often as that moves.

    tip : where the tip is at first, in world space; the chain's target has no part in this
    raises : Refused where the chain cannot be posed, or with `insert_keys` not be keyed
    """

    def __init__(self, chain: ChainPlan, tip: Sequence[float], scene: Scene, *, insert_keys: bool) -> None:
        rig, ranks = chain.rig, dependencies.ranks([chain])
        self._plan = at_current_frame(Plan(rig=rig, name=rig.name, scene=scene, ranks=ranks, frames=np.empty(0)))
        self.paths = convert.paths(self._plan)
        keys.refuse_unsettable(rig, self.paths, insert_keys=insert_keys)

        self._samples = sampling.sample_current_frame(self._plan, sample_request(self._plan))
        [self._group] = chain_group.chain_groups([chain], self._samples, 1)
        self._goals = chain_group.goals(self._group, self._samples, 1)
        self.reach_for(tip)

    @property
    def chain(self) -> ChainPlan:
        """As it is solved now."""
        return self._group.plan

    def reach_for(self, tip: Sequence[float]) -> None:
        """From now on the tip is there, in world space, or as near as it comes."""
        self._goals = replace(self._goals, target=self._from_world(tip))

    def bend_towards(self, pole: Sequence[float]) -> None:
        """From now on the chain bends towards this position in world space, or in a fixed plane to its side."""
        plane = Plane.REST if self.chain.options.plane == Plane.REST else Plane.POLE
        self._choose(plane=plane, bend=Bend.POSITIVE, pole_angle=0.0, pole_influence=1.0, softness=0.0)
        self._goals = replace(self._goals, pole=self._from_world(pole))

    def flip(self) -> None:
        """From now on the chain bends the other way."""
        self._choose(bend=Bend.NEGATIVE if self._solved().bend_sign > 0 else Bend.POSITIVE)

    def pose(self) -> None:
        """Pose the chain."""
        _pose(self._plan, self._channels())

    def key(self) -> list[str]:
        """Key the chain as it is posed; returns sentences about what could not be done."""
        return _key(self._plan, self._channels(), DEFAULTS)

    def _choose(self, **options: Any) -> None:
        chain = replace(self.chain, options=replace(self.chain.options, **options))
        self._group = replace(self._group, plans=(chain,))

    def _from_world(self, position: Sequence[float]) -> Array:
        return transform.transform_points(self._group.from_world, np.array(position))

    def _channels(self) -> Channels:
        solved = [self._solved()]
        rows = keyed_rows(self._plan, solved)
        return {self._plan.rig: run(convert.channels(self._plan, solved, rows, DEFAULTS))}

    def _solved(self) -> SolvedGroup:
        solved = uneven_scale.solve_group(self._group, self._goals, self._samples)
        self._group = solved.group
        return solved


def pose_solved(plan: Plan, solved: Sequence[SolvedGroup]) -> None:
    """Pose chains that are sampled and solved on one frame, without keys."""
    _pose(plan, {plan.rig: run(convert.channels(plan, solved, keyed_rows(plan, solved), DEFAULTS))})


def current_plan(rig: Rig, names: Sequence[str] | None, scene: Scene | None, *, stand_in: Point | None = None) -> Plan:
    """The plan for the current frame alone; `stand_in` is taken for targets that chains do not have yet."""
    return at_current_frame(build_plan(rig, names, None, scene, stand_in=stand_in))


def at_current_frame(plan: Plan) -> Plan:
    """The plan for the current frame alone."""
    return replace(plan, frames=np.array([plan.scene.frame_current_final], dtype=np.float64))


def _pose(plan: Plan, channels: Channels, *, insert_keys: bool = False) -> list[str]:
    """Pose without keys or with them, on the one frame of the plan; returns sentences for the report."""
    for item, found in channels.items():
        write.pose(item, found)
    return _key(plan, channels, DEFAULTS) if insert_keys else []


def _key(plan: Plan, channels: Channels, style: KeyStyle) -> list[str]:
    """Write the keys over the plan's frames; returns sentences for the report."""
    notes, paths, span = [], _paths(channels), (plan.frames[0], plan.frames[-1])
    for item, found in channels.items():
        with unkeyed_edits.preserve_edits(item, plan.scene, paths[item]):
            notes += write.keys(item, found, span=span, style=style)
    return notes


def _paths(channels: Channels) -> dict[ID, set[str]]:
    return {item: {channel.path for channel in found} for item, found in channels.items()}
