"""The order of the steps that move targets to where the pose is."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
from bpy.types import Object, Scene

from ...skeleton import targets_from_pose
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.steps import part
from ...skeleton.target_channels import KeyedTargets, Places, by_object, placed, target_channels, world_transforms
from ...skeleton.targets_from_pose import TargetsFromPose
from ...skeleton.transform import AT_REST
from ...skeleton.values import Channel, Plan, Point, Samples
from ...solver.values import Array, Bend
from ...solver.vectors import product
from .. import versions
from ..armatures import Rig
from ..bake import convert
from ..bake.build_plan import Frames, Names, build_plan, current_plan
from ..bake.chain_report import when
from ..bake.checks import refuse_stretched_time, refuse_too_many_frames
from ..bake.compare import compare_targets
from ..bake.notes import flat_notes
from ..bake.report import Report, build_report
from ..bake.request import Answer, MeasurePhase, Need, Preparation, Resources, request
from ..bake.write_channels import gets_key, key_pose, paths, pose_channels, write_keys
from ..curves import unkeyed_edits
from ..curves.unkeyed_edits import Keeper
from ..messages.numbers import unit_name
from ..messages.refused import unless_gone
from ..messages.translation import point_text, translated
from ..rigs import controls
from ..rna_paths import set_value_at
from ..scene import sampling
from ..scene.bone import from_bone
from ..scene.need import pose_need
from ..settings.key_settings import DEFAULTS, InsertKeys, Keys, KeySettings
from .checks import keyable, keyed_target, refuse_not_shown
from .target_names import carrying_hand


@request
def bake_targets(
    resources: Resources, rig: Rig, names: Names, frames: Frames | None, scene: Scene | None, settings: KeySettings
) -> Preparation:
    """Key target and pole target over the range, so that they follow the pose that shows."""
    plan = build_plan(rig, names, frames, scene, settings.keys)
    refuse_not_shown(plan)
    notes, moved = yield from moved_targets(resources, plan, settings)

    def write(keep: Keeper) -> MeasurePhase:
        moved.sampler.removal.refuse()
        return moved.keyed("Bake from Pose", notes, keep)

    return write


def moved_targets(
    resources: Resources, plan: Plan, settings: KeySettings
) -> Generator[float, None, tuple[list[str], "MovedTargets"]]:
    """Where the plan's targets have to be for the pose that shows, and sentences about what will be another pose.

    raises : Refused where they cannot be keyed
    """
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    points = keyable(plan, over_range=True, style=settings)
    sampler = resources.enter_context(sampling.Sampler(plan, settings.sampling, slow=resources.slow.append))
    sampled = 0.5 if settings.keys == Keys.REDUCED else 1.0
    samples = yield from part(sampler.of(pose_need(plan, placed(points))), 0.0, sampled)
    targets = targets_from_pose.targets_from_pose(plan, samples)
    places, solved = world_transforms(targets), [limb.solved for limb in targets]
    converting = convert.target_channels(plan, solved, places, samples, points, settings)
    by_target = yield from part(converting, sampled, 1.0)
    return [*_pose_notes(plan, targets)], MovedTargets(plan, sampler, solved, places, by_target, settings)


class MovedTargets(NamedTuple):
    """Targets with their places, the limbs as they are solved for these, and the keys by target."""

    plan: Plan
    sampler: sampling.Sampler
    solved: Sequence[SolvedGroup]
    places: Places
    channels: Mapping[Point, Sequence[Channel]]
    settings: KeySettings

    def keyed(self, operation: str, notes: Iterable[str], keep: Keeper) -> MeasurePhase:
        """Write the keys; measured is whether the limbs then show as they are solved."""
        channels = by_object(self.channels)
        notes = [*notes, *_key_notes(self.plan, self.channels)]
        notes += write_keys(self.plan, channels, self.settings, keep)
        comparison = compare_targets(self.plan, self.solved, self.places, self.settings)
        need = Need.of(comparison.points, comparison.frames, self.sampler, paths(channels))
        rows = {chain.name: self.plan.rows_to_key(chain) for chain in self.plan.chains}

        def measure(sampled: Answer) -> Report:
            return build_report(operation, self.plan, self.solved, notes, comparison.measured(sampled), rows)

        return MeasurePhase(need, measure)


def snap_targets(rig: Rig, names: Names, scene: Scene | None, *, insert_keys: InsertKeys) -> Report:
    """Move target and pole target to where the pose is that shows, on the current frame; key them on request."""
    plan = current_plan(rig, names, scene)
    refuse_not_shown(plan)
    points = keyable(plan, over_range=False, style=DEFAULTS if insert_keys else None)

    samples = sampling.sample_current_frame(plan, pose_need(plan, placed(points)))
    targets = targets_from_pose.targets_from_pose(plan, samples)
    channels = target_channels(plan, world_transforms(targets), samples, points)
    with unkeyed_edits.preserved() as keep:
        pose_channels(channels)
        notes = [*_pose_notes(plan, targets), *key_pose(plan, channels, insert_keys, keep)]
    notes += _taken_back(points, plan.frames[0], insert_keys)
    return build_report("Snap to Pose", plan, [limb.solved for limb in targets], notes)


def _taken_back(points: KeyedTargets, frame: float, insert_keys: InsertKeys) -> Iterator[str]:
    """A sentence for each whose location or rotation is animated, and that gets no key there."""
    for point, target in points.items():
        animated = versions.animated_paths(point.object) & {target.location_path, target.rotation_path}
        if not all(gets_key(point.object, path, frame, insert_keys) for path in animated):
            yield translated("alert.keys_take_back", value=point_text(controls.keyed_point(point)))


class FollowingTargets:
    """Target and pole target of one chain: read once, and moved without keys as often as the chain is posed.

    insert_keys : whether they are to be keyed once the limb is let go
    raises : Refused where one of them cannot be moved freely, or keyed
    """

    def __init__(self, rig: Rig, name: str, scene: Scene, *, insert_keys: bool) -> None:
        self._plan = current_plan(rig, [name], scene)
        refuse_not_shown(self._plan)
        self._points = keyable(self._plan, over_range=False, style=DEFAULTS if insert_keys else None)
        self._need = pose_need(self._plan, placed(self._points))
        self._before: dict[tuple[Object, str], Sequence[float]] = {}

    def follow(self, bend: Bend | None = None) -> None:
        """Move them to where the pose is.

        bend : of the chain, where it is to be another one from now on
        raises : Refused where something that carries them lies nowhere
        """
        # Before anything is sampled: meanwhile limbs that hang on this one would not be posed.
        sampling.settle(self._plan)
        samples, plan = sampling.sample_current_frame(self._plan, self._need), self._plan
        if bend is not None:
            [chain] = plan.chains
            plan = replace(plan, ranks=((replace(chain, options=replace(chain.options, bend=bend)),),))
        places = world_transforms(targets_from_pose.targets_from_pose(plan, samples))
        channels = target_channels(plan, places, samples, self._points)
        for item, of_item in channels.items():
            for channel in of_item:
                self._before.setdefault((item, channel.path), tuple(item.path_resolve(channel.path)))
        pose_channels(channels)

    def restore(self) -> None:
        """Put them back to exactly where they were before they followed."""
        for (item, path), values in self._before.items():
            with unless_gone:
                set_value_at(item, path, values)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PosedRig:
    """One armature on the current frame, and where targets have to be for its pose."""

    plan: Plan
    samples: Samples
    targets: list[TargetsFromPose]
    report: Report


def find_targets(rigs: Mapping[Rig, Iterable[str]], scene: Scene | None) -> dict[Rig, PosedRig]:
    """Where target and pole target have to be for the scene as it stands, for chains that may lack them.

    Armatures of one scene are sampled together, with the hands that are to carry new targets.
    """
    plans = [current_plan(rig, list(names), scene, stand_in=Point(rig)) for rig, names in rigs.items()]
    posed = {}
    for stage in dict.fromkeys(plan.scene for plan in plans):
        there = [plan for plan in plans if plan.scene == stage]
        need = reduce(or_, (pose_need(plan, ()) for plan in there))
        hands = {Point(plan.rig, hand) for plan in there for chain in plan.chains if (hand := carrying_hand(chain))}
        need = replace(need, bones=need.bones | hands)
        samples = sampling.sample_current_frame(there[0], need)
        for plan in there:
            targets = targets_from_pose.targets_from_pose(plan, samples)
            report = build_report("Create Targets", plan, [limb.solved for limb in targets], _pose_notes(plan, targets))
            posed[plan.rig] = PosedRig(plan=plan, samples=samples, targets=targets, report=report)
    return posed


def place_targets(posed: PosedRig, places: Places) -> None:
    """Move new objects or bones to where they have to be. What carries them was sampled: Blender need not evaluate."""
    targets = {point: keyed_target(point, posed.plan.frames[0]) for point in places}
    worlds = {point.object: _carrier(posed.samples, point.object) for point in places if not point.bone}
    basis = posed.samples.basis | dict.fromkeys(places, AT_REST)
    samples = replace(posed.samples, to_world=posed.samples.to_world | worlds, basis=basis)
    pose_channels(target_channels(posed.plan, places, samples, targets))


def _carrier(samples: Samples, item: Object) -> Array:
    """(1, 4, 4) from the space that the object's basis is applied in to the world."""
    if item.parent is None:
        return np.eye(4)[None]
    return product(samples.world(Point(item.parent, item.parent_bone)), from_bone(item))


