"""Blender's `matrix_basis` of a bone or an object, part by part: scale acts first, then rotation, then location.

A matrix does not show which axes a negative scale mirrors: two of them look like half a turn about the third. So the
parts stay apart, as Blender keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..solver.values import Array
from . import transform
from .batches import each_array, stacked


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
    def of(cls, matrix: Array, scale: Array) -> Basis:
        """The parts of `matrix_basis` (n, 4, 4), whose scale is known to be `scale` (n, 3)."""
        linear, location = matrix[..., :3, :3], matrix[..., :3, 3]
        return cls(location=location, rotation=transform.rotation(linear, scale), scale=scale)

    @classmethod
    def side_by_side(cls, bases: Iterable[Basis]) -> Basis:
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
        return self.rotation * self.scale[..., None, :]

    @property
    def matrix(self) -> Array:
        """(n, 4, 4) as Blender's `matrix_basis`."""
        return transform.compose(self.linear, self.location)

    @property
    def without_rotation(self) -> Basis:
        """The same location and scale, not rotated."""
        return replace(self, rotation=np.eye(3))

    @property
    def is_still(self) -> bool:
        """True if all of it is the same on all frames."""
        return len(self.location) == len(self.rotation) == len(self.scale) == 1

    @property
    def is_scaled(self) -> bool:
        """True if any scale is not 1; a mirrored bone is scaled as well."""
        return bool(np.abs(self.scale - 1.0).max(initial=0.0) > transform.UNSCALED)

    def column(self, row: int) -> Basis:
        """Of those side by side one, without their axis."""
        return each_array(lambda values: values[:, row], self)
