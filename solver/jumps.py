"""Where a capture jumps: most begin with a single frame of a T-pose, and some are several takes put together.

What comes before a jump has nothing to do with what comes behind it, so nothing may be smoothed across it.
"""

from __future__ import annotations

import numpy as np

from .values import Array
from .vectors import norm

_LEAST = 0.05
"""Leg lengths: by so much at least each foot jumps."""

_SUDDEN = 8.0
"""So many times as far as on the frames before and after. Of feet that walk or run, the one that moves least goes 2.5
times as far; in jumps of captures, seventy times."""


def pieces(tips: Array, lengths: Array) -> list[slice]:
    """Rows of the takes of which this one is made, one behind another.

    A foot that swings goes far in one frame, but not all feet at once. So one foot alone never jumps.

    tips : (n, f, 3)
    lengths : (f,)     of the legs, > 0
    """
    step = (norm(np.diff(tips, axis=0)) / lengths).min(axis=1)
    around = np.pad(step, 1)
    sudden = (step > _LEAST) & (step > _SUDDEN * np.maximum(around[:-2], around[2:]))
    starts = np.flatnonzero(sudden) + 1 if len(lengths) > 1 and len(step) > 1 else np.arange(0)
    return [slice(first, last) for first, last in zip((0, *starts), (*starts, len(tips)), strict=True)]