def _pose_notes(plan: Plan, targets: Sequence[TargetsFromPose]) -> Iterator[str]:
    """A sentence for each chain that does not keep its pose when it is solved for the targets that were found."""
    # Their tip bones may show another rotation than the targets have, and so another way from head to tail.
    yield from flat_notes(plan, [of_chain.solved for of_chain in targets if of_chain.by_tail])
    for of_chain in targets:
        chain, frames = of_chain.solved.plan, plan.frames[plan.requested]
        moved, rolled = of_chain.joints_moved[plan.requested], of_chain.bones_rolled[plan.requested]
        if moved.any():
            most = of_chain.moved[plan.requested].max()
            named = {"chain": chain.name, "when": when(frames, moved), "unit": unit_name(plan.scene), "moved": most}
            lacks_pole = not (chain.pole or chain.hock)
            yield translated("alert.pose_changes_without_pole" if lacks_pole else "alert.pose_changes", **named)
        elif rolled.any():
            most = np.degrees(of_chain.rolled[plan.requested].max())
            yield translated("alert.roll_changes", chain=chain.name, rolled=most, when=when(frames, rolled))


def _key_notes(plan: Plan, channels: Mapping[Point, Sequence[Channel]]) -> Iterator[str]:
    """A sentence for each chain whose targets do not get keys on just the frames of the range: on how many they do."""
    total = len(plan.frames[plan.requested])
    for chain in plan.chains:
        count = len(channels[chain.target][0].frames)
        if count != total:
            yield translated("note.few_target_keys", chain=chain.name, count=count, total=total)
