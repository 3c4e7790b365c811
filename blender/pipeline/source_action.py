"""An object's action from before something that is made anew from it, such as holds.

It stays as it is, to the bit, whoever plays it: the object plays a copy. An object that played none keeps an empty one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from ...skeleton.target_channels import KeyedTarget
from ...skeleton.values import MERGE
from .. import holds, renamed_actions, versions
from . import write
from .borders import same_curves
from .checks.keys import code
from .read.keys import by_path_and_index
from .write import Attributes

_MADE = "two_bone_ik_held"
"""Custom property of the actions that were made here; all others are the user's, and stay."""


def plays_other(item: Any) -> bool:
    """Whether something is kept, but the object plays an action that was not made from it."""
    action, _ = versions.played(item)
    return bool(item.two_bone_ik_source and action and not action.get(_MADE))


def keep(item: Any) -> None:
    """Keep what the object plays now, unless something is kept already."""
    if item.two_bone_ik_source is None:
        action, slot = versions.played(item)
        item.two_bone_ik_source = action or bpy.data.actions.new(f"{item.name} before Holds")
        item.two_bone_ik_source_slot = slot
        renamed_actions.mark_keyed(item, item.two_bone_ik_source, slot)


def curves(item: Any) -> Mapping[tuple[str, int], FCurve]:
    """The F-curves of what is kept, by path and index."""
    return by_path_and_index(versions.slot_curves(item.two_bone_ik_source, item.two_bone_ik_source_slot))


def replace_played(item: Any, action: Action | None, slot: str) -> None:
    """Let the object play this action, under the name of the one that it played, which goes if nothing else uses it."""
    before, _ = versions.played(item)
    name = before.name if before and before != item.two_bone_ik_source else f"{item.name}Action"
    versions.play(item, action, slot)
    give_way(before)
    if action:
        action[_MADE], action.name = True, name


def give_way(action: Action | None) -> None:
    """Remove an action that something else plays in place of, if nothing uses it any more."""
    if action and not action.users:
        bpy.data.actions.remove(action)


def forget_made(action: Action) -> None:
    """The copy of an action from here is the user's, or somebody else's."""
    action.pop(_MADE, None)


def give_back(item: Any) -> None:
    """Keep nothing any more; if it has the same keys as what the object plays, the object plays it again."""
    source, slot = item.two_bone_ik_source, item.two_bone_ik_source_slot
    before = curves(item)
    if same_curves(versions.curves(item), before.values()):
        played, _ = versions.played(item)
        # A duplicate of a held object keeps the same action, and each is to move on its own.
        objects: list[Any] = bpy.data.objects.values()
        twins = [other for other in objects if other.two_bone_ik_source == source and other != item]
        given = source.copy() if twins else source
        versions.play(item, given if before or versions.keyed_slots(source) else None, slot)
        if played != source:
            give_way(played)
    item.two_bone_ik_source, item.two_bone_ik_source_slot = None, ""
    if not source.users and versions.keyed_slots(source) > 1:
        source.use_fake_user = True  # it has keys of others, which are not to be lost
    elif not source.users:
        bpy.data.actions.remove(source)


def restore(copy: Object, item: Object, target: KeyedTarget, records: Sequence[Any]) -> None:
    """Give `copy`, which plays a copy of what `item` plays, the keys from before these holds, in their spans.

    Outside of the spans all keys stay, but for handles that were made free at the borders.
    """
    before, channelbag = curves(item), versions.ensure_channelbag(copy)
    for path, spans, _ in _held(target, records):
        for index in range(len(copy.path_resolve(path))):
            curve, source = channelbag.fcurves.find(path, index=index), before.get((path, index))
            if curve is None:
                continue  # nobody has keyed it, or somebody has removed its keys
            keys = _outside(write.attributes(curve.keyframe_points), spans)
            if source:
                keys = _with_source(keys, write.attributes(source.keyframe_points), spans)
            if len(keys["co"]):
                write.set_keys(curve.keyframe_points, keys)
                curve.update()
            else:
                channelbag.fcurves.remove(curve)
    set_unkeyed(copy, target, records)


def set_unkeyed(item: Object, target: KeyedTarget, records: Sequence[Any]) -> None:
    """Set what has no keys of what these holds have held to what they remember."""
    find = versions.curve_finder(item)
    for path, _, values in _held(target, records):
        owner: Any = item.path_resolve(path)
        for index in range(len(owner)):
            if find(path, index=index) is None:
                owner[index] = values[index]


def _held(target: KeyedTarget, records: Sequence[Any]) -> Iterator[tuple[str, list[tuple[float, float]], Any]]:
    """Each path that holds key, the spans in which they do, and its values from before."""
    turning = [record for record in records if record.rotation]
    yield target.location_path, [holds.read(record).span for record in records], records[0].location
    if turning:
        yield target.rotation_path, [holds.read(record).span for record in turning], records[0].orientation


def _inside(keys: Attributes, spans: Sequence[tuple[float, float]]) -> NDArray[np.bool_]:
    frames = keys["co"][:, 0]
    inside = np.zeros(len(frames), dtype=np.bool_)
    for first, last in spans:
        inside |= (frames >= first - MERGE) & (frames <= last + MERGE)
    return inside


def _outside(keys: Attributes, spans: Sequence[tuple[float, float]]) -> Attributes:
    outside = ~_inside(keys, spans)
    return {name: values[outside] for name, values in keys.items()}


def _with_source(keys: Attributes, source: Attributes, spans: Sequence[tuple[float, float]]) -> Attributes:
    """The keys, and those of the source in the spans; a key that both have, and whose handles are free, as it was."""
    free = code("handle_left_type", "FREE")
    places = {tuple(co): row for row, co in enumerate(source["co"].tolist())}
    rows = [places.get(tuple(co), -1) for co in keys["co"].tolist()]
    frozen = (keys["handle_left_type"] == free) & (keys["handle_right_type"] == free) & (np.array(rows, int) >= 0)
    taken = np.concatenate((np.flatnonzero(_inside(source, spans)), np.array(rows, int)[frozen]))
    order = np.argsort(np.concatenate((keys["co"][~frozen, 0], source["co"][taken, 0])), kind="stable")
    return {name: np.concatenate((values[~frozen], source[name][taken]))[order] for name, values in keys.items()}
