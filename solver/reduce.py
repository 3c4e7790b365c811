"""Fewest keys: the frames to keep so that a curve through them stays within a tolerance of what was on every frame.

Between two keys the curve is a straight line, or the cubic that has the values and slopes of both (Hermite), where the
slopes are those that come nearest to all frames. A cubic Bezier whose handles lie a third of the way to the next key is
that cubic: what is judged here is what plays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .values import Array

Rows = NDArray[np.intp]

Error = Callable[[Rows, Array], Array]
"""(rows (r,), values (r, k)) -> (r,): how far off these values are on these rows, as part of what is allowed."""

_STRIDE = 8
"""Keys so far apart are taken away together: neighbours share slopes, and do not go at once."""

_SWEEPS = 10
"""Of relaxation. The curve itself is judged, so its slopes need not be the very best."""

_FIRM = 1e-4
"""Weight of the slopes that the values have by themselves, which decides where hardly a frame lies between keys."""


def fewest_keys(frames: Array, values: Array, error: Error, *, cubic: bool) -> tuple[Rows, Array | None]:
    """(m,) rows to key, with the first and the last, and for cubic curves the slopes (m, k) at them, a frame.

    Starts with a key on every frame and takes away what the error allows, all over the range at once.

    frames : (n,)        rising
    values : (n, k)      on every frame
    error : see `Error`; up to 1 is allowed
    """
    keys, offset, kept_in_turn = np.arange(len(frames)), 0, 0
    while kept_in_turn < _STRIDE and len(keys) > 2:
        fewer = _without(keys, keys[1:-1][offset::_STRIDE], frames, values, error, cubic)
        kept_in_turn = 0 if len(fewer) < len(keys) else kept_in_turn + 1
        keys, offset = fewer, (offset + 1) % _STRIDE
    return keys, best_slopes(keys, frames, values) if cubic else None


def curve(keys: Rows, frames: Array, values: Array, slopes: Array | None) -> Array:
    """(n, k) on every frame the curve through the values (n, k) at `keys`; straight lines where there are no slopes."""
    if len(keys) < 2:
        return values
    span, part, length = _spans(keys, frames)
    if slopes is None:
        line: Array = values[keys[span]] + part * (values[keys[span + 1]] - values[keys[span]])
        return line
    leave, arrive = _slope_weights(part, length)
    return _level(keys, values, span, part) + leave * slopes[span] + arrive * slopes[span + 1]


def best_slopes(keys: Rows, frames: Array, values: Array) -> Array:
    """(m, k) slopes at the keys with which the cubic comes nearest, in the mean square, to the values on all frames."""
    if len(keys) < 2:
        return np.zeros((len(keys), values.shape[1]))
    span, part, length = _spans(keys, frames)
    leave, arrive = _slope_weights(part, length)
    missing = values - _level(keys, values, span, part)
    own = np.gradient(values, frames, axis=0)[keys]
    firm = _FIRM * np.square(np.diff(frames[keys]))[:, None]
    # The normal equations: each slope depends on its two neighbours only.
    weight, wanted = np.zeros((len(keys), 1)), np.zeros_like(own)
    for side, part_of_slope in ((slice(None, -1), leave), (slice(1, None), arrive)):
        weight[side] += _sums(np.square(part_of_slope), keys) + firm
        wanted[side] += _sums(part_of_slope * missing, keys) + firm * own[side]
    shared = np.zeros((len(keys) + 1, 1))
    shared[1:-1] = _sums(leave * arrive, keys)
    slopes = np.pad(own, ((1, 1), (0, 0)))
    for start in (0, 1) * _SWEEPS:
        every_other = slice(start, None, 2)
        pull = shared[:-1] * slopes[:-2] + shared[1:] * slopes[2:]
        slopes[1:-1][every_other] = ((wanted - pull) / weight)[every_other]
    return slopes[1:-1]


def _without(keys: Rows, going: Rows, frames: Array, values: Array, error: Error, cubic: bool) -> Rows:
    """`keys` without as many of the `going` as the error allows; what is nearest to a frame that is off stays."""
    rows = np.arange(len(frames))
    while len(going):
        kept = np.setdiff1d(keys, going, assume_unique=True)
        slopes = best_slopes(kept, frames, values) if cubic else None
        off = rows[error(rows, curve(kept, frames, values, slopes)) > 1.0]
        if not len(off):
            return kept
        nearest = np.searchsorted((going[1:] + going[:-1]) / 2, off)
        going = np.delete(going, nearest)
    return keys


def _spans(keys: Rows, frames: Array) -> tuple[Rows, Array, Array]:
    """For each frame the index of the span between keys in which it lies, (n, 1) the part of it, and its length."""
    span = np.searchsorted(keys, np.arange(len(frames)), side="right").clip(1, len(keys) - 1) - 1
    start, length = frames[keys[span]], np.diff(frames[keys])[span]
    return span, ((frames - start) / length)[:, None], length[:, None]


def _level(keys: Rows, values: Array, span: Rows, part: Array) -> Array:
    """(n, k) the cubic whose slopes are zero at every key."""
    rest = 1.0 - part
    level: Array = rest * rest * (1.0 + 2.0 * part) * values[keys[span]]
    return level + part * part * (1.0 + 2.0 * rest) * values[keys[span + 1]]


def _slope_weights(part: Array, length: Array) -> tuple[Array, Array]:
    """(n, 1) each: what a slope of 1 at the key before, and at the key after, adds."""
    rest = 1.0 - part
    return rest * rest * part * length, -part * part * rest * length


def _sums(terms: Array, keys: Rows) -> Array:
    """(m - 1, k) the terms (n, k) added up over each span."""
    sums: Array = np.add.reduceat(terms, keys[:-1], axis=0)
    return sums
