"""How far the chain reaches: the annulus, the status of a target, softness, stretch and bend limits.

By the law of cosines the reach at hinge angle t is D^2 = l1^2 + l2^2 + 2 l1 l2 cos t. Written with half angles,
(l1 + l2)^2 - 4 l1 l2 sin^2(t/2) and (l1 - l2)^2 + 4 l1 l2 cos^2(t/2), it is exact at full reach and at full fold.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .values import Array, Status


def annulus(lengths: ArrayLike, bend_min: ArrayLike = 0.0, bend_max: ArrayLike = pi) -> tuple[Array, Array]:
    """The least and the greatest reach of two bones whose hinge turns from `bend_min` to `bend_max`.

    lengths : (..., 2)              >= 0
    bend_min, bend_max : (...)      radians, 0 <= bend_min <= bend_max <= pi
    returns : inner (...), outer (...)
    """
    lengths = np.asarray(lengths, dtype=np.float64)
    first, second = lengths[..., 0], lengths[..., 1]
    four = 4.0 * first * second
    opening = np.cos(np.multiply(0.5, bend_max))
    inner = np.sqrt((first - second) ** 2 + four * np.where(np.equal(bend_max, pi), 0.0, opening) ** 2)
    outer = np.sqrt((first + second) ** 2 - four * np.sin(np.multiply(0.5, bend_min)) ** 2)
    return inner, outer


def softened(distance: Array, outer: Array, softness: float) -> Array:
    """(...) the reach at which a target at `distance` is followed, easing in to `outer` without ever getting there.

    Beyond da = (1 - s) outer, with ds = s outer, it is da + ds (1 - exp((da - distance) / ds)): slope 1 at da,
    falling to 0, so that the speed of the hinge stays bounded. Softness 0 is the plain distance.
    """
    if softness <= 0.0:
        return distance
    start, span = (1.0 - softness) * outer, softness * outer
    beyond = np.maximum(distance - start, 0.0)
    # A chain of no length has no span to ease over; its limit is no reach beyond the start.
    eased = -span * np.expm1(-beyond / np.where(span > 0.0, span, 1.0))
    return np.where(beyond > 0.0, start + eased, distance)


def status(distance: Array, lengths: Array, inner: Array, outer: Array, tolerance: float = 1e-12) -> NDArray[np.uint8]:
    """(...) a `Status` for each target at `distance` from the root.

    Both ends of the annulus count as reached, within `tolerance` times the chain's length. A target on the root or a
    bone without length leaves a direction undecided: DEGENERATE, whatever the distance.
    """
    slack = tolerance * (lengths[..., 0] + lengths[..., 1])
    undecided = (distance <= slack) | (lengths.min(axis=-1) <= 0.0)
    result = np.where(distance > outer + slack, Status.TOO_FAR, Status.REACHED)
    result = np.where(distance < inner - slack, Status.TOO_CLOSE, result)
    return np.where(undecided, Status.DEGENERATE, result).astype(np.uint8)


def require(lengths: ArrayLike, distance: ArrayLike, tolerance: float = 1e-12) -> None:
    """ValueError, with the distance and the annulus, for the first target that two bones cannot reach.

    lengths : (..., 2), distance : (...) from the root
    """
    lengths = np.asarray(lengths, dtype=np.float64)
    inner, outer, distance = np.broadcast_arrays(*annulus(lengths), np.asarray(distance, dtype=np.float64))
    slack = tolerance * outer
    missed = (distance > outer + slack) | (distance < inner - slack)
    if missed.any():
        row = tuple(np.argwhere(missed)[0].tolist())
        raise ValueError(
            f"target {list(row)} is {distance[row]:.6g} from the root, but the chain reaches "
            f"from {inner[row]:.6g} to {outer[row]:.6g}"
        )
