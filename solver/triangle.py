"""The triangle of two bones and the line from root to target, without trigonometry.

The mid joint is the intersection of the circle of radius l1 about the root with the circle of radius l2 about the tip.
With D the reach, 16 A^2 = ((l1 + l2)^2 - D^2) (D^2 - (l1 - l2)^2) is Heron's formula; in this order nothing is lost
near straight and near folded beyond what the input itself leaves open.
"""

from __future__ import annotations

import numpy as np

from .values import Array

_FOLDED = 2.0**-200
"""Square of the least reach, as part of the length: at 0 the side on which the mid joint lies would be lost."""

_NO_LENGTH = 2.0**-1000
"""Below every product of squares that occurs, unless both bones have no length: then every joint is the root."""


def triangle(first: Array, second: Array, distance_sq: Array | float, reach_sq: Array) -> tuple[Array, Array]:
    """The mid joint along and across the line from root to target.

    first, second : (...)      lengths of the bones
    distance_sq : (...)        square of the distance from root to target, > 0
    reach_sq : (...)           square of that from root to tip; it is clamped to the annulus
    returns : along (...), across (...) >= 0, as multiples of the vector from root to target
    """
    total_sq, rest_sq = (first + second) ** 2, (first - second) ** 2
    reach_sq = np.minimum(np.maximum(reach_sq, np.maximum(rest_sq, _FOLDED * total_sq)), total_sq)
    factor = 0.5 / np.sqrt(np.maximum(distance_sq * reach_sq, _NO_LENGTH))
    along = (reach_sq + (first - second) * (first + second)) * factor
    return along, np.sqrt((total_sq - reach_sq) * (reach_sq - rest_sq)) * factor
