"""Orientations: a triad is the 3x3 matrix of a bone's direction, its hinge axis, and their vector product."""

from __future__ import annotations

import numpy as np

from .values import Array
from .vectors import cross


def triad(direction: Array, hinge: Array) -> Array:
    """(..., 3, 3) rotation matrix whose columns are the orthonormal `direction`, `hinge` and their product."""
    return _columns(direction, hinge, cross(direction, hinge))


def in_plane(aim: Array, hinge: Array, turns: Array) -> Array:
    """(..., k, 3, 3) triads of bones that lie in one plane.

    aim, hinge : (..., 3)     orthonormal; `hinge` is the plane's normal
    turns : (..., k, 2)       each bone's direction as a unit vector: its parts along `aim` and along aim x hinge
    """
    across = cross(aim, hinge)[..., None, :]
    aim, hinge = aim[..., None, :], hinge[..., None, :]
    cos, sin = turns[..., 0, None], turns[..., 1, None]
    return _columns(cos * aim + sin * across, hinge, cos * across - sin * aim)


def rotation_between(before: Array, after: Array) -> Array:
    """(..., 3, 3) the rotation that takes the triad `before` to the triad `after`."""
    return product(after, np.swapaxes(before, -1, -2))


def product(first: Array, second: Array) -> Array:
    """(..., 3, 3) first @ second; several times as fast if both lie in memory component by component."""
    result: Array = np.einsum("...ij,...jk->...ik", np.asfortranarray(first), np.asfortranarray(second))
    return result


def _columns(x: Array, y: Array, z: Array) -> Array:
    matrix = np.empty((*x.shape, 3), order="F")
    matrix[..., 0], matrix[..., 1], matrix[..., 2] = x, y, z
    return matrix
