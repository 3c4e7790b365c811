"""Which of the two solutions to take: the sign of the hinge angle, its limits, and the sequence that moves least."""

from dataclasses import replace
from math import pi

import numpy as np

from .diagnostics import hinge_turn
from .numbers import broadcast, every
from .plane import BendPlane
from .reference_pose import ReferencePose
from .rotation import angle_between
from .shortest_path import shortest_path
from .values import Array, Bend, Integers, Mask, Options, Plane, Reference
from .vectors import dot, product

_AT_LIMIT = 1e-9
"""Radians: an angle this close to a limit counts as on the limit, so that rounding does not choose between two such."""


_TIE = 1e-3
"""Radians: two ways whose costs differ by less than this differ by rounding, or by what a straight limb does not show
of its bend. Then the first solution wins."""


def candidates(plane: BendPlane, options: Options) -> list[tuple[BendPlane, Array]]:
    """The plane and the sign (n, ...) of the hinge angle to solve for: one, or two if the choice depends on solutions.

    Where a posed limb goes to a pole, the sign stays that of the pose, as its roll does: towards the pole or away from
    it, the hinge turns over with the mid joint. Another sign, which limits may ask for, goes to the same side.
    """
    side = broadcast(plane.side, plane.distance.shape)
    signs = [side]
    if options.bend in (Bend.POSITIVE, Bend.NEGATIVE):
        towards = side if plane.has_pole else np.ones_like(side)
        signs = [towards if options.bend == Bend.POSITIVE else -towards]
    elif options.bend in (Bend.NEAREST, Bend.LIMITS):
        signs = [side, -side]
    allowed = [within_limits(sign, options) for sign in signs] if is_limited(options) else signs
    if options.reference == Reference.REST or options.plane == Plane.REST or not plane.has_pole:
        return [(plane, sign) for sign in allowed]
    if options.bend == Bend.LIMITS:
        return [(_turned(plane, side * sign), sign) for sign in allowed]
    kept = within_limits(side, options)
    return [(_turned(plane, sign * kept), kept) for sign in signs]


def _turned(plane: BendPlane, by: Array) -> BendPlane:
    """The plane, its hinge turned over on frames where `by` (n, ...) is -1."""
    return replace(plane, hinge=by[..., None] * plane.hinge)


def is_limited(options: Options) -> bool:
    """True if the bend limits leave out any hinge angle."""
    least, most = options.bend_min, options.bend_max
    if isinstance(least, float) and isinstance(most, float):
        return least > -pi or most < pi
    return bool(np.greater(least, -pi).any() or np.less(most, pi).any())


def within_limits(sign: Array, options: Options) -> Array:
    """The sign, but replaced by the only side that the bend limits leave, if they leave only one."""
    for limited, only in ((np.less_equal(options.bend_max, 0.0), -1.0), (np.greater_equal(options.bend_min, 0.0), 1.0)):
        sign = np.where(limited, only, sign) if limited.any() else sign
    return sign


def with_folded_side(pose: ReferencePose, options: Options) -> ReferencePose:
    """The pose, with the side to which it is folded where limits allow a fold to that side alone: it shows neither."""
    if not is_limited(options) or every(pose.bent):
        return pose
    folded = ~pose.bent & (dot(pose.links[..., 0, :], pose.links[..., 1, :]) < 0.0)
    turned = np.where(pose.side > 0.0, np.less(options.bend_max, pi), np.greater(options.bend_min, -pi))
    other = np.where(pose.side > 0.0, np.less_equal(options.bend_min, -pi), np.greater_equal(options.bend_max, pi))
    return replace(pose, side=np.where(folded & turned & other, -pose.side, pose.side))


def opening(sign: Array, options: Options) -> tuple[Array | float, Array | float]:
    """The least and the greatest size (n, ...) of the hinge angle that the bend limits allow on this side."""
    if not is_limited(options):
        return 0.0, pi
    least, most = options.bend_min, options.bend_max
    low = np.where(sign > 0.0, least, np.negative(most))
    return np.maximum(low, 0.0), np.minimum(np.where(sign > 0.0, most, np.negative(least)), pi)


def hinge_angle(turns: Array, sign: Array) -> Array:
    """(...) angle between two directions (..., 2, 2) in the plane of the chain, with the sign of the bend."""
    x1, y1, x2, y2 = (turns[..., bone, axis] for bone in (0, 1) for axis in (0, 1))
    return np.copysign(np.arctan2(np.abs(x1 * y2 - y1 * x2), x1 * x2 + y1 * y2), sign)


def farther_from_limits(angles: Array, shortfalls: Array, options: Options) -> Integers:
    """(n, ...) index of the solution to take on each frame: nearer to the target or, on a tie, farther from the limits.

    angles, shortfalls : (2, n, ...)   hinge angle and distance to the target, of both solutions
    """
    margin = np.minimum(angles - options.bend_min, options.bend_max - angles)
    margin = np.where(margin > _AT_LIMIT, margin, 0.0)
    return np.lexsort((-margin, shortfalls), axis=0)[0]


def least_motion(rotations: Array, angles: Array, shortfalls: Array, start_root: Array, start_angle: Array) -> Mask:
    """(n, ...) True where the second solution is to be taken, so that the joints move least over the whole sequence.

    The motion of a step is the angle by which the root bone turns plus the angle by which the end bone turns against
    it. That is how far the hinge turns; where each frame has a reference pose of its own, the sign of the hinge angle
    may change though nothing moves. The sequence is the optimum over all 2^n.

    rotations : (2, n, ..., 2, 3, 3)   of root and end bone, in both solutions
    angles : (2, 1, ...)               hinge angle of both on the first frame
    shortfalls : (2, n, ...)           distance to the target; a farther solution is ruled out
    start_root : (1, ..., 3, 3), start_angle : (1, ...)   the pose before the first frame
    """
    extra = np.where(shortfalls > shortfalls[::-1], np.inf, 0.0)
    roots = rotations[..., 0, :, :]
    turned = product(np.swapaxes(roots, -1, -2), rotations[..., 1, :, :])
    first = angle_between(start_root, roots[:, :1]) + hinge_turn(start_angle, angles)
    steps = sum(angle_between(each[:, None, :-1], each[:, 1:]) for each in (roots, turned))
    if not extra.size:
        return np.zeros(shortfalls.shape[1:], dtype=np.bool_)
    return shortest_path((first + extra[:, :1])[:, 0], steps + extra[:, 1:], _TIE)
