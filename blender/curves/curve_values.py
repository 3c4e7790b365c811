"""F-curves on many frames at once, as Blender evaluates them one by one.

Between two keys time and value are cubics of one parameter, which Newton's method finds for all frames together; what
is linear or constant makes such cubics too. As in Blender's `fcurve.cc` no handle goes beyond the next key. What has
modifiers, easing or a slope beyond its keys is left to Blender.
"""

from collections.abc import Sequence

import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...solver.values import Array
from .key_checks import code
from .keys import evaluated, single_key_points

_FEW = 200
"""Blender evaluates this many values before NumPy has begun."""
_CACHED = 1 << 14
"""This many values stay in the processor's cache."""
_NEAR = 2e-4
"""Frames: a key as near as half of that Blender takes to be on a frame."""
_STEPS, _SMALL = 8, 1e-6
"""Of Newton's method: the step after one so small is about its square, and Blender's own parameter has 1e-7."""

Keys = NDArray[np.float32]
"""(m, 2) times and values."""


def evaluated_together(curves: Sequence[FCurve], frames: Array) -> Array:
    """(n, k) of k curves on n frames, in single precision."""
    values, times = np.empty((len(frames), len(curves)), order="F"), frames.astype(np.float32)
    between: dict[int, Keys] = {}
    for column, curve in enumerate(curves):
        # Of many keys most lie on the frames, and need no cubics.
        if values.size > _FEW and 0 < 2 * len(curve.keyframe_points) < len(frames) and not len(curve.modifiers):
            between[column] = single_key_points(curve)
        else:
            values[:, column] = evaluated(curve, frames)
    most = max(1, _CACHED // max(1, len(frames)))
    for start in range(0, len(between), most):
        columns = list(between)[start : start + most]
        found = [curves[column] for column in columns], [between[column] for column in columns]
        values[:, columns] = _on_cubics(*found, times)
    for column in between:
        rows = np.isnan(values[:, column])
        values[rows, column] = list(map(curves[column].evaluate, frames[rows].tolist()))
    return values


def _on_cubics(curves: Sequence[FCurve], keys: Sequence[Keys], times: NDArray[np.float32]) -> Array:
    """(n, k) of curves with these keys; NaN where they are no cubics, or where Newton's method does not end."""
    starts = np.cumsum([0, *map(len, keys)]).tolist()
    asked, following = [], []
    places: dict[tuple[bytes, bool], tuple[NDArray[np.float32], NDArray[np.intp]]] = {}
    for curve, own, start in zip(curves, keys, starts, strict=False):
        alike = own[:, 0].tobytes(), curve.extrapolation == "CONSTANT"
        if alike not in places:  # most curves have their keys on the same frames
            inside = times.clip(own[0, 0], own[-1, 0]) if alike[1] else times
            places[alike] = inside, np.searchsorted(own[:-1, 0], inside)
        inside, after = places[alike]
        asked.append(inside)
        following.append(after + start)
    time, after, every = np.concatenate(asked), np.concatenate(following), np.concatenate(keys)
    keyed_at, keyed = np.ascontiguousarray(every.T)
    before, next_at = after - 1, keyed_at[after]
    values = np.where(time == next_at, keyed[after], np.nan)
    starting, cubics = _cubics(curves, every, starts)
    between = np.minimum(time - keyed_at[before], next_at - time) > _NEAR
    rows = np.flatnonzero(between & starting[before])
    start, length, *coefficients = cubics.take(before[rows], axis=1)
    values[rows] = _solved((time[rows] - start) / length, *coefficients)
    return values.reshape(len(times), -1, order="F")


def _cubics(curves: Sequence[FCurve], keys: Keys, starts: Sequence[int]) -> tuple[NDArray[np.bool_], Array]:
    """(m,) behind which of the keys of all curves a cubic starts, and (9, m) its time, length and coefficients."""
    handles, kinds = np.empty((2, len(keys), 2), np.float32), np.empty(len(keys), np.uint8)
    for curve, start, end in zip(curves, starts, starts[1:], strict=False):
        points = curve.keyframe_points
        points.foreach_get("handle_right", handles[0, start:end].reshape(-1))
        points.foreach_get("handle_left", handles[1, start:end].reshape(-1))
        points.foreach_get("interpolation", kinds[start:end])
    bezier, linear, constant = (kinds == code("interpolation", kind) for kind in ("BEZIER", "LINEAR", "CONSTANT"))
    corners = keys.astype(np.float64)
    step = np.roll(corners, -1, axis=0) - corners
    out, into = handles[0] - corners, np.roll(corners - handles[1], -1, axis=0)
    starting = (bezier | linear | constant) & (step[:, 0] > 0.0)
    starting[[end - 1 for end in starts[1:]]] = False
    step[~starting, 0], step[constant, 1] = 1.0, 0.0
    out, into = (np.where(bezier[:, None], _shortened(each, step[:, :1]), step / 3.0) for each in (out, into))
    # The corners lie at 0, out, step - into and step.
    parts = 3.0 * out, 3.0 * (step - into) - 6.0 * out, step + 3.0 * (out - step + into)
    time, value = ([each[:, axis] for each in parts] for axis in (0, 1))
    length = step[:, 0]
    return starting, np.stack((corners[:, 0], length, *(each / length for each in time), corners[:, 1], *value))


def _shortened(handles: Array, lengths: Array) -> Array:
    return handles * (lengths / np.maximum(np.abs(handles[:, :1]), lengths))


def _solved(time: Array, a: Array, b: Array, c: Array, start: Array, x: Array, y: Array, z: Array) -> Array:
    """(m,) the value of each cubic at this part of its time; NaN where Newton's method does not end."""
    at, far = time.copy(), np.ones(len(time), np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_STEPS if len(time) else 0):
            step = (((c * at + b) * at + a) * at - time) / ((3.0 * c * at + 2.0 * b) * at + a)
            at = (at - step).clip(0.0, 1.0)
            far = ~(np.abs(step) <= _SMALL)
            if not far.any():
                break
    values = ((z * at + y) * at + x) * at + start
    values[far] = np.nan
    return values.astype(np.float32)
