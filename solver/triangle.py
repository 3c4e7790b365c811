"""The triangle of two bones and the line from root to target, without trigonometry.

The mid joint is the intersection of the circle of radius l1 about the root with the circle of radius l2 about the tip.
With D the clamped reach, 16 A^2 = ((l1 + l2)^2 - D^2) (D^2 - (l1 - l2)^2) is Heron's formula; in this order nothing is
lost near straight and near folded beyond what the input itself leaves open.
"""

from __future__ import annotations

import numpy as np

from .values import Array

_FOLDED = 1e-60
"""Square of the least reach, as part of the length: at 0 the side on which the mid joint lies would be lost."""


def triangle(
    first: Array, second: Array, distance_sq: Array | float, reach_sq: Array | None = None
) -> tuple[Array, Array, Array]:
    """The mid joint along and across the line from root to target, and the tip along it.

    first, second : (...)      lengths of the bones
    distance_sq : (...)        square of the distance from root to target, > 0
    reach_sq : (...) or None   square of the reach to take instead, clamped to the annulus; None: that of the target
    returns : along (...), across (...) >= 0, tip (...), all as multiples of the vector from root to target
    """
    first_sq, second_sq = first * first, second * second
    total_sq, rest_sq = (first + second) ** 2, (first - second) ** 2
    reach_sq = np.clip(distance_sq if reach_sq is None else reach_sq, np.maximum(rest_sq, _FOLDED * total_sq), total_sq)
    product = distance_sq * reach_sq
    # Zero only where both bones have no length: then every joint is the root, whatever the factor.
    factor = 0.5 / np.sqrt(np.where(product > 0.0, product, 1.0))
    along = (reach_sq + first_sq - second_sq) * factor
    across = np.sqrt((total_sq - reach_sq) * (reach_sq - rest_sq)) * factor
    return along, across, 2.0 * reach_sq * factor
