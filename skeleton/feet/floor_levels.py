"""Feet on a floor that is given: how high it is below them, and below where they land."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...solver.feet.plant import Legs, PlantedLegs, PlantOptions, plant
from ...solver.values import Array

Heights = Callable[[Array, float], Array]
"""Of the floor (...) below points (..., 3), for legs of this length; NaN where it is not below them."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FloorLevels:
    """The floor for feet that stand so high above their soles.

    clearances : (f, 2)     of ball and heel
    leg : length of a leg
    """

    heights: Heights
    clearances: Array
    leg: float

    def at(self, points: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Heights (n, f, 2) of ball and heel where they stand below points (n, f, 2, 3); and where no floor is (n, f).

        A point without a floor has that of the other; a foot without has the one that it had last, or has next.
        """
        found = self.heights(points, self.leg)
        usual = np.nanmedian(found)
        found = np.where(np.isnan(found), found[..., ::-1], found)
        outside = np.logical_or.reduce(np.isnan(found), axis=-1)
        rows = np.arange(len(found))
        for column in np.flatnonzero(outside.any(axis=0)):
            known = ~outside[:, column]
            for point in (0, 1):
                own = found[:, column, point]
                own[~known] = np.interp(rows[~known], rows[known], own[known]) if known.any() else usual
        return found + self.clearances, outside

    def landed(
        self, legs: Legs, options: PlantOptions, planted: PlantedLegs, outside: NDArray[np.bool_]
    ) -> tuple[PlantedLegs, NDArray[np.bool_]]:
        """The legs planted where the floor is below the places at which they land; and (n, f) where it is not.

        Where feet land does not depend on heights. There is no floor for a foot if there was none where it was captured
        either, as `outside` (n, f) has it. Such feet are free.
        """
        level, off = self.at(legs.points + (planted.tips - legs.tips)[:, :, None])
        assert options.level is not None
        level = np.where(off[..., None], options.level, level)
        off &= outside
        if not off.any() and np.array_equal(level, options.level):
            return planted, off
        stands = planted.stands & ~off[..., None]
        held = np.logical_or.reduce(planted.stands, axis=-1)
        return plant(legs, replace(options, level=level, stands=stands)), off & held
