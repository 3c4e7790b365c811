"""The own channels of a bone or an object, part by part: scale acts first, then rotation, then location.

A matrix does not tell which axes a negative scale mirrors: two of them look like half a turn about the third. So the
parts stay apart, as Blender keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..solver.values import Array
from . import transform
from .batches import stacked


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Basis:
    """As `matrix_basis` has them over the frames, each (n, ...), or (1, ...) where it is the same on all of them.

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
    def side_by_side(cls, own: Iterable[Basis]) -> Basis:
        """Those of several bones, on an axis behind the frames."""
        own = list(own)
        return cls(
            location=stacked(one.location for one in own),
            rotation=stacked(one.rotation for one in own),
            scale=stacked(one.scale for one in own),
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
    def unturned(self) -> Basis:
        """Without its rotation."""
        return replace(self, rotation=np.eye(3))

    @property
    def is_still(self) -> bool:
        """True where all of it is the same on all frames."""
        return len(self.location) == len(self.rotation) == len(self.scale) == 1

    @property
    def is_scaled(self) -> bool:
        """True where any scale is not 1; a mirrored bone is scaled as well."""
        return bool(np.abs(self.scale - 1.0).max(initial=0.0) > transform.UNSCALED)

    def each(self, function: Callable[[Array], Array]) -> Basis:
        """With `function` of each part in its place."""
        return Basis(location=function(self.location), rotation=function(self.rotation), scale=function(self.scale))
