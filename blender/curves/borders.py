"""The borders of a span whose keys are replaced: outside, a curve goes on as before, whatever it interpolates.

A Bezier segment across a border is split there by de Casteljau's rule, which keeps its shape. Handles that Blender
would set again stay where they are: they become free.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from bpy.types import FCurve, Object

from ...skeleton.values import MERGE
from ...solver.values import Array
from .. import versions
from . import write
from .key_checks import code
from .keys import by_path_and_index
from .write import Attributes

_FAR = 64.0
"""Frames: a handle lies this far beyond all keys, so that its slope is exact."""
_STYLE = ("interpolation", "easing", "amplitude", "back", "period")
"""How a curve goes on from a key to the next."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Border:
    """One end of the span.

    own : (2,) the handle that the new key on the border turns outwards
    outer : (2,) the handle that the next old key outside turns to the span; None where it stays
    style : at the end of the span, the interpolation after the new key; None: as the keys inside
    beyond : (2,) the new right handle of the next old key, which is the last of all; None: unchanged
    """

    own: Array
    outer: Array | None = None
    style: dict[str, object] | None = None
    beyond: Array | None = None


@contextmanager
def kept(owner: Object, spans: Mapping[tuple[str, int], tuple[float, float]]) -> Iterator[None]:
    """While open, keying changes existing curves only inside their span.

    spans : by path and index of curves
    """
    before = {}
    for key, curve in by_path_and_index(versions.curves(owner)).items():
        if key in spans and len(curve.keyframe_points):
            old, (first, last) = write.attributes(curve.keyframe_points), spans[key]
            before[key] = old, _start(curve, old, first), _end(curve, old, last)
    yield
    curves = by_path_and_index(versions.curves(owner))
    for key, was in before.items():
        _restore(curves[key], spans[key], *was)


def _restore(curve: FCurve, span: tuple[float, float], old: Attributes, start: _Border, end: _Border) -> None:
    """Let the curve be as before outside of the span, now that there are other keys in it; `old` were all its keys."""
    keys, free = write.attributes(curve.keyframe_points), code("handle_left_type", "FREE")
    first, behind = np.searchsorted(keys["co"][:, 0], (span[0] - MERGE / 2.0, span[1] + MERGE / 2.0))
    last = behind - 1
    # Blender has set the handles again already.
    later = len(old["co"]) - (len(keys["co"]) - behind)
    for name, values in old.items():
        keys[name][:first], keys[name][behind:] = values[:first], values[later:]
    for row, side, handle in (
        (first, "left", start.own),
        (first - 1, "right", start.outer),
        (last, "right", end.own),
        (behind, "left", end.outer),
    ):
        if 0 <= row < len(keys["co"]):
            keys["handle_left_type"][row] = keys["handle_right_type"][row] = free
            if handle is not None:
                keys[f"handle_{side}"][row] = handle
    for name, value in (end.style or {}).items():
        keys[name][last] = value
    if end.beyond is not None:
        keys["interpolation"][behind] = code("interpolation", "BEZIER")
        keys["handle_right"][behind] = end.beyond
    write.set_keys(curve.keyframe_points, keys)
    curve.update()
    rows = np.arange(len(keys["co"]))
    write.freeze_handles(curve, keys, (rows < first) | (rows > last))


def same_keys(curve: FCurve, other: FCurve) -> bool:
    """Whether two curves have the same keys, to the bit, whichever are selected."""
    keys, others = write.attributes(curve.keyframe_points), write.attributes(other.keyframe_points)
    return all(np.array_equal(keys[name], others[name]) for name in keys if not name.startswith("select_"))


def same_curves(curves: Iterable[FCurve], others: Iterable[FCurve]) -> bool:
    """Whether there are the same curves, each with the same keys."""
    one, other = by_path_and_index(curves), by_path_and_index(others)
    return one.keys() == other.keys() and all(same_keys(curve, other[key]) for key, curve in one.items())


