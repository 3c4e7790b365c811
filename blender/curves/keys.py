"""What F-curves tell: on which frames they have keys, and their values on any frames, or before a range."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from math import ceil, floor, inf
from typing import Any

import numpy as np
from bpy.types import FCurve, FCurveKeyframePoints, Keyframe, Object
from numpy.typing import NDArray

from ...skeleton.twist_bones import share
from ...skeleton.values import MERGE, Bone, ChainPlan, Plan, Point
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..rna_paths import bone_and_property, value_at
from ..settings import keyed_options
from .key_checks import code

_CHEAPER = 10
"""A key is read this many times as fast as a frame is evaluated."""
FEW_KEYS = 10
"""What has more keys may be captured."""

APART = 2.0 * MERGE
"""Frames: keys this far apart stay two, as far as frame 40,000: beyond it Blender tells fewer frames apart."""

_AT_BORDER = 0.05
"""Frames: a key that keeps how the curve goes on behind others is nearer to them."""

_FEW = 64
"""Blender evaluates this many frames before NumPy has found out which of them have keys."""


def by_path_and_index(curves: Iterable[FCurve]) -> dict[tuple[str, int], FCurve]:
    """The F-curves by RNA path and array index."""
    return {(curve.data_path, curve.array_index): curve for curve in curves}


def curves_at(item: Object, path: str) -> list[FCurve]:
    """The F-curves of an object for the property at this RNA path."""
    return [curve for curve in versions.curves(item) if curve.data_path == path]


def driver_at(item: Object, path: str, index: int = 0) -> FCurve | None:
    """The driver of an object for an element of the property at this RNA path; None if there is none."""
    drivers: Any = versions.drivers(item)
    return drivers.find(path, index=index) if drivers else None


def rotation_curves(rig: Rig, bones: Iterable[Bone]) -> Iterator[FCurve]:
    """The F-curves of the rotations of these bones; an Euler rotation has three."""
    find = versions.curve_finder(rig)
    for path in (bone.rotation_path for bone in bones):
        elements = range(3 if path.endswith("euler") else 4)
        yield from filter(None, (find(path, index=index) for index in elements))


def key_points(curve: FCurve) -> Array:
    """(2, m) frames and values of the curve's keys."""
    return single_key_points(curve).astype(np.float64).T


def single_key_points(curve: FCurve) -> NDArray[np.float32]:
    """(m, 2) frames and values of the curve's keys, in single precision as Blender has them."""
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


def numbers_on(item: Object, path: str, frames: Array, read: Set[tuple[Object, str]] = frozenset()) -> Array:
    """(n,) the value of a property that is a number, on n frames, as its driver, its F-curve or NLA strips have it.

    It is as it is now where nothing of these plays, where a driver does more than pass on a property of an object, and
    where strips blend.

    read : for drivers, the properties that it drives, in a circle perhaps
    """
    now: Any = value_at(item, path)
    driver = driver_at(item, path)
    if driver and not driver.mute:
        driven = None if (item, path) in read else _driven(driver, frames, read | {(item, path)})
        return np.full(len(frames), float(now)) if driven is None else driven
    curve = versions.curve_finder(item)(path, index=0)
    if not (curve and versions.plays(curve)):
        return _in_strips(item, path, frames, float(now))
    if isinstance(now, float):
        return evaluated(curve, frames)
    return np.array([curve.evaluate(frame) for frame in frames.tolist()])  # Blender rounds whole numbers


def _driven(driver: FCurve, frames: Array, read: Set[tuple[Object, str]]) -> Array | None:
    """(n,) what a driver makes of one property; None where it reads others, or computes more than 1 minus that."""
    variables, expression = driver.driver.variables, driver.driver.expression.replace(" ", "")
    if len(variables) != 1 or variables[0].type != "SINGLE_PROP":
        return None
    name, target = variables[0].name, variables[0].targets[0]
    inverts = driver.driver.type == "SCRIPTED" and expression in (f"1-{name}", f"1.0-{name}")
    if not isinstance(target.id, Object) or not (driver.driver.type != "SCRIPTED" or inverts or expression == name):
        return None
    try:
        values = numbers_on(target.id, target.data_path.replace("['", '["').replace("']", '"]'), frames, read)
    except (KeyError, TypeError, ValueError):
        return None  # no number, or gone
    values = 1.0 - values if inverts else values
    shaped = len(driver.keyframe_points) or len(driver.modifiers)
    return np.array([driver.evaluate(value) for value in values.tolist()]) if shaped else values


