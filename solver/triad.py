"""Orientations carried rigidly: a triad is the 3x3 of a bone's direction, its hinge axis, and their vector product."""

from __future__ import annotations

import numpy as np

from .values import Array
from .vectors import cross


def triad(direction: Array, hinge: Array) -> Array:
    """(..., 3, 3) rotation matrix whose columns are the orthonormal `direction`, `hinge` and their product."""
    direction, hinge = np.broadcast_arrays(direction, hinge)
    return np.stack((direction, hinge, cross(direction, hinge)), axis=-1)


def carried(before: Array, after: Array) -> Array:
    """(..., 3, 3) the rotation that takes the triad `before` to the triad `after`."""
    return after @ np.swapaxes(before, -1, -2)
