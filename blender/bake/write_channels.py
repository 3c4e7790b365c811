"""Writes channels to several objects: poses them on one frame, or keys them over the plan's frames.

Keys can be tried on a copy of the armature, which is gone again at once: a chain that hangs on another has to reach
from where that one will be, and between its keys only Blender tells.
"""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

import bpy
import numpy as np
from bpy.types import ID, Action, Armature, Depsgraph, Object, Scene

from ...skeleton import bone_channels, carried_along
from ...skeleton.solve import Move
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.steps import run
from ...skeleton.transform import Basis
from ...skeleton.values import MERGE, Channel, Plan, Point, Samples
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves import key_checks, unkeyed_edits, write
from ..curves.keys import curves_at, key_points
from ..scene import probe
from ..scene.curves import OwnTransforms
from ..scene.need import SampleNeed
from ..settings.key_settings import DEFAULTS, AutoKeys, InsertKeys, Keys, KeyStyle
from . import convert

Channels = Mapping[Object, Sequence[Channel]]
"""What is to be written, by object."""


def pose_channels(channels: Channels, shown: Depsgraph | None = None) -> None:
    """Pose without keys.

    shown : what this shows already is not set again
    """
    for item, of_item in channels.items():
        write.pose(item, of_item, shown)


def key_pose(plan: Plan, channels: Channels, insert_keys: InsertKeys, keep: unkeyed_edits.Keeper) -> list[str]:
    """Key on the one frame of the plan, as far as that is asked for, what is posed; returns sentences for a report."""
    keyed = {
        item: [channel for channel in of_item if gets_key(item, channel.path, plan.frames[0], insert_keys)]
        for item, of_item in channels.items()
    }
    return write_keys(plan, {item: of_item for item, of_item in keyed.items() if of_item}, DEFAULTS, keep)


def gets_key(item: Object, path: str, frame: float, insert_keys: InsertKeys) -> bool:
    """Whether the property at this path gets a key on the frame."""
    if isinstance(insert_keys, bool):
        return insert_keys
    curves = curves_at(item, path)
    if insert_keys == AutoKeys.AVAILABLE:
        return bool(curves)
    return any((np.abs(key_points(curve)[0] - frame) < MERGE).any() for curve in curves)


def write_keys(plan: Plan, channels: Channels, style: KeyStyle, keep: unkeyed_edits.Keeper) -> list[str]:
    """Write the keys over the plan's frames; returns sentences for the report."""
    notes, keyed, span = [], paths(channels), (plan.frames[0], plan.frames[-1])
    for item, of_item in channels.items():
        keep(item, plan.scene, keyed[item])
        notes += write.keys(item, of_item, span=span, style=style)
    return notes


def paths(channels: Channels) -> dict[ID, set[str]]:
    """By object the data paths of its channels."""
    return {item: {channel.path for channel in of_item} for item, of_item in channels.items()}


Item = TypeVar("Item", bound=Object)


def moved_as_keyed(plan: Plan, style: KeyStyle) -> Move:
    """Moves what hangs on chains to where it will be once these are keyed in this style."""

    def move(samples: Samples, solved: SolvedGroup) -> Samples:
        rows = bone_channels.keyed_rows(plan, [solved])
        if style.keys != Keys.REDUCED and all(len(found) == len(plan.frames) for found in rows.values()):
            return carried_along.move_dependents(samples, solved)
        found, trial = run(convert.channels(plan, [solved], rows, style)), replace(style, new_action=True)
        paths = {channel.path for channel in found}
        # A check has not asked yet, and a refusal is to name the armature, not its copy.
        key_checks.refuse_unwritable(plan.rig, paths, trial, frames=plan.frames)
        with copied(plan.rig) as copy:
            write.keys(copy, found, span=(plan.frames[0], plan.frames[-1]), style=trial)
            basis = _played(copy, plan, solved, samples)
        still = np.zeros(solved.solution.status.shape, dtype=np.bool_)
        return carried_along.move_with(samples, solved, basis, still)

    return move


def _played(copy: Rig, plan: Plan, solved: SolvedGroup, samples: Samples) -> dict[Point, Basis]:
    """Own channels of the chains' keyed bones over the plan's frames: as sampled, but for what is keyed."""
    own, bases = OwnTransforms(copy, plan.frames), {}
    for chain, bone in ((plan_of_chain, bone) for plan_of_chain in solved.plans for bone in plan_of_chain.keyed):
        point = Point(plan.rig, bone.name)
        played, sampled = own.basis(copy.pose.bones[bone.name]), samples.basis[point]
        scale = played.scale if bone in chain.scaled else sampled.scale
        bases[point] = replace(sampled, rotation=played.rotation, scale=scale)
    return bases


class Trial:
    """Keys a copy of an armature on trial, as often as it is asked to, and tells how bones then are."""

    def __init__(self, plan: Plan, copy: Rig, scene: Scene, need: SampleNeed) -> None:
        """scene : evaluates what is needed of the copy"""
        self._plan, self._copy, self._scene, self._need = plan, copy, scene, need
        self._style = KeyStyle(new_action=True)

    def evaluate(
        self, channels: Sequence[Channel], frames: Array | None = None
    ) -> Generator[float, None, dict[str, Array]]:
        """By bone (n, 4, 4), how it is posed once these channels are keyed too; yields the part that is done.

        frames : (n,) those of the plan by default
        """
        span = self._plan.frames[0], self._plan.frames[-1]
        write.keys(self._copy, channels, span=span, style=self._style)
        self._style = replace(self._style, new_action=False)
        times = self._plan.frames if frames is None else frames
        samples = yield from probe.step(self._scene, self._need, times)
        shape = len(times), 4, 4
        return {point.bone: np.broadcast_to(pose, shape) for point, pose in samples.pose.items()}


@contextmanager
def trial(plan: Plan, bones: Collection[str]) -> Iterator[Trial]:
    """Keys of the plan's armature can be tried while it is open, and show how these bones then are."""
    action = _action(plan.rig)
    # With its scene all is removed at one go: each time Blender goes through the whole file.
    with probe.scene_apart(plan.scene) as (scene, added):
        copy = plan.rig.copy()
        added.append(copy)
        added.append(_with_own_data(copy, plan.rig))
        need = SampleNeed(objects=frozenset(), bones=frozenset(Point(copy, name) for name in bones))
        probe.link(scene, need, added)
        try:
            yield Trial(plan, copy, scene, need)
        finally:
            _add_own_action(added, copy, action)


def _with_own_data(copy: Rig, rig: Rig) -> Armature:
    """Give the copy an armature of its own: with drivers of a shared one Blender evaluates the rig a second time."""
    copy.data = own = rig.data.copy()
    targets = (target for driver in versions.drivers(own) for var in driver.driver.variables for target in var.targets)
    for target in targets:
        if target.id == rig:
            target.id = copy
    return own


@contextmanager
def copied(item: Item) -> Iterator[Item]:
    """A copy of an object; it is removed in the end, and the action that it was given if nothing else plays that."""
    copy = item.copy()
    removed, action = list[ID]([copy]), _action(item)
    try:
        yield copy
    finally:
        _add_own_action(removed, copy, action)
        bpy.data.batch_remove(removed)


def _add_own_action(removed: list[ID], copy: Object, action: Action | None) -> None:
    """Add the action that a copy plays unless that is `action`, or something else plays it."""
    own = _action(copy)
    if own and own != action and own.users == 1:
        removed.append(own)


def _action(item: Object) -> Action | None:
    return item.animation_data.action if item.animation_data else None
