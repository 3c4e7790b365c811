"""What plays of keys that are still to be written: tried on a copy of the armature, which is gone again at once.

A chain that hangs on another has to reach from where that one will be, and between its keys only Blender tells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Object

from . import convert, write
from .bones.basis import Basis
from .channel import Channel, Keys, KeyStyle
from .plan import Plan, Point
from .sample.curve_transforms import OwnTransforms
from .samples import Samples
from .solve import Carry, Solved, carry, space


def as_keyed(plan: Plan, style: KeyStyle, channels: Callable[[Sequence[Solved]], list[Channel]]) -> Carry:
    """Moves what hangs on chains to where it will be once `channels` of these are keyed."""

    def carried(samples: Samples, solved: Solved) -> Samples:
        if style.keys != Keys.REDUCED and _on_every_frame(plan, solved):
            return carry.posed(samples, solved)
        bones = [bone.name for chain in solved.here.plans for bone in chain.keyed]
        with _copy(plan.rig) as copy:
            span = plan.frames[0], plan.frames[-1]
            write.keys(copy, channels([solved]), span=span, style=replace(style, new_action=True))
            basis = _played(copy, bones, plan)
        still = np.zeros(solved.solution.status.shape, dtype=np.bool_)
        return carry.moved(samples, solved, basis, still)

    return carried


def _on_every_frame(plan: Plan, solved: Solved) -> bool:
    out = space.out_of_reach(solved.solution)
    rows = (convert.keyed_rows(plan, chain, out[:, row]) for row, chain in enumerate(solved.here.plans))
    return all(len(found) == len(plan.frames) for found in rows)


def _played(copy: Object, bones: Collection[str], plan: Plan) -> dict[Point, Basis]:
    """Own channels over the plan's frames of these bones, by their name on the armature itself."""
    own = OwnTransforms(copy, plan.frames.tolist())
    return {Point(plan.rig, name): own.bone(copy.pose.bones[name], with_rotation=True) for name in bones}


@contextmanager
def _copy(rig: Object) -> Iterator[Object]:
    """A copy of the armature object; it is removed in the end, and the action that it was given."""
    copy = rig.copy()
    action = rig.animation_data and rig.animation_data.action
    try:
        yield copy
    finally:
        own = copy.animation_data and copy.animation_data.action
        bpy.data.objects.remove(copy)
        if own and own != action:
            bpy.data.actions.remove(own)
