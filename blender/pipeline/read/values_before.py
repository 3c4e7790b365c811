"""The values from which new keys go on without a jump: those that the keys ahead of them leave."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bpy.types import Object

from ....skeleton.values import MERGE, Plan
from ....solver.values import Array
from ... import versions


def rotations_before(plan: Plan) -> dict[str, Array]:
    """By RNA path (3 or 4,), of each bone that the plan keys, its rotation ahead of the plan's frames."""
    paths = [bone.rotation_path for chain in plan.chains for bone in chain.keyed]
    return values_before(plan.rig, paths, plan.frames[0])


def values_before(item: Object, paths: Iterable[str], start: float) -> dict[str, Array]:
    """For each RNA path what the last keys ahead of `start` leave, or if there are none, the property as it is now."""
    find = versions.curve_finder(item)
    values = {path: np.array(item.path_resolve(path), dtype=np.float64) for path in paths}
    for path, value in values.items():
        for index in range(len(value)):
            curve = find(path, index=index)
            if curve and curve.keyframe_points and curve.range()[0] < start - MERGE:
                keys = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
                curve.keyframe_points.foreach_get("co", keys)
                value[index] = keys[1::2][keys[::2] < start - MERGE][-1]
    return values
