"""Two links in a plane, root at the origin: both closed forms, forward kinematics, both solutions, three links.

Angles are radians, counter-clockwise: the first from the x axis, the second, the *hinge angle*, from the first link on.
`bend` is the sign of the hinge angle. Out of reach every function gives the closest pose. The angles are the textbook's
law of cosines and angle difference (Craig, Introduction to Robotics, 4.4), with sine and cosine from one triangle so
that nothing is lost near straight; the joint position is the intersection of two circles. Where a direction is
undecided (target on the root, bone without length) the previous row's stays; rows run along the last but one axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import inputs, reach
from .blocks import in_blocks
from .triangle import four_areas, reach_of_tip, triangle
from .undecided import held
from .values import Array, Unreachable

_ON_ROOT = 2.0**-100
"""Below this part of the longer bone a target counts as on the root; its square is still far from underflow."""

_TOLERANCE = 1e-12
"""Part of the chain's length below which a miss counts as none: a thousand times what rounding leaves."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlanarSolution:
    """angles (..., 2), joints (..., 2, 2): mid and tip, status (...) uint8, miss (...): distance from tip to target."""

    angles: Array
    joints: Array
    status: NDArray[np.uint8]
    miss: Array


def solve(
    lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1, unreachable: Unreachable = Unreachable.CLAMP
) -> PlanarSolution:
    """Angles, joints, status and miss distance at once.

    lengths : (..., 2)        >= 0
    target : (..., 2)
    bend : (...)              +1 or -1
    unreachable : CLAMP gives the closest pose; ERROR raises ValueError with the distance and the annulus
    """
    goal = inputs.finite("target", target)
    lengths, target, exponent = _scaled(lengths, goal)
    solved = angles(lengths, target, bend)
    distance = np.hypot(target[..., 0], target[..., 1])
    inner, outer = reach.annulus(lengths)
    slack = _TOLERANCE * outer
    shortfall = reach.shortfall(distance, inner, outer, slack)
    undecided = (distance <= slack) | (lengths.min(axis=-1) <= 0.0)
    with np.errstate(over="ignore"):
        if unreachable == Unreachable.ERROR:
            far = np.hypot(goal[..., 0], goal[..., 1])
            reach.require(far, np.ldexp(inner, exponent), np.ldexp(outer, exponent), shortfall)
        joints = np.ldexp(forward(lengths, solved), exponent[..., None, None])
        miss = goal - joints[..., 1, :]
        return PlanarSolution(
            angles=solved,
            joints=joints,
            status=reach.status(distance, outer, shortfall, undecided),
            miss=np.where(shortfall > 0.0, np.hypot(miss[..., 0], miss[..., 1]), 0.0),
        )


def angles(lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1) -> Array:
    """(..., 2) angle of the first link and hinge angle that bring the tip to `target`, or closest to it."""
    lengths, target, _ = _scaled(lengths, target)
    aim = _aim(lengths, target)
    return _decided(lengths, in_blocks(_angles, lengths, aim, _signs(bend)), aim)


def mid(lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1) -> Array:
    """(..., 2) position of the mid joint, without trigonometry."""
    lengths, target, exponent = _scaled(lengths, target)
    joint = in_blocks(_mid, lengths, _aim(lengths, target), _signs(bend))
    with np.errstate(over="ignore"):
        return np.ldexp(joint, exponent[..., None]) if exponent.any() else joint


def forward(lengths: ArrayLike, angles: ArrayLike) -> Array:
    """(..., k, 2) positions of mid and tip, or of the ends of as many links as there are.

    lengths : (..., k), angles : (..., k)
    """
    lengths, angles = inputs.finite("lengths", lengths), inputs.finite("angles", angles)
    directions = np.cumprod(np.cos(angles) + 1j * np.sin(angles), axis=-1)
    with np.errstate(over="ignore"):
        joints = np.cumsum(lengths * directions, axis=-1)
    return np.stack((joints.real, joints.imag), axis=-1)


def both(lengths: ArrayLike, target: ArrayLike) -> Array:
    """(..., 2, 2) the angles for bend +1 and bend -1; at a full reach or a full fold the two poses are one."""
    return np.stack((angles(lengths, target, 1), angles(lengths, target, -1)), axis=-2)


