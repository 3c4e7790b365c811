"""Stretches of frames on which a chain has no influence: there the limb keeps the keys that it has of its own.

Before the first of these keys and after the last one, the limb is keyed in its own pose, as its own curves have it, so
that the keys beside the stretch do not move it. From the end of the stretch on, rotations go on without a jump.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...skeleton.channel import MERGE, Channel
from ...skeleton.plan import ChainPlan, Plan
from ...skeleton.rotation_mode import rotation_matrices, rotation_values
from ...skeleton.solved_group import SolvedGroup
from ...solver.values import Array
from .. import versions

Finder = Callable[..., FCurve | None]


def with_own_keys(
    plan: Plan, solved: Sequence[SolvedGroup], channels: Mapping[str, list[Channel]]
) -> dict[str, list[Channel]]:
    """The channels of each chain, with the stretches on which their curves keep the keys that they have."""
    find, found = versions.curve_finder(plan.rig), dict(channels)
    for group in solved:
        influence = np.atleast_2d(group.group.number("influence"))
        resting = np.broadcast_to(influence == 0.0, (len(plan.frames), len(group.plans)))
        for chain, rests in zip(group.plans, resting.T, strict=True):
            if rests.any():
                stretches = _stretches(plan.frames, rests)
                found[chain.name] = [_kept(chain, channel, stretches, find) for channel in channels[chain.name]]
    return found


def _stretches(frames: Array, rests: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """The first and the last frame of each."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], rests, [False])).astype(np.int8)))
    return [(float(frames[start]), float(frames[end - 1])) for start, end in edges.reshape(-1, 2)]


def _kept(chain: ChainPlan, channel: Channel, stretches: Sequence[tuple[float, float]], find: Finder) -> Channel:
    curves = [find(channel.path, index=index) for index in range(channel.values.shape[1])]
    kept = [stretch for stretch in stretches if any(curve and _has_keys(curve, stretch) for curve in curves)]
    values = channel.values.copy()
    for first, last in kept:
        rests = (channel.frames >= first) & (channel.frames <= last)
        for index, curve in enumerate(curves):
            if curve:
                values[rests, index] = [curve.evaluate(frame) for frame in channel.frames[rests]]
        after = channel.frames > last
        if rests.any() and after.any():
            values[after] = _continued(chain, channel.path, values[after], values[rests][-1])
    return replace(channel, values=values, kept=tuple(kept))


def _continued(chain: ChainPlan, path: str, values: Array, before: Array) -> Array:
    """The same rotations, or scales, on from the value `before`."""
    for bone in chain.keyed:
        if path == bone.rotation_path:
            return rotation_values(rotation_matrices(values, bone.rotation_mode), bone.rotation_mode, before)
    return values


def _has_keys(curve: FCurve, stretch: tuple[float, float]) -> bool:
    keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", keys)
    return bool(inside(keys[::2], stretch).any())


def inside(frames: NDArray[np.float32], stretch: tuple[float, float]) -> NDArray[np.bool_]:
    """(m,) which of the frames lie in the stretch."""
    return (frames > stretch[0] - MERGE) & (frames < stretch[1] + MERGE)
