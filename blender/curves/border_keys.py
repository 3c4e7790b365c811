"""Keys at the borders of the frames on which limbs switch, which keep properties outside as they are."""

from dataclasses import replace

import numpy as np
from bpy.types import Object

from ...skeleton.switch.switch_plan import Setting
from ...skeleton.values import MERGE, Channel
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..rna_paths import value_at
from .keys import APART, key_points, numbers_on

_PARTS = (0.25, 0.5, 0.75, 1.0)
"""At these parts of the frame before a border it shows whether a curve changes."""


def setting_channel(rig: Rig, setting: Setting, frames: Array) -> tuple[Channel, str]:
    """Keys that give a property its value on the frames and leave it as it is outside; how the last one goes on."""
    earlier, after = _border_keys(rig, setting.path, frames)
    # Where a key behind keeps it already, the last key is on the border: the style of the old one there is taken over.
    value = np.array([setting.value])
    keys = {**earlier, float(frames[0]): value, **(after or {float(frames[-1]): value})}
    curve = versions.curve_finder(rig)(setting.path, index=0)
    kinds = [key.interpolation for key in curve.keyframe_points if key.co.x <= frames[-1] + 1.0] if curve else []
    channel = Channel(
        path=setting.path,
        group=setting.group,
        frames=np.array(list(keys)),
        values=np.stack(list(keys.values())),
        constant=np.ones(len(keys) - 1, dtype=np.bool_),
    )
    return channel, kinds[-1] if after and kinds else "CONSTANT"


def shown_outside(rig: Rig, switch: Setting, frames: Array) -> tuple[bool, bool]:
    """Whether what the switch lets show shows before the frames, and after them."""
    start, end, path = frames[0], frames[-1], switch.path
    curve = versions.curve_finder(rig)(path, index=0)
    times = key_points(curve)[0] if curve else np.empty(0)
    times = np.concatenate((times, (start - 1.0, start - _near(start), end + _near(end), end + 1.0)))
    shows = np.abs(numbers_on(rig, path, times) - switch.value) < 1.0
    return bool(shows[times < start].any()), bool(shows[times > end].any())


def with_border_keys(item: Object, channel: Channel, earlier: bool, after: bool) -> Channel:
    """The channel with keys that keep the property as it is before its frames, and after them, as far as asked for."""
    start, end = _border_keys(item, channel.path, channel.frames, earlier, after)
    frames = np.array([*start, *channel.frames, *end])
    values = np.vstack([*start.values(), channel.values, *end.values()])
    stays = np.concatenate((np.ones(len(start), dtype=np.bool_), channel.stays, np.zeros(len(end), dtype=np.bool_)))
    kept = replace(channel, frames=frames, values=values, slopes=None, constant=stays)
    if channel.slopes is None:
        return kept
    slopes = kept.rises
    slopes[len(start) : len(start) + len(channel.slopes)] = channel.slopes
    return replace(kept, slopes=slopes)


def kept_span(item: Object, path: str, frames: Array, earlier: bool = True, after: bool = True) -> tuple[float, float]:
    """First and last of the frames with those of the keys that keep a property before them, and after them."""
    start, end = _border_keys(item, path, frames, earlier, after)
    return min((*start, float(frames[0]))), max((*end, float(frames[-1])))


def _near(frame: float) -> float:
    """How close to a frame another key may be and stay apart from a key on it."""
    return max(APART, 4.0 * float(np.spacing(np.float32(abs(frame)))))


def _border_keys(
    item: Object, path: str, frames: Array, earlier: bool = True, after: bool = True
) -> tuple[dict[float, Array], dict[float, Array]]:
    """Keys, (k,) by frame, that keep a property as it is before these frames and after them, where that is asked for.

    Both are as near as keys may be, since between frames nothing is to change either. Before the frames the key is a
    frame away where the property does not change, and halfway where another key is nearer. Behind them there is none
    where a key that is no farther keeps the property.
    """
    if not (earlier or after):
        return {}, {}
    start, end = float(frames[0]), float(frames[-1])
    find, current = versions.curve_finder(item), np.atleast_1d(np.array(value_at(item, path), dtype=np.float64))
    curves = [find(path, index=index) for index in range(len(current))]
    times = np.concatenate([np.empty(0), *(key_points(curve)[0] for curve in curves if curve)])

    def shown(frame: float) -> Array:
        return np.array([curve.evaluate(frame) if curve else now for curve, now in zip(curves, current, strict=True)])

    beyond, at_start = end + _near(end), shown(start)
    before = times[times < start - MERGE].max(initial=-np.inf)
    behind = times[times > end + MERGE].min(initial=np.inf)
    near = 1.0 if all((shown(frame) == at_start).all() for frame in start - np.array(_PARTS)) else _near(start)
    place = start - near if before < start - near else (before + start) / 2.0
    return {place: shown(place)} if earlier else {}, {beyond: shown(beyond)} if after and behind > beyond else {}
