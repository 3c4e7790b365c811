"""Targets that are being held: what is sampled and solved for them, keyed on trial, and written at last.

On trial, copies of their objects are keyed, in actions of their own.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Object, Scene

from ...skeleton import hold
from ...skeleton.hold import Hold
from ...skeleton.rounding import near
from ...skeleton.steps import run
from ...skeleton.target_channels import KeyedTarget, placed, target_channels
from ...skeleton.values import ChainPlan, Plan, Point, Samples
from ...solver.values import Array
from ...solver.vectors import norm, product
from ..curves import kept_action
from ..curves.keys import values_on
from ..curves.unkeyed_edits import Keeper
from ..scene import dependencies, sampling
from ..settings.key_settings import Sampling
from ..settings.properties import holds_of
from ..targets.checks import holdable
from . import holds, leaders, trial_copies


class HeldTargets(ExitStack):
    """Targets being held, each with a copy that is keyed on trial; closing it removes the copies."""

    def __init__(self, scene: Scene, chains: Iterable[ChainPlan]) -> None:
        """chains : those whose targets are held, which may be muted"""
        super().__init__()
        self._scene = scene
        self.limbs = leaders.limbs(scene) | {dependencies.root_of(chain): chain for chain in chains}
        self.targets: dict[Point, KeyedTarget] = {}
        self._copies: dict[Object, Any] = {}
        self._held: dict[Point, list[Hold]] = {}

    def begin(self, chain: ChainPlan, new_holds: Sequence[Hold]) -> None:
        """Take in the chain's target; Refused where it cannot be keyed for these holds."""
        point, item = chain.target, chain.target.object
        turns = any(new_hold.rotation for new_hold in new_holds)
        holds.refuse_other(chain)
        self.targets[point] = holdable(chain, turns=turns, spans=[new_hold.span for new_hold in new_holds])
        self._held[point] = []
        if item not in self._copies:
            self._copies[item] = self.enter_context(trial_copies.copied(item))

    def restore(self, point: Point) -> None:
        """Give the copy, in the spans of the point's holds, the keys from before them."""
        trial_copies.restore(self._copies[point.object], point.object, self.targets[point], holds_of(point))

    def add(self, chain: ChainPlan, new_hold: Hold) -> Generator[float, None, None]:
        """Key the copy for one hold of the chain's target; yields the part that is done."""
        point, frames = chain.target, new_hold.frames
        samples, own, space = yield from self._places(chain, new_hold, frames)
        if new_hold.at in frames:
            new_hold = hold.gripped(new_hold, frames, own, space)
        else:  # so near to a key there is none: Blender would merge them
            at = np.array([new_hold.at])
            _, *there = yield from self._places(chain, new_hold, at)
            new_hold = hold.gripped(new_hold, at, *there)
        self._held[point].append(new_hold)
        target, copy = self.targets[point], self._copies[point.object]
        first, last = (values_on(copy, _paths(target), frame) for frame in new_hold.span)
        plan = Plan(rig=chain.rig, name=chain.rig.name, scene=self._scene, ranks=(), frames=frames)
        transforms = {point: hold.held_transform(new_hold, frames, own, space)}
        targets = {point: replace(target, before=first[target.rotation_path])}
        [channels] = target_channels(plan, transforms, samples, targets).values()
        channels = [hold.keys(channel, first[channel.path], last[channel.path]) for channel in channels]
        trial_copies.key(copy, channels, new_hold.span)

    def distance(self, chain: ChainPlan, from_hold: Hold, frames: Array) -> tuple[float, float]:
        """How far the target is at most from where the hold has it, and how much of that is rounding."""
        _, own, space = run(self._places(chain, from_hold, frames))
        goal = product(space, from_hold.grip)
        size = sum(bone.length for bone in chain.bones) * chain.rig.matrix_world.median_scale
        return float(norm((own - goal)[..., :3, 3]).max()), float(near(size, np.abs(own).max()))

    def write(self, keep: Keeper, *, again: bool) -> None:
        """Let the targets play the keys of their copies, and store the holds.

        again : in place of those that they have; otherwise in addition to them
        """
        for item in {point.object: None for point in self.targets}:
            points = [point for point in self.targets if point.object == item]
            keep(item, self._scene, {path for point in points for path in _paths(self.targets[point])})
            trial_copies.play(item, self._copies[item])
            for point in points:
                target, records = self.targets[point], holds_of(point)
                # What it has now may be what a hold has keyed.
                held = (records[0].location, records[0].orientation) if records else ()
                before = [tuple(values) for values in held or map(item.path_resolve, _paths(target))]
                if again:
                    trial_copies.set_unkeyed(item, target, records)
                    holds.forget(point)
                for new_hold in self._held[point]:
                    holds.keep(point, new_hold, *before)
            if not len(holds.kept(item)):
                kept_action.give_back(item)

    def _places(
        self, chain: ChainPlan, for_hold: Hold, frames: Array
    ) -> Generator[float, None, tuple[Samples, Array, Array]]:
        """Samples with limbs solved and targets as their copies have them; target and space (n, 4, 4) in the world."""
        also = [for_hold.space] if for_hold.space else []
        leading = leaders.of_chain(chain, for_hold, self.limbs, also)
        own_rig = tuple((limb,) for limb in (*leading, chain) if limb.rig == chain.rig)
        plan = Plan(rig=chain.rig, name=chain.rig.name, scene=self._scene, ranks=own_rig, frames=frames)
        followed = dependencies.upstream(chain.target, *also) | {limb.target for limb in leading}
        targets = [chain.target, *(point for point in self.targets if point in followed - {chain.target})]
        places = {*targets, *placed({point: self.targets[point] for point in targets if point in self.targets})}
        need = leaders.need(plan, [*leading, chain], places, also)
        with sampling.Sampler(plan, Sampling.AUTO) as sampler:
            samples = yield from sampler.over_range(need)
        for point in sorted(set(targets) & self.targets.keys(), key=lambda target: len(self.targets[target].parents)):
            samples = trial_copies.with_copied(self._copies[point.object], point, self.targets[point], samples, frames)
        samples = leaders.posed(chain, leading, samples, frames, [*also, chain.target])
        space = samples.world(for_hold.space) if for_hold.space else np.eye(4)[None]
        return samples, samples.world(chain.target), space


def _paths(target: KeyedTarget) -> tuple[str, str]:
    return target.location_path, target.rotation_path
