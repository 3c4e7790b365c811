"""Rotation matrices as quaternions, Euler angles and axis with angle, each without a needless jump from frame to frame.

Quaternions are (w, x, y, z). Euler angles are given in the order of the axes x, y, z whatever the order in which they
are applied; order "XYZ" turns about x first, so that its matrix is Rz Ry Rx, as Blender's is. Frames run along the
first axis. `before` is the value that the first frame continues from, such as the key ahead of the range.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from .triad import product
from .undecided import last_decided
from .values import Array
from .vectors import dot, norm

_GIMBAL_LOCK = 1e-7
"""Cosine of the middle angle below which the outer two turn about one axis, and float32 could not tell them apart."""


def quaternions(matrices: Array, before: Array | None = None) -> Array:
    """(n, 4) unit quaternions of rotation matrices (n, 3, 3), each with the sign nearest to the one before.

    Shepperd's method (1978): a rotation matrix gives all ten products q_i q_j, and those of the largest q_i, divided by
    its square, are the quaternion without loss.
    """
    xx, yy, zz = matrices[:, 0, 0], matrices[:, 1, 1], matrices[:, 2, 2]
    largest = np.argmax((xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy), axis=0)
    found = np.unique(largest)
    products = np.empty((len(matrices), 4))
    for component in found.tolist():
        rows = slice(None) if len(found) == 1 else largest == component
        products[rows] = _products(matrices[rows], component)
    return _same_signs(products / norm(products)[:, None], before)


def _products(m: Array, component: int) -> Array:
    """(n, 4) products of one component of the quaternion, 0 for w, with all four, times four."""
    result = np.empty((len(m), 4))
    if component == 0:
        result[:, 0] = 1.0 + m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
        result[:, 1], result[:, 2] = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0]
        result[:, 3] = m[:, 1, 0] - m[:, 0, 1]
        return result
    i, j, k = component - 1, component % 3, (component + 1) % 3
    result[:, 0] = m[:, k, j] - m[:, j, k]
    result[:, 1 + i] = 1.0 + m[:, i, i] - m[:, j, j] - m[:, k, k]
    result[:, 1 + j], result[:, 1 + k] = m[:, i, j] + m[:, j, i], m[:, i, k] + m[:, k, i]
    return result


def axis_angles(matrices: Array, before: Array | None = None) -> Array:
    """(n, 4) angle in radians and unit axis; a frame without rotation keeps the last axis."""
    quaternion = quaternions(matrices)
    sine = norm(quaternion[:, 1:])
    decided = sine > 1e-9
    axis = quaternion[:, 1:] / np.where(decided, sine, 1.0)[:, None]
    start = np.array((0.0, 1.0, 0.0)) if before is None or not before[1:].any() else before[1:]
    axis = np.where(decided[:, None], axis, 0.0)
    index = last_decided(decided)
    axis = axis[index] if decided.any() else np.broadcast_to(start, axis.shape)
    signs = _signs(axis, start)
    angle = 2.0 * np.arctan2(sine, quaternion[:, 0]) * signs
    return np.column_stack((_unwound(angle, None if before is None else before[0]), axis * signs[:, None]))


def eulers(matrices: Array, order: str, before: Array | None = None) -> Array:
    """(n, 3) Euler angles in radians, of the two triples for each matrix the one that turns less, wound without limit.

    order : "XYZ", "XZY", "YXZ", "YZX", "ZXY" or "ZYX"
    """
    i, j, k = ("XYZ".index(axis) for axis in order)
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    m = matrices
    decided = np.hypot(m[:, i, i], m[:, j, i]) > _GIMBAL_LOCK
    last = np.arctan2(m[:, j, i], m[:, i, i])
    last = _held_angle(last, decided, 0.0 if before is None else parity * before[k])
    # What is left after undoing the last turn is the first two, which are then decided even in gimbal lock.
    cos, sin = np.cos(last), np.sin(last)
    row_i = cos[:, None] * m[:, i] + sin[:, None] * m[:, j]
    row_j = cos[:, None] * m[:, j] - sin[:, None] * m[:, i]
    angles = np.empty((*m.shape[:1], 3))
    angles[:, i] = np.arctan2(-row_j[:, k], row_j[:, j])
    angles[:, j] = np.arctan2(-m[:, k, i], row_i[:, i])
    angles[:, k] = last
    return _least_turning(parity * angles, j, before)


def blend(start: Array, end: Array, factor: float) -> Array:
    """(..., 3, 3) the rotation a `factor` of the way from `start` to `end`, along the shortest turn."""
    turn = quaternions(product(np.swapaxes(start, -1, -2), end).reshape(-1, 3, 3))
    turn = np.where(turn[:, :1] < 0.0, -turn, turn)
    sine = norm(turn[:, 1:])
    half = factor * np.arctan2(sine, turn[:, 0])
    scale = np.where(sine > 1e-12, np.sin(half) / np.where(sine > 1e-12, sine, 1.0), factor)
    partial = np.column_stack((np.cos(half), turn[:, 1:] * scale[:, None]))
    return product(start, matrices(partial).reshape(np.broadcast_shapes(start.shape, end.shape)))


def matrices(quaternions: Array) -> Array:
    """(n, 3, 3) rotation matrices of unit quaternions (n, 4)."""
    w, x, y, z = quaternions.T
    result = np.empty((len(quaternions), 3, 3))
    result[:, 0, 0], result[:, 1, 1] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z)
    result[:, 2, 2] = 1 - 2 * (x * x + y * y)
    result[:, 0, 1], result[:, 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    result[:, 0, 2], result[:, 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    result[:, 1, 2], result[:, 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    return result


def from_axis_angles(values: Array) -> Array:
    """(n, 3, 3) rotation matrices of (n, 4): angle in radians and an axis of any length; no axis is no rotation."""
    length = norm(values[:, 1:])
    half = np.where(length > 0.0, 0.5 * values[:, 0], 0.0)
    axis = values[:, 1:] / np.where(length > 0.0, length, 1.0)[:, None]
    return matrices(np.column_stack((np.cos(half), np.sin(half)[:, None] * axis)))


def from_eulers(angles: Array, order: str) -> Array:
    """(n, 3, 3) rotation matrices of Euler angles (n, 3) in radians, applied in this order of axes."""
    result = np.eye(3)
    for axis in ("XYZ".index(name) for name in order):
        half = 0.5 * angles[:, axis]
        turn = np.zeros((len(half), 4))
        turn[:, 0], turn[:, 1 + axis] = np.cos(half), np.sin(half)
        result = matrices(turn) @ result
    return result


def _same_signs(values: Array, before: Array | None) -> Array:
    return values * _signs(values, values[0] if before is None else before)[:, None]


def _signs(values: Array, before: Array) -> Array:
    """(n,) +1 or -1 so that each row, times its sign, lies on the side of the one before."""
    ahead = np.concatenate((np.asarray(before)[None], values[:-1]))
    signs: Array = np.multiply.accumulate(np.where(dot(values, ahead) < 0.0, -1.0, 1.0))
    return signs


def _unwound(angle: Array, before: Array | None) -> Array:
    """(n, ...) angles without jumps of a whole turn."""
    if before is None:
        return np.unwrap(angle, axis=0)
    start = np.broadcast_to(before, angle.shape[1:])[None]
    return np.unwrap(np.concatenate((start, angle)), axis=0)[1:]


def _held_angle(angle: Array, decided: NDArray[np.bool_], start: float) -> Array:
    if decided.all():
        return angle
    return np.where(np.logical_or.accumulate(decided), angle[last_decided(decided)], start)


def _least_turning(angles: Array, middle: int, before: Array | None) -> Array:
    """Of (a, b, c) and (a + pi, pi - b, c + pi), the same rotation, on each frame the one nearer to the last."""
    other = angles + pi
    other[:, middle] = pi - angles[:, middle]
    ahead = np.concatenate((angles[:1] if before is None else before[None], angles[:-1]))
    # Both triples of a frame are as far from both triples of the next: whether to change over is a matter of pairs.
    changes = _turning(other - ahead) < _turning(angles - ahead)
    use_other = np.logical_xor.accumulate(changes)
    return _unwound(np.where(use_other[:, None], other, angles), before)


def _turning(difference: Array) -> Array:
    turning: Array = np.abs(difference - 2.0 * pi * np.round(difference / (2.0 * pi))).sum(axis=-1)
    return turning
