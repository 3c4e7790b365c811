"""Swivel smoothing: turns the plane of a chain about its line, root to target, on frames whose pole says little.

The nearer a pole is to that line, the faster it whirls the plane around. Steps of the swivel angle are measured
against parallel transport: from one frame to the next the hinge is first carried along by the shortest rotation of the
line. With certainty x and time t, the turns u make least

    sum of  u² x / (1 - x²)² dt  +  T² sum of  (step of the swivel angle + step of u)² / dt

which is one tridiagonal system for each chain (as in Whittaker, 1923, with weights and first differences). At certainty
1 the first sum pins u to 0. The angle itself is smoothed: its exponential would pass through 0 in half a turn, and so
flip in one frame.
"""

from math import pi

import numpy as np

from .carry_last import carry_last
from .values import Array, Number
from .vectors import angle_about, norm, swing

WELL_PLACED = np.sin(np.radians(30.0))
"""Sine of the angle between pole and line from which on the pole is followed exactly."""

LONGEST = 0.25
"""Seconds over which smoothing 1 spreads a whirl, where the pole says nothing."""

_LEAST = 1e-6
"""Certainty of a pole on the line: with 0, any turn would solve a range that has no better frame."""


def certainty(pole: Array, sine: Array, influence: Number) -> Array:
    """(n, ...) how far the pole is to be followed: 1 if it is well placed, or has no influence; 0 on the line.

    pole : (n, ..., 3)
    sine : (n, ...)      of the angle between pole and line, times the length of `pole`
    """
    length = norm(pole)
    placed = np.minimum(sine / np.where(length > 0.0, WELL_PLACED * length, 1.0), 1.0)
    return 1.0 - influence * (1.0 - placed)


def turns(aim: Array, hinge: Array, certain: Array, seconds: Array, smoothing: float) -> Array:
    """(n, ...) radians by which to turn the hinge about the aim, so that it whirls no more; 0 where `certain` is 1.

    aim, hinge : (n, ..., 3)     unit vectors at right angles
    certain : (n, ...)           0 to 1, from `certainty`
    seconds : (n, ...)           rising; the frame rate and the step only make the grid finer or coarser
    smoothing : 0 to 1           part of `LONGEST` over which to smooth
    """
    right = np.zeros(certain.shape)
    if (certain >= 1.0).all():
        return right
    span = np.diff(seconds, axis=0)
    free, certain = np.square(1.0 - np.square(certain)), np.maximum(certain, _LEAST)
    time = smoothing * LONGEST
    steps = angle_about(aim[1:], swing(hinge[:-1], aim[:-1], aim[1:]), hinge[1:])
    steps = _without_whole_turns(steps, np.square(time * steps / span) * np.maximum(free[:-1], free[1:]), certain)
    link = time * time / span
    own = np.zeros(certain.shape)
    own[:-1] += 0.5 * span
    own[1:] += 0.5 * span
    before, after = np.zeros(certain.shape), np.zeros(certain.shape)
    before[1:], after[:-1] = -free[1:] * link, -free[:-1] * link
    right[1:] += before[1:] * steps
    right[:-1] -= after[:-1] * steps
    return _solve_tridiagonal(before, certain * own - before - after, after, right)


def _without_whole_turns(steps: Array, washed_out: Array, certain: Array) -> Array:
    """The steps without the whole turns that they make, since the last certain frame, where smoothing washes them out.

    washed_out : (n - 1, ...)    square of how far a step is beyond what smoothing follows, but for the certainty
    """
    lost = np.zeros(certain.shape)
    lost[1:] = np.cumsum(steps * washed_out / (washed_out + np.minimum(certain[:-1], certain[1:])), axis=0)
    fixed = certain >= 1.0
    fixed[0] = True
    last = carry_last(lost, fixed)[:-1]
    before, after = (np.round((part - last) / (2.0 * pi)) for part in (lost[:-1], lost[1:]))
    return steps - 2.0 * pi * (after - before)


def _solve_tridiagonal(before: Array, own: Array, after: Array, right: Array) -> Array:
    """(n, ...) the x with before[i] x[i - 1] + own[i] x[i] + after[i] x[i + 1] == right[i], by elimination.

    Stable without pivots, as own[i] exceeds the sizes of before[i] and after[i] together (Thomas, 1949).
    """
    own, right = own.copy(), right.copy()
    for row in range(1, len(right)):
        part = before[row] / own[row - 1]
        own[row] -= part * after[row - 1]
        right[row] -= part * right[row - 1]
    right[-1] /= own[-1]
    for row in range(len(right) - 2, -1, -1):
        right[row] = (right[row] - after[row] * right[row + 1]) / own[row]
    return right
