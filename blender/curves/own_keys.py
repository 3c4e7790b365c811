"""Runs of frames on which a chain has no influence: there the limb keeps the keys that it has of its own.

Before the first of these keys and after the last one, the limb is keyed in its own pose, as its own curves have it, so
that the keys before and after the run do not move it. From the end of the run on, rotations go on without a jump.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...skeleton.rotation_mode import rotation_matrices, rotation_values
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.steps import part
from ...skeleton.values import MERGE, ChainPlan, Channel, Plan
from ...solver.numbers import true_runs
from ...solver.values import Array
from .. import versions
from .keys import single_key_points

Finder = Callable[..., FCurve | None]


def with_own_keys(
    plan: Plan, solved: Sequence[SolvedGroup], channels: Mapping[str, list[Channel]]
) -> dict[str, list[Channel]]:
    """The channels of each chain, with the runs on which their curves keep the keys that they have."""
    by_chain, find = dict(channels), versions.curve_finder(plan.rig)
    for group in solved:
        without = np.equal(group.group.number("influence"), 0.0)
        resting = np.broadcast_to(without, (len(plan.frames), len(group.plans)))
        for chain, rests in zip(group.plans, resting.T, strict=True):
            if rests.any():
                runs = [(float(first), float(last)) for first, last in plan.frames[true_runs(rests)]]
                by_chain[chain.name] = [_kept(chain, channel, runs, find) for channel in channels[chain.name]]
    return by_chain


Steps = Generator[float, None, list[Channel]]
Reduce = Callable[[list[Channel], NDArray[np.intp]], Steps]
"""Fewer keys for channels on these rows of the plan's frames."""


def piecewise(reduce: Reduce, channels: list[Channel], rows: NDArray[np.intp], *, step: int, cubic: bool) -> Steps:
    """The channels reduced between the runs without influence; on these they have every key that they may have.

    Yields the part that is done.

    rows : (n,) the indices of the channels' frames among those of the plan, of which every `step`-th may get a key
    cubic : True for Bezier curves; those that are not reduced are straight
    """
    rests = any_inside(channels[0].frames, [run for channel in channels for run in channel.kept])
    if not rests.any():
        return (yield from reduce(channels, rows))
    pieces = []
    for piece in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(rests)) + 1):
        if rests[piece[0]]:
            pieces.append([channel.on_rows(piece[rows[piece] % step == 0]) for channel in channels])
        else:
            steps = reduce([channel.on_rows(piece) for channel in channels], rows[piece])
            pieces.append((yield from part(steps, piece[0] / len(rows), (piece[-1] + 1) / len(rows))))
    return [_joined(parts, cubic=cubic) for parts in zip(*pieces, strict=True)]


def _joined(parts: Sequence[Channel], *, cubic: bool) -> Channel:
    frames, values = (np.concatenate([getattr(piece, name) for piece in parts]) for name in ("frames", "values"))
    whole = replace(parts[0], frames=frames, values=values, slopes=None, constant=None)
    slopes, stays, start = whole.rises, whole.stays, 0
    for piece in parts:
        between = slice(start, start + max(0, len(piece.frames) - 1))
        slopes[between], stays[between] = piece.rises, piece.stays
        start += len(piece.frames)
    return replace(whole, slopes=slopes if cubic else None, constant=stays)


def _kept(chain: ChainPlan, channel: Channel, runs: Sequence[tuple[float, float]], find: Finder) -> Channel:
    curves = [find(channel.path, index=index) for index in range(channel.values.shape[1])]
    if any(not modifier.mute for curve in curves if curve for modifier in curve.modifiers):
        return channel  # once it is keyed they no longer act, and its own keys would show what is without them
    keyed = [single_key_points(curve)[:, 0] for curve in curves if curve]
    kept = [run for run in runs if any(inside(frames, run).any() for frames in keyed)]
    values, unkeyed = channel.values.copy(), chain.rig.path_resolve(channel.path)
    for first, last in kept:
        rests = (channel.frames >= first) & (channel.frames <= last)
        for index, curve in enumerate(curves):
            plays = curve and not curve.is_empty
            own = [curve.evaluate(frame) for frame in channel.frames[rests]] if plays else unkeyed[index]
            values[rests, index] = own
        after = channel.frames > last
        if rests.any() and after.any():
            values[after] = _continued(chain, channel.path, values[after], values[rests][-1])
    return replace(channel, values=values, kept=tuple(kept))


def _continued(chain: ChainPlan, path: str, values: Array, before: Array) -> Array:
    """(m, k) the values of a channel, written such that rotations go on from the value `before` without a jump."""
    for bone in chain.keyed:
        if path == bone.rotation_path:
            return rotation_values(rotation_matrices(values, bone.rotation_mode), bone.rotation_mode, before)
    return values


def inside(frames: NDArray[np.floating], span: tuple[float, float]) -> NDArray[np.bool_]:
    """(m,) which of the frames lie in the span."""
    return (frames > span[0] - MERGE) & (frames < span[1] + MERGE)


def any_inside(frames: NDArray[np.floating], spans: Sequence[tuple[float, float]]) -> NDArray[np.bool_]:
    """(m,) which of the frames lie in one of the spans."""
    return np.any([np.zeros(len(frames), bool), *(inside(frames, span) for span in spans)], axis=0)


def between_own(
    frames: NDArray[np.floating], own: NDArray[np.floating], runs: Sequence[tuple[float, float]]
) -> NDArray[np.bool_]:
    """(m,) which of the frames lie, within one run, from the first to the last of the frames `own` (k,)."""
    keyed = (own[inside(own, run)] for run in runs)
    return any_inside(frames, [(float(keys[0]), float(keys[-1])) for keys in keyed if len(keys)])
