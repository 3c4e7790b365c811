"""Keys onto F-curves, all at once: the one step that changes the file.

What lies outside the span keeps every attribute. Blender removes keys only one by one, so those of a curve are read,
picked in NumPy, and written back, in order: `FCurve.update` has a bubble sort. It merges keys closer than `MERGE`.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Any, cast

import numpy as np
from bpy.app.translations import pgettext_rpt
from bpy.types import ID, Depsgraph, EnumProperty, FCurve, FCurveKeyframePoints, Keyframe, Object, PoseBone

from ...skeleton.values import MERGE, Channel
from .. import versions
from ..armatures import Rig
from ..messages.translation import translated
from ..rna_paths import animated_by, owner_and_property, owner_of
from ..settings.key_settings import KeyStyle
from . import own_keys
from .key_checks import code, mixed
from .unkeyed_edits import players

_KINDS = {"FLOAT": np.float32, "ENUM": np.uint8, "BOOLEAN": np.bool_}

ATTRIBUTES = {
    each.identifier: np.dtype((_KINDS[each.type], getattr(each, "array_length", 0) or ()))
    for each in Keyframe.bl_rna.properties
    # Setting co_ui would move the handles along.
    if each.identifier not in {"rna_type", "co_ui"}
}
"""Attributes of a key, each with the type in which Blender keeps it, so that they are copied as they are."""

_EASING = ("back", "amplitude", "period")

Attributes = dict[str, np.ndarray]
"""Keys by attribute: `(m, 2)` for points, `(m,)` for the rest."""

_ADDED = {
    "interpolation": "BEZIER",
    "type": "KEYFRAME",
    "easing": "AUTO",
    "handle_left_type": "AUTO_CLAMPED",
    "handle_right_type": "AUTO_CLAMPED",
}
"""What a key is that `keyframe_points.add` has added, whatever the preferences for new keys say; selected, and with
zeros for the rest."""

_MOST = 4
"""Objects that a sentence names."""

_times = 0


def times() -> int:
    """How often keys were written here: while that stays the same, new keys are not ours."""
    return _times


def keys(item: Object, channels: Sequence[Channel], *, span: tuple[float, float], style: KeyStyle) -> list[str]:
    """Key the channels on `item`; returns sentences for the report.

    span : first and last frame, inclusive; the keys that the curves have there are replaced, all others stay
    style : one that `checks.keys` does not refuse for these channels

    A new action is a copy of the old one, so that the rest of the rig goes on to move. F-curve modifiers that would
    change the keys are muted; Cycles acts outside the keys only, and stays. A channel without frames is left alone.
    """
    global _times
    channels = _finite(channels)
    if not channels:
        return []
    _times += 1
    if style.new_action and item.animation_data and item.animation_data.action:
        versions.copy_action(item)
    channelbag, played = versions.ensure_channelbag(item), versions.played(item)
    find, notes = versions.curve_finder(item), dict[str, None]()
    for channel in channels:
        new, handles = _new_keys(channel, style), _handles(channel)
        for index, values in enumerate(channel.values.T):
            new |= {name: of_curves[index] for name, of_curves in handles.items()}
            new["co"][:, 1] = values
            if curve := find(channel.path, index=index):
                _replace_keys(curve, new, span, channel.kept)
                if len(curve.modifiers):
                    notes |= dict.fromkeys(_mute_modifiers(curve, owner_of(item, channel.path)))
            else:
                _add_curve(channelbag, channel, index, new)
    if mixed(item):
        notes[translated("alert.mixed_action", name=item.name)] = None
    also = [other for other in players(item) if other != item and versions.played(other) == played]
    paths = {channel.path for channel in channels}
    keyed = [curve for curve in versions.curves(item) if curve.data_path in paths] if also else ()
    moved = sorted(f'"{other.name}"' for other in also if any(animated_by(other, curve) for curve in keyed))
    if moved:
        others = ", ".join([*moved[:_MOST], *(["..."] if moved[_MOST:] else [])])
        notes[translated("alert.shared_action", name=item.name, others=others)] = None
    return [*notes]


def pose(item: Object, channels: Iterable[Channel], shown: Depsgraph | None = None) -> None:
    """Set the properties to the values of their first frame, without keys; a channel without frames is left alone.

    shown : if nothing differs here nor on `item`, nothing is set: Blender would evaluate again, and call handlers
    """
    for channel in _finite(channels):
        name, values = owner_and_property(channel.path)[1], channel.values[0]
        owners = [owner_of(state, channel.path) for state in (item, item.evaluated_get(shown) if shown else item)]
        if not (shown and all(_is_near(getattr(owner, name)[:], values) for owner in owners)):
            setattr(owners[0], name, values.tolist())


def _is_near(now: Sequence[float], values: np.ndarray) -> bool:
    """Whether a pose solved from itself would differ by so little: Blender rounds to 2^-24 of a number or of 1."""
    return bool((np.abs(np.subtract(now, values)) <= 2.0**-22 * np.maximum(1.0, np.abs(values))).all())


def pose_bones(values: Iterable[tuple[PoseBone, str, Sequence[float]]]) -> set[ID]:
    """Set these properties of bones where they differ; returns the armatures in which something did.

    One call sets all bones of an armature: for a bone set by itself, Blender would copy the bones at rest as well.
    """
    differing: dict[tuple[Rig, str], dict[str, Sequence[float]]] = defaultdict(dict)
    for bone, name, numbers in values:
        assert all(map(isfinite, numbers))
        if getattr(bone, name)[:] != tuple(array("f", numbers)):
            differing[cast(Rig, bone.id_data), name][bone.name] = numbers
    for (rig, name), by_bone in differing.items():
        bones: Any = rig.pose.bones
        rows = np.empty((len(bones), len(next(iter(by_bone.values())))), dtype=np.float32)
        bones.foreach_get(name, rows.reshape(-1))
        places = dict(zip(bones.keys(), range(len(bones)), strict=True))  # one search for all of them
        rows[[places[bone] for bone in by_bone]] = [*by_bone.values()]
        bones.foreach_set(name, rows.reshape(-1))
        rig.update_tag(refresh={"OBJECT"})
    return {rig for rig, _ in differing}


def _finite(channels: Iterable[Channel]) -> list[Channel]:
    """The channels that have frames; ValueError, before any of them is written, where one is NaN or infinite."""
    channels = [channel for channel in channels if len(channel.frames)]
    for channel in channels:
        numbers = (channel.frames, channel.values, *([] if channel.slopes is None else [channel.slopes]))
        if not all(np.isfinite(array).all() for array in numbers):
            raise ValueError(f"{channel.path}: frames and values to write must be finite")
    return channels


def _new_keys(channel: Channel, style: KeyStyle) -> Attributes:
    """Keys on the channel's frames, with values to come; only what is not as `keyframe_points.add` has it."""
    frames = channel.frames
    new: Attributes = {"co": np.zeros(len(frames), ATTRIBUTES["co"])}
    new["co"][:, 0] = frames
    for name, identifier in (("interpolation", style.interpolation), ("type", style.key_type)):
        if identifier != _ADDED[name]:
            new[name] = np.full(len(frames), code(name, identifier), np.uint8)
    if channel.constant is not None and channel.constant.any():
        usual = np.full(len(frames), code("interpolation", style.interpolation), np.uint8)
        kinds = new.setdefault("interpolation", usual)
        kinds[:-1][channel.constant] = code("interpolation", "CONSTANT")
    return new


