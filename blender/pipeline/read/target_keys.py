"""The frames on which what a chain follows has keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....skeleton.values import ChainPlan, Point
from ....solver.values import Array
from ... import versions
from ...rna_paths import bone_and_property
from . import dependencies


def target_keys(chain: ChainPlan, start: float, end: float) -> Array:
    """(m,) rising, the frames from `start` to `end` with a key on target, pole target, or what carries them."""
    goals = [point for point in (chain.target, chain.pole) if point]
    places = {place for point in goals for place in dependencies.with_parents(point)}
    frames = np.concatenate([np.empty(0), *map(key_frames, places)])
    # Keys of several curves on one frame may differ in the last digits.
    frames = np.unique(np.round(frames, 2))
    return frames[(frames >= start) & (frames <= end)]


def key_frames(place: Point) -> Array:
    """(m,) the frames of all keys of an object's or a bone's own curves, in no order."""
    found: list[NDArray[np.floating]] = [np.empty(0)]
    for curve in versions.curves(place.object):
        bone, path = bone_and_property(curve.data_path)
        # Custom properties of a bone do not move it.
        if bone == place.bone and not (bone and path.startswith("[")):
            keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            found.append(keys[::2])
    return np.concatenate(found, dtype=np.float64)
