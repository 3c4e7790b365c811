"""Rotation matrices as quaternions, Euler angles and axis with angle, each without jumps from frame to frame.

Quaternions are (w, x, y, z). Euler angles are stored in the order of the axes x, y, z, whatever the order in which they
are applied; order "XYZ" turns about x first, so that its matrix is Rz Ry Rx, as in Blender. Frames run along the
first axis. `before` is the value that the first frame continues from, such as the key before the range.
"""

from math import pi

import numpy as np

from .carry_last import carry_last
from .values import Array, Number
from .vectors import along, any_normal, cross, dot, norm, product

_GIMBAL_LOCK = 1e-7
"""Cosine of the middle angle below which the outer two angles turn about the same axis to within float32."""

_HALF_TURN = 1e-6
"""Cosine of half the angle between rotations that are half a turn apart, where rounding would choose the sign."""

_ROUNDING = 1e-4
"""Radians by which half a turn may be off, as keys are in single precision."""


def quaternions(matrices: Array, before: Array | None = None) -> Array:
    """(n, ..., 4) unit quaternions of rotation matrices (n, ..., 3, 3), each with the sign nearer to the frame before.

    before : (..., 4)
    """
    values = _quaternions(matrices)
    return values * _signs(values, before)[..., None]


def _quaternions(matrices: Array) -> Array:
    """(..., 4) one of the two unit quaternions of rotation matrices (..., 3, 3).

    Shepperd's method (1978): a rotation matrix gives all ten products q_i q_j. Those of the largest q_i, divided by
    its square, are the quaternion without loss. Up to a third of a turn, w is large enough.
    """
    values = _products(matrices, 0)
    small = values[..., 0] < 1.0
    if small.any():
        products = np.stack([_products(matrices[small], component) for component in range(4)])
        largest = np.argmax(np.diagonal(products, axis1=0, axis2=-1), axis=-1)
        values[small] = products[largest, np.arange(len(largest))]
    return values / norm(values)[..., None]


