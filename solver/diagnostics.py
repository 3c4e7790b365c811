"""Facts about a solution: angles of the joints, flips of the bend, speed, frames that are almost straight."""

from math import pi, radians

import numpy as np

from . import planar
from .carry_last import carry_last
from .rotation import angle_between
from .values import Array, Mask, Solution
from .vectors import cross, dot, norm, unit

_NEAR_STRAIGHT = radians(5.0)
"""Hinge angle below which a small step of the target makes the joints turn far."""


def joint_angles(rest: Array, joints: Array, hinge: Array, *, in_plane: bool, turn: Array | None = None) -> Array:
    """(n, ..., 2) radians: how far the root bone is turned from rest, and the hinge angle, 0 when straight.

    rest : (..., 3)               from root to mid joint at rest
    joints : (n, ..., k, 3)       root, mid, and what the end bone leads to; what follows does not count
    hinge : (n, ..., 3)           unit: the sign of the hinge angle is that of the turn about it
    in_plane : the root's angle is signed as well, about the hinge of a plane in which the limb stays; otherwise it is
        that between the directions, from 0 to pi
    turn : (n, ...)               the hinge angle, where it is known
    """
    first = joints[..., 1, :] - joints[..., 0, :]
    if turn is None or in_plane:
        second = joints[..., 2, :] - joints[..., 1, :]
        normal = cross(first, second)
        bend = np.where(dot(normal, hinge) < 0.0, -1.0, 1.0)
        turn = bend * np.arctan2(norm(normal), dot(first, second))
    if not in_plane:
        root = np.arctan2(norm(cross(rest, first)), dot(rest, first))
        return np.stack(np.broadcast_arrays(root, turn), axis=-1)
    along, tip = unit(rest), first + second
    target = np.stack((dot(tip, along), dot(tip, cross(hinge, along))), axis=-1)
    lengths = np.stack((norm(first), norm(second)), axis=-1)
    # Where rest is the x axis the angle at rest is 0. The planar solver has its rows on the last axis but one.
    rows = (np.moveaxis(values, 0, -1 - behind) for values, behind in ((lengths, 1), (target, 1), (bend, 0)))
    return np.moveaxis(planar.angles(*rows), -2, 0)


def flips(solution: Solution) -> Mask:
    """(n, ...) True on frames that bend to the other side than the last frame that was bent."""
    angle = solution.hinge_angle
    if angle.min(initial=0.0) >= 0.0 or angle.max(initial=0.0) <= 0.0:
        return np.zeros(angle.shape, dtype=bool)
    bent = solution.sin_hinge > 1e-6
    side = carry_last(np.sign(angle), bent)
    return bent & (np.diff(side, axis=0, prepend=side[:1]) != 0.0)


def near_straight(solution: Solution) -> Mask:
    """(n, ...) True on frames whose limb is almost straight."""
    return np.abs(solution.hinge_angle) < _NEAR_STRAIGHT


def speed(solution: Solution, frames: Array) -> Array:
    """(n, ...) speed of root joint or hinge, whichever is faster, in radians a frame; 0 on the first frame.

    frames : (n,)    rising
    """
    root, hinge = solution.rotations[..., 0, :, :], solution.hinge_angle
    turned = np.maximum(angle_between(root[:-1], root[1:]), hinge_turn(hinge[:-1], hinge[1:]))
    faster = np.zeros(hinge.shape)
    faster[1:] = (turned.T / np.diff(frames)).T
    return faster


def hinge_turn(before: Array, after: Array) -> Array:
    """(...) the smaller angle between two hinge angles, -pi to pi; a full fold to either side is the same pose."""
    angle = np.abs(after - before)
    return np.minimum(angle, 2.0 * pi - angle)
