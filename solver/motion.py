"""How a solution moves from frame to frame: flips of the bend, speed of the joints, frames close to singular."""

from __future__ import annotations

from math import radians

import numpy as np
from numpy.typing import NDArray

from .values import Array, Solution

_NEAR_STRAIGHT = radians(5.0)
"""Hinge angle below which a small step of the target asks for a large turn of the joints."""


def flips(solution: Solution) -> NDArray[np.bool_]:
    """(n,) True on frames that bend to the other side than the last bent frame before them."""
    side = np.sign(np.where(np.abs(np.sin(solution.hinge_angle)) > 1e-6, solution.hinge_angle, 0.0))
    bent = np.flatnonzero(side)
    flipped = np.zeros(len(side), dtype=bool)
    flipped[bent[1:]] = side[bent[1:]] != side[bent[:-1]]
    return flipped


def near_straight(solution: Solution) -> NDArray[np.bool_]:
    """(n,) True on frames that are all but straight."""
    return np.abs(solution.hinge_angle) < _NEAR_STRAIGHT


def speed(solution: Solution, frames: Array) -> Array:
    """(n,) the faster of root joint and hinge since the frame before, radians a frame; 0 on the first.

    frames : (n,)    rising
    """
    turns = np.diff(solution.rotations, axis=0)
    # The chord between two rotations tells their angle and keeps its digits where that is small.
    root = 2.0 * np.arcsin(np.minimum(np.sqrt(np.square(turns[:, 0]).sum(axis=(-2, -1)) / 8.0), 1.0))
    hinge = np.abs(np.diff(solution.hinge_angle))
    hinge = np.minimum(hinge, 2.0 * np.pi - hinge)
    return np.concatenate((np.zeros(min(len(frames), 1)), np.maximum(root, hinge) / np.diff(frames)))
