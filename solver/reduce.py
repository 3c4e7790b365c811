"""Fewest keys: the frames to keep so that a curve through them stays within a tolerance of what was on every frame.

Between two keys the curve is the cubic that has the values and the slopes of both (Hermite), or a straight line. A
cubic Bezier whose handles lie a third of the way to the next key is that cubic: what is judged here is what plays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .values import Array

Error = Callable[[NDArray[np.intp], Array], Array]
"""(rows (r,), values (r, k)) -> (r,): how far off these values are on these rows, as part of what is allowed."""


def slopes(frames: Array, values: Array) -> Array:
    """(n, k) change of the values (n, k) a frame, from the frames beside each one."""
    if len(frames) < 2:
        return np.zeros_like(values)
    rates: Array = np.gradient(values, frames, axis=0)
    return rates


def fewest_keys(frames: Array, values: Array, error: Error, rates: Array | None = None) -> NDArray[np.intp]:
    """(m,) rows to key, with the first and the last: each as far from the one before as the error allows.

    frames : (n,)             rising
    values : (n, k)           on every frame
    error : see `Error`; up to 1 is allowed
    rates : (n, k) or None    slopes for cubic curves; None for straight lines
    """
    keys = [0] if len(frames) else []
    while keys and keys[-1] < len(frames) - 1:
        keys.append(_farthest(keys[-1], frames, values, error, rates))
    return np.array(keys, dtype=np.intp)


def between(rows: NDArray[np.intp], start: int, end: int, frames: Array, values: Array, rates: Array | None) -> Array:
    """(r, k) the curve from key `start` to key `end` on the rows between them."""
    span = frames[end] - frames[start]
    part = ((frames[rows] - frames[start]) / span)[:, None]
    if rates is None:
        line: Array = values[start] + part * (values[end] - values[start])
        return line
    rest = 1.0 - part
    leave = values[start] * (1.0 + 2.0 * part) + rates[start] * span * part
    arrive = values[end] * (1.0 + 2.0 * rest) - rates[end] * span * rest
    curve: Array = rest * rest * leave + part * part * arrive
    return curve


def _farthest(start: int, frames: Array, values: Array, error: Error, rates: Array | None) -> int:
    """The last row to which the curve from `start` stays within the error: doubled until it fails, then halved."""

    def allowed(end: int) -> bool:
        rows = np.arange(start + 1, end)
        return bool((error(rows, between(rows, start, end, frames, values, rates)) <= 1.0).all())

    last = len(frames) - 1
    good, step = start + 1, 2
    while good < last and allowed(min(start + step, last)):
        good, step = min(start + step, last), 2 * step
    bad = min(start + step, last + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if allowed(middle) else (good, middle)
    return good
