"""Feet that lie flat where they stand: normals of their soles as captured."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...solver.values import Array
from ...solver.vectors import dot, norm, unit
from .. import transform
from ..values import Point, Samples
from .feet import UP, Foot

_TILT = np.cos(np.radians(30.0))
"""A flat foot tilts less than this. If one seems to tilt more, the skeleton does not stand on the ground at rest."""

_SLOWEST = 1.0 / 3.0
"""Part of the frames on which a foot is slowest; then it mostly stands flat."""


def slow_rows(points: Array) -> NDArray[np.bool_]:
    """(n,) on which frames ball and heel (n, 2, 3) of a foot are slow."""
    steps = norm(np.diff(points, axis=0, prepend=points[:1])).sum(axis=1)
    return steps <= np.quantile(steps, _SLOWEST)


def soles(samples: Samples, feet: Sequence[Foot], points: Array) -> Array | None:
    """(n, f, 3) their normals in the world, NaN of feet that need not lie flat; None if no foot is to.

    points : (n, f, 2, 3)     ball and heel
    """
    if not any(foot.sole for foot in feet):
        return None
    return np.stack([_normals(samples, foot, points[:, column]) for column, foot in enumerate(feet)], axis=1)


def _normals(samples: Samples, foot: Foot, points: Array) -> Array:
    if foot.sole is None:
        return np.full((len(points), 3), np.nan)
    up = np.array(foot.sole.up) if stands_at_rest(samples, foot, points) else _found_up(samples, foot, points)
    return np.broadcast_to(transform.transform_vectors(_turns(samples, foot), up), (len(points), 3))


def stands_at_rest(samples: Samples, foot: Foot, points: Array) -> bool:
    """Whether the foot is to lie flat, and does at rest, as far as one can tell from its points (n, 2, 3)."""
    return foot.sole is not None and bool(dot(np.array(foot.sole.up), _found_up(samples, foot, points)) > _TILT)


def _found_up(samples: Samples, foot: Foot, points: Array) -> Array:
    """(3,) what mostly points upwards while the foot is slow, in the space of its bone."""
    up = transform.transform_vectors(_turns(samples, foot).swapaxes(-1, -2), UP)
    return unit(np.median(np.broadcast_to(up, (len(points), 3))[slow_rows(points)], axis=0))


def orientations(samples: Samples, foot: Foot, count: int) -> Array:
    """(n, 3, 3) of the foot in the world on `count` frames; NaN without a bone that could turn it."""
    return np.broadcast_to(_turns(samples, foot) if foot.chain.below else np.full((3, 3), np.nan), (count, 3, 3))


def _turns(samples: Samples, foot: Foot) -> Array:
    """(n, 3, 3) orientations of the foot in the world."""
    return transform.orientation(samples.world(Point(foot.chain.rig, foot.chain.tip_bone))[:, :3, :3])