def _in_strips(item: Object, path: str, frames: Array, now: float) -> Array:
    """(n,) a property as NLA strips have it, each in place of those before; `now` where none plays or some blend."""
    values, tracks = np.full(len(frames), now), item.animation_data.nla_tracks if item.animation_data else ()
    first = {track.strips[0] for track in tracks if len(track.strips)}
    for strip, curves in versions.strips(item, muted=False):
        for curve in (curve for curve in curves if curve.data_path == path and versions.plays(curve)):
            # Where it is not animated, Blender sets a strip's influence as it plays it.
            blends = strip.blend_type != "REPLACE" or strip.blend_in or strip.blend_out
            if blends or strip.use_animated_influence or strip.use_animated_time:
                return np.full(len(frames), now)
            start, end, length = strip.frame_start, strip.frame_end, strip.action_frame_end - strip.action_frame_start
            rows = (frames >= start) & ((frames <= end) | (strip.extrapolation != "NOTHING"))
            rows |= (frames < start) & (strip.extrapolation == "HOLD") & (strip in first)
            times = (frames[rows].clip(start, end) - start) / strip.scale
            if length > 0.0:
                times -= length * np.floor(times / length).clip(max=ceil(strip.repeat) - 1.0)
            times = strip.action_frame_end - times if strip.use_reverse else strip.action_frame_start + times
            values[rows] = evaluated(curve, times)
    return values


def key_frames(*places: Point) -> Array:
    """(m,) the frames of all keys of these objects' and bones' own curves, in no order."""
    curves = (curve for place in places for curve in _of_bones(versions.curves(place.object), {place.bone}))
    return np.concatenate([np.empty(0), *(key_points(curve)[0] for curve in curves)])


def key_span(curves: Iterable[FCurve], bones: Collection[str]) -> tuple[int, int] | None:
    """The whole frames from the first key that these curves have of these bones to the last; None if they have none."""
    return whole_frames(_of_bones(curves, bones))


def whole_frames(curves: Iterable[FCurve]) -> tuple[int, int] | None:
    """The whole frames from the first key of these curves to the last; None if they have none.

    Blender plays a key between frames on the frame beyond, too. Keys do not count that a request has set before and
    after its frames to keep how a curve goes on there.
    """
    spans = [(curve.range().to_tuple(), curve) for curve in curves if curve.keyframe_points]
    first, last = inf, -inf
    # Panels ask at each redraw, and to look at keys takes longer than to sort.
    for (start, _), curve in sorted(spans, key=lambda found: found[0][0]):
        if start >= first:
            break
        keys = curve.keyframe_points
        is_border_key = len(keys) > 2 and keys[0].interpolation == "CONSTANT" != keys[1].interpolation
        first = min(first, keys[1].co.x if is_border_key else start)
    for (_, end), curve in sorted(spans, key=lambda found: -found[0][1]):
        if end <= last:
            break
        keys = curve.keyframe_points
        is_border_key = len(keys) > 1 and keys[-1].co.x - keys[-2].co.x < _AT_BORDER
        last = max(last, keys[-2].co.x if is_border_key else end)
    return (floor(first + MERGE), ceil(last - MERGE)) if spans else None


def count_posed(curve: FCurve) -> int:
    """How many keys it has, but for border keys, of which each request sets one before its frames and one after."""
    is_near = np.diff(single_key_points(curve)[:, 0]) < _AT_BORDER
    # One after another they are keys of a capture of many frames a second.
    return len(is_near) + 1 - 2 * int(np.count_nonzero(is_near & np.diff(is_near, prepend=False)))


def _of_bones(curves: Iterable[FCurve], bones: Collection[str]) -> Iterator[FCurve]:
    """The curves with keys that move these bones; "" stands for the object itself."""
    for curve in curves:
        bone, path = bone_and_property(curve.data_path)
        # Custom properties of a bone do not move it, nor do keyed options.
        if curve.keyframe_points and bone in bones and not (bone and path.startswith(("[", "two_bone_ik_"))):
            yield curve


