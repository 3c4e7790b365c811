"""What plays of keys that are still to be written: tried on a copy of the armature, which is gone again at once.

A chain that hangs on another has to reach from where that one will be, and between its keys only Blender tells.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

import bpy
import numpy as np
from bpy.types import Object

from ...skeleton import bone_channels, dependent_chains
from ...skeleton.chain_group import SolvedGroup
from ...skeleton.solve import Move
from ...skeleton.steps import run
from ...skeleton.transform import Basis
from ...skeleton.values import Plan, Point, Samples
from ..armatures import Rig
from ..key_settings import Keys, KeyStyle
from . import convert, write
from .checks import keys
from .sample.curves import OwnTransforms

Copied = TypeVar("Copied", bound=Object)


def moved_as_keyed(plan: Plan, style: KeyStyle) -> Move:
    """Moves what hangs on chains to where it will be once these are keyed in this style."""

    def move(samples: Samples, solved: SolvedGroup) -> Samples:
        rows = bone_channels.keyed_rows(plan, [solved])
        if style.keys != Keys.REDUCED and all(len(found) == len(plan.frames) for found in rows.values()):
            return dependent_chains.move_dependents(samples, solved)
        found, trial = run(convert.channels(plan, [solved], rows, style)), replace(style, new_action=True)
        paths = {channel.path for channel in found}
        # A check has not asked yet, and a refusal is to name the armature, not its copy.
        keys.refuse_unwritable(plan.rig, paths, trial)
        with copied(plan.rig) as copy:
            write.keys(copy, found, span=(plan.frames[0], plan.frames[-1]), style=trial)
            basis = _played(copy, plan, solved, samples)
        still = np.zeros(solved.solution.status.shape, dtype=np.bool_)
        return dependent_chains.move_with(samples, solved, basis, still)

    return move


def _played(copy: Rig, plan: Plan, solved: SolvedGroup, samples: Samples) -> dict[Point, Basis]:
    """Own channels of the chains' keyed bones over the plan's frames: as sampled, but for what is keyed."""
    own, found = OwnTransforms(copy, plan.frames.tolist()), {}
    for chain, bone in ((each, bone) for each in solved.plans for bone in each.keyed):
        point = Point(plan.rig, bone.name)
        played, sampled = own.bone(copy.pose.bones[bone.name], with_rotation=True), samples.basis[point]
        scale = played.scale if bone in chain.scaled else sampled.scale
        found[point] = replace(sampled, rotation=played.rotation, scale=scale)
    return found


@contextmanager
def copied(item: Copied) -> Iterator[Copied]:
    """A copy of an object; it is removed in the end, and the action that it was given if nothing else plays that."""
    copy = item.copy()
    action = item.animation_data and item.animation_data.action
    try:
        yield copy
    finally:
        own = copy.animation_data and copy.animation_data.action
        bpy.data.objects.remove(copy)
        if own and own != action and not own.users:
            bpy.data.actions.remove(own)