def _start(curve: FCurve, old: Attributes, frame: float) -> _Border:
    frames = old["co"][:, 0]
    row = int(np.searchsorted(frames, frame - MERGE)) - 1
    on_key = row + 1 < len(frames) and abs(frames[row + 1] - frame) <= MERGE
    # The first key of all goes on to the left as the keys behind it say, unless it is a Bezier one: as its handle says.
    if on_key and (row >= 0 or _is("BEZIER", old, 0)):
        return _Border(own=old["handle_left"][row + 1])
    if row < 0:
        return _Border(own=_on_curve(curve, frame - _FAR))
    outer, own, *_ = _split(_segment(curve, old, row, frame), frame)
    return _Border(own=own, outer=outer if _is("BEZIER", old, row) else None)


def _end(curve: FCurve, old: Attributes, frame: float) -> _Border:
    frames = old["co"][:, 0]
    near = MERGE + float(np.spacing(np.float32(abs(frame) + 1.0)))  # as Blender rounds it
    row = int(np.searchsorted(frames, frame + near, side="right"))
    on_key = row > 0 and abs(frames[row - 1] - frame) <= near
    is_last = row == len(frames)
    style = {name: old[name][row - 1] for name in _STYLE} if row and (on_key or not is_last) else None
    # A linear key that is the last goes on as the keys before it say.
    if on_key and not (is_last and curve.extrapolation == "LINEAR" and _is("LINEAR", old, row - 1)):
        return _Border(own=old["handle_right"][row - 1], style=style)
    if is_last:
        return _Border(own=_on_curve(curve, frame + _FAR))
    *_, own, outer = _split(_segment(curve, old, row - 1, frame), frame)
    outer = outer if row == 0 or _is("BEZIER", old, row - 1) else None
    # So does the next key if it is the last, and the key before it is another from now on.
    goes_straight = row == len(frames) - 1 and curve.extrapolation == "LINEAR" and _is("LINEAR", old, row)
    beyond = _on_curve(curve, frames[row] + _FAR) if goes_straight else None
    return _Border(own=own, outer=outer, style=style, beyond=beyond)


def _is(kind: str, old: Attributes, row: int) -> bool:
    """Whether the old key in this row has this interpolation."""
    return bool(old["interpolation"][row] == code("interpolation", kind))


def _on_curve(curve: FCurve, frame: float) -> Array:
    return np.array((frame, curve.evaluate(frame)))


def _segment(curve: FCurve, old: Attributes, row: int, frame: float) -> Array:
    """(4, 2) keys and handles of the segment behind the key in this row; a straight line where there is no Bezier
    curve, or no key on one side of the `frame`.
    """
    count = len(old["co"])
    start = old["co"][row] if row >= 0 else _on_curve(curve, frame)
    end = old["co"][row + 1] if row + 1 < count else _on_curve(curve, frame)
    start, end = start.astype(np.float64), end.astype(np.float64)
    if row < 0 or row + 1 >= count or not _is("BEZIER", old, row):
        return start + (end - start) * np.arange(4)[:, None] / 3.0
    out, into = old["handle_right"][row] - start, old["handle_left"][row + 1] - end
    # As Blender: no handle goes beyond the other key.
    out, into = (handle / max(1.0, abs(handle[0]) / (end[0] - start[0])) for handle in (out, into))
    return np.stack((start, start + out, end + into, end))


def _split(points: Array, frame: float) -> tuple[Array, Array, Array, Array]:
    """Handles of the two parts of a cubic Bezier segment: out of its start, into the frame, out of it, into its end."""
    low, high = 0.0, 1.0
    for _ in range(60):
        part = 0.5 * (low + high)
        late = _parts(points, part)[-1][0, 0] > frame
        low, high = (low, part) if late else (part, high)
    first, second, _ = _parts(points, 0.5 * (low + high))
    return first[0], second[0], second[1], first[2]


def _parts(points: Array, part: float) -> list[Array]:
    """The points between the points, between those, and so on."""
    levels = []
    while len(points) > 1:
        points = points[:-1] + part * np.diff(points, axis=0)
        levels.append(points)
    return levels
