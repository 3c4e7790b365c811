"""What is sampled has to be somewhere: Blender gives NaN and infinity by itself, and neither may end up in a pose."""

import numpy as np
from numpy.typing import NDArray

from ...skeleton.values import Point, Samples
from ...solver.values import Array
from ..messages.frame_and_point import frame_text
from ..messages.refused import Refused
from . import dependencies

_MOST = 1e18
"""Beyond it the squares that Blender itself computes with, in single precision, are infinite."""


def refuse_not_finite(samples: Samples, frames: Array) -> None:
    """Raise `Refused` for the first of the `frames` (n,) on which a sampled transform holds NaN or infinity."""
    parts = (part for basis in samples.basis.values() for part in (basis.location, basis.rotation, basis.scale))
    found = (*samples.to_world.values(), *samples.pose.values(), *parts)
    # What stands is looked at together, as each call of NumPy takes longer; of what moves that would copy all.
    moving, still = ([part for part in found if (len(part) > 1) is moves] for moves in (True, False))
    if all(map(all_finite, [*moving, *([np.concatenate(still, axis=None)] if still else [])])):
        return
    worlds = {Point(item): matrices for item, matrices in samples.to_world.items()}
    # A rotation makes nothing larger.
    own = {
        point: basis.matrix
        for point, basis in samples.basis.items()
        if not all(map(all_finite, (basis.location, basis.rotation, basis.scale)))
    }
    spoiled = [
        (int(np.argmin(_finite(matrices).all(axis=(-2, -1)))), point, matrices)
        for found in (worlds, samples.pose, own)
        for point, matrices in found.items()
        if not all_finite(matrices)
    ]
    if not spoiled:
        return
    # What is carried is nowhere as well: name what carries it.
    row, point, matrices = min(spoiled, key=lambda each: (each[0], len(dependencies.with_parents(each[1]))))
    held = matrices[row][~_finite(matrices[row])]
    worst, when = float(held[np.abs(held).argmax()]), frame_text(frames[row])
    raise Refused(
        "NOT_FINITE.bone" if point.bone else "NOT_FINITE.object",
        object=point.object,
        bone=point.bone,
        value=worst,
        frame=when,
    )


def all_finite(values: Array) -> bool:
    """True if none of these numbers is NaN, infinite or beyond what Blender can compute with."""
    return bool(values.max() <= _MOST and values.min() >= -_MOST)


def _finite(matrices: Array) -> NDArray[np.bool_]:
    return np.abs(matrices) <= _MOST
