"""The heights of the hips at which planted legs reach their feet, and the least smooth lowering down to them.

A leg reaches its foot if the hip joint lies within a ball around the foot, whose radius is the leg's reach. Moved along
`up` by x, the hip joint is inside for x from -b - r to -b + r, where b is its height above the foot and r the square
root of reach^2 - (horizontal distance)^2.
"""

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..values import Array, Mask
from ..vectors import along, dot, norm, rejection
from .statistics import HELD, commonest, slopes

LOWERS = 0.25
"""Seconds for which the hips go down before a frame that makes them, and go up after it."""

_BISECTIONS = 60
"""Halvings of the most lowering, down to the last digit of a double."""

_WINDOW = 0.1
"""Seconds over which the hips' speed is taken."""

_STRIDE = 1.0
"""Seconds over which they sway to and fro, and only their travel remains."""

_TRAVELS, _LEAST_TRAVEL = 0.3, 0.25
"""Leg lengths a second, and the part of the frames: hips that go slower, or travel for less, do not show the ratio."""

_ALIKE, _LEAST_RATIO = 0.05, 0.4
"""Ratios that differ by so little count as alike; a smaller ratio than the least, or a greater inverse, is none."""

_ASIDE = 0.5
"""Part of a velocity that at most is across the hips' travel where legs of another length skate."""

_UNSURE = 0.1
"""A ratio that a stride shows may be off by so much, as feet skate; one that several show, by less, as a mean may."""


def height_range(hips: Array, feet: Array, reach: Array, planted: Mask, up: Array) -> tuple[Array, Array]:
    """How far the hips may move along `up` so that every planted leg reaches its foot.

    hips, feet : (n, f, 3)     hip joints, and tips where they are to be
    reach : (f,) or (n, f)     of the legs
    planted : (n, f) bool
    returns : least (n,), most (n,)     without bounds if no leg is planted; least > most if no height will do
    """
    height, room = _height_and_room(hips, feet, reach, up)
    half = np.where(room >= 0.0, np.sqrt(np.maximum(room, 0.0)), -np.inf)
    least, most = np.where(planted, -height - half, -np.inf), np.where(planted, half - height, np.inf)
    return least.max(axis=1), most.min(axis=1)


def lowering(hips: Array, feet: Array, reach: Array, planted: Mask, up: Array, limit: float) -> Array:
    """(n,) the least distance by which the hips go down so that every planted leg reaches its foot.

    limit : the most that they go down. If the feet cannot be reached so, the lowering is the one at which the feet have
            to give way by the least squares.
    """
    least, most = height_range(hips, feet, reach, planted, up)
    down = np.maximum(0.0, -most)
    short = (down > np.minimum(-least, limit)) & planted.any(axis=1)
    reach = np.broadcast_to(reach, planted.shape)
    down[short] = _least_squares(hips[short], feet[short], reach[short], planted[short], up, limit)
    return down


def _least_squares(hips: Array, feet: Array, reach: Array, planted: Mask, up: Array, limit: float) -> Array:
    """(n,) the lowering at which the sum of the squares of what planted legs fall short by is least.

    The sum is convex, since the distance to a ball is. So its least is where its slope changes sign, or at an end.
    """
    height, room = _height_and_room(hips, feet, reach, up)
    flat_sq = reach * reach - room
    low, high = np.zeros(len(hips)), np.full(len(hips), limit)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        above = height - middle[:, None]
        distance = np.sqrt(above * above + flat_sq)
        short = np.where(planted, np.maximum(distance - reach, 0.0), 0.0)
        better_below = (short * above / np.where(distance > 0.0, distance, 1.0)).sum(axis=1) > 0.0
        low, high = np.where(better_below, middle, low), np.where(better_below, high, middle)
    return 0.5 * (low + high)


def _height_and_room(hips: Array, feet: Array, reach: Array, up: Array) -> tuple[Array, Array]:
    """(n, f) height of each hip joint above its foot, and reach^2 - (horizontal distance)^2."""
    line = hips - feet
    height = dot(line, up)
    flat = line - along(up, height)
    return height, reach * reach - dot(flat, flat)


