"""The triangle of two bones and the line from root to target, without trigonometry.

The mid joint is the intersection of the circle of radius l1 about the root with the circle of radius l2 about the tip.
With D the reach, L = l1 + l2 and R = l1 - l2, its height is 2 A / D, where by Heron 16 A^2 = (L - D) (L + D) (D - R)
(D + R). In this form it is exactly 0 at full reach and full fold, and near them as exact as the input allows.
"""

import numpy as np

from .values import Array

_FOLDED = 2.0**-100
"""The least reach, as part of the length; at a reach of 0 the side of the mid joint would be lost."""

_NO_LENGTH = 2.0**-1000
"""Smaller than every product of lengths that occurs, unless both bones have no length: then every joint is the root."""


def reach_of_tip(first: Array, second: Array, distance: Array) -> Array:
    """(...) the distance from the root, among those that the tip can take, that is closest to `distance`."""
    return np.minimum(np.maximum(distance, np.abs(first - second)), first + second)


def four_times_area(first: Array, second: Array, reach: Array) -> Array:
    """(...) four times the area of the triangle, which is 2 l1 l2 times the sine of the hinge angle."""
    total, rest = first + second, first - second
    return np.sqrt((total - reach) * (total + reach) * ((reach - rest) * (reach + rest)))


def triangle(first: Array, second: Array, distance: Array | float, reach: Array) -> tuple[Array, Array]:
    """The mid joint along and across the line from root to target.

    first, second : (...)    lengths of the bones
    distance : (...)         from root to target, > 0
    reach : (...)            from root to tip, within the annulus
    returns : along (...), across (...) >= 0, as multiples of the vector from root to target
    """
    reach = np.maximum(reach, _FOLDED * (first + second))
    factor = 0.5 / np.maximum(distance * reach, _NO_LENGTH)
    along = (reach * reach + (first - second) * (first + second)) * factor
    return along, four_times_area(first, second, reach) * factor