def oriented(lengths: ArrayLike, target: ArrayLike, direction: ArrayLike) -> Array:
    """(..., 2, 3) angles of three links whose last one points in a given direction, for both bends.

    lengths : (..., 3)
    target : (..., 2)       of the last link's end
    direction : (...)       of the last link, radians from the x axis
    """
    lengths, target, _ = _scaled(lengths, target)
    direction = inputs.finite("direction", direction)
    last = np.stack((np.cos(direction), np.sin(direction)), axis=-1)
    two = both(lengths[..., :2], target - lengths[..., 2:] * last)
    third = _wrapped(direction[..., None] - two.sum(axis=-1))
    return np.concatenate((two, third[..., None]), axis=-1)


def _scaled(lengths: ArrayLike, target: ArrayLike) -> tuple[Array, Array, NDArray[np.intc]]:
    """Checked inputs, divided by a power of two so that the longest bone is neither huge nor tiny; mostly by 2**0."""
    lengths, target = inputs.bone_lengths(lengths), inputs.finite("target", target)
    exponent = inputs.exponent(reduce(np.maximum, np.moveaxis(lengths, -1, 0)))
    return np.ldexp(lengths, -exponent[..., None]), inputs.scaled(target, exponent), exponent


def _signs(bend: ArrayLike) -> Array:
    return np.asarray(bend, dtype=np.float64)[..., None]


def _aim(lengths: Array, target: Array) -> Array:
    """(..., 2) the target, or on the root a point beside it in the last decided direction, which is at first x."""
    x, y = target[..., 0], target[..., 1]
    on_root = _ON_ROOT * np.maximum(lengths[..., 0], lengths[..., 1])
    distance_sq = x * x + y * y
    decided = distance_sq > on_root * on_root
    if decided.all():
        return target
    nearest = np.where(decided[..., None], target, (1.0, 0.0))
    direction = held(nearest / np.sqrt(np.where(decided, distance_sq, 1.0))[..., None], decided, axis=-1)
    return np.where(decided[..., None], target, direction * on_root[..., None])


def _mid(lengths: Array, aim: Array, sign: Array, joint: Array) -> None:
    first, second, x, y = lengths[..., 0], lengths[..., 1], aim[..., 0], aim[..., 1]
    distance = np.sqrt(x * x + y * y)
    along, across = triangle(first, second, distance, reach_of_tip(first, second, distance))
    across = sign[..., 0] * across
    np.add(along * x, across * y, out=joint[..., 0])
    np.subtract(along * y, across * x, out=joint[..., 1])


def _angles(lengths: Array, aim: Array, sign: Array, solved: Array) -> None:
    first, second, x, y = lengths[..., 0], lengths[..., 1], aim[..., 0], aim[..., 1]
    reached = reach_of_tip(first, second, np.sqrt(x * x + y * y))
    # Sine and cosine of the hinge angle, both times 2 l1 l2; then the tip as seen from the first link, times 2 l1.
    sine = sign[..., 0] * four_areas(first, second, reached)
    cosine = reached * reached - first * first - second * second
    along = cosine + 2.0 * first * first
    np.arctan2(y * along - x * sine, x * along + y * sine, out=solved[..., 0])
    np.arctan2(sine, cosine, out=solved[..., 1])


def _decided(lengths: Array, solved: Array, aim: Array) -> Array:
    """Angles where a bone without length leaves one open: that one stays, the other bone points at the target."""
    first, second = lengths[..., 0] > 0.0, lengths[..., 1] > 0.0
    if first.all() and second.all():
        return solved
    shape = solved.shape[:-1]
    first, second = np.broadcast_to(first, shape), np.broadcast_to(second, shape)
    root = held(np.where(first, solved[..., 0], 0.0), first, axis=-1)
    hinge = np.where(first, solved[..., 1], _wrapped(np.arctan2(aim[..., 1], aim[..., 0]) - root))
    hinge = held(np.where(second, hinge, 0.0), second, axis=-1)
    return np.stack((root, hinge), axis=-1)


def _wrapped(angle: Array) -> Array:
    """(...) the same direction within [-pi, pi]."""
    return np.arctan2(np.sin(angle), np.cos(angle))
