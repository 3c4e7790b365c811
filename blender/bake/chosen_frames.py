"""On which frames to measure: after a bake of many not on all of them, but wherever things change."""

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from math import ceil
from random import Random
from zlib import crc32

import numpy as np
from bpy.types import FCurve, NlaStrip
from numpy.typing import NDArray

from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves.keys import key_points
from ..rna_paths import owner_and_property
from ..settings.key_settings import Measure

_FEW = 64
"""Up to this many frames, all are measured; of more, this many on which something changes."""
_PER_DRAWN = 4
_CHANGING = {"influence", "mute", "enabled", "scale", "delta_scale"}


def chosen(
    frames: Array,
    rig: Rig,
    measure: Measure,
    few: int = _FEW,
    suspects: Iterable[int] = (),
    known: Collection[str] = (),
) -> NDArray[np.intp]:
    """(m,) rising, where among `frames` (n,) those lie on which to measure; the same each time.

    With AUTO and more than a `few` frames: the first, the last, some drawn from all parts, those on which constraints,
    scale or NLA strips of `rig` begin or end to change, or are halfway, and `suspects`.

    suspects : where among the frames something else is likely to be wrong
    known : RNA paths whose changes are as they were meant
    """
    count = len(frames)
    if measure == Measure.NONE:
        return np.arange(0)
    if measure == Measure.ALL or count <= few:
        return np.arange(count)
    bounds = np.linspace(0, count, few // _PER_DRAWN + 1).astype(np.intp)
    generator = Random(crc32(frames.tobytes()))  # NumPy's takes ten times as long to make
    drawn = [generator.randrange(*part) for part in pairwise(bounds.tolist())]
    rows = {0, count - 1, *drawn, *_changing(frames, rig, known)[:few], *suspects}
    return np.array(sorted(rows), dtype=np.intp)


def _changing(frames: Array, rig: Rig, known: Collection[str]) -> list[int]:
    """Where among `frames` what acts on top of keys changes, the greatest changes first."""
    changes = [*_changes(rig, known)]
    if not changes:
        return []
    times, sizes = np.concatenate(changes).T
    inside = (times >= frames[0]) & (times <= frames[-1])
    rows = np.searchsorted(frames, times[inside])[np.argsort(-sizes[inside], kind="stable")]
    return list(dict.fromkeys(rows.tolist()))


def _changes(rig: Rig, known: Collection[str]) -> Iterator[Array]:
    """(k, 2) each: a time at which something changes, and how much."""
    yield from _of_curves(curve for curve in versions.curves(rig) if curve.data_path not in known)
    for strip, curves in versions.strips(rig):
        start, end = strip.frame_start, strip.frame_end
        inside = (start + strip.blend_in / 2.0, start + strip.blend_in, end - strip.blend_out)
        # What holds up to the end is over on the frame after.
        times = np.array((start, *inside, end - strip.blend_out / 2.0, end, end + 1.0))
        yield np.stack((times, np.full(len(times), np.inf)), axis=-1)
        yield from _of_curves(strip.fcurves)
        for found in _of_curves(curves):
            yield from _played(strip, found)


def _played(strip: NlaStrip, changes: Array) -> Iterator[Array]:
    """(k, 2) each: changes (m, 2) of the strip's action, at the times at which the strip plays them."""
    times, sizes = changes[:, 0] - strip.action_frame_start, changes[:, 1]
    length = strip.action_frame_end - strip.action_frame_start
    inside = (times >= 0.0) & (times <= length)
    times, sizes = times[inside], sizes[inside]
    times = length - times if strip.use_reverse else times
    for turn in range(ceil(strip.repeat)):
        yield np.stack((strip.frame_start + strip.scale * (times + turn * length), sizes), axis=-1)


def _of_curves(curves: Iterable[FCurve]) -> Iterator[Array]:
    for curve in curves:
        # Custom properties are what drivers of constraints mostly read.
        name = owner_and_property(curve.data_path)[1]
        if name in _CHANGING or name.startswith("["):
            times, values = key_points(curve)
            sizes = np.abs(np.diff(values))
            spans = np.stack((times[:-1], (times[:-1] + times[1:]) / 2.0, times[1:]), axis=-1)
            yield np.stack((spans, np.broadcast_to(sizes[:, None], spans.shape)), axis=-1)[sizes > 0.0].reshape(-1, 2)
