"""How a solution moves from frame to frame: flips of the bend, speed of the joints, frames that are almost straight."""

from math import pi, radians

import numpy as np
from numpy.typing import NDArray

from .values import Array, Solution

_NEAR_STRAIGHT = radians(5.0)
"""Hinge angle below which a small step of the target makes the joints turn far."""


def flips(solution: Solution) -> NDArray[np.bool_]:
    """(n, ...) True on frames that bend to the other side than the last frame that was bent."""
    angle = solution.hinge_angle.T
    if angle.min(initial=0.0) >= 0.0 or angle.max(initial=0.0) <= 0.0:
        return np.zeros(angle.shape, dtype=bool).T
    bent = np.abs(np.sin(angle)) > 1e-6
    chain, side = np.flatnonzero(bent) // max(1, angle.shape[-1]), angle[bent] > 0.0
    changed = np.zeros(side.shape, dtype=bool)
    changed[1:] = (side[1:] != side[:-1]) & (chain[1:] == chain[:-1])
    flipped = np.zeros(angle.shape, dtype=bool)
    flipped[bent] = changed
    return flipped.T


def near_straight(solution: Solution) -> NDArray[np.bool_]:
    """(n, ...) True on frames whose limb is almost straight."""
    return np.abs(solution.hinge_angle) < _NEAR_STRAIGHT


def speed(solution: Solution, frames: Array) -> Array:
    """(n, ...) speed of root joint or hinge, whichever is faster, in radians a frame; 0 on the first frame.

    frames : (n,)    rising
    """
    root, hinge = solution.rotations[..., 0, :, :], solution.hinge_angle
    turned = np.maximum(root_turn(root[:-1], root[1:]), hinge_turn(hinge[:-1], hinge[1:]))
    faster = np.zeros(hinge.shape)
    faster[1:] = (turned.T / np.diff(frames)).T
    return faster


def root_turn(before: Array, after: Array) -> Array:
    """(...) angle between two rotations (..., 3, 3), computed from the chord so that small angles keep their digits."""
    chord = after - before
    chord_sq = np.einsum("...ij,...ij->...", chord, chord)
    return 2.0 * np.arcsin(np.minimum(np.sqrt(chord_sq / 8.0), 1.0))


def hinge_turn(before: Array, after: Array) -> Array:
    """(...) the smaller angle between two hinge angles, -pi to pi; a full fold to either side is the same pose."""
    angle = np.abs(after - before)
    return np.minimum(angle, 2.0 * pi - angle)
