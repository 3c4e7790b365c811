"""The least move of the hips, sideways and down, after which planted legs reach their feet.

Each leg lets its hip joint be in a ball around its foot, so the hips may move by what lies in all of these balls. What
of that is nearest is on the surface of one ball, on the circle in which two of them cut each other, or on a point that
three have in common. So these few candidates are all that there is to try.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..values import Array
from ..vectors import any_normal, cross, dot, norm, rejection, unit
from .hips import envelope_weights, height_range

_NEAR = 1e-9
"""Of the reach: so far rounding may put a candidate outside of a ball on whose surface it lies."""

_STEPS = 300
"""Of the descent where feet have to give way: enough for a millionth of what they fall short by."""

_PASSES = 4
"""Smoothed moves may leave feet out of reach for which the next pass moves a little farther."""


def least_move(hips: Array, feet: Array, reach: Array, planted: NDArray[np.bool_], limit: float) -> Array:
    """(n, 3) the shortest move after which every planted leg reaches its foot.

    hips, feet : (n, f, 3)     hip joints, and tips where they are to be
    reach : (f,) or (n, f)     of the legs
    planted : (n, f) bool
    limit : the longest move. If the feet cannot be reached so, the move is one for which they give way by the least
            squares.
    """
    centres = feet - hips
    reach = np.broadcast_to(reach, planted.shape)
    move = np.zeros((len(hips), 3))
    rows = np.flatnonzero((planted & (norm(centres) > reach)).any(axis=1))
    if not len(rows):
        return move
    centres, reach, planted = centres[rows], reach[rows], planted[rows]
    best, length = np.zeros((len(rows), 3)), np.full(len(rows), np.inf)
    for place in _candidates(centres, reach, planted):
        inside = (norm(place[:, None] - centres) <= (1.0 + _NEAR) * reach) | ~planted
        found = np.where(inside.all(axis=1), norm(place), np.inf)
        best, length = np.where((found < length)[:, None], place, best), np.minimum(found, length)
    short = length > limit
    if short.any():
        best[short] = _least_squares(centres[short], reach[short], planted[short], limit)
    move[rows] = best
    return move


def _candidates(centres: Array, reach: Array, planted: NDArray[np.bool_]) -> Iterator[Array]:
    """(n, 3) at a time; inf where there is none."""

    def where(real: NDArray[np.bool_], place: Array, *legs: int) -> Array:
        real = real & planted[:, legs].all(axis=1)
        return np.where(real[:, None], place, np.inf)

    legs = range(planted.shape[1])
    for leg in legs:
        distance = norm(centres[:, leg])
        part = reach[:, leg] / np.where(distance > 0.0, distance, 1.0)
        yield where(distance > reach[:, leg], (1.0 - part)[:, None] * centres[:, leg], leg)
    for first, second in combinations(legs, 2):
        middle, axis, radius_sq = _circle(centres, reach, first, second)
        towards = rejection(-middle, axis)
        towards = np.where(norm(towards)[:, None] > 0.0, unit(towards), any_normal(axis))
        yield where(radius_sq >= 0.0, middle + np.sqrt(np.maximum(radius_sq, 0.0))[:, None] * towards, first, second)
    for first, second, third in combinations(legs, 3):
        middle, axis, radius_sq = _circle(centres, reach, first, second)
        # In the circle's plane: those of its points that are as far from the third centre as its reach.
        line = centres[:, third] - middle
        flat = rejection(line, axis)
        away, apart = norm(flat), reach[:, third] ** 2 - dot(line, axis) ** 2
        along = 0.5 * (radius_sq + away**2 - apart) / np.where(away > 0.0, away, np.inf)
        aside_sq = radius_sq - along**2
        ahead, aside = unit(flat), np.sqrt(np.maximum(aside_sq, 0.0))[:, None] * cross(axis, unit(flat))
        for sign in (1.0, -1.0):
            place = middle + along[:, None] * ahead + sign * aside
            yield where((aside_sq >= 0.0) & (away > 0.0), place, first, second, third)


def _circle(centres: Array, reach: Array, first: int, second: int) -> tuple[Array, Array, Array]:
    """Middle (n, 3), axis (n, 3) and squared radius (n,) of the circle in which two spheres cut each other."""
    line = centres[:, second] - centres[:, first]
    distance = norm(line)
    along = 0.5 * (distance**2 + reach[:, first] ** 2 - reach[:, second] ** 2)
    along /= np.where(distance > 0.0, distance, np.inf)
    radius_sq = np.where(distance > 0.0, reach[:, first] ** 2 - along**2, -1.0)
    return centres[:, first] + along[:, None] * unit(line), unit(line), radius_sq


def _least_squares(centres: Array, reach: Array, planted: NDArray[np.bool_], limit: float) -> Array:
    """(n, 3) where the sum of the squares of what planted legs fall short by is least.

    The mean of the nearest points of all balls is the step down its slope for which that sum never rises. It is taken
    with the momentum of Nesterov (1983).
    """
    count = planted.sum(axis=1)[:, None]
    place = last = np.zeros((len(centres), 3))
    for step in range(_STEPS):
        ahead = place + step / (step + 3.0) * (place - last)
        line = centres - ahead[:, None]
        distance = norm(line)
        short = np.where(planted, np.maximum(distance - reach, 0.0), 0.0)
        pull = (short / np.where(distance > 0.0, distance, 1.0))[..., None] * line
        last, ahead = place, ahead + pull.sum(axis=1) / count
        length = norm(ahead)[:, None]
        place = ahead * np.minimum(1.0, limit / np.where(length > 0.0, length, 1.0))
    return place


def sideways(
    hips: Array,
    feet: Array,
    reach: Array,
    planted: NDArray[np.bool_],
    up: Array,
    limit: float,
    rate: float,
    seconds: float,
) -> Array:
    """(n, 3) smooth level moves of the hips, after which they need not go down as far.

    They follow the level part of the least moves. It is smoothed; what it lacks then, `lowering` after it makes up for
    wherever any height will do. On frames on which none will, the hips move farther.

    hips, feet, reach, planted, limit : as for `least_move`
    up : (3,)     unit vector
    rate : frames a second
    seconds : before and after a frame, over which its move is spread
    """
    aside = np.zeros((len(hips), 3))
    missing = np.ones(len(hips), dtype=np.bool_)
    for _ in range(_PASSES):
        moved = hips + aside[:, None]
        move = np.where(missing[:, None], least_move(moved, feet, reach, planted, limit), 0.0)
        level = move - dot(move, up)[:, None] * up
        if not level.any():
            break
        aside = aside + smooth_moves(level, rate, seconds)
        least, most = height_range(hips + aside[:, None], feet, reach, planted, up)
        missing = planted.any(axis=1) & (np.maximum(0.0, -most) > np.minimum(-least, limit))
    return aside


def smooth_moves(moves: Array, rate: float, seconds: float) -> Array:
    """(n, 3) the longest move within this many seconds to either side, and then the mean as of `smooth_envelope`.

    In a direction in which all moves of that time go, and are as long as they are far, it is nowhere less.
    """
    weights = envelope_weights(rate, seconds)
    side = len(weights) // 2
    padded = np.pad(moves, ((2 * side, 2 * side), (0, 0)), mode="edge")
    longest = sliding_window_view(norm(padded), len(weights)).argmax(axis=-1)
    held = padded[longest + np.arange(len(longest))]
    return np.stack([np.convolve(column, weights, mode="valid") for column in held.T], axis=1)
