"""What sampling gives: matrices over all frames, of all that the chains depend on."""

from __future__ import annotations

from dataclasses import dataclass

from ..solver.triad import product
from ..solver.values import Array
from .basis import Basis
from .plan import Key, Point


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Samples:
    """Over the frames of the plan: matrices (n, 4, 4), or (1, 4, 4) if one is the same on all of them.

    to_world : from an object's space to the world
    pose : from a bone's space to its armature's
    basis : of a bone or an object; without rotation if no chain needs it
    """

    to_world: dict[Key, Array]
    pose: dict[Point, Array]
    basis: dict[Point, Basis]

    def world(self, point: Point) -> Array:
        """(n, 4, 4) from the space of an object or a bone to the world."""
        to_world = self.to_world[point.object]
        return product(to_world, self.pose[point]) if point.bone else to_world