def smooth_envelope(values: Array, rate: float, seconds: float) -> Array:
    """(n,) a smooth curve that is nowhere below `values` (n,), >= 0.

    It is the greatest value within this many seconds to either side, and then the mean of these over the same span,
    with weights that fall smoothly to 0. Each of them is at least the value in the middle, and so is their mean. At
    both ends the values go on as they begin and end.
    """
    weights = envelope_weights(rate, seconds)
    longer = np.pad(values, len(weights) - 1, mode="edge")
    return np.convolve(sliding_window_view(longer, len(weights)).max(axis=1), weights, mode="valid")


def envelopes(values: Array, rate: float, seconds: float, takes: Sequence[slice]) -> Array:
    """(n, ...) a `smooth_envelope` of each column of the values (n, ...), for each of the takes by itself."""
    found = np.empty(values.shape)
    for column in np.ndindex(values.shape[1:]):
        for rows in takes:
            found[rows, *column] = smooth_envelope(values[rows, *column], rate, seconds)
    return found


def envelope_weights(rate: float, seconds: float) -> Array:
    """(2 k + 1,) that fall smoothly to 0 over this many seconds to either side; their sum is 1."""
    side = max(1, round(seconds * rate))
    weights = np.cos(np.linspace(-0.5 * np.pi, 0.5 * np.pi, 2 * side + 3)[1:-1]) ** 2
    return weights / weights.sum()


def fit(points: Array, ratio: float, origin: Array) -> Array:
    """(..., 3) how far hips move so that their motion suits legs `ratio` times as long as when it was captured.

    origin : (3,)     the place that stays; at the height of a tip that stands on the ground, so that feet that stand do
    """
    return (ratio - 1.0) * (points - origin)


def travel(hips: Array, rate: float, leg: float, up: Array) -> Array:
    """(k, 3) how fast hips (n, 3) go along on the frames on which they move, in units a second; a pose may be held."""
    speeds, _ = slopes(rejection(hips, up), _STRIDE, rate)
    return speeds[norm(speeds) > HELD * leg]


def are_carried(speeds: Array, velocity: Array) -> bool:
    """Whether hips that go so (k, 3) are carried by what has this velocity (3,).

    Otherwise legs of another length than captured skate by it: along with the hips, and not nearly as fast.
    """
    usual = np.median(speeds, axis=0)
    part = float(dot(velocity, usual) / dot(usual, usual))
    aside = float(norm(velocity - part * usual))
    return not (1.0 - 1.0 / _LEAST_RATIO < part < 1.0 - _LEAST_RATIO and aside < _ASIDE * float(norm(velocity)))


def found_ratio(hips: Array, points: Array, rate: float, leg: float, up: Array) -> float:
    """By how much the motion of the hips must be scaled so that feet that stand do not slide; 1 if it does not show.

    While a point stands, the hips' velocity times the ratio undoes the point's velocity as seen from the hips. The
    ratio that does so most often is taken, of the frames on which the hips travel. The shorter they move, the farther
    from 1 must the ratio be.

    hips : (n, 3)
    points : (n, f, p, 3)
    leg : length of a leg, > 0
    """
    speeds = rejection(slopes(hips, _WINDOW, rate)[0], up) / leg
    travels, moving = norm(speeds) > _TRAVELS, np.count_nonzero(norm(speeds) > HELD)
    if np.count_nonzero(travels) < max(_LEAST_TRAVEL * moving, 1.0):
        return 1.0
    seen, velocity = speeds[travels][:, None, None], slopes(points, _WINDOW, rate)[0][travels]
    # Of the velocity as seen from the hips, the part along their travel.
    ratios = 1.0 - dot(velocity, seen) / (leg * dot(seen, seen))
    (ratio,) = commonest(ratios.reshape(-1, 1), _ALIKE, np.ones(1))
    aside = norm(rejection(velocity / leg, up) - (1.0 - ratios)[..., None] * seen) / norm(seen)
    alike = aside[np.abs(ratios - ratio) <= _ALIKE]
    if not alike.size or np.median(alike) > _ASIDE * abs(ratio - 1.0):
        return 1.0
    shows = abs(ratio - 1.0) > _UNSURE * (_STRIDE * rate / (moving + len(hips) - len(speeds))) ** 0.5
    return float(ratio) if shows and _LEAST_RATIO < ratio < 1.0 / _LEAST_RATIO else 1.0