def twists_before(plan: Plan, chain: ChainPlan) -> tuple[dict[Bone, Array], dict[Bone, float]]:
    """The rotations of a chain's twist bones that have keys before the plan's frames, and their shares then."""
    find, values, shares = versions.curve_finder(plan.rig), {}, {}
    for part in chain.twists:
        bone, path = part.bone, part.bone.rotation_path
        curve = find(path, index=0)
        earlier = _last_before(curve.keyframe_points, plan.frames[0]) if curve else None
        if not earlier:
            continue
        values[bone] = value_before(find, path, plan.rig.path_resolve(path), plan.frames[0])
        if part.animated:
            frame = np.array([earlier.co.x])
            [by_hand] = numbers_on(plan.rig, keyed_options.path(bone.path, "twist"), frame)
            part = replace(part, share=float(by_hand))
        shares[bone] = share(part)
    return values, shares


def values_before(item: Object, paths: Iterable[str], start: float) -> dict[str, Array]:
    """For each RNA path what the last keys before `start` leave; without any, the value of the first key.

    Without keys it is the property as it is now, which depends on the current frame where others pose it.
    """
    find = versions.curve_finder(item)
    return {path: value_before(find, path, item.path_resolve(path), start) for path in paths}


def values_on(item: Object, paths: Sequence[str], frame: float) -> dict[str, Array]:
    """By path what these properties are on a frame, as their curves have it."""
    values = {path: np.array(item.path_resolve(path), dtype=np.float64) for path in paths}
    for curve in versions.curves(item):
        # Blender takes no notice of a curve for an element that there is not.
        if curve.array_index < len(values.get(curve.data_path, ())):
            values[curve.data_path][curve.array_index] = curve.evaluate(frame)
    return values


def value_before(find: Callable[..., FCurve | None], path: str, value: Sequence[float] | Array, start: float) -> Array:
    """What the last keys before `start` leave of one property, or the first key holds; `value` is what it is now."""
    result = np.array(value[:], dtype=np.float64)
    for index in range(len(result)):
        curve = find(path, index=index)
        if curve and len(keys := curve.keyframe_points):
            result[index] = (_last_before(keys, start) or keys[0]).co.y
    return result


def _last_before(keys: FCurveKeyframePoints, start: float) -> Keyframe | None:
    """The last of a curve's keys before `start`; None where there is none."""
    if not len(keys) or keys[0].co.x >= start - MERGE:  # most often: a bake goes over all keys again
        return None
    return keys[bisect_left(keys, start - MERGE, key=lambda point: point.co.x) - 1]


_FEW_FRAMES = 200
"""Blender evaluates this many values before NumPy has begun."""
_CACHED = 1 << 14
"""This many values stay in the processor's cache."""
_NEAR = 2e-4
"""Frames: Blender takes a key within half of that to be on a frame."""
_STEPS, _SMALL = 8, 1e-6
"""The last step of Newton's method: the next is about its square, and Blender's own parameter has 1e-7."""

Keys = NDArray[np.float32]
"""(m, 2) times and values."""
_Places = dict[tuple[bytes, bool], tuple[NDArray[np.float32], NDArray[np.intp]]]
"""Times within the keys and the keys that follow, by the times of keys and whether the curve is constant beyond."""


