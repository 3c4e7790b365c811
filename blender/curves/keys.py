"""What the keys in the file tell: the frames on which a chain's targets have some, and the values that they leave."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from math import ceil, floor

import numpy as np
from bpy.types import FCurve, Object
from numpy.typing import NDArray

from ...skeleton.values import MERGE, Plan, Point
from ...solver.values import Array
from .. import versions
from ..rna_paths import bone_and_property, value_at

_CHEAPER = 10
"""A key is read this many times as fast as a frame is evaluated."""
_FEW = 64
"""Blender evaluates this many frames before NumPy has found out which of them have keys."""


def by_path_and_index(curves: Iterable[FCurve]) -> dict[tuple[str, int], FCurve]:
    """The F-curves by RNA path and array index."""
    return {(curve.data_path, curve.array_index): curve for curve in curves}


def curves_at(item: Object, path: str) -> list[FCurve]:
    """The F-curves of an object for the property at this RNA path."""
    return [curve for curve in versions.curves(item) if curve.data_path == path]


def key_points(curve: FCurve) -> Array:
    """(2, m) frames and values of the curve's keys."""
    return single_key_points(curve).astype(np.float64).T


def single_key_points(curve: FCurve) -> NDArray[np.float32]:
    """(m, 2) the same as Blender has them."""
    keys = np.empty((len(curve.keyframe_points), 2), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", keys.reshape(-1))
    return keys


def evaluated(curve: FCurve, frames: Array) -> Array:
    """(n,) the curve on n frames, as Blender evaluates it: on a frame that has a key, the value of the key."""
    if len(frames) > _FEW and 0 < len(curve.keyframe_points) < _CHEAPER * len(frames) and not len(curve.modifiers):
        keyed_at, keyed = single_key_points(curve).T
        times = frames.astype(np.float32)
        if np.array_equal(keyed_at, times):
            return keyed.astype(np.float64)
        if (keyed_at[1:] > keyed_at[:-1]).all():
            rows = np.searchsorted(keyed_at, times).clip(max=len(keyed_at) - 1)
            unknown, values = keyed_at[rows] != times, keyed[rows].astype(np.float64)
            values[unknown] = list(map(curve.evaluate, frames[unknown].tolist()))
            return values
    return np.fromiter(map(curve.evaluate, frames.tolist()), np.float64, len(frames))


def numbers_on(item: Object, path: str, frames: Array) -> Array:
    """(n,) of a property that is a number on n frames, as its F-curve has it, or as it is where none plays."""
    curve = versions.curve_finder(item)(path, index=0)
    if not (curve and versions.plays(curve)):
        return np.full(len(frames), float(value_at(item, path)))
    if isinstance(value_at(item, path), float):
        return evaluated(curve, frames)
    return np.array([curve.evaluate(frame) for frame in frames.tolist()])  # Blender rounds whole numbers


def key_frames(place: Point) -> Array:
    """(m,) the frames of all keys of an object's or a bone's own curves, in no order."""
    return _key_frames(versions.curves(place.object), {place.bone})


def key_span(curves: Iterable[FCurve], bones: Collection[str]) -> tuple[int, int] | None:
    """The whole frames from the first key that these curves have of these bones to the last; None if they have none."""
    spans = [curve.range().to_tuple() for curve in _of_bones(curves, bones)]
    return (floor(min(spans)[0] + MERGE), ceil(max(last for _, last in spans) - MERGE)) if spans else None


def _key_frames(curves: Iterable[FCurve], bones: Collection[str]) -> Array:
    """(m,) of keys of these bones, "" for the object itself."""
    return np.concatenate([np.empty(0), *(key_points(curve)[0] for curve in _of_bones(curves, bones))])


def _of_bones(curves: Iterable[FCurve], bones: Collection[str]) -> Iterator[FCurve]:
    """Those with keys that move these bones, "" for the object itself."""
    for curve in curves:
        bone, path = bone_and_property(curve.data_path)
        # Custom properties of a bone do not move it, nor do keyed options.
        if curve.keyframe_points and bone in bones and not (bone and path.startswith(("[", "two_bone_ik_"))):
            yield curve


def rotations_before(plan: Plan) -> dict[str, Array]:
    """By RNA path (3 or 4,), of each bone that the plan keys, its rotation ahead of the plan's frames."""
    paths = [bone.rotation_path for chain in plan.chains for bone in chain.keyed]
    return values_before(plan.rig, paths, plan.frames[0])


def values_before(item: Object, paths: Iterable[str], start: float) -> dict[str, Array]:
    """For each RNA path what the last keys ahead of `start` leave, or if there are none, the property as it is now."""
    find = versions.curve_finder(item)
    return {path: value_before(find, path, item.path_resolve(path), start) for path in paths}


def value_before(find: Callable[..., FCurve | None], path: str, value: Sequence[float], start: float) -> Array:
    """The same of one property, which is `value` now."""
    result = np.array(value[:], dtype=np.float64)
    for index in range(len(result)):
        if curve := find(path, index=index):
            points = curve.keyframe_points
            if ahead := bisect_left(points, start - MERGE, key=lambda point: point.co.x):
                result[index] = points[ahead - 1].co.y
    return result
