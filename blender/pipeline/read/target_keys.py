"""The frames on which what a chain follows has keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....solver.values import Array
from ... import versions
from ..plan import ChainPlan, Point
from . import follow


def target_keys(chain: ChainPlan, start: float, end: float) -> Array:
    """(m,) rising, the frames from `start` to `end` with a key on target, pole target, or what carries them."""
    goals = [point for point in (chain.target, chain.pole) if point]
    places = {place for point in goals for place in follow.parents(point)}
    frames = np.concatenate([np.empty(0), *map(key_frames, places)])
    # Keys of several curves on one frame may differ in the last digits.
    frames = np.unique(np.round(frames, 2))
    return frames[(frames >= start) & (frames <= end)]


def key_frames(place: Point) -> Array:
    """(m,) the frames of all keys of an object's or a bone's own curves, in no order."""
    prefix = f"{place.object.pose.bones[place.bone].path_from_id()}." if place.bone else ""
    found: list[NDArray[np.floating]] = [np.empty(0)]
    for curve in versions.curves(place.object):
        own = curve.data_path.startswith(prefix) if prefix else not curve.data_path.startswith("pose.bones[")
        if own:
            keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            found.append(keys[::2])
    return np.concatenate(found, dtype=np.float64)
