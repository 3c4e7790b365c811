"""Small vector algebra over arrays `(..., 3)`, and triads: orientations as matrices `(..., 3, 3)`.

A triad consists of a bone's direction, its hinge axis, and their vector product.

New vectors lie in memory component by component, and arithmetic keeps that layout: `a[..., 0]` is then one run of
memory, which NumPy processes two to four times as fast.
"""

import numpy as np

from .numbers import common_shape
from .values import Array, Number

IN_LINE = 1e-4
"""Radians: a vector this close to a line shows no side of the line. Well above the error of float32 joints, 1e-6."""

FEW = 1 << 10
"""Numbers in matrices: up to this few, `@` is the fastest, which goes matrix by matrix."""

_OPPOSITE = 1e-8
"""Radians: between directions this close to opposite, the rotation is nothing but rounding."""


def dot(a: Array, b: Array) -> Array:
    """(...) inner product of the last axes."""
    return np.einsum("...i,...i->...", a, b)


def cross(a: Array, b: Array) -> Array:
    """(..., 3) vector product; np.cross is slower, because it checks and copies."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    product = np.empty((*common_shape(ax, bx), 3), order="F")
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


def chained(links: Array) -> Array:
    """(..., k + 1, 3) the joints of a chain with these links (..., k, 3), from the origin on."""
    count = links.shape[-2]
    joints = np.zeros((*links.shape[:-2], count + 1, 3), order="F")
    for link in range(count):
        np.add(joints[..., link, :], links[..., link, :], out=joints[..., link + 1, :])
    return joints


def any_normal(direction: Array) -> Array:
    """(..., 3) a unit vector at right angles to `direction`, the same one every time."""
    axis = np.eye(3)[np.argmin(np.abs(direction), axis=-1)]
    return unit(rejection(axis, direction))


def unit_rejection(vector: Array, direction: Array) -> Array:
    """(..., 3) unit vector towards `vector`, at right angles to the unit vector `direction`; any normal if in line."""
    part = rejection(vector, direction)
    length = norm(part)
    in_line = length <= IN_LINE * norm(vector)
    part /= np.where(length > 0.0, length, 1.0)[..., None]
    # Of a short part, rounding has left much in line: it goes with a second rejection.
    result = rejection(part, direction)
    return np.where(in_line[..., None], any_normal(direction), result) if np.count_nonzero(in_line) else result


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
    matrix = np.empty((*common_shape(direction, hinge), 3), order="F")
    matrix[..., 0], matrix[..., 1], matrix[..., 2] = direction, hinge, cross(direction, hinge)
    return matrix


def rotations_in_plane(before: Array, plane: tuple[Array, Array, Array], turns: Array, out: Array) -> None:
    """Rotations (..., k, 3, 3) into `out` that take the triads `before` of `k` bones to triads in one plane.

    before : (..., k, 3, 3)
    plane : (..., 3) each           orthonormal: `aim`, `hinge`, which is the plane's normal, and aim x hinge
    turns : (..., k, 2)             each bone's direction as a unit vector: its parts along `aim` and aim x hinge

    Each is the sum of three outer products, of an axis of the plane and of what corresponds to it in the old triad:
    for many bones these take less time than a product of matrices, and no triads in the plane are needed on the way.
    """
    aim, hinge, side = (axis[..., None, :, None] for axis in plane)
    direction, normal = before[..., 0], before[..., 2]
    cos, sin = turns[..., 0, None], turns[..., 1, None]
    along = np.multiply(cos, direction, order="F") - np.multiply(sin, normal, order="F")
    across = np.multiply(sin, direction, order="F") + np.multiply(cos, normal, order="F")
    np.multiply(aim, along[..., None, :], out=out)
    part = np.multiply(side, across[..., None, :], order="F")
    out += part
    out += np.multiply(hinge, before[..., None, :, 1], out=part)


def product(first: Array, second: Array) -> Array:
    """(..., 3, 3) first @ second; several times as fast if both lie in memory component by component."""
    if first.size <= FEW and second.size <= FEW:
        return matrix_by_matrix(first, second)
    # Otherwise a constant times what varies would lie in memory as the constant does, which takes ten times as long.
    return np.einsum("...ij,...jk->...ik", by_component(first), by_component(second), order="F")


def matrix_by_matrix(first: Array, second: Array) -> Array:
    """(..., j, k) first @ second, the same to the bit however both lie in memory: BLAS rounds as they lie."""
    product: Array = np.ascontiguousarray(first) @ np.ascontiguousarray(second)
    return product


def by_component(array: Array) -> Array:
    """The array (n, ...) so that each component is one run of memory; a copy only if they are not."""
    return array if array.strides[0] == array.itemsize else np.asfortranarray(array)
