"""Which of the two solutions: the sign of the hinge angle, its limits, and the sequence of signs that moves least."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from .values import Array, Bend, Options


def candidates(options: Options, side: Array, pole: bool) -> list[Array]:
    """The signs (n,) of the hinge angle to solve for: one, or both where the choice needs the solutions.

    side : (n,)     the sign for bend REST; with a pole, the one that bends towards it
    pole : bool     True where a pole decides the plane
    """
    positive, negative = np.ones_like(side), -np.ones_like(side)
    if options.bend in (Bend.NEAREST, Bend.LIMITS):
        signs = [side, -side]
    elif options.bend == Bend.REST:
        signs = [side]
    elif options.bend == Bend.POSITIVE:
        signs = [side if pole else positive]
    else:
        signs = [-side if pole else negative]
    return [_permitted(sign, options) for sign in signs]


def opening(sign: Array, options: Options) -> tuple[Array, Array]:
    """The least and the greatest size (n,) of the hinge angle that the bend limits leave on this side."""
    low = np.where(sign > 0.0, max(0.0, options.bend_min), max(0.0, -options.bend_max))
    high = np.where(sign > 0.0, min(pi, options.bend_max), min(pi, -options.bend_min))
    return low, high


def limited(options: Options) -> bool:
    """True where the bend limits take anything away."""
    return options.bend_min > -pi or options.bend_max < pi


def _permitted(sign: Array, options: Options) -> Array:
    """Limits that lie on one side of straight leave only that side."""
    if options.bend_min > 0.0:
        return np.ones_like(sign)
    if options.bend_max < 0.0:
        return -np.ones_like(sign)
    return sign


def margin(angle: Array, options: Options) -> Array:
    """(n,) how far the hinge angle keeps from the nearer of its limits."""
    return np.minimum(angle - options.bend_min, options.bend_max - angle)


def least_motion(roots: Array, angles: Array, start_root: Array, start_angle: Array) -> NDArray[np.intp]:
    """(n,) for each frame which of two solutions to take, so that the joints move least over the whole sequence.

    The motion of a step is the angle by which the root bone turns plus the angle by which the hinge turns. A shortest path
    through two states a frame (Viterbi, 1967) is the optimum over all 2^n sequences, in time linear in n.

    roots : (2, n, 3, 3)      root rotations of both solutions
    angles : (2, n)           hinge angles
    start_root (3, 3), start_angle () : the pose before the first frame
    """
    first = _turn(start_root, roots[:, 0]) + _difference(start_angle, angles[:, 0])
    steps = _turn(roots[:, None, :-1], roots[None, :, 1:]) + _difference(angles[:, None, :-1], angles[None, :, 1:])
    (cost_a, cost_b), came_from = first.tolist(), []
    for (aa, ab), (ba, bb) in np.moveaxis(steps, -1, 0).tolist():
        came_from.append((cost_b + ba < cost_a + aa, cost_b + bb < cost_a + ab))
        cost_a, cost_b = min(cost_a + aa, cost_b + ba), min(cost_a + ab, cost_b + bb)
    chosen = [int(cost_b < cost_a)]
    for previous in reversed(came_from):
        chosen.append(int(previous[chosen[-1]]))
    return np.array(chosen[::-1], dtype=np.intp)


def _turn(before: Array, after: Array) -> Array:
    """(...) angle of the rotation between two rotations; from the chord, so that small angles keep their digits."""
    chord_sq = np.square(after - before).sum(axis=(-2, -1))
    angle: Array = 2.0 * np.arcsin(np.minimum(np.sqrt(chord_sq / 8.0), 1.0))
    return angle


def _difference(before: Array, after: Array) -> Array:
    """(...) the smaller angle between two hinge angles: a full fold to either side is one pose."""
    angle = np.abs(after - before) % (2.0 * pi)
    return np.minimum(angle, 2.0 * pi - angle)
