"""How far feet that stand slide and turn from frame to frame: the measure of what `plant` is to undo."""

import numpy as np
from numpy.typing import NDArray

from ..rotation import angle_between
from ..values import Array
from ..vectors import dot, norm


def slide(points: Array, stands: NDArray[np.bool_]) -> Array:
    """(n - 1, ...) how far a foot slides from frame to frame, in space; NaN if no point stands on both.

    points : (n, ..., p, 3)     seen from the ground
    stands : (n, ..., p) bool   a foot slides as far as that of its points which slides most
    """
    most: Array = np.where(stands[1:] & stands[:-1], norm(np.diff(points, axis=0)), -np.inf).max(axis=-1)
    return np.where(most >= 0.0, most, np.nan)


def turning(orientations: Array, points: Array, stands: NDArray[np.bool_]) -> Array:
    """(n - 1, ...) radians by which a foot turns from frame to frame while it stands flat; NaN where it does not.

    On a single point it may turn as it was captured; also a foot whose points are all at one place.

    orientations : (n, ..., 3, 3)
    points : (n, ..., p, 3)
    stands : (n, ..., p) bool
    """
    spread = points - points[..., :1, :]
    flat = np.logical_and.reduce(stands, axis=-1) & (dot(spread, spread).max(axis=-1) > 0.0)
    return np.where(flat[1:] & flat[:-1], angle_between(orientations[:-1], orientations[1:]), np.nan)
