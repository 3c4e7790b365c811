"""Transforms as matrices, taken apart and put together: location, rotation and scale.

Matrices lie in memory component by component, as vectors do in the solver.
"""

from __future__ import annotations

import numpy as np

from ..solver.values import Array
from ..solver.vectors import any_normal, cross, dot, unit

_NOTHING = 1e-90
"""A volume: what is scaled to less than 1e-30 is scaled to nothing, or places seen from there were beyond all sizes."""

UNSCALED = 1e-6
"""How far from orthonormal a float32 matrix without scale may be."""


def compose(linear: Array, location: Array) -> Array:
    """(n, 4, 4) from linear part (n, 3, 3) and location (n, 3)."""
    result = np.zeros((*np.broadcast(linear[..., 0], location).shape[:-1], 4, 4), order="F")
    result[..., :3, :3], result[..., :3, 3], result[..., 3, 3] = linear, location, 1.0
    return result


def moved(location: Array) -> Array:
    """(n, 4, 4) what moves by (n, 3), and neither turns nor scales."""
    return compose(np.eye(3), location)


def unscaled(linear: Array) -> Array:
    """(..., 3, 3) the same axes, each of length one; what is scaled to nothing stays so, and what is mirrored."""
    sizes = lengths(linear)
    return linear / np.where(sizes > 0.0, sizes, 1.0)[..., None, :]


def lengths(linear: Array) -> Array:
    """(n, 3) of the axes that a linear map (n, 3, 3) makes of unit ones."""
    found: Array = np.linalg.norm(linear, axis=-2)
    return found


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
    return linear if matrix.shape[-1] == 3 else compose(linear, -transform_vectors(linear, matrix[..., :3, 3]))


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


def rotation(linear: Array, scale: Array) -> Array:
    """(..., 3, 3) the rotation in a linear map whose scale is known to have the signs of `scale` (..., 3)."""
    return orientation(linear * np.copysign(1.0, scale)[..., None, :])


def transform_points(matrix: Array, points: Array) -> Array:
    """(n, 3) points carried over by (n, 4, 4)."""
    return transform_vectors(matrix[..., :3, :3], points) + matrix[..., :3, 3]


def transform_vectors(linear: Array, vectors: Array) -> Array:
    """(n, 3) vectors carried over by (n, 3, 3)."""
    result: Array = np.einsum("...ij,...j->...i", np.asfortranarray(linear), vectors)
    return result
