"""How far feet move so that what stands on the ground stays there.

While a foot stands, one of its points is held at a time: that point stays where it is, in space. If the foot rolls on
to the next point, that one is held from where it has come to, so that there is no step. Of all corrections of a stand
that do this, the one with the least squares is taken. On a ground, one height is added to each stand: the lowest of the
points on which it stands is then on the ground. Between two stands the correction is the cubic that meets both with
their speed; in a long pause these speeds die away soon. Before the first stand and after the last the correction dies
away. Where that would push the foot into the ground it is raised, smoothly, up to what its stands are raised by.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers import true_runs
from ..reduce import Curve
from ..values import Array, Integers, Mask
from ..vectors import along, dot, norm
from .hips import smooth_envelope
from .statistics import slope_weights

_EDGE = 0.1
"""Seconds of a stand over which the speed of its correction is taken, at its beginning and at its end."""

_SWING = 0.9
"""In a long pause a speed lasts at most until it would have gone this part of the larger correction. A cubic swings out
by 4/27 of that at each end, so that both ends together add less than a fifth.
"""

_FADE = 0.5
"""Seconds over which the first correction grows from nothing, and the last dies away."""

_SMOOTH = 0.25
"""Seconds for which a foot in the air is raised before and after a frame on which it would be in the ground."""

_BETWEEN = 0.06
"""Seconds for which a foot is raised where a stand before or after would else pull it into the ground."""

_TINY = 1e-9
"""Rows, and units a row, below which there is nothing to divide by."""


def corrections(
    points: Array, stands: Mask, level: Array | None, rate: float, up: Array, captured: Array | None = None
) -> Array:
    """How far one foot moves on each frame.

    points : (n, p, 3)         of the foot as it is turned, seen from the ground; p is 1 or 2
    stands : (n, p) bool       which of them stand
    level : (n, p) or None     height of each point where it stands on the ground; None: each stand keeps its own
    rate : frames a second
    up : (3,)                  unit vector
    captured : (n, p, 3)       the points before the foot was turned: from there the correction is the least; None: it
                               was not
    returns : (n, 3)           0 if no point ever stands
    """
    held = np.logical_or.reduce(stands, axis=1)
    spans = true_runs(held)
    if not len(spans):
        return np.zeros((len(points), 3))
    undone, counts = _held(points, _held_point(stands, spans)), np.diff(spans, axis=1)[:, 0] + 1
    part = stands[held][..., None]
    off = points[held] - (points if captured is None else captured)[held] + undone[held][:, None]
    means = totals(np.where(part, off, 0.0).sum(axis=1), counts) / totals(part.sum(axis=1), counts)
    undone[held] -= np.repeat(means, counts, axis=0)
    if level is None:
        return eased(undone, spans, rate)
    missing = level - dot(points, up)
    least = np.where(stands, missing, -np.inf)[held].max(axis=1) - dot(undone[held], up)
    rises = np.maximum.reduceat(least, np.cumsum(counts) - counts)
    undone[held] += along(up, np.repeat(rises, counts))
    moved = eased(undone, spans, rate)
    deep, heights = missing.max(axis=1), dot(moved, up)
    raised = _raised(deep, heights, held, rate)
    if (level == level[0]).all():  # over the edges of steps knees would jerk
        # A stand before or after does not pull the foot into the ground.
        sunk = np.maximum(np.minimum(deep, 0.0) - heights - raised, 0.0)
        raised += eased_need(sunk, held, rate, _BETWEEN)
    moved[~held] += along(up, raised[~held])
    return moved


def _raised(missing: Array, heights: Array, held: Mask, rate: float) -> Array:
    """(n,) by how much higher a foot goes in the air so that it is not pushed into the ground.

    A foot that was captured in the ground, as one who kneels may be, stays as deep in it as it was beside its stands.

    missing : (n,)      by how much it was captured below the ground
    heights : (n,)      of its corrections
    held : (n,) bool    whether it stands
    """
    rows = np.flatnonzero(held)
    usual = np.interp(np.arange(len(heights)), rows, heights[rows])
    # A foot that comes down to where it stands does so shortly before.
    usual *= np.where(usual < 0.0, smooth_envelope(held.astype(np.float64), rate, _SMOOTH), 1.0)
    least = smooth_envelope(np.maximum(np.minimum(missing, usual) - heights, 0.0), rate, _SMOOTH)
    return np.minimum(least, np.maximum(usual - heights, 0.0))


def eased_need(need: Array, held: Mask, rate: float, seconds: float) -> Array:
    """(n,) a curve nowhere below what is needed (n,), >= 0: no more than that beside stands, farther off smooth."""
    away = 1.0 - smooth_envelope(held.astype(np.float64), rate, seconds)
    return np.maximum(need, away * smooth_envelope(need, rate, seconds))


def totals(values: NDArray[Any], counts: Integers) -> Array:
    """(k, ...) sums of this many (k,) of the values (m, ...), one after another."""
    found: Array = np.add.reduceat(values, np.cumsum(counts) - counts, dtype=np.float64)
    return found


def _held_point(stands: Mask, spans: Integers) -> Integers:
    """(n,) which point is held while the foot stands: of both, the one that sooner stands alone."""
    held, alone = np.argmax(stands, axis=1), np.flatnonzero(stands.sum(axis=1) == 1)
    first, last = np.searchsorted(alone, spans[:, 0]), np.searchsorted(alone, spans[:, 1], side="right")
    known = first < last
    if known.any():
        # Nothing goes on beyond the ends of a stand: there its first point that stands alone counts, or its last.
        ends = spans[known].ravel()
        rows, where = np.unique(np.concatenate((alone, ends)), return_index=True)
        at_ends = np.stack((held[alone[first[known]]], held[alone[last[known] - 1]]), axis=1).ravel()
        points = np.concatenate((held[alone], at_ends))[where]
        inside = np.concatenate([np.arange(start, end + 1) for start, end in spans[known]])
        held[inside] = np.rint(np.interp(inside, rows, points)).astype(np.intp)
    return held


def _held(points: Array, held: Integers) -> Array:
    """(n, 3) corrections, each right but for a constant on each stand: they undo the steps of the held points."""
    steps = np.take_along_axis(np.diff(points, axis=0), held[1:, None, None], axis=1)[:, 0]
    undone: Array = -np.cumsum(np.concatenate((np.zeros((1, 3)), steps)), axis=0)
    return undone


def eased(standing: Array, spans: Integers, rate: float, *, at_rest: bool = False) -> Array:
    """(n, 3) what a foot is moved by: (n, 3) on the stands between these rows (k, 2), and the cubics between them.

    rate : frames a second
    at_rest : the cubics begin and end without speed, and so never go beyond their ends
    """
    if not len(spans):
        return np.zeros_like(standing)
    ends, fade_rows = spans.ravel(), max(1.0, _FADE * rate)
    rows = np.concatenate(((ends[0] - fade_rows,), ends, (ends[-1] + fade_rows,)))
    values = np.concatenate((np.zeros((1, 3)), standing[ends], np.zeros((1, 3))))
    pauses = len(rows) - 1
    rest = Curve(frames=rows, values=values, slopes=np.zeros((pauses, 2, 3)), constant=np.zeros(pauses, dtype=bool))
    moved, free = standing.copy(), np.ones(len(standing), dtype=np.bool_)
    for first, last in spans:
        free[first : last + 1] = False
    times = np.flatnonzero(free).astype(np.float64)
    moved[free] = rest.at(times)
    if not at_rest:
        speeds = np.pad(_end_speeds(standing, spans, rate).reshape(-1, 3), ((1, 1), (0, 0)))
        moved[free] += _swings(times, rows, values, speeds, fade_rows)
    return moved


def _swings(times: Array, rows: Array, values: Array, speeds: Array, fade_rows: float) -> Array:
    """(m, 3) what speeds at both ends of a pause add to the cubic that is at rest there.

    times : (m,)             rows in the pauses
    rows : (k,)              on which the pauses end and begin, with the corrections there, `values` (k, 3)
    speeds : (k, 3)          a frame
    """
    pause = np.searchsorted(rows, times).clip(1, len(rows) - 1) - 1
    length, sizes = np.diff(rows), norm(values)
    larger = np.maximum(sizes[:-1], sizes[1:])
    found = np.zeros((len(times), 3))
    for end, sign in ((0, 1.0), (1, -1.0)):
        speed = speeds[end : len(rows) - 1 + end]
        most = np.minimum(fade_rows, _SWING * larger / np.maximum(norm(speed), _TINY))
        lasts = np.where(length > fade_rows + _TINY, np.maximum(most, _TINY), length)[pause]
        part = np.minimum(sign * (times - rows[pause + end]) / lasts, 1.0)
        found += (sign * lasts * part * (1.0 - part) ** 2)[:, None] * speed[pause]
    return found


def _end_speeds(standing: Array, spans: Integers, rate: float) -> Array:
    """(k, 2, 3) change a frame at the beginning and at the end of each stand."""
    speeds = np.zeros((len(spans), 2, 3))
    counts = np.minimum(np.diff(spans, axis=1)[:, 0] + 1, max(2, round(_EDGE * rate) + 1))
    for count in np.unique(counts):
        rows = np.flatnonzero(counts == count)
        starts = np.stack((spans[rows, 0], spans[rows, 1] + 1 - count), axis=1)
        weights, _ = slope_weights(int(count), rate)
        speeds[rows] = np.tensordot(weights, standing[starts + np.arange(count)[:, None, None]], axes=1) / rate
    return speeds
