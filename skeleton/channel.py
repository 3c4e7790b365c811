"""Keys on their way from the solution to the F-curves: what `convert` gives and `write` takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..solver.values import Array

MERGE = 0.01
"""Frames: Blender makes keys that are closer than this into one."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Channel:
    """All keys of one animated property of a bone or an object.

    path : RNA path from the object, such as `pose.bones["forearm.L"].rotation_quaternion` or `location`
    group : what names the group of the F-curves: the bone, or for an object Blender's own "Object Transforms"
    frames : (m,)        rising, may be fractional
    values : (m, k)      a column for each index of the property; finite
    slopes : (m - 1, 2, k)   change a frame where the curve leaves each key and where it arrives at the next, where it
        is Bezier and counts; else None
    held : (m - 1,)      True where the values stay until the next key; None where they never do
    """

    path: str
    group: str
    frames: Array
    values: Array
    slopes: Array | None = None
    held: NDArray[np.bool_] | None = None