def _products(matrices: Array, component: int) -> Array:
    """(..., 4) four times the products of one component of the quaternion with each component."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrices.T.swapaxes(0, 1)
    rows = (
        lambda: (1.0 + xx + yy + zz, zy - yz, xz - zx, yx - xy),
        lambda: (zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx),
        lambda: (xz - zx, xy + yx, 1.0 + yy - zz - xx, yz + zy),
        lambda: (yx - xy, xz + zx, yz + zy, 1.0 + zz - xx - yy),
    )
    return np.array(rows[component]()).T


def axis_angles(matrices: Array, before: Array | None = None) -> Array:
    """(n, ..., 4) angle in radians and unit axis; a frame without rotation keeps the last axis.

    before : (..., 4)
    """
    quaternion = quaternions(matrices)
    sine = norm(quaternion[..., 1:])
    decided = sine > 1e-9
    start = np.array((0.0, 0.0, 1.0, 0.0)) if before is None else before
    start = np.where(start[..., 1:].any(axis=-1, keepdims=True), start[..., 1:], (0.0, 1.0, 0.0))
    axis = quaternion[..., 1:] / np.where(decided, sine, 1.0)[..., None]
    axis = carry_last(np.where(decided[..., None], axis, start), decided)
    signs = _signs(axis, start)
    angle = 2.0 * np.arctan2(sine, quaternion[..., 0]) * signs
    angle = _unwind(angle[..., None], None if before is None else before[..., :1])
    return np.concatenate((angle, axis * signs[..., None]), axis=-1)


def eulers(matrices: Array, order: str, before: Array | None = None) -> Array:
    """(n, ..., 3) Euler angles in radians: of the two triples of each matrix, the one nearer to the frame before.

    order : "XYZ", "XZY", "YXZ", "YZX", "ZXY" or "ZYX"
    before : (..., 3)
    """
    i, j, k, parity = _axes(order)
    # Each element in one piece: NumPy 1 rounds an arctan2 of scattered ones otherwise where its result comes to lie
    # right behind them in memory, and the same bake would not give the same keys.
    m = np.asfortranarray(matrices)
    decided = np.hypot(m[..., i, i], m[..., j, i]) > _GIMBAL_LOCK
    last = carry_last(np.arctan2(m[..., j, i], m[..., i, i]), decided)
    start = 0.0 if before is None else parity * before[..., k]
    last = np.where(np.logical_or.accumulate(decided), last, start)
    # What is left after undoing the last turn is the first two, which are then decided even in gimbal lock.
    cos, sin = np.cos(last), np.sin(last)
    row_i = cos[..., None] * m[..., i, :] + sin[..., None] * m[..., j, :]
    row_j = cos[..., None] * m[..., j, :] - sin[..., None] * m[..., i, :]
    angles = np.empty((*last.shape, 3), order="F")
    angles[..., i] = np.arctan2(-row_j[..., k], row_j[..., j])
    angles[..., j] = np.arctan2(-m[..., k, i], row_i[..., i])
    angles[..., k] = last
    angles *= parity
    return _least_turning(np.where(angles < _ROUNDING - pi, angles + 2.0 * pi, angles), j, before)


def angle_between(start: Array, end: Array) -> Array:
    """(...) of two rotations (..., 3, 3), computed from the chord so that small angles keep their digits."""
    chord = end - start
    chord_sq = np.einsum("...ij,...ij->...", chord, chord)
    return 2.0 * np.arcsin(np.minimum(np.sqrt(chord_sq / 8.0), 1.0))


def least_turn(angle: Array) -> Array:
    """(...) the same turn as an angle within [-pi, pi]; half a turn stays either way, as rounding would choose."""
    return angle - 2.0 * pi * _whole_turns(angle)


def blend(start: Array, end: Array, factor: Number, axis: Array | None = None) -> Array:
    """(..., 3, 3) the rotation that lies the part `factor` (...) of the shortest turn from `start` to `end`.

    axis : (..., 3)     half a turn goes about it, not against it: both are as short, and rounding would choose; in the
                        space that is turned, zero where it does not matter
    To the bit it is `start` for a factor of 0, and `end` for 1.
    """
    factor = np.asarray(factor, dtype=np.float64)
    turn = _quaternions(product(np.swapaxes(start, -1, -2), end))
    side = turn[..., 0]
    if axis is not None:
        side = np.where(np.abs(side) < 1e-9, dot(turn[..., 1:], axis), side)
    turn = np.where(side[..., None] < 0.0, -turn, turn)
    sine = norm(turn[..., 1:])
    half = factor * np.arctan2(sine, turn[..., 0])
    scale = np.where(sine > 1e-12, np.sin(half) / np.where(sine > 1e-12, sine, 1.0), factor)
    partial = np.concatenate((np.cos(half)[..., None], turn[..., 1:] * scale[..., None]), axis=-1)
    part = factor[..., None, None]
    return np.where(part == 0.0, start, np.where(part == 1.0, end, product(start, from_quaternions(partial))))


def shortest(start: Array, end: Array) -> Array:
    """(..., 3, 3) the shortest rotation between two unit vectors; opposite ones turn about some axis, zero ones not."""
    w = 1.0 + dot(start, end)
    turn = np.concatenate((w[..., None], cross(start, end)), axis=-1)
    opposite = np.concatenate((np.zeros_like(turn[..., :1]), any_normal(start)), axis=-1)
    turn = np.where((w > 1e-12)[..., None], turn, opposite)
    return from_quaternions(turn / norm(turn)[..., None])


def from_quaternions(quaternions: Array) -> Array:
    """(..., 3, 3) rotation matrices of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    result = np.empty((*w.shape, 3, 3), order="F")
    result[..., 0, 0], result[..., 1, 1] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z)
    result[..., 2, 2] = 1 - 2 * (x * x + y * y)
    result[..., 0, 1], result[..., 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    result[..., 0, 2], result[..., 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    result[..., 1, 2], result[..., 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    return result


def from_axis_angles(values: Array) -> Array:
    """(..., 3, 3) rotation matrices of (..., 4): angle in radians, axis of any length; a zero axis is no rotation."""
    return about(values[..., 1:], values[..., 0])


def from_vectors(vectors: Array) -> Array:
    """(..., 3, 3) rotation matrices of rotation vectors (..., 3): axes that are as long as the angles in radians."""
    return about(vectors, norm(vectors))


def vectors(quaternions: Array) -> Array:
    """(..., 3) rotation vectors of unit quaternions (..., 4), by angles from 0 to a whole turn."""
    sine = norm(quaternions[..., 1:])
    angle = 2.0 * np.arctan2(sine, quaternions[..., 0])
    return along(quaternions[..., 1:], angle / np.where(sine > 0.0, sine, 1.0))


def about(axis: Array, angle: Array) -> Array:
    """(..., 3, 3) rotations by angles (...) in radians about axes (..., 3) of any length; about a zero axis none."""
    length = norm(axis)
    half = np.where(length > 0.0, 0.5 * angle, 0.0)
    unit_axis = axis / np.where(length > 0.0, length, 1.0)[..., None]
    return from_quaternions(np.concatenate((np.cos(half)[..., None], np.sin(half)[..., None] * unit_axis), axis=-1))


def from_eulers(angles: Array, order: str) -> Array:
    """(..., 3, 3) rotation matrices of Euler angles (..., 3) in radians, applied in this order of axes."""
    i, j, k, parity = _axes(order)
    angles = parity * np.moveaxis(angles, -1, 0)
    (ci, cj, ck), (si, sj, sk) = (turn(angles[[i, j, k]]) for turn in (np.cos, np.sin))
    result = np.empty((*ci.shape, 3, 3), order="F")
    result[..., i, i], result[..., i, j], result[..., i, k] = cj * ck, si * sj * ck - ci * sk, ci * sj * ck + si * sk
    result[..., j, i], result[..., j, j], result[..., j, k] = cj * sk, si * sj * sk + ci * ck, ci * sj * sk - si * ck
    result[..., k, i], result[..., k, j], result[..., k, k] = -sj, si * cj, ci * cj
    return result


def _axes(order: str) -> tuple[int, int, int, float]:
    """The axes in the order in which they are turned about, and +1, or -1 if that is against x, y, z."""
    i, j, k = ("XYZ".index(axis) for axis in order)
    return i, j, k, 1.0 if (j - i) % 3 == 1 else -1.0


def _start(values: Array, before: Array | None) -> Array:
    """(1, ..., k) the value that the first frame continues from; by default its own."""
    return values[:1] if before is None else np.broadcast_to(before, values[:1].shape)


def _signs(values: Array, before: Array | None) -> Array:
    """(n, ...) factors +1 or -1 that make each row point to the side of the row before."""
    first = dot(values[:1], values[:1] if before is None else before)
    products = np.concatenate((first, dot(values[1:], values[:-1]))) if len(values) > 1 else first
    return np.multiply.accumulate(np.where(products < -_HALF_TURN, -1.0, 1.0))


def _unwind(angles: Array, before: Array | None) -> Array:
    """(n, ..., k) angles without jumps of a whole turn."""
    turns = _whole_turns(np.diff(np.concatenate((_start(angles, before), angles)), axis=0))
    return angles - 2.0 * pi * np.cumsum(turns, axis=0) if turns.any() else angles


def _whole_turns(angle: Array) -> Array:
    """(...) how many of them to take off for `least_turn`."""
    return np.round((angle - np.copysign(_ROUNDING, angle)) / (2.0 * pi))


def _least_turning(angles: Array, middle: int, before: Array | None) -> Array:
    """For each frame the nearer to the last of (a, b, c) and (a + pi, pi - b, c + pi), which are the same rotation."""
    other = angles + pi
    other[..., middle] = pi - angles[..., middle]
    earlier = np.concatenate((_start(angles, before), angles[:-1]))
    # Both triples of a frame are as far from both triples of the next: whether to change over is a matter of pairs.
    changes = _turning(other - earlier) < _turning(angles - earlier) - _ROUNDING
    use_other = np.logical_xor.accumulate(changes)
    return _unwind(np.where(use_other[..., None], other, angles), before)


def _turning(difference: Array) -> Array:
    return np.abs(least_turn(difference)).sum(axis=-1)