def evaluated_together(curves: Sequence[FCurve], frames: Array) -> Array:
    """(n, k) the values of k curves on n frames, in single precision."""
    values, times = np.empty((len(frames), len(curves)), order="F"), frames.astype(np.float32)
    between: dict[int, Keys] = {}
    for column, curve in enumerate(curves):
        # Of many keys most lie on the frames, and need no cubics.
        if values.size > _FEW_FRAMES and 0 < 2 * len(curve.keyframe_points) < len(frames) and not len(curve.modifiers):
            between[column] = single_key_points(curve)
        else:
            values[:, column] = evaluated(curve, frames)
    most, places = max(1, _CACHED // max(1, len(frames))), _Places()
    for start in range(0, len(between), most):
        columns = list(between)[start : start + most]
        curves_and_keys = [curves[column] for column in columns], [between[column] for column in columns]
        values[:, columns] = _on_cubics(*curves_and_keys, times, places)
    unsolved = np.isnan(values)
    for column in np.flatnonzero(unsolved.any(axis=0)).tolist():
        rows = unsolved[:, column]
        values[rows, column] = list(map(curves[column].evaluate, frames[rows].tolist()))
    return values


def _on_cubics(curves: Sequence[FCurve], keys: Sequence[Keys], times: NDArray[np.float32], places: _Places) -> Array:
    """(n, k) values of curves with these keys; NaN where they are no cubics, or where Newton's method does not end."""
    starts = np.cumsum([0, *map(len, keys)]).tolist()
    own_times, following = [], []
    for curve, own, start in zip(curves, keys, starts, strict=False):
        alike = own[:, 0].tobytes(), curve.extrapolation == "CONSTANT"
        if alike not in places:  # most curves have their keys on the same frames
            inside = times.clip(own[0, 0], own[-1, 0]) if alike[1] else times
            places[alike] = inside, np.searchsorted(own[:-1, 0], inside)
        inside, after = places[alike]
        own_times.append(inside)
        following.append(after + start)
    time, after, every = np.concatenate(own_times), np.concatenate(following), np.concatenate((*keys, keys[-1][-1:]))
    keyed_at, keyed = np.ascontiguousarray(every.T)
    before, next_at = after - 1, keyed_at[after]
    values = np.where(time == next_at, keyed[after], np.nan)
    starting, cubics = _cubics(curves, every, starts)
    between = np.minimum(time - keyed_at[before], next_at - time) > _NEAR
    rows = np.flatnonzero(between & starting[before])
    start, length, *coefficients = cubics.take(before[rows], axis=1)
    values[rows] = _solved((time[rows] - start) / length, coefficients)
    return values.reshape(len(times), -1, order="F")


def _cubics(curves: Sequence[FCurve], keys: Keys, starts: Sequence[int]) -> tuple[NDArray[np.bool_], Array]:
    """(m,) True for keys behind which a cubic starts, and (9, m) its time, length and coefficients.

    keys : (m + 1, 2) those of all curves, and one more
    """
    handles, kinds = np.zeros((2, len(keys), 2), np.float32), np.empty(len(keys) - 1, np.uint8)
    for curve, start, end in zip(curves, starts, starts[1:], strict=False):
        points = curve.keyframe_points
        points.foreach_get("handle_right", handles[0, start:end].reshape(-1))
        points.foreach_get("handle_left", handles[1, start:end].reshape(-1))
        points.foreach_get("interpolation", kinds[start:end])
    bezier, linear, constant = (kinds == code("interpolation", kind) for kind in ("BEZIER", "LINEAR", "CONSTANT"))
    # Times lie by themselves, and values too, as components do in `solver.vectors`.
    here, (right, left) = np.array(keys.T, np.float64, order="C"), handles.swapaxes(1, 2).astype(np.float64, order="C")
    here, following = here[:, :-1], here[:, 1:]
    step, out, into = following - here, right[:, :-1] - here, following - left[:, 1:]
    length, rise = step
    heights = rise, into[1], out[1] + into[1] - rise
    flat = bezier & (np.abs(heights) < np.finfo(np.float32).eps).all(axis=0)  # Blender holds the first value
    bezier, constant = bezier & ~flat, constant | flat
    starting = (bezier | linear | constant) & (length > 0.0)
    starting[[end - 1 for end in starts[1:]]] = False
    length[~starting], rise[constant] = 1.0, 0.0
    shortened = (part * (length / np.maximum(np.abs(part[0]), length)) for part in (out, into))
    out, into = (np.where(bezier, part, step / 3.0) for part in shortened)
    # The corners lie at 0, out, step - into and step.
    time, value = zip(3.0 * out, 3.0 * (step - into) - 6.0 * out, step + 3.0 * (out - step + into), strict=True)
    return starting, np.stack((here[0], length, *(part / length for part in time), here[1], *value))


def _solved(time: Array, coefficients: Sequence[Array]) -> Array:
    """(m,) the value of each cubic at this part of its time; NaN where Newton's method does not end.

    coefficients : 7 times (m,): those of the time, which is 0 at the start; the value there, and those of the value
    """
    a, b, c, start, x, y, z = coefficients
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
