"""Transforms as matrices, taken apart and put together: location, rotation and scale.

A basis, the own channels of a bone or an object, is (n, 4, 4): scale first, then rotation, then location. Matrices lie
in memory component by component, as vectors do in the solver.
"""

from __future__ import annotations

import numpy as np

from ....solver.values import Array
from ....solver.vectors import any_normal, cross, dot, unit

_NOTHING = 1e-90
"""A volume: what is scaled to less than 1e-30 is scaled to nothing, or places seen from there were beyond all sizes."""


def compose(linear: Array, location: Array) -> Array:
    """(n, 4, 4) from linear part (n, 3, 3) and location (n, 3)."""
    result = np.zeros((*np.broadcast(linear[..., 0], location).shape[:-1], 4, 4), order="F")
    result[..., :3, :3], result[..., :3, 3], result[..., 3, 3] = linear, location, 1.0
    return result


def scale(basis: Array) -> Array:
    """(n, 3) its scale."""
    factors: Array = np.linalg.norm(basis[..., :3, :3], axis=-2)
    return factors


def turned(basis: Array, rotation: Array) -> Array:
    """With another rotation (n, 3, 3) in place of its own."""
    return compose(rotation * scale(basis)[..., None, :], basis[..., :3, 3])


def unturned(basis: Array) -> Array:
    """Without its rotation."""
    return turned(basis, np.eye(3))


def scaled(basis: Array, factors: Array) -> Array:
    """With another scale (n, 3) in place of its own, and without its rotation."""
    return compose(np.eye(3) * factors[..., None, :], basis[..., :3, 3])


def moved_only(basis: Array) -> Array:
    """Without its rotation and scale."""
    return compose(np.eye(3), basis[..., :3, 3])


def unmoved(basis: Array) -> Array:
    """Without its location."""
    return compose(basis[..., :3, :3], np.zeros(3))


def along_bone(factor: Array) -> Array:
    """(n, 3) a scale along the bone's own y axis."""
    return np.stack((np.ones_like(factor), factor, np.ones_like(factor)), axis=-1)


def inverse(matrix: Array) -> Array:
    """(n, k, k) of matrices (n, k, k), 3 x 3 or affine 4 x 4; what is scaled to nothing, as objects are to hide them,
    has zero for a linear part.

    The closed form: np.linalg.inv goes matrix by matrix, which takes twenty times as long.
    """
    columns = np.swapaxes(matrix[..., :3, :3], -1, -2)
    linear = cross(columns[..., (1, 2, 0), :], columns[..., (2, 0, 1), :])
    volume = dot(columns[..., 0, :], linear[..., 0, :])[..., None, None]
    linear /= np.where(np.abs(volume) < _NOTHING, np.inf, volume)
    return linear if matrix.shape[-1] == 3 else compose(linear, -mapped(linear, matrix[..., :3, 3]))


def orientation(linear: Array) -> Array:
    """(..., 3, 3) the rotation in a linear map: the bone's own direction, y, is kept, and x as near as can be."""
    y = unit(linear[..., 1])
    z = unit(cross(linear[..., 0], y))
    if not z.any(axis=-1).all():
        # What is scaled to nothing leaves open, any rotation may fill.
        y = np.where(y.any(axis=-1, keepdims=True), y, (0.0, 1.0, 0.0))
        z = unit(cross(linear[..., 0], y))
        z = np.where(z.any(axis=-1, keepdims=True), z, any_normal(y))
    result = np.empty(linear.shape, order="F")
    result[..., 0], result[..., 1], result[..., 2] = cross(y, z), y, z
    return result


def place(matrix: Array, points: Array) -> Array:
    """(n, 3) points carried over by (n, 4, 4)."""
    return mapped(matrix[..., :3, :3], points) + matrix[..., :3, 3]


def mapped(linear: Array, vectors: Array) -> Array:
    """(n, 3) vectors carried over by (n, 3, 3)."""
    result: Array = np.einsum("...ij,...j->...i", np.asfortranarray(linear), vectors)
    return result
