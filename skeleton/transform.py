"""Transforms as matrices, taken apart and put together: location, rotation and scale.

Matrices lie in memory component by component, as vectors do in the solver.
"""

from __future__ import annotations

import numpy as np

from ..solver.values import Array
from ..solver.vectors import any_normal, cross, dot, unit

_NOTHING = 1e-90
"""A volume: axes shorter than 1e-30 count as nothing, else the inverse would be beyond all sizes."""

UNSCALED = 1e-6
"""A float32 matrix without scale may be so far from orthonormal."""


def compose(linear: Array, location: Array) -> Array:
    """(n, 4, 4) from linear part (n, 3, 3) and location (n, 3)."""
    result = np.zeros((*np.broadcast(linear[..., 0], location).shape[:-1], 4, 4), order="F")
    result[..., :3, :3], result[..., :3, 3], result[..., 3, 3] = linear, location, 1.0
    return result


def translation(location: Array) -> Array:
    """(n, 4, 4) that move by (n, 3), and neither turn nor scale."""
    return compose(np.eye(3), location)


def unscaled(linear: Array) -> Array:
    """(..., 3, 3) the same axes, each of length one; an axis without length stays so, a mirrored one stays mirrored."""
    sizes = lengths(linear)
    return linear / np.where(sizes > 0.0, sizes, 1.0)[..., None, :]


def lengths(linear: Array) -> Array:
    """(n, 3) of the axes that a linear map (n, 3, 3) makes of unit ones."""
    sizes: Array = np.linalg.norm(linear, axis=-2)
    return sizes


def along_bone(factor: Array) -> Array:
    """(n, 3) a scale along the bone's own y axis."""
    return np.stack((np.ones_like(factor), factor, np.ones_like(factor)), axis=-1)


def inverse(matrix: Array) -> Array:
    """(n, k, k) of matrices (n, k, k), 3 x 3 or affine 4 x 4.

    A matrix that scales to nothing, as animators do to hide an object, gets zero for a linear part. It is the closed
    form: np.linalg.inv goes matrix by matrix, which takes twenty times as long.
    """
    columns = np.swapaxes(matrix[..., :3, :3], -1, -2)
    linear = cross(columns[..., (1, 2, 0), :], columns[..., (2, 0, 1), :])
    volume = dot(columns[..., 0, :], linear[..., 0, :])[..., None, None]
    linear /= np.where(np.abs(volume) < _NOTHING, np.inf, volume)
    return linear if matrix.shape[-1] == 3 else compose(linear, -transform_vectors(linear, matrix[..., :3, 3]))


def orientation(linear: Array) -> Array:
    """(..., 3, 3) the rotation in a linear map: it keeps the direction of y, and x as nearly as it can."""
    y = unit(linear[..., 1])
    z = unit(cross(linear[..., 0], y))
    if not z.any(axis=-1).all():
        # An axis without length leaves the rotation open: any will do.
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
    """(n, 3) where matrices (n, 4, 4) take points (n, 3)."""
    return transform_vectors(matrix[..., :3, :3], points) + matrix[..., :3, 3]


def transform_vectors(linear: Array, vectors: Array) -> Array:
    """(n, 3) where linear maps (n, 3, 3) take vectors (n, 3)."""
    result: Array = np.einsum("...ij,...j->...i", np.asfortranarray(linear), vectors)
    return result
