"""Keys beside a span that is keyed in part: on other frames curves show what they showed, however far the next key is.

Between the last key inside and the frame beside, the curve goes from one to the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np
from bpy.types import FCurve

from ...skeleton.values import MERGE, Channel
from .. import versions
from ..armatures import Rig
from ..settings.key_settings import KeyStyle
from . import borders
from .borders import Outside
from .keys import key_points

_APART = 2.0 * MERGE
"""Frames: keys this far apart stay two."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Kept:
    """What a curve is to show beside a span.

    keys : frame, value and interpolation of each key that is added; None interpolates as the keys of the span
    outside : of a curve that there was already, what it is beyond these keys
    """

    path: str
    index: int
    keys: tuple[tuple[float, float, str | None], ...]
    outside: Outside | None


def kept(
    rig: Rig,
    channels: Iterable[Channel],
    span: tuple[float, float],
    *,
    goes_on: tuple[bool, bool],
    unkeyed: Mapping[str, Sequence[float] | None],
) -> list[Kept]:
    """What curves would no longer show on frames beside the span, once these channels are keyed in it.

    goes_on : whether the animation goes on ahead of the span, and after it; otherwise only curves with keys there are
        kept
    unkeyed : by path values of properties that have no curve, or not for all components
    """
    find, all_kept = versions.curve_finder(rig), list[Kept]()
    for channel in channels:
        for index in range(channel.values.shape[1]):
            curve = find(channel.path, index=index)
            if curve and len(curve.keyframe_points):
                kept_beside = _of_curve(curve, span, goes_on)
            else:
                value = float((unkeyed.get(channel.path) or rig.path_resolve(channel.path))[index])
                places = zip(_beside(span), goes_on, strict=True)
                keys = tuple((frame, value, None) for frame, there in places if there)
                kept_beside = Kept(path=channel.path, index=index, keys=keys, outside=None)
            if kept_beside.keys or kept_beside.outside:
                all_kept.append(kept_beside)
    return all_kept


def put_back(rig: Rig, kept: Iterable[Kept], style: KeyStyle) -> None:
    """Show it again, now that the channels are keyed in this style."""
    find = versions.curve_finder(rig)
    for item in kept:
        curve = find(item.path, index=item.index)
        _add_keys(curve, item.keys, style)
        if item.outside:
            borders.restore(curve, item.outside)


def _of_curve(curve: FCurve, span: tuple[float, float], goes_on: tuple[bool, bool]) -> Kept:
    frames = key_points(curve)[0]
    ahead, after = frames[frames < span[0] - MERGE], frames[frames > span[1] + MERGE]
    before, behind = _beside(span)
    keys, inner = list[tuple[float, float, str | None]](), list(span)
    if goes_on[0] or len(ahead):
        inner[0] = max(before, ahead.max(initial=-np.inf))
        if inner[0] == before and not np.isclose(ahead, before, rtol=0.0, atol=MERGE).any():
            last = curve.keyframe_points[len(ahead) - 1].interpolation if len(ahead) else None
            keys.append((before, curve.evaluate(before), last))
    if goes_on[1] or len(after):
        inner[1] = min(behind, after.min(initial=np.inf))
        if inner[1] == behind and not np.isclose(after, behind, rtol=0.0, atol=MERGE).any():
            keys.append((behind, curve.evaluate(behind), None))
    outside = borders.outside(curve, (inner[0], inner[1])) if inner != list(span) else None
    return Kept(path=curve.data_path, index=curve.array_index, keys=tuple(keys), outside=outside)


def _beside(span: tuple[float, float]) -> tuple[float, float]:
    """The last whole frame ahead of the span, and the first one after it."""
    return ceil(span[0] - _APART) - 1.0, floor(span[1] + _APART) + 1.0


def _add_keys(curve: FCurve, keys: Iterable[tuple[float, float, str | None]], style: KeyStyle) -> None:
    points: Any = curve.keyframe_points
    for frame, value, interpolation in keys:
        key = points.insert(frame, value, options={"FAST"}, keyframe_type=style.key_type)
        key.interpolation = interpolation or style.interpolation
        key.handle_left_type = key.handle_right_type = "AUTO_CLAMPED"
    curve.update()
