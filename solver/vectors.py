"""Small vector algebra over arrays `(..., 3)`, and triads: orientations as matrices `(..., 3, 3)`.

A triad consists of a bone's direction, its hinge axis, and their vector product.

New vectors lie in memory component by component, and arithmetic keeps that layout: `a[..., 0]` is then one run of
memory, which NumPy processes two to four times as fast.
"""

import numpy as np

from .values import Array, Number

IN_LINE = 1e-4
"""Radians: a vector this close to a line shows no side of the line. Well above the error of float32 joints, 1e-6."""

_OPPOSITE = 1e-8
"""Radians: between directions this close to opposite, the rotation is nothing but rounding."""


def dot(a: Array, b: Array) -> Array:
    """(...) inner product of the last axes."""
    return np.einsum("...i,...i->...", a, b)


def cross(a: Array, b: Array) -> Array:
    """(..., 3) vector product; np.cross is slower, because it checks and copies."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    product = np.empty((*np.broadcast(ax, bx).shape, 3), order="F")
    np.subtract(ay * bz, az * by, out=product[..., 0])
    np.subtract(az * bx, ax * bz, out=product[..., 1])
    np.subtract(ax * by, ay * bx, out=product[..., 2])
    return product


def norm(a: Array) -> Array:
    """(...) Euclidean length."""
    return np.sqrt(dot(a, a))


def unit(a: Array) -> Array:
    """(..., k) the direction of `a`; zero stays zero."""
    length = norm(a)
    return a / np.where(length > 0.0, length, 1.0)[..., None]


def rejection(a: Array, direction: Array) -> Array:
    """(..., 3) the part of `a` at right angles to the unit vector `direction`."""
    part = along(direction, dot(a, direction))
    return np.subtract(a, part, out=part)


def along(direction: Array, lengths: Array) -> Array:
    """(..., 3) vectors of these lengths (...), or against the direction where they are negative."""
    return np.multiply(lengths[..., None], direction, order="F")


def any_normal(direction: Array) -> Array:
    """(..., 3) a unit vector at right angles to `direction`, the same one every time."""
    axis = np.eye(3)[np.argmin(np.abs(direction), axis=-1)]
    return unit(rejection(axis, direction))


def beside(vector: Array, direction: Array) -> Array:
    """(..., 3) unit vector towards `vector`, at right angles to the unit vector `direction`; any normal if in line."""
    part = rejection(vector, direction)
    in_line = norm(part) <= IN_LINE * norm(vector)
    # Of a short part, rounding has left much in line: it goes with a second rejection.
    found = rejection(unit(part), direction)
    return np.where(in_line[..., None], any_normal(direction), found) if in_line.any() else found


def swing(vector: Array, start: Array, end: Array) -> Array:
    """(..., 3) `vector`, at right angles to `start`, turned by the shortest rotation from `start` to `end`.

    All are unit vectors. For a vector at right angles to `start` that rotation is a reflection, in the plane at right
    angles to start + end. If `end` is opposite to `start`, the shortest rotation is not unique: then it is the half
    turn about `vector`, which stays as it is.
    """
    halfway = start + end
    length = norm(halfway)
    halfway /= np.where(length > _OPPOSITE, length, np.inf)[..., None]
    part = 2.0 * dot(vector, halfway)[..., None] * halfway
    return unit(rejection(np.subtract(vector, part, out=part), end))


def rotate_about(vector: Array, axis: Array, angle: Number) -> Array:
    """(..., 3) `vector`, at right angles to the unit vector `axis`, turned about it by `angle` radians."""
    return np.cos(angle)[..., None] * vector + np.sin(angle)[..., None] * cross(axis, vector)


def angle_about(axis: Array, start: Array, end: Array) -> Array:
    """(...) signed angle from `start` to `end` about the unit vector `axis`, to which both are at right angles."""
    return np.arctan2(dot(axis, cross(start, end)), dot(start, end))


def triad(direction: Array, hinge: Array) -> Array:
    """(..., 3, 3) rotation matrix whose columns are the orthonormal `direction`, `hinge` and their product."""
    matrix = np.empty((*direction.shape, 3), order="F")
    matrix[..., 0], matrix[..., 1], matrix[..., 2] = direction, hinge, cross(direction, hinge)
    return matrix


def in_plane(aim: Array, hinge: Array, side: Array, turns: Array) -> Array:
    """(..., k, 3, 3) triads of bones that lie in one plane.

    aim, hinge, side : (..., 3)     orthonormal; `hinge` is the plane's normal, `side` is aim x hinge
    turns : (..., k, 2)             each bone's direction as a unit vector: its parts along `aim` and along `side`
    """
    aim, hinge, side = aim[..., None, :], hinge[..., None, :], side[..., None, :]
    cos, sin = turns[..., 0, None], turns[..., 1, None]
    triads = np.empty((*turns.shape[:-1], 3, 3), order="F")
    np.add(cos * aim, sin * side, out=triads[..., 0])
    triads[..., 1] = hinge
    np.subtract(cos * side, sin * aim, out=triads[..., 2])
    return triads


def rotation_between(before: Array, after: Array, out: Array | None = None) -> Array:
    """(..., 3, 3) the rotation that takes the triad `before` to the triad `after`."""
    return product(after, np.swapaxes(before, -1, -2), out)


def product(first: Array, second: Array, out: Array | None = None) -> Array:
    """(..., 3, 3) first @ second; several times as fast if both lie in memory component by component."""
    # A constant times what varies would else lie in memory as the constant does, which takes ten times as long.
    return np.einsum("...ij,...jk->...ik", by_component(first), by_component(second), out=out, order="F")


def by_component(array: Array) -> Array:
    """The array (n, ...) so that each component is one run of memory; a copy only if they are not."""
    return array if array.strides[0] == array.itemsize else np.asfortranarray(array)