def _handles(channel: Channel) -> Attributes:
    """Free handles, a third of the way to the next key, that give each cubic its slopes: (k, n, ...) for k curves."""
    if channel.slopes is None or not len(channel.slopes):
        return {}
    handles, slopes, values = {}, channel.slopes.transpose(2, 0, 1), channel.values.T.astype(np.float32)
    frames = channel.frames.astype(np.float32).astype(np.float64)
    thirds = np.diff(frames) / 3.0
    for side, lengths, slope in (
        ("handle_left", -np.append(thirds[0], thirds), np.append(slopes[:, :1, 0], slopes[..., 1], axis=1)),
        ("handle_right", np.append(thirds, thirds[-1]), np.append(slopes[..., 0], slopes[:, -1:, 1], axis=1)),
    ):
        points = np.broadcast_arrays(frames + lengths, values + lengths * slope)
        handles[side] = np.stack(points, axis=-1, dtype=np.float32)
        handles[f"{side}_type"] = np.full(values.shape, code(f"{side}_type", "FREE"), np.uint8)
    return handles


def _add_curve(channelbag: versions.Channelbag, channel: Channel, index: int, new: Attributes) -> None:
    curve = versions.new_curve(channelbag, channel.path, index, channel.group)
    curve.color_mode = "AUTO_YRGB" if channel.values.shape[1] == 4 else "AUTO_RGB"
    set_keys(curve.keyframe_points, new)
    curve.update()


def copy_curve(item: Object, curve: FCurve, path: str, group: str) -> FCurve:
    """The keys of a curve of `item` on the property at another path, in place of those that it has."""
    channelbag = versions.ensure_channelbag(item)
    copy = channelbag.fcurves.find(path) or versions.new_curve(channelbag, path, 0, group)
    copy.extrapolation = curve.extrapolation
    set_keys(copy.keyframe_points, attributes(curve.keyframe_points))
    copy.update()
    return copy


