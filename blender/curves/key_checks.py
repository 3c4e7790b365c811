"""Which keys cannot be written, or would not play: refused before anything is changed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, cast

from bpy.types import EnumProperty, FCurve, Keyframe, Object, PoseBone

from ...skeleton.values import MERGE
from .. import versions
from ..messages.refused import Refused
from ..messages.translation import known_words, translated
from ..rna_paths import owner_and_property, owner_of
from ..settings.key_settings import Keys, KeyStyle

_STEADY = ("CONSTANT", "LINEAR", "BEZIER")
"""Interpolations that keep their kind where a key cuts them."""


def refuse_unwritable(
    item: Object,
    paths: Collection[str],
    style: KeyStyle,
    curves: Iterable[FCurve] | None = None,
    frames: Iterable[float] | None = None,
) -> None:
    """Raise `Refused` where keys on the properties at these paths of `item` could not be written, or would not play.

    curves : of the action whose copy is to be keyed; None for those of the one that plays
    frames : those that get keys; None for any
    """
    code("interpolation", style.interpolation)
    code("type", style.key_type)
    if style.keys == Keys.REDUCED and style.interpolation not in {"BEZIER", "LINEAR"}:
        raise Refused("IRREDUCIBLE", object=item, value=style.interpolation)
    animation = item.animation_data
    if not animation:
        return
    if animation.use_tweak_mode:
        raise Refused("TWEAK_MODE", object=item)
    action = animation.action
    if action and not action.is_editable and not style.new_action:
        raise Refused("LINKED_ACTION", object=item, value=action.name)
    refuse_unplayable(item, paths, versions.curves(item) if curves is None else curves, frames)


def refuse_unplayable(
    item: Object, paths: Collection[str], curves: Iterable[FCurve], frames: Iterable[float] | None = None
) -> None:
    """Raise `Refused` where keys on the properties at these paths of `item`, in these curves, would not play."""
    refuse_driven(item, paths)
    animation = item.animation_data
    if animation and animation.use_nla and (solo := [track.name for track in animation.nla_tracks if track.is_solo]):
        raise Refused("SOLO_TRACK", object=item, value=solo[0])
    owners = [owner for owner, name in map(owner_and_property, paths) if name.startswith("rotation_")]
    modes = {f"{owner}.rotation_mode" if owner else "rotation_mode" for owner in owners}
    for curve in curves:
        path, group = curve.data_path, curve.group
        if path in modes and versions.plays(curve) and _changes_mode(item, curve, frames):
            raise _refused("MODE_KEYED", item, path)
        if path in paths and (curve.lock or (group and group.lock)):
            raise _refused("CURVE_LOCKED", item, path)
        if path in paths and (curve.mute or (group and group.mute)):
            raise _refused("CURVE_MUTED", item, path)


def _changes_mode(item: Object, curve: FCurve, frames: Iterable[float] | None) -> bool:
    """Whether the curve of a rotation mode has another mode than the present one on these frames; None for any."""
    owner = owner_of(item, curve.data_path)
    now = owner.bl_rna.properties["rotation_mode"].enum_items[owner.rotation_mode].value
    values = (key.co.y for key in curve.keyframe_points) if frames is None else map(curve.evaluate, frames)
    return any(round(value) != now for value in values)


def refuse_driven(item: Object, paths: Collection[str]) -> None:
    """Raise `Refused` where a driver has the last word on a property at these paths of `item`, keyed or not."""
    for driver in item.animation_data.drivers if item.animation_data else ():
        if driver.data_path in paths and not driver.mute:
            raise _refused("CURVE_DRIVEN", item, driver.data_path)


def refuse_unkept(item: Object, spans: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Raise `Refused` where keys would change a property of `item` outside of the frames that get them.

    spans : first and last of these frames, by the property's path
    """
    played = {curve.data_path for _, curves in versions.strips(item, muted=False) for curve in curves}
    if covered := next((path for path in spans if path in played or mixed(item)), ""):
        raise _refused("HELD_STRIPS", item, covered)
    for curve in versions.curves(item):
        path = curve.data_path
        if path in spans:
            if kind := next((modifier.type for modifier in curve.modifiers if not modifier.mute), ""):
                raise _refused("HELD_MODIFIER", item, path, kind=kind)
            if kind := next(filter(None, (_eased(curve, span) for span in spans[path])), ""):
                raise _refused("HELD_EASING", item, path, kind=kind)


def mixed(item: Object) -> bool:
    """Whether what NLA strips give shows through the action."""
    animation = item.animation_data
    if not (animation and animation.use_nla and animation.nla_tracks):
        return False
    return bool(animation.action_blend_type != "REPLACE" or animation.action_influence < 1.0)


def refuse_unsettable(item: Object, paths: Collection[str], frame: float, *, insert_keys: bool) -> None:
    """Raise `Refused` where what is set at these paths of `item` would not stay, or keys on `frame` not be written."""
    if insert_keys:
        refuse_unwritable(item, paths, KeyStyle(), frames=[frame])
    else:
        refuse_driven(item, paths)


def code(attribute: str, identifier: str) -> int:
    """The number that stands for a word of Blender's in keys; Refused where it has no such word."""
    codes = _codes(attribute)
    if not isinstance(identifier, str) or identifier not in codes:
        words = known_words(identifier, codes)
        raise Refused("UNKNOWN_KEY_STYLE", value=identifier, attribute=attribute, known=words)
    return codes[identifier]


@cache
def _codes(attribute: str) -> dict[str, int]:
    choices = cast(EnumProperty, Keyframe.bl_rna.properties[attribute]).enum_items
    return {choice.identifier: choice.value for choice in choices}


def _eased(curve: FCurve, span: tuple[float, float]) -> str:
    """The interpolation across an end of the span that loses its kind where a key cuts it; "" where there is none."""
    for key, following in pairwise(curve.keyframe_points):
        crosses = any(key.co.x + MERGE < frame < following.co.x - MERGE for frame in span)
        if crosses and key.interpolation not in _STEADY:
            return key.interpolation
    return ""


def _refused(sentence: str, item: Object, path: str, **named: Any) -> Refused:
    owner = owner_of(item, path)
    bone = owner.name if isinstance(owner, PoseBone) else ""
    whose = translated("part.bone", bone=bone, name=item.name) if bone else f'"{item.name}"'
    return Refused(sentence, object=item, bone=bone, value=owner_and_property(path)[1], owner=whose, **named)
