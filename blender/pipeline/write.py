"""Keys onto F-curves, all at once: the one step that changes the file.

What lies outside the span keeps every attribute. Blender removes keys only one by one, so those of a curve are read,
picked in NumPy, and written back, in order: `FCurve.update` has a bubble sort. Keys closer than `MERGE` it makes one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache

import numpy as np
from bpy.types import FCurve, Keyframe, Object, PoseBone, bpy_struct

from .. import versions
from ..errors import Refused
from .channel import MERGE, Channel, Keys, KeyStyle

# As Blender has them: so they are copied without a conversion.
POINT, FLOAT, ENUM, FLAG = (np.dtype(kind) for kind in ((np.float32, 2), np.float32, np.uint8, np.bool_))
ATTRIBUTES = {
    "co": POINT,
    "handle_left": POINT,
    "handle_right": POINT,
    "handle_left_type": ENUM,
    "handle_right_type": ENUM,
    "interpolation": ENUM,
    "easing": ENUM,
    "type": ENUM,
    "back": FLOAT,
    "amplitude": FLOAT,
    "period": FLOAT,
    "select_control_point": FLAG,
    "select_left_handle": FLAG,
    "select_right_handle": FLAG,
}

Attributes = dict[str, np.ndarray]
"""Keys by attribute: `(m, 2)` for points, `(m,)` for the rest."""

_ADDED = {"interpolation": "BEZIER", "type": "KEYFRAME"}
"""What a key is that `keyframe_points.add` has added, whatever the preferences for new keys say."""


def refuse_unwritable(item: Object, paths: Collection[str], style: KeyStyle) -> None:
    """Raise `Refused` where keys on the properties at these paths of `item` could not be written, or would not play."""
    _code("interpolation", style.interpolation)
    _code("type", style.key_type)
    if style.keys == Keys.REDUCED:
        _refuse_irreducible(item, style)
    animation = item.animation_data
    if not animation:
        return
    if animation.use_tweak_mode:
        sentence = f'"{item.name}" is in tweak mode: leave it in the NLA editor (Tab) and bake again'
        raise Refused(sentence, kind="TWEAK_MODE", object=item.name)
    action = animation.action
    if action and not action.is_editable and not style.new_action:
        sentence = f'Action "{action.name}" of "{item.name}" is linked: make it local, or bake to a new action'
        raise Refused(sentence, kind="LINKED_ACTION", object=item.name, value=action.name)
    refuse_driven(item, paths)
    for curve in versions.curves(item):
        if curve.data_path in paths:
            _refuse_unwritable_curve(item, curve)


def refuse_driven(item: Object, paths: Collection[str]) -> None:
    """Raise `Refused` where a driver has the last word on a property at these paths of `item`, keyed or not."""
    for driver in item.animation_data.drivers if item.animation_data else ():
        if driver.data_path in paths and not driver.mute:
            raise _curve_refusal(item, driver, "driven", "remove the driver")


def refuse_unsettable(item: Object, paths: Collection[str], *, insert_keys: bool) -> None:
    """Raise `Refused` where what is set at these paths of `item` would not stay, or where keys could not be written."""
    if insert_keys:
        refuse_unwritable(item, paths, KeyStyle())
    else:
        refuse_driven(item, paths)


def keys(item: Object, channels: Sequence[Channel], *, span: tuple[float, float], style: KeyStyle) -> list[str]:
    """Key the channels on `item`; returns sentences for the report.

    span : first and last frame, inclusive; the keys that the curves have there are replaced, all others stay

    A new action is a copy of the old one, so that the rest of the rig goes on to move. F-curve modifiers that would
    change the keys are muted; Cycles acts outside the keys only, and stays. A channel without frames is left alone.
    """
    for channel in channels:
        if not (np.isfinite(channel.frames).all() and np.isfinite(channel.values).all()):
            raise ValueError(f"{channel.path}: frames and values to key must be finite")
    channels = [channel for channel in channels if len(channel.frames)]
    if not channels:
        return []
    refuse_unwritable(item, {channel.path for channel in channels}, style)

    if style.new_action and item.animation_data and item.animation_data.action:
        versions.copy_action(item)
    channelbag = versions.ensure_channelbag(item)
    notes: dict[str, None] = {}
    for channel in channels:
        new = _new_keys(channel.frames, style)
        for index, values in enumerate(channel.values.T):
            curve = _ensure_curve(channelbag, channel, index)
            new["co"][:, 1] = values
            if channel.slopes is not None:
                _set_handles(new, channel.slopes[:, index])
            _replace_keys(curve, new, span)
            if len(curve.modifiers):
                notes |= dict.fromkeys(_mute_modifiers(curve, _owner(item, channel.path)))
    return [*notes, *_nla_notes(item)]


def pose(item: Object, channels: Iterable[Channel]) -> None:
    """Set the properties to the values of their first frame, without keys; a channel without frames is left alone."""
    for channel in channels:
        if len(channel.frames):
            setattr(_owner(item, channel.path), channel.path.rpartition(".")[2], channel.values[0].tolist())


def mute_constraints(rig: Object, names: Iterable[tuple[str, str]]) -> list[str]:
    """Mute constraints given as (bone, constraint); returns sentences for the report."""
    animated = {curve.data_path for curve in versions.curves(rig)}
    if rig.animation_data:
        animated |= {curve.data_path for curve in rig.animation_data.drivers}
    notes = []
    for bone, name in names:
        constraint = rig.pose.bones[bone].constraints[name]
        if constraint.mute:
            continue
        constraint.mute = True
        notes.append(f'Constraint "{name}" of bone "{bone}" is muted')
        path = constraint.path_from_id()
        if animated & {f"{path}.mute", f"{path}.enabled"}:
            notes[-1] += ", but its mute is animated and will come back"
    return notes


def _refuse_irreducible(item: Object, style: KeyStyle) -> None:
    if style.interpolation not in {"BEZIER", "LINEAR"}:
        sentence = (
            f'Keys of "{item.name}" cannot be reduced with interpolation {style.interpolation}: use BEZIER or LINEAR'
        )
        raise Refused(sentence, kind="IRREDUCIBLE", object=item.name, value=style.interpolation)
    if not 0.0 < style.tolerance < np.inf:
        sentence = f'Keys of "{item.name}" cannot be reduced within {style.tolerance:g}: the tolerance must be above 0'
        raise Refused(sentence, kind="TOLERANCE", object=item.name, value=style.tolerance)


def _refuse_unwritable_curve(item: Object, curve: FCurve) -> None:
    group = curve.group
    if curve.lock or (group and group.lock):
        raise _curve_refusal(item, curve, "locked", "unlock its F-curves, so that keys can play")
    if curve.mute or (group and group.mute):
        raise _curve_refusal(item, curve, "muted", "unmute its F-curves, so that keys can play")


def _curve_refusal(item: Object, curve: FCurve, state: str, remedy: str) -> Refused:
    name, owner = curve.data_path.rpartition(".")[2], _owner(item, curve.data_path)
    bone = owner.name if isinstance(owner, PoseBone) else ""
    whose = f'bone "{bone}" on "{item.name}"' if bone else f'"{item.name}"'
    sentence = f"{name} of {whose} is {state}: {remedy}"
    return Refused(sentence, kind=f"CURVE_{state.upper()}", object=item.name, bone=bone, value=name)


def _owner(item: Object, path: str) -> bpy_struct:
    """The bone or the object whose property this path names."""
    above = path.rpartition(".")[0]
    return item.path_resolve(above) if above else item


@cache
def _code(attribute: str, identifier: str) -> int:
    choices = Keyframe.bl_rna.properties[attribute].enum_items
    if identifier not in choices:
        sentence = f'No {attribute} of keys is called "{identifier}": choose from {", ".join(choices.keys())}'
        raise Refused(sentence, kind="UNKNOWN_KEY_STYLE", value=identifier)
    return choices[identifier].value


def _new_keys(frames: np.ndarray, style: KeyStyle) -> Attributes:
    """Keys at these frames, with values to come; only what is not as `keyframe_points.add` has it."""
    new = {"co": np.zeros(len(frames), POINT)}
    new["co"][:, 0] = frames
    for name, wanted in (("interpolation", style.interpolation), ("type", style.key_type)):
        if wanted != _ADDED[name]:
            new[name] = np.full(len(frames), _code(name, wanted), ENUM)
    return new


def _set_handles(new: Attributes, slopes: np.ndarray) -> None:
    """Handles a third of the way to the keys beside: so far along, Bezier curves are the cubics that slopes tell of."""
    frames = new["co"][:, 0].astype(np.float64)
    spans = np.diff(frames)
    for side, lengths in (
        ("handle_left", -np.concatenate((spans[:1], spans)) / 3.0),
        ("handle_right", np.concatenate((spans, spans[-1:])) / 3.0),
    ):
        new[side] = np.stack((frames + lengths, new["co"][:, 1] + lengths * slopes), axis=-1, dtype=np.float32)
        new[f"{side}_type"] = np.full(len(frames), _code(f"{side}_type", "ALIGNED"), ENUM)


def _ensure_curve(channelbag: bpy_struct, channel: Channel, index: int) -> FCurve:
    curve = channelbag.fcurves.find(channel.path, index=index)
    if curve:
        return curve
    curve = channelbag.fcurves.new(channel.path, index=index)
    curve.group = channelbag.groups.get(channel.group) or channelbag.groups.new(channel.group)
    curve.color_mode = "AUTO_YRGB" if channel.values.shape[1] == 4 else "AUTO_RGB"
    return curve


def _replace_keys(curve: FCurve, new: Attributes, span: tuple[float, float]) -> None:
    first, last = curve.range()
    if curve.sampled_points:
        curve.convert_to_keyframes(int(first), int(last) + 1)
    points = curve.keyframe_points
    if points and (first < span[0] - MERGE or last > span[1] + MERGE):
        new = _merged(points, new, span)
    _add(points, new)
    curve.update()


def _merged(points: bpy_struct, new: Attributes, span: tuple[float, float]) -> Attributes:
    """The new keys between the old ones outside of the span, with every attribute."""
    old = _attributes(points)
    frames = old["co"][:, 0]
    before, after = frames < span[0] - MERGE, frames > span[1] + MERGE
    _add(points, new)
    between = _attributes(points)
    return {name: np.concatenate([old[name][before], between[name], old[name][after]]) for name in ATTRIBUTES}


def _add(points: bpy_struct, keys: Attributes) -> None:
    """These keys alone."""
    points.clear()
    points.add(len(keys["co"]))
    for name, values in keys.items():
        points.foreach_set(name, values.reshape(-1))


def _attributes(points: bpy_struct) -> Attributes:
    found = {name: np.empty(len(points), dtype) for name, dtype in ATTRIBUTES.items()}
    for name, values in found.items():
        points.foreach_get(name, values.reshape(-1))
    return found


def _mute_modifiers(curve: FCurve, owner: bpy_struct) -> list[str]:
    notes = []
    for modifier in curve.modifiers:
        if modifier.type != "CYCLES" and not modifier.mute:
            modifier.mute = True
            whose = f'bone "{owner.name}"' if isinstance(owner, PoseBone) else f'"{owner.name}"'
            kind = modifier.bl_rna.properties["type"].enum_items[modifier.type].name
            notes.append(f"F-curve modifier {kind} of {whose} is muted, as it would change the keys")
    return notes


def _nla_notes(item: Object) -> list[str]:
    animation = item.animation_data
    absolute = animation.action_blend_type == "REPLACE" and animation.action_influence == 1.0
    if absolute or not (animation.use_nla and animation.nla_tracks):
        return []
    return [f'The action of "{item.name}" is mixed with NLA strips: set its blending to Replace and its influence to 1']
