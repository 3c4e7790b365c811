"""An object's action from before holds, from which these can be made again.

It stays as it is, to the bit, whatever plays it: the object plays a copy. An object without one keeps an empty one.
"""

from collections.abc import Mapping
from typing import Any

import bpy
from bpy.types import Action, FCurve

from .. import versions
from ..settings import bone_marks
from .borders import same_curves
from .keys import by_path_and_index

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
        bone_marks.mark_keyed(item, item.two_bone_ik_source, slot)


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
    """Remove an action that was replaced, if nothing uses it any more."""
    if action and not action.users:
        bpy.data.actions.remove(action)


def forget_made(action: Action) -> None:
    """The copy of an action from here is the user's, or another add-on's."""
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
        own = source.copy() if twins else source
        versions.play(item, own if before or versions.keyed_slots(source) else None, slot)
        if played != source:
            give_way(played)
    item.two_bone_ik_source, item.two_bone_ik_source_slot = None, ""
    if not source.users and versions.keyed_slots(source) > 1:
        source.use_fake_user = True  # it has keys of others, which are not to be lost
    elif not source.users:
        bpy.data.actions.remove(source)
