"""Transforms as matrices, taken apart and put together: location, rotation and scale; and Blender's `matrix_basis`.

A matrix does not show which axes a negative scale mirrors: two of them look like half a turn about the third. So the
parts of a basis stay apart, as Blender keeps them: scale acts first, then rotation, then location. Matrices lie in
memory component by component, as vectors do in the solver.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from ..solver.numbers import common_shape, every
from ..solver.values import Array, Integers, Mask
from ..solver.vectors import FEW, any_normal, by_component, cross, dot, matrix_by_matrix, unit

_SHORT = 1e-30
_NOTHING = _SHORT**3
"""A volume: axes shorter than `_SHORT` count as nothing: their inverse would be beyond all sizes."""

_LAST_ROW = 0.0, 0.0, 0.0, 1.0
"""The last row of affine matrices."""

_FLAT = 1e-6
"""Part of the longest axis that single precision leaves of an axis that was scaled to nothing."""

UNSCALED = 1e-5
"""A scale this close to 1 counts as none: Blender takes scale from float32 matrices, and *Bake Action* leaves it off by
up to 6e-6. The lengths at rest include it. As the bones turn, the end bone's length changes by no more than this part,
a tenth of what a report calls off."""

Data = TypeVar("Data")


def compose(linear: Array, location: Array) -> Array:
    """(n, 4, 4) from linear part (n, 3, 3) and location (n, 3)."""
    rows = common_shape(linear[..., 0, 0], location[..., 0])
    result = np.empty((*rows, 4, 4), order="F")
    result[..., :3, :3], result[..., :3, 3], result[..., 3, :] = linear, location, _LAST_ROW
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
    return np.linalg.norm(linear, axis=-2)


def inverse(matrix: Array) -> Array:
    """(n, k, k) of matrices (n, k, k), 3 x 3 or affine 4 x 4.

    A matrix that scales to nothing, as animators do to hide an object, gets zero for a linear part. It is the closed
    form: np.linalg.inv goes matrix by matrix, which takes twenty times as long.
    """
    linear, volume = _adjugate(matrix)
    linear /= np.where(np.abs(volume) < _NOTHING, np.inf, volume)[..., None, None]
    return _with_way_back(linear, matrix)


def nearest_inverse(matrix: Array) -> tuple[Array, Mask]:
    """The inverse of matrices (n, k, k), and (n,) True for those that are flat: they scale along a line to nothing.

    A flat one gets its pseudoinverse: of all points that the matrix takes closest to a point, it gives the one nearest
    to the origin.
    """
    nearest, volume = _adjugate(matrix)
    linear = matrix[..., :3, :3]
    size_sq, areas_sq = (np.square(part).sum(axis=(-2, -1)) for part in (linear, nearest))
    # Areas near zero are left over by rounding; so is the volume then, which says nothing of the areas.
    flat = (areas_sq <= (_FLAT * size_sq) ** 2) | (np.square(volume) <= _FLAT**2 * areas_sq * size_sq)
    flat |= np.abs(volume) < _NOTHING
    nearest /= np.where(flat, np.inf, volume)[..., None, None]
    tall = flat & (size_sq > _SHORT**2)
    if tall.any():
        nearest[tall] = np.linalg.pinv(linear[tall], rcond=_FLAT)
    return _with_way_back(nearest, matrix), flat


def _adjugate(matrix: Array) -> tuple[Array, Array]:
    """(n, 3, 3) the inverse of each linear part times its volume, and (n,) that volume."""
    x, y, z = (matrix[..., :3, column] for column in range(3))
    linear = np.empty((*matrix.shape[:-2], 3, 3), order="F")
    linear[..., 0, :], linear[..., 1, :], linear[..., 2, :] = cross(y, z), cross(z, x), cross(x, y)
    return linear, dot(x, linear[..., 0, :])


def _with_way_back(linear: Array, matrix: Array) -> Array:
    """The inverse of `matrix`, 3 x 3 or affine 4 x 4, whose linear part is this."""
    return linear if matrix.shape[-1] == 3 else compose(linear, -transform_vectors(linear, matrix[..., :3, 3]))


def orientation(linear: Array) -> Array:
    """(..., 3, 3) the rotation in a linear map: it keeps the direction of y, and x as nearly as it can."""
    y = unit(linear[..., 1])
    z = unit(cross(linear[..., 0], y))
    if not every(z.any(axis=-1)):
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


def without_rounding(linear: Array) -> Array:
    """(n, 3, 3) flat maps, with a y of zero where only rounding gives it a direction, and so with x beside y."""
    x, y = linear[..., 0], linear[..., 1]
    size = np.abs(linear).max(axis=(-2, -1))[..., None]
    y = np.where(np.abs(y).max(axis=-1, keepdims=True) > _FLAT * size, y, 0.0)
    apart = np.abs(cross(x, unit(y))).max(axis=-1, keepdims=True) > _FLAT * size
    return np.stack((np.where(apart, x, 0.0), y, linear[..., 2]), axis=-1)


def transform_points(matrix: Array, points: Array) -> Array:
    """(n, 3) where matrices (n, 4, 4) take points (n, 3)."""
    return transform_vectors(matrix[..., :3, :3], points) + matrix[..., :3, 3]


def transform_vectors(linear: Array, vectors: Array) -> Array:
    """(n, 3) where linear maps (n, 3, 3) take vectors (n, 3)."""
    if linear.size <= FEW and vectors.size <= FEW:
        return matrix_by_matrix(linear, vectors[..., None])[..., 0]
    return np.einsum("...ij,...j->...i", by_component(linear), vectors, order="F")


def affine_product(first: Array, second: Array) -> Array:
    """(n, 4, 4) first @ second, of matrices whose last row is (0, 0, 0, 1)."""
    if first.size <= FEW and second.size <= FEW:
        return matrix_by_matrix(first, second)
    result = np.empty(np.broadcast_shapes(first.shape, second.shape), order="F")
    np.einsum("...ij,...jk->...ik", first[..., :3, :3], second[..., :3, :], out=result[..., :3, :], order="F")
    result[..., :3, 3] += first[..., :3, 3]
    result[..., 3, :] = _LAST_ROW
    return result


def stacked(arrays: Iterable[Array]) -> Array:
    """(n, c, ...) of `c` arrays (n, ...), or (1, ...) if the same on all frames; in memory component by component.

    One array alone is not copied: do not write to the result.
    """
    arrays = list(arrays)
    if len(arrays) == 1:
        return arrays[0][:, None]
    rows = max(map(len, arrays))
    result = np.empty((rows, len(arrays), *arrays[0].shape[1:]), arrays[0].dtype, order="F")
    for column, array in enumerate(arrays):
        result[:, column] = array
    return result


NOT_OVER_FRAMES = {"over_frames": False}
"""Metadata of a dataclass's field that `each_array` leaves as it is, arrays and all."""


