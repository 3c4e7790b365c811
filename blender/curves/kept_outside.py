"""Keys around a span that is keyed in part: on other frames curves show what they showed, however far the next key is.

Between the last key inside and the next frame outside, the curve goes from one to the other: these keys are on whole
frames. Switch needs its keys nearer, as between frames nothing may change either (`border_keys`); Hold and Switch split
the curve at the border (`borders`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil, floor, inf
from typing import Any

import numpy as np
from bpy.types import FCurve

from ...skeleton.values import MERGE, Channel
from .. import versions
from ..armatures import Rig
from ..settings.key_settings import KeyStyle
from . import borders
from .keys import APART, key_points

_Keys = dict[float, tuple[float, str | None]]
"""By frame the value and interpolation of a key that is added; None interpolates as the keys of the span."""


@contextmanager
def kept(
    rig: Rig,
    channels: Iterable[Channel],
    span: tuple[float, float],
    style: KeyStyle,
    *,
    goes_on: tuple[bool, bool],
    unkeyed: Mapping[str, Sequence[float] | None],
) -> Iterator[None]:
    """While these channels are keyed in the span, in this style, curves keep what they show on frames outside.

    goes_on : whether the animation goes on before the span, and after it; otherwise only curves with keys there are
        kept
    unkeyed : by path values of properties that have no curve, or not for all components
    """
    find, added, spans = versions.curve_finder(rig), dict[tuple[str, int], _Keys](), {}
    for channel in channels:
        for index in range(channel.values.shape[1]):
            key, curve = (channel.path, index), find(channel.path, index=index)
            keyed = curve if curve and len(curve.keyframe_points) else None
            value = (unkeyed.get(channel.path) or rig.path_resolve(channel.path))[index]
            added[key], inner = _keys_outside(keyed, float(value), span, goes_on)
            if inner != span:
                spans[key] = inner
    with borders.kept(rig, spans):
        yield
        find = versions.curve_finder(rig)
        for (path, index), keys in added.items():
            if keys:
                _add_keys(find(path, index=index), keys, style)


def _keys_outside(
    curve: FCurve | None, value: float, span: tuple[float, float], goes_on: tuple[bool, bool]
) -> tuple[_Keys, tuple[float, float]]:
    """Keys to add before and after the span, and the range in which the curve may change.

    value : used if there is no curve
    """
    frames = key_points(curve)[0] if curve else np.empty(0)
    earlier, later = frames[frames < span[0] - MERGE], frames[frames > span[1] + MERGE]
    # The last whole frame before the span, and the first one after it.
    before, after = ceil(span[0] - APART) - 1.0, floor(span[1] + APART) + 1.0
    first = max(before, earlier.max(initial=-inf)) if goes_on[0] or len(earlier) else span[0]
    last = min(after, later.min(initial=inf)) if goes_on[1] or len(later) else span[1]
    keys = _Keys()
    for frame, near, there in ((before, first, earlier), (after, last, later)):
        if near == frame and not np.isclose(there, frame, rtol=0.0, atol=MERGE).any():
            as_earlier = curve and frame == before and len(earlier)
            interpolation = curve.keyframe_points[len(earlier) - 1].interpolation if as_earlier else None
            keys[frame] = curve.evaluate(frame) if curve else value, interpolation
    return keys, (first, last)


def _add_keys(curve: FCurve, keys: _Keys, style: KeyStyle) -> None:
    points: Any = curve.keyframe_points
    for frame, (value, interpolation) in keys.items():
        key = points.insert(frame, value, options={"FAST"}, keyframe_type=style.key_type)
        key.interpolation = interpolation or style.interpolation
        key.handle_left_type = key.handle_right_type = "AUTO_CLAMPED"
    curve.update()
