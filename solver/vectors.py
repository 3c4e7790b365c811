"""Small vector algebra over arrays `(..., 3)`, and the rule for instants at which a value is undecided."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .values import Array


def finite(name: str, values: ArrayLike) -> Array:
    """`values` as float64; ValueError names `name` and the first row that holds NaN or infinity."""
    array = np.asarray(values, dtype=np.float64)
    good = np.isfinite(array)
    if not good.all():
        row = np.argwhere(~good)[0][: array.ndim - 1].tolist()
        raise ValueError(f"{name} must be finite, but row {row} is {array[tuple(row)]}")
    return array


def bounded(a: Array) -> Array:
    """`a` with rows beyond 2**200 brought back to it in their own direction, so that every square stays finite."""
    exponent = np.maximum(np.frexp(np.abs(a).max(axis=-1, keepdims=True))[1] - 200, 0)
    return np.ldexp(a, -exponent) if exponent.any() else a


def dot(a: Array, b: Array) -> Array:
    """(...) inner product of the last axes."""
    product: Array = np.einsum("...i,...i->...", a, b)
    return product


def cross(a: Array, b: Array) -> Array:
    """(..., 3) vector product; np.cross spends most of its time on checks and copies."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=-1)


def norm(a: Array) -> Array:
    """(...) Euclidean length."""
    return np.sqrt(dot(a, a))


def unit(a: Array) -> Array:
    """(..., 3) the direction of `a`; zero stays zero."""
    length = norm(a)[..., None]
    return a / np.where(length > 0, length, 1.0)


def rejection(a: Array, direction: Array) -> Array:
    """(..., 3) the part of `a` at right angles to the unit vector `direction`."""
    return a - dot(a, direction)[..., None] * direction


def any_normal(direction: Array) -> Array:
    """(..., 3) some unit vector at right angles to `direction`, the same one every time."""
    axis = np.eye(3)[np.argmin(np.abs(direction), axis=-1)]
    return unit(rejection(axis, direction))


def swing(start: Array, end: Array, normal: Array) -> Array:
    """(..., 3) `normal`, at right angles to `start`, turned by the shortest rotation from `start` to `end`.

    All are unit vectors. Where `end` is opposite to `start` the shortest rotation is not unique: then the half turn
    about `normal` itself, which leaves it where it is.
    """
    closeness = 1.0 + dot(start, end)
    along = np.where(closeness > 1e-12, dot(normal, end) / np.maximum(closeness, 1e-12), 0.0)
    turned = rejection(normal - along[..., None] * (start + end), end)
    return unit(turned)


def turned(vector: Array, axis: Array, angle: Array) -> Array:
    """(..., 3) `vector`, at right angles to the unit vector `axis`, turned about it by `angle` radians."""
    return np.cos(angle)[..., None] * vector + np.sin(angle)[..., None] * cross(axis, vector)


def last_decided(decided: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(..., n) for each frame the last one at which a value was decided; before the first, the first.

    decided : (..., n)   True where the frame has a value of its own
    returns : indices along the last axis; a frame's own index where it is decided or where no frame is
    """
    count = decided.shape[-1]
    own = np.arange(count)
    last = np.maximum.accumulate(np.where(decided, own, -1), axis=-1)
    first = np.argmax(decided, axis=-1)[..., None]
    index = np.where(last < 0, first, last)
    return np.where(decided.any(axis=-1)[..., None], index, own)


def held(values: Array, decided: NDArray[np.bool_]) -> Array:
    """(..., n, k) `values`, with undecided frames (rows) taking the last decided one's; see `last_decided`."""
    if decided.ndim == 0 or decided.all():
        return values
    return np.take_along_axis(values, last_decided(decided)[..., None], axis=-2)
