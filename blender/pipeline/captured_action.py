"""The action that was captured, which stays as it is, and the planted one that is made from it and refers to it."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from bpy.types import Action

from .. import contacts, versions
from ..armatures import Rig
from ..messages.refused import Refused
from . import source_action, trial_keys, write

_MADE = "two_bone_ik_planted"
"""Custom property of planted actions: by path the values of what they key and the captured one does not, or in part."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Captured:
    """What is planted.

    unkeyed : by path what the planted action that plays has keyed first
    is_lost : whether the action that plays was planted, and what it was made from is gone
    """

    action: Action
    slot: str
    unkeyed: Mapping[str, list[float]]
    is_lost: bool = False


def captured(rig: Rig) -> Captured:
    """What the armature plays, or what that was planted from; Refused where it plays no action."""
    action, slot = versions.played(rig)
    if action is None:
        raise Refused("NO_CAPTURE", object=rig)
    made: Any = action
    if made.two_bone_ik_source is None:
        return Captured(action=action, slot=slot, unkeyed={}, is_lost=_MADE in made)
    unkeyed = json.loads(action.get(_MADE, "{}"))
    return Captured(action=made.two_bone_ik_source, slot=made.two_bone_ik_source_slot, unkeyed=unkeyed)


@contextmanager
def playing(rig: Rig, source: Captured) -> Iterator[Rig]:
    """While it is open, an armature object that plays what was captured: this one if it does, else a copy."""
    if versions.played(rig) == (source.action, source.slot):
        yield rig
        return
    with trial_keys.copied(rig) as copy:
        versions.play(copy, source.action, source.slot)
        _set(copy, source.unkeyed, source.unkeyed)
        try:
            yield copy
        finally:
            versions.play(copy, None, "")  # else it would go with the copy if nothing else uses it


def begin_anew(rig: Rig, source: Captured, keyed: Collection[str]) -> None:
    """Let the armature play a copy of what was captured, whose paths `keyed` are to be keyed.

    Contacts that are keyed in what it played go over to the copy.
    """
    before, slot = versions.played(rig)
    planted = before if before != source.action else None
    _set(rig, source.unkeyed, source.unkeyed.keys() - keyed)
    versions.play(rig, source.action, source.slot)
    curves = Counter(curve.data_path for curve in versions.curves(rig))
    found = {path: source.unkeyed.get(path) or list(rig.path_resolve(path)) for path in keyed}
    values = {path: value for path, value in found.items() if curves[path] < len(value)}
    versions.copy_action(rig)
    action: Any = versions.played(rig)[0]
    source_action.forget_made(action)
    action[_MADE] = json.dumps(values)
    action.two_bone_ik_source, action.two_bone_ik_source_slot = source.action, source.slot
    name = planted.name if planted else f"{source.action.name} Planted"
    for curve in versions.slot_curves(planted, slot) if planted else ():
        if contacts.is_row(curve):
            write.copy_curve(rig, curve, curve.data_path, contacts.GROUP)
    source_action.give_way(planted)
    action.name = name


def _set(rig: Rig, values: Mapping[str, list[float]], paths: Collection[str]) -> None:
    for path in paths:
        with suppress(ValueError):  # the bone was removed, or renamed
            owner: Any = rig.path_resolve(path)
            owner[:] = values[path]
