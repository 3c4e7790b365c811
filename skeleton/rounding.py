"""How much of a distance is lost: Blender holds places in single precision, which is coarser farther out."""

import numpy as np

from ..solver.values import Array, Number

VISIBLE = 1e-4
"""Part of a limb's length, and radians: a smaller difference cannot be seen."""

_STEPS = 4.0
"""Steps of single precision at the largest coordinate: target, armature and joint are rounded, in three coordinates."""

_MOST = float(np.finfo(np.float32).max) / 2.0


def rounding(to_world: Array, from_world: Array) -> Array:
    """(...) by how much the distance from the origin of a space to a place near it may be off, in units of the space.

    to_world, from_world : (..., 4, 4)
    """
    largest = np.abs(to_world[..., :3, 3]).max(axis=-1)
    scale = np.sqrt(np.square(from_world[..., :3, :3]).sum(axis=(-2, -1)) / 3.0)
    return step(largest) * scale


def step(largest: Number) -> Array:
    """(...) by how much a distance may be off where the largest coordinate is this (...)."""
    # Beyond what single precision holds, the targets are nowhere, and are refused as such.
    single = np.minimum(largest, _MOST).astype(np.float32)
    return _STEPS * np.spacing(single).astype(np.float64)


def near(size: Number, largest: Number) -> Array:
    """(...) the distance within which a limb of this `size` (...) is in place, at coordinates up to `largest` (...)."""
    return VISIBLE * size + step(largest)
