"""The third bones of legs with a hock, between shin and paw."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..solver.values import Array
from . import inherit
from .transform import Basis, each_array


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThirdBones:
    """Of legs side by side.

    bones : the bones from the end bone's child to the third bone, each for all legs
    basis : the third bones' own
    between : of those that bear them
    """

    bones: tuple[inherit.Bones, ...]
    basis: Basis
    between: tuple[Basis, ...]

    def each(self, function: Callable[[Array], Array]) -> "ThirdBones":
        """The same with `function` applied to all arrays."""
        basis, *between = (each_array(function, basis) for basis in (self.basis, *self.between))
        return replace(self, basis=basis, between=tuple(between))

    def parent_pose(self, end: Array) -> Array:
        """(n, c, 4, 4) the poses of what bears the third bones, for poses `end` of the end bones."""
        for bones, basis in zip(self.bones[:-1], self.between, strict=True):
            end = inherit.pose(bones, end, basis.matrix)
        return end

    def pose(self, end: Array, basis: Basis) -> Array:
        """(n, c, 4, 4) the poses of the third bones with this basis, for poses `end` of the end bones."""
        return inherit.pose(self.bones[-1], self.parent_pose(end), basis.matrix)
