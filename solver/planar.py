"""Two links in a plane, root at the origin: both closed forms, forward kinematics, both solutions, three links.

Angles are radians, counter-clockwise: the first from the x axis, the second, the *hinge angle*, from the first link on.
`bend` is the sign of the hinge angle. Out of reach every function gives the closest pose. The angles are the textbook's
law of cosines and angle difference (Craig, Introduction to Robotics, 4.4), with sine and cosine from one triangle so that
nothing is lost near straight; the joint position is the intersection of two circles. Where a direction is undecided
(target on the root, bone without length) the previous row's value stays; rows run along the last but one axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import reach
from .triangle import triangle
from .values import Array, Status, Unreachable
from .vectors import finite, held

_ON_ROOT = 1e-30
"""Below this times the largest length a target counts as on the root: squares of it stay far from underflow."""


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
    lengths, target, exponent = _scaled(lengths, target)
    distance = np.hypot(target[..., 0], target[..., 1])
    if unreachable == Unreachable.ERROR:
        reach.require(np.ldexp(lengths, exponent[..., None]), np.ldexp(distance, exponent))
    solved = angles(lengths, target, bend)
    inner, outer = reach.annulus(lengths)
    status = reach.status(distance, lengths, inner, outer)
    miss = np.maximum(np.maximum(distance - outer, inner - distance), 0.0)
    with np.errstate(over="ignore"):
        joints = np.ldexp(forward(lengths, solved), exponent[..., None, None])
        miss = np.ldexp(np.where(status == Status.REACHED, 0.0, miss), exponent)
    return PlanarSolution(angles=solved, joints=joints, status=status, miss=miss)


def angles(lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1) -> Array:
    """(..., 2) angle of the first link and hinge angle that bring the tip to `target`, or closest to it."""
    lengths, target, _ = _scaled(lengths, target)
    first, second = lengths[..., 0], lengths[..., 1]
    aim = _aim(lengths, target)
    x, y = aim[..., 0], aim[..., 1]
    total_sq, rest_sq = (first + second) ** 2, (first - second) ** 2
    reach_sq = np.clip(x * x + y * y, rest_sq, total_sq)
    opposite = np.sqrt((total_sq - reach_sq) * (reach_sq - rest_sq))
    adjacent = reach_sq - first * first - second * second
    size = np.hypot(opposite, adjacent)
    no_hinge = size == 0.0
    size = np.where(no_hinge, 1.0, size)
    cos, sin = np.where(no_hinge, 1.0, adjacent / size), bend * opposite / size
    along, across = first + second * cos, second * sin
    root = np.arctan2(y * along - x * across, x * along + y * across)
    return _decided(lengths, np.stack((root, np.arctan2(sin, cos)), axis=-1), np.arctan2(y, x))


def mid(lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1) -> Array:
    """(..., 2) position of the mid joint, without trigonometry."""
    lengths, target, exponent = _scaled(lengths, target)
    aim = _aim(lengths, target)
    x, y = aim[..., 0], aim[..., 1]
    along, across, _ = triangle(lengths[..., 0], lengths[..., 1], x * x + y * y)
    across = bend * across
    joint = np.stack((along * x + across * y, along * y - across * x), axis=-1)
    return np.ldexp(joint, exponent[..., None]) if exponent.any() else joint


def forward(lengths: ArrayLike, angles: ArrayLike) -> Array:
    """(..., 2, 2) positions of mid and tip.

    lengths : (..., 2), angles : (..., 2)
    """
    lengths, directions = finite("lengths", lengths), np.cumsum(finite("angles", angles), axis=-1)
    links = lengths[..., None] * np.stack((np.cos(directions), np.sin(directions)), axis=-1)
    return np.cumsum(links, axis=-2)


def both(lengths: ArrayLike, target: ArrayLike) -> Array:
    """(..., 2, 2) the angles for bend +1 and bend -1; at a full reach or a full fold the two poses are one."""
    return np.stack((angles(lengths, target, 1), angles(lengths, target, -1)), axis=-2)


def oriented(lengths: ArrayLike, target: ArrayLike, direction: ArrayLike) -> Array:
    """(..., 2, 3) angles of three links whose last one points in a given direction, for both bends.

    lengths : (..., 3)
    target : (..., 2)       of the last link's end
    direction : (...)       of the last link, radians from the x axis
    """
    lengths, target, direction = finite("lengths", lengths), finite("target", target), finite("direction", direction)
    last = np.stack((np.cos(direction), np.sin(direction)), axis=-1)
    two = both(lengths[..., :2], target - lengths[..., 2:] * last)
    third = direction[..., None] - two.sum(axis=-1)
    return np.concatenate((two, _wrapped(third)[..., None]), axis=-1)


def _scaled(lengths: ArrayLike, target: ArrayLike) -> tuple[Array, Array, NDArray[np.intc]]:
    """Checked inputs, divided by the power of two that keeps every square finite; mostly 2**0."""
    lengths, target = finite("lengths", lengths), finite("target", target)
    if (lengths < 0.0).any():
        row = np.argwhere(lengths < 0.0)[0][:-1].tolist()
        raise ValueError(f"lengths must not be negative, but row {row} is {lengths[tuple(row)]}")
    size = np.maximum(lengths.max(axis=-1), np.abs(target).max(axis=-1))
    exponent = np.where((size > 1e-40) & (size < 1e60), 0, np.frexp(size)[1])
    if exponent.any():
        lengths, target = np.ldexp(lengths, -exponent[..., None]), np.ldexp(target, -exponent[..., None])
    return lengths, target, exponent


def _aim(lengths: Array, target: Array) -> Array:
    """(..., 2) the target, or on the root a point next to it in the last decided direction; x axis where there is none."""
    size = np.maximum(lengths.max(axis=-1), np.abs(target).max(axis=-1))
    decided = np.abs(target).max(axis=-1) > _ON_ROOT * size
    if decided.all():
        return target
    nearest = np.where(decided[..., None], target, (1.0, 0.0))
    aim = held(nearest, decided) / np.hypot(nearest[..., 0], nearest[..., 1])[..., None]
    return np.where(decided[..., None], target, aim * (_ON_ROOT * size)[..., None])


def _decided(lengths: Array, solved: Array, aim: Array) -> Array:
    """Angles where a bone without length leaves one open: that one stays, the other bone points at the target."""
    first, second = lengths[..., 0] > 0.0, lengths[..., 1] > 0.0
    if first.all() and second.all():
        return solved
    shape = solved.shape[:-1]
    first, second = np.broadcast_to(first, shape), np.broadcast_to(second, shape)
    root = held(np.where(first, solved[..., 0], 0.0)[..., None], first)[..., 0]
    hinge = np.where(first, solved[..., 1], _wrapped(aim - root))
    hinge = held(np.where(second, hinge, 0.0)[..., None], second)[..., 0]
    return np.stack((root, hinge), axis=-1)


def _wrapped(angle: Array) -> Array:
    """(...) the same direction within [-pi, pi]."""
    return np.arctan2(np.sin(angle), np.cos(angle))
