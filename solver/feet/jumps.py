"""Where a capture jumps: most begin with a single frame of a T-pose, and some are several takes put together.

What comes before a jump has nothing to do with what comes behind it, so nothing may be smoothed across it.
"""

from itertools import pairwise
from math import ceil

import numpy as np

from ..values import Array
from ..vectors import norm

_LEAST = 0.05
"""Leg lengths: by so much at least each foot jumps."""

_SUDDEN = 8.0
"""A jump goes this many times as far as the foot does for as long before and after. Of feet that walk or run, the one
that moves least goes 2.5 times as far; in jumps of captures, seventy times."""

_LASTS = 1 / 30
"""Seconds that a jump takes at most. It takes several frames if they lie between two that were captured."""


def pieces(tips: Array, lengths: Array, rate: float) -> list[slice]:
    """Rows of the takes of which this one is made, one behind another. The frames within a jump are one of them.

    A foot that swings goes far in one frame, but not all feet at once. So one foot alone never jumps.

    tips : (n, f, 3)
    lengths : (f,)     of the legs, > 0
    rate : frames a second
    """
    span = min(max(1, ceil(round(_LASTS * rate, 6))), (len(tips) - 1) // 2)
    starts: set[int] = set()
    if span and len(lengths) > 1:
        step = _ways(tips, lengths, 1)
        way = _ways(np.pad(tips, ((span, span), (0, 0), (0, 0)), mode="edge"), lengths, span)
        before, during, after = way[: -2 * span], way[span:-span], way[2 * span :]
        # Poses that are held for some frames do not move on both sides of each step.
        usual = np.median(way[way > 0.0]) if way.any() else 0.0
        sudden = (during > _LEAST) & (during > _SUDDEN * np.maximum(usual, np.maximum(before, after)))
        starts.update(*(_ends(step, int(row + np.argmax(step[row : row + span]))) for row in np.flatnonzero(sudden)))
    return [slice(first, last) for first, last in pairwise((0, *sorted(starts), len(tips)))]


def _ways(tips: Array, lengths: Array, span: int) -> Array:
    """(n - span,) how far the foot that goes least goes from each frame on, in this many frames."""
    return (norm(tips[span:] - tips[:-span]) / lengths).min(axis=1)


def _ends(step: Array, greatest: int) -> tuple[int, int]:
    """The first row within or behind the jump around the greatest of the steps (n,), and the first behind it."""
    slow = np.flatnonzero(np.pad(step * _SUDDEN < step[greatest], 1, constant_values=True))
    behind = int(np.searchsorted(slow, greatest + 1))
    return int(slow[behind - 1]) + 1, int(slow[behind]) - 1
