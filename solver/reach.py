"""How far the chain reaches: the annulus, targets outside of it, softness, stretch; and the mid joint for that reach.

By the law of cosines the reach at hinge angle t is D^2 = l1^2 + l2^2 + 2 l1 l2 cos t. Written with half angles it is
(l1 + l2)^2 - 4 l1 l2 sin^2(t/2), exact at full reach, and (l1 - l2)^2 + 4 l1 l2 cos^2(t/2), exact at full fold. The
soft reach is that of Andy Nicholas (Soft IK, softimageblog.com/archives/108).

The mid joint is the intersection of the circle of radius l1 about the root with the circle of radius l2 about the tip.
With D the reach, L = l1 + l2 and R = l1 - l2, its height is 2 A / D, where by Heron 16 A^2 = (L - D) (L + D) (D - R)
(D + R). In this form it is exactly 0 at full reach and full fold, and near them as exact as the input allows.
"""

from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .numbers import as_numbers, differs
from .values import Array, Number, Status

_REACHED, _TOO_FAR, _TOO_CLOSE, _LIMITED = map(np.uint8, Status)

_FOLDED = 2.0**-100
"""The least reach, as part of the length; at a reach of 0 the side of the mid joint would be lost."""

_NO_LENGTH = 2.0**-1000
"""Smaller than every product of lengths that occurs, unless both bones have no length: then every joint is the root."""


def annulus(lengths: ArrayLike, bend_min: ArrayLike = 0.0, bend_max: ArrayLike = pi) -> tuple[Array, Array]:
    """The least and the greatest reach of two bones whose hinge turns from `bend_min` to `bend_max`.

    lengths : (..., 2)              >= 0
    bend_min, bend_max : (...)      radians, 0 <= bend_min <= bend_max <= pi
    returns : inner (...), outer (...)   equal to the last bit if the limits are equal
    """
    lengths = as_numbers("lengths", lengths)
    first, second = lengths[..., 0], lengths[..., 1]
    if isinstance(bend_min, float) and isinstance(bend_max, float) and (bend_min, bend_max) == (0.0, pi):
        return np.abs(first - second), first + second
    return _reach_at(first, second, bend_max), _reach_at(first, second, bend_min)


def _reach_at(first: Array, second: Array, hinge_angle: ArrayLike) -> Array:
    """(...) distance from root to tip, clamped to the lengths' annulus against rounding."""
    four = 4.0 * first * second
    from_full = (first + second) ** 2 - four * np.sin(0.5 * np.asarray(hinge_angle)) ** 2
    # sin((pi - t) / 2) is cos(t / 2), but exactly 0 at full fold.
    from_fold = (first - second) ** 2 + four * np.sin(0.5 * np.subtract(pi, hinge_angle)) ** 2
    distance = np.sqrt(np.where(np.less(hinge_angle, 0.5 * pi), from_full, from_fold))
    return reach_of_tip(first, second, distance)


def equalized(lengths: Array, tolerance: float) -> Array:
    """(..., 2) lengths; those that differ by less than `tolerance` times their sum are made equal.

    Bones of equal length fold onto the root to the side of their bend. With a tiny difference they would fold in line
    with the target instead, a quarter turn away.
    """
    total = lengths.sum(axis=-1, keepdims=True)
    alike = np.abs(lengths[..., 1:] - lengths[..., :1]) <= tolerance * total
    return np.where(alike, 0.5 * total, lengths) if alike.any() else lengths


def soft_reach(distance: Array, outer: Array, softness: Number) -> Array:
    """(...) reach of the tip for a target at `distance`: it eases in to `outer` without ever getting there.

    Beyond da = (1 - s) outer, with ds = s outer, it is da + ds (1 - exp((da - distance) / ds)): slope 1 at da,
    falling to 0, so that the speed of the hinge stays bounded. With softness 0 it is the distance itself.
    """
    if not differs(softness, 0.0):
        return distance
    soft = np.greater(softness, 0.0)
    start, span = (1.0 - softness) * outer, softness * outer
    beyond = np.maximum(distance - start, 0.0)
    # After 64 spans the result no longer changes in double precision. A chain without length has no span and stays put.
    spans = np.minimum(beyond, 64.0 * span) / np.where(span > 0.0, span, 1.0)
    return np.where(soft & (beyond > 0.0), start - span * np.expm1(-spans), distance)


def soft_target_distance(reached: Array, outer: Array, softness: Number) -> Array:
    """(...) the target distance for which `soft_reach` gives `reached`: its inverse, for targets within `outer`.

    A larger `reached` belongs to a target out of reach. The distance is then `outer`, or `reached` if that is more.
    """
    soft = np.greater(softness, 0.0)
    start, span = (1.0 - softness) * outer, softness * outer
    # At full reach the target is a whole span beyond the start, and the chain follows 1 - 1/e of it.
    eased = np.clip(reached - start, 0.0, -np.expm1(-1.0) * span) / np.where(span > 0.0, span, 1.0)
    beyond = np.where(soft & (reached >= start), start - span * np.log1p(-eased), reached)
    return np.maximum(beyond, reached)


def stretch(distance: Array, reached: Array, max_stretch: Number) -> Array:
    """(...) factor on both bones, from 1 to `max_stretch`, that brings a tip at `reached` nearest to `distance`."""
    # No factor gives length to a chain without length.
    factor = np.where(reached > 0.0, distance / np.where(reached > 0.0, reached, 1.0), 1.0)
    return np.clip(factor, 1.0, max_stretch)


def shortfall(distance: Array, inner: Array, outer: Array, slack: Array) -> Array:
    """(...) distance of a target at `distance` from the annulus; 0 inside, on both edges, and up to `slack` outside."""
    beyond = np.maximum(distance - outer, inner - distance)
    return np.where(beyond > slack, beyond, 0.0)


def status(distance: Array, outer: Array, full: Array, shortfall: Array) -> NDArray[np.uint8]:
    """(...) a `Status` for each target at `distance` from the root; `full` is `outer` without the extension limit."""
    missed = shortfall > 0.0
    if not missed.any():
        return np.zeros(missed.shape, np.uint8)
    beyond = np.where(distance > outer, _LIMITED, _TOO_CLOSE)
    return np.where(missed, np.where(distance > full, _TOO_FAR, beyond), _REACHED)


def require(distance: Array, inner: Array, outer: Array, shortfall: Array) -> None:
    """Raise ValueError, with the distance and the annulus, for the first target that cannot be reached."""
    if shortfall.any():
        row = tuple(np.argwhere(shortfall)[0].tolist())
        distance, inner, outer = (np.broadcast_to(length, shortfall.shape)[row] for length in (distance, inner, outer))
        where = f"target {list(row)}" if row else "the target"
        raise ValueError(
            f"{where} is {distance:.6g} from the root, but the chain reaches from {inner:.6g} to {outer:.6g}"
        )


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
