"""Two links in a plane, root at the origin: both closed forms, forward kinematics, both solutions, three links.

Angles are radians, counter-clockwise: the first from the x axis, the second, the *hinge angle*, from the first link.
`bend` is the sign of the hinge angle. Out of reach, every function gives the closest pose. The angles are the
textbook's law of cosines and angle difference (Craig, Introduction to Robotics, 4.4), with sine and cosine from one
triangle so that no digits are lost near straight; the joint position is the intersection of two circles. If a direction
is undecided (target on the root, bone without length), the previous row's holds; rows run along the last but one axis.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import inputs, reach
from .carry_last import carry_last
from .values import Array, Mask, Unreachable

_ON_ROOT = 2.0**-100
"""Part of the longer bone: a target closer to the root counts as on the root. Its square is far from underflow."""

_TOLERANCE = 1e-12
"""Part of the chain's length: a smaller miss counts as none. It is a thousand times the error of rounding."""

_ROWS = 1 << 14
"""Large arrays are solved in blocks of this many rows, whose data stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlanarSolution:
    """Result of `solve`.

    angles : (..., 2)           of the first link, and of the hinge
    joints : (..., 2, 2)        mid and tip
    status : (...) uint8        a `Status` each: whether the target is within reach
    degenerate : (...) bool     True if a direction is undecided: target on the root, or a bone without length
    miss : (...)                distance from tip to target
    """

    angles: Array
    joints: Array
    status: NDArray[np.uint8]
    degenerate: Mask
    miss: Array


def solve(
    lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1, unreachable: Unreachable = Unreachable.CLAMP
) -> PlanarSolution:
    """Angles, joints, status and miss distance at once.

    lengths : (..., 2)        >= 0
    target : (..., 2)
    bend : (...)              +1 or -1
    unreachable : CLAMP gives the closest pose; ERROR raises ValueError with the distance and the annulus
    raises : ValueError, with the value, for inputs outside these ranges, not finite, or larger than 1e60; with both
             shapes, for inputs that do not fit together
    """
    unreachable = Unreachable(unreachable)
    lengths, target, _ = _checked(lengths, target, bend)
    solved = angles(lengths, target, bend)
    distance = np.hypot(target[..., 0], target[..., 1])
    inner, outer = reach.annulus(lengths)
    slack = _TOLERANCE * outer
    shortfall = reach.shortfall(distance, inner, outer, slack)
    if unreachable == Unreachable.ERROR:
        reach.require(distance, inner, outer, shortfall)
    joints = forward(lengths, solved)
    miss = target - joints[..., 1, :]
    return PlanarSolution(
        angles=solved,
        joints=joints,
        status=reach.status(distance, outer, outer, shortfall),
        degenerate=np.minimum(distance, lengths.min(axis=-1)) <= slack,
        miss=np.where(shortfall > 0.0, np.hypot(miss[..., 0], miss[..., 1]), 0.0),
    )


def angles(lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1) -> Array:
    """(..., 2) angle of the first link and hinge angle that bring the tip to `target`, or closest to the target."""
    lengths, target, sign = _checked(lengths, target, bend)
    aim = _aim(lengths, target)
    return _hold_undecided(lengths, _in_blocks(_angles, lengths, aim, sign), aim)


def mid(lengths: ArrayLike, target: ArrayLike, bend: ArrayLike = 1) -> Array:
    """(..., 2) position of the mid joint, without trigonometry."""
    lengths, target, sign = _checked(lengths, target, bend)
    return _in_blocks(_mid, lengths, _aim(lengths, target), sign)


def forward(lengths: ArrayLike, angles: ArrayLike) -> Array:
    """(..., k, 2) positions of mid and tip, or of the ends of any number k of links.

    lengths : (..., k), angles : (..., k)
    """
    lengths, angles = inputs.check_array("lengths", lengths), inputs.check_array("angles", angles)
    inputs.common_rows(lengths=(lengths.shape, 0), angles=(angles.shape, 0))
    directions = np.cumprod(np.cos(angles) + 1j * np.sin(angles), axis=-1)
    joints = np.cumsum(lengths * directions, axis=-1)
    return np.stack((joints.real, joints.imag), axis=-1)


def both(lengths: ArrayLike, target: ArrayLike) -> Array:
    """(..., 2, 2) the angles for bend +1 and bend -1; at full reach and at full fold both poses are the same."""
    return np.stack((angles(lengths, target, 1), angles(lengths, target, -1)), axis=-2)


def oriented(lengths: ArrayLike, target: ArrayLike, direction: ArrayLike) -> Array:
    """(..., 2, 3) angles of three links, for both bends, whose last link points in a given direction.

    lengths : (..., 3)
    target : (..., 2)       of the last link's end
    direction : (...)       of the last link, radians from the x axis
    """
    lengths, target = inputs.bone_lengths(lengths, 3), inputs.check_array("target", target, 2)
    direction = inputs.check_array("direction", direction)
    inputs.common_rows(lengths=(lengths.shape, 1), target=(target.shape, 1), direction=(direction.shape, 0))
    last = np.stack((np.cos(direction), np.sin(direction)), axis=-1)
    two = both(lengths[..., :2], target - lengths[..., 2:] * last)
    third = _wrap(direction[..., None] - two.sum(axis=-1))
    return np.concatenate((two, third[..., None]), axis=-1)


def _checked(lengths: ArrayLike, target: ArrayLike, bend: ArrayLike) -> tuple[Array, Array, Array]:
    """The lengths (..., 2), the target (..., 2) and the bend (..., 1), each checked, and their shapes together."""
    lengths, target = inputs.bone_lengths(lengths, 2), inputs.check_array("target", target, 2)
    sign = inputs.signs(bend)
    inputs.common_rows(lengths=(lengths.shape, 1), target=(target.shape, 1), bend=(sign.shape[:-1], 0))
    return lengths, target, sign


def _aim(lengths: Array, target: Array) -> Array:
    """(..., 2) the target; if it is on the root, a point beside the root in the last decided direction, at first x."""
    x, y = target[..., 0], target[..., 1]
    on_root = _ON_ROOT * np.maximum(lengths[..., 0], lengths[..., 1])
    distance_sq = x * x + y * y
    decided = distance_sq > on_root * on_root
    if decided.all():
        return target
    nearest = np.where(decided[..., None], target, (1.0, 0.0))
    direction = carry_last(nearest / np.sqrt(np.where(decided, distance_sq, 1.0))[..., None], decided, axis=-1)
    return np.where(decided[..., None], target, direction * on_root[..., None])


def _mid(lengths: Array, aim: Array, sign: Array, joint: Array) -> None:
    first, second, x, y = lengths[..., 0], lengths[..., 1], aim[..., 0], aim[..., 1]
    distance = np.sqrt(x * x + y * y)
    along, across = reach.triangle(first, second, distance, reach.reach_of_tip(first, second, distance))
    across = sign[..., 0] * across
    np.add(along * x, across * y, out=joint[..., 0])
    np.subtract(along * y, across * x, out=joint[..., 1])


def _angles(lengths: Array, aim: Array, sign: Array, solved: Array) -> None:
    first, second, x, y = lengths[..., 0], lengths[..., 1], aim[..., 0], aim[..., 1]
    reached = reach.reach_of_tip(first, second, np.sqrt(x * x + y * y))
    # Sine and cosine of the hinge angle, both times 2 l1 l2; then the tip as seen from the first link, times 2 l1.
    sine = sign[..., 0] * reach.four_times_area(first, second, reached)
    cosine = reached * reached - first * first - second * second
    along = cosine + 2.0 * first * first
    np.arctan2(y * along - x * sine, x * along + y * sine, out=solved[..., 0])
    np.arctan2(sine, cosine, out=solved[..., 1])


def _hold_undecided(lengths: Array, solved: Array, aim: Array) -> Array:
    """The angles, with the last decided value of an angle that a bone without length leaves undecided."""
    first, second = lengths[..., 0] > 0.0, lengths[..., 1] > 0.0
    if first.all() and second.all():
        return solved
    shape = solved.shape[:-1]
    first, second = np.broadcast_to(first, shape), np.broadcast_to(second, shape)
    root = carry_last(np.where(first, solved[..., 0], 0.0), first, axis=-1)
    hinge = np.where(first, solved[..., 1], _wrap(np.arctan2(aim[..., 1], aim[..., 0]) - root))
    hinge = carry_last(np.where(second, hinge, 0.0), second, axis=-1)
    return np.stack((root, hinge), axis=-1)


def _wrap(angle: Array) -> Array:
    """(...) the same direction as an angle within [-pi, pi]."""
    return np.arctan2(np.sin(angle), np.cos(angle))


def _in_blocks(function: Callable[..., None], *arrays: Array) -> Array:
    """(..., 2) the array that `function(*arrays, result)` fills, block by block and row by row.

    arrays : (..., k) each, which broadcast against each other except for their last axes
    """
    shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    result = np.empty((*shape, 2))
    step = max(1, _ROWS // max(1, prod(shape[1:])))
    if not shape or shape[0] <= step:
        function(*arrays, result)
        return result
    for start in range(0, shape[0], step):
        function(*(_rows(array, len(shape), start, start + step) for array in arrays), result[start : start + step])
    return result


def _rows(array: Array, axes: int, start: int, end: int) -> Array:
    along = array.ndim > axes and len(array) > 1
    return array[start:end] if along else array
