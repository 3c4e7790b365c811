"""The third bones of legs with a hock, between shin and paw."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..solver.values import Array
from . import inherit
from .transform import Basis, each_array
from .values import ChainPlan


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThirdBones:
    """Of legs side by side.

    basis : their own
    joints : (n, c, 4, 3)     root, mid, hock and tip of the legs at rest, in chain space
    rest : (n, c, 3, 3)       the bones' rest orientation there
    """

    basis: Basis
    joints: Array
    rest: Array

    def each(self, function: Callable[[Array], Array]) -> "ThirdBones":
        """The same with `function` applied to all arrays."""
        return replace(each_array(function, self), basis=each_array(function, self.basis))


def third_pose(plans: Sequence[ChainPlan], end: Array, basis: Basis) -> Array:
    """(n, c, 4, 4) the poses of the third bones, for poses `end` of the end bones."""
    return inherit.pose(tuple(plan.below[0] for plan in plans), end, basis.matrix)