def each_array(function: Callable[[Array], Array], data: Data) -> Data:
    """The data with `function` applied to each array in dataclasses, dictionaries and tuples, however deep."""
    whole: Any = data
    if isinstance(whole, np.ndarray):
        whole = function(whole)
    elif isinstance(whole, dict):
        whole = {key: each_array(function, value) for key, value in whole.items()}
    elif isinstance(whole, tuple):
        whole = tuple(each_array(function, value) for value in whole)
    elif is_dataclass(whole):
        names = [field.name for field in fields(whole) if field.metadata.get("over_frames", True)]
        values = {name: each_array(function, getattr(whole, name)) for name in names}
        whole = replace(whole, **values)  # type: ignore[type-var]
    return cast(Data, whole)


def on_columns(columns: Sequence[int]) -> Callable[[Array], Array]:
    """Gives of arrays (n, c, ...) these columns; of one column a view."""
    index = slice(columns[0], columns[0] + 1) if len(columns) == 1 else list(columns)
    return lambda values: values[:, index]


def on_rows(rows: Integers | slice) -> Callable[[Array], Array]:
    """Picks these rows of arrays (n, ...); of (1, ...), which is the same on all of them, the one that there is."""
    return lambda array: array if len(array) == 1 else array[rows]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Basis:
    """Over `n` frames, each part (n, ...), or (1, ...) if it is the same on all of them; side by side (n, c, ...).

    location : (n, 3)
    rotation : (n, 3, 3)     never mirrored
    scale : (n, 3)           with its signs
    """

    location: Array
    rotation: Array
    scale: Array

    @classmethod
    def of(cls, matrix: Array, scale: Array) -> "Basis":
        """The parts of `matrix_basis` (n, 4, 4), whose scale is known to be `scale` (n, 3)."""
        linear, location = matrix[..., :3, :3], matrix[..., :3, 3]
        return cls(location=location, rotation=rotation(linear, scale), scale=scale)

    @classmethod
    def side_by_side(cls, bases: Iterable["Basis"]) -> "Basis":
        """(n, c, ...) those of several bones, on an axis behind the frames."""
        bases = list(bases)
        return cls(
            location=stacked(basis.location for basis in bases),
            rotation=stacked(basis.rotation for basis in bases),
            scale=stacked(basis.scale for basis in bases),
        )

    @property
    def linear(self) -> Array:
        """(n, 3, 3) rotation and scale."""
        return self.rotation if every(self.scale == 1.0) else self.rotation * self.scale[..., None, :]

    @property
    def matrix(self) -> Array:
        """(n, 4, 4) as Blender's `matrix_basis`."""
        return compose(self.linear, self.location)

    def with_rotation(self, rotation: Array) -> "Basis":
        """The basis with this rotation in place of its own."""
        return Basis(location=self.location, rotation=rotation, scale=self.scale)

    @property
    def without_rotation(self) -> "Basis":
        """The basis with location and scale, not rotated."""
        return self.with_rotation(np.eye(3))

    def stretched(self, factor: Array) -> "Basis":
        """Longer by a factor (n,), along the bone's own y axis."""
        along = np.stack((np.ones_like(factor), factor, np.ones_like(factor)), axis=-1)
        return Basis(location=self.location, rotation=self.rotation, scale=self.scale * along)

    @property
    def is_scaled(self) -> bool:
        """True if any scale is not 1; a mirrored bone is scaled as well."""
        return bool(np.abs(self.scale - 1.0).max(initial=0.0) > UNSCALED)

    def column(self, row: int) -> "Basis":
        """One of the bases that are side by side, without their axis."""
        return Basis(location=self.location[:, row], rotation=self.rotation[:, row], scale=self.scale[:, row])


AT_REST = Basis(location=np.zeros((1, 3)), rotation=np.eye(3)[None], scale=np.ones((1, 3)))
