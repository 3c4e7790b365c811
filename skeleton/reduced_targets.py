"""As few keys on targets as keep them, and the limbs that are solved for them, within a tolerance."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from ..solver.reduce import Curve
from ..solver.values import Array, Integers
from ..solver.vectors import norm
from . import solve, tail, transform
from .reduced_keys import SIDE, Fit, reduce_channels
from .solved_group import SolvedGroup
from .steps import part
from .target_channels import CarriedTarget, KeyedTargets, Places, WorldTransform, channels_by_target
from .transform import NOT_OVER_FRAMES, each_array, on_rows
from .values import Channel, Plan, Point, Samples

Item = TypeVar("Item")


def reduce_targets(
    plan: Plan, solved: Sequence[SolvedGroup], transforms: Places, samples: Samples, targets: KeyedTargets, fit: Fit
) -> Generator[float, None, dict[Point, Sequence[Channel]]]:
    """By target its channels, with only the keys that they need; for one chain on the same frames.

    solved : the chains for these targets, each a group of one
    fit : no target and no joint of a limb may be off by more on any frame of the plan
    """
    moved: dict[Point, Array] = {}
    reduced: dict[Point, Sequence[Channel]] = {}
    every = np.arange(len(plan.frames))
    for number, group in enumerate(sorted(solved, key=lambda group: len(targets[group.plan.target].parents))):
        own = {point: transforms[point] for point in group.plan.targets}
        # What hangs on targets of other chains is keyed from where these will play.
        channels = channels_by_target(plan, own, samples, targets, moved)
        size = float(norm(np.diff(solve.world_joints(group), axis=-2)).sum(axis=-1).max())
        limb = _Limb(
            solved=tail.by_joint(group),
            lever=_lever(group, own[group.plan.target]),
            channels=channels,
            samples=samples,
            targets=targets,
            moved=dict(moved),
            size=size,
        )
        flat = [channel for of_target in channels.values() for channel in of_target]
        steps = reduce_channels(flat, every, limb.test_points, fit, step=plan.step, size=size)
        few = yield from part(steps, number / len(solved), (number + 1) / len(solved))
        moved |= limb.worlds([_played(channel, plan.frames) for channel in few])
        reduced |= zip(channels, limb.by_target(few), strict=True)
    return reduced


def _lever(solved: SolvedGroup, target: WorldTransform) -> Array:
    """(n, 3) from the place of the tip to the target, in the space of a target that turns; otherwise in the world."""
    tip = transform.transform_points(solved.group.to_world, solved.solution.target)[:, 0]
    lever = target.location - tip
    return lever if target.orientation is None else np.einsum("...ji,...j->...i", target.orientation, lever)


def _played(channel: Channel, frames: Array) -> Array:
    """(n, k) values of the channel's curve."""
    curve = Curve(frames=channel.frames, values=channel.values, slopes=channel.rises, constant=channel.stays)
    return curve.at(frames)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Limb:
    """A chain and its targets, while keys are looked for.

    solved : as it reaches with its tip
    lever : (n, 3) from there to the target, see `_lever`
    channels : of each target location, and rotation if that is keyed, on every frame; each after those that carry it
    moved : (n, 4, 4) where targets of other chains will play
    size : length of the chain, world units
    """

    solved: SolvedGroup
    lever: Array
    channels: Mapping[Point, Sequence[Channel]] = field(metadata=NOT_OVER_FRAMES)
    samples: Samples
    targets: KeyedTargets = field(metadata=NOT_OVER_FRAMES)
    moved: Mapping[Point, Array]
    size: float

    def by_target(self, flat: Iterable[Item]) -> list[list[Item]]:
        """What there is for each channel, in lists for each target."""
        items = iter(flat)
        return [[next(items) for _ in channels] for channels in self.channels.values()]

    def worlds(self, values: Sequence[Array]) -> dict[Point, Array]:
        """(n, 4, 4) where these values (n, k) of the channels put each target."""
        placed: dict[Point, Array] = {}
        for point, of_target in zip(self.channels, self.by_target(values), strict=True):
            carried = CarriedTarget.of(self.targets[point], self.samples, {**self.moved, **placed})
            placed |= carried.worlds(point, carried.basis_of(*of_target))
        return placed

    def test_points(self, values: Sequence[Array], rows: Integers) -> Array:
        """(r, p, 3) what shows targets and limb for these values on `rows` of the plan's frames."""
        whole = len(rows) == len(next(iter(self.channels.values()))[0].frames)
        return (self if whole else each_array(on_rows(rows), self))._points(values)

    def _points(self, values: Sequence[Array]) -> Array:
        """(n, p, 3) mid joint, tip and targets, and next to a target that turns what shows its orientation."""
        worlds = self.worlds(values)
        goals, from_world = self.solved.goals, self.solved.group.from_world
        heads = {point: world[:, None, :3, 3] for point, world in worlds.items()}
        local = {point: transform.transform_points(from_world, head) for point, head in heads.items()}
        plan = self.solved.plan
        tip = transform.transform_points(from_world, (heads[plan.target] - self._turned_lever(worlds)[:, None]))
        goals = replace(goals, target=tip, pole=local[plan.pole] if plan.pole else goals.pole)
        solved = solve.solve_for(self.solved.group, goals, self.solved.samples)
        shown = [solve.world_joints(solved)[:, 0, 1:], *heads.values()]
        for point, channels in self.channels.items():
            if len(channels) > 1:
                axes = transform.orientation(worlds[point][:, :3, :3])
                shown += [heads[point] + (axes @ offset)[:, None] for offset in self._orientation_offsets()]
        return np.concatenate(shown, axis=1)

    def _turned_lever(self, worlds: Mapping[Point, Array]) -> Array:
        """(n, 3) the lever in the world, for these places of the targets."""
        target = self.solved.plan.target
        if len(self.channels[target]) == 1:
            return self.lever
        return transform.transform_vectors(transform.orientation(worlds[target][:, :3, :3]), self.lever)

    def _orientation_offsets(self) -> list[Array]:
        """Tail of the bone that turns as the target does, and a point beside it, world units."""
        plan = self.solved.plan
        bone = plan.below[-1] if plan.below else plan.end
        length = self.size * bone.length / sum(link.length for link in plan.bones)
        return [length * np.array((side, 1.0, 0.0)) for side in (0.0, SIDE)]