def _replace_keys(
    curve: FCurve, new: Attributes, span: tuple[float, float], kept: Sequence[tuple[float, float]]
) -> None:
    (first, last), points = curve.range().to_tuple(), curve.keyframe_points
    if not len(points) and curve.sampled_points:
        curve.convert_to_keyframes(int(first), int(last) + 1)
    if not len(points) or not (kept or first < span[0] - MERGE or last > span[1] + MERGE):
        set_keys(points, new)
        curve.update()
        return
    co = attribute(points, "co")
    frames = co[:, 0]
    inside = slice(frames.searchsorted(span[0] - MERGE), frames.searchsorted(span[1] + MERGE, side="right"))
    if not (kept or np.count_nonzero(frames[1:] < frames[:-1])) and len(frames[inside]) == len(new["co"]):
        _set_inside(points, new, inside, co)
        curve.update()
        return
    own = own_keys.any_inside(frames, kept)
    rows = np.flatnonzero((frames < span[0] - MERGE) | (frames > span[1] + MERGE) | own)
    free = ~own_keys.between_own(new["co"][:, 0], frames, kept)
    new = {name: values[free] for name, values in new.items()}
    order = np.argsort(np.concatenate((frames[rows], new["co"][:, 0])), kind="stable")
    old = attributes(points)
    set_keys(points, _merged(old, rows, new, order))
    curve.update()
    freeze_handles(curve, old, own)


def _merged(old: Attributes, rows: np.ndarray, new: Attributes, order: np.ndarray) -> Attributes:
    """The old keys on `rows`, which stay, and the new keys, sorted by `order`; with every attribute."""
    count, merged = len(new["co"]), {}
    for name, values in old.items():
        added = new.get(name, np.full((count, *values.shape[1:]), _as_added(name), values.dtype))
        merged[name] = np.concatenate((values[rows], added))[order]
    return merged


def _set_inside(points: FCurveKeyframePoints, new: Attributes, inside: slice, co: np.ndarray) -> None:
    """The new keys in place of as many old ones `inside`, which stay selected as they are; `co` (m, 2) are all."""
    for name in dict.fromkeys((*_ADDED, *_EASING, *new)):
        values = co if name == "co" else attribute(points, name)
        values_inside = new.get(name, _as_added(name))
        if np.count_nonzero(values[inside] != values_inside):
            values[inside] = values_inside
            points.foreach_set(name, values.reshape(-1))


def _as_added(name: str) -> int:
    """An attribute of a key that `keyframe_points.add` has added."""
    return code(name, _ADDED[name]) if name in _ADDED else int(ATTRIBUTES[name] == np.bool_)


def freeze_handles(curve: FCurve, old: Attributes, kept: np.ndarray) -> None:
    """Put back handles of the `kept` among the old keys that new keys beside them have moved, free from now on."""
    points = curve.keyframe_points
    # Blender itself moves handles that are on the wrong side, and merges keys on one frame: each is put back once.
    free = np.zeros(np.count_nonzero(kept), dtype=np.bool_)
    while True:
        now = attributes(points)
        rows = np.searchsorted(now["co"][:-1, 0], old["co"][kept, 0])
        differs = [now[side][rows] != old[side][kept] for side in ("handle_left", "handle_right")]
        moved = np.logical_or(*differs).any(axis=-1)
        moved &= ~free & (now["co"][rows, 0] == old["co"][kept, 0])
        if not moved.any():
            return
        free |= moved
        for side in ("handle_left", "handle_right"):
            now[side][rows[moved]] = old[side][kept][moved]
            now[f"{side}_type"][rows[moved]] = code(f"{side}_type", "FREE")
            points.foreach_set(f"{side}_type", now[f"{side}_type"])
            points.foreach_set(side, now[side].reshape(-1))
        curve.update()


def set_keys(points: FCurveKeyframePoints, keys: Attributes) -> None:
    """These keys alone."""
    if len(points):
        points.clear()
    points.add(len(keys["co"]))
    for name, values in keys.items():
        points.foreach_set(name, values.reshape(-1))


def attributes(points: FCurveKeyframePoints) -> Attributes:
    """All there is of these keys."""
    return {name: attribute(points, name) for name in ATTRIBUTES}


def attribute(points: FCurveKeyframePoints, name: str) -> np.ndarray:
    """One attribute of these keys."""
    values = np.empty(len(points), ATTRIBUTES[name])
    points.foreach_get(name, values.reshape(-1))
    return values


def _mute_modifiers(curve: FCurve, owner: Object | PoseBone) -> Iterator[str]:
    for modifier in curve.modifiers:
        if modifier.type != "CYCLES" and not modifier.mute:
            modifier.mute = True
            kinds = cast(EnumProperty, modifier.bl_rna.properties["type"]).enum_items
            named = {"kind": pgettext_rpt(kinds[modifier.type].name), "owner": owner.name}
            of_bone = isinstance(owner, PoseBone)
            yield translated("note.modifier_of_bone" if of_bone else "note.modifier_of_object", **named)
