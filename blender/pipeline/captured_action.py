"""The action that was captured, which stays as it is, and the planted one that is made from it and refers to it."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from bpy.types import Action

from ...skeleton.feet import Foot
from .. import contacts, versions
from ..armatures import Rig
from ..messages.refused import Refused
from ..messages.translation import translated
from . import source_action, trial_keys, write
from .borders import same_curves

_MADE = "two_bone_ik_planted"
"""Custom property of planted actions: by path of what was planted its values if the captured one does not key it, or
in part; else None."""

_CONTACTS = "two_bone_ik_contacts"
"""Custom property of planted actions: by RNA path of the contacts of what was planted, their keys if they were found;
else the points that they are about."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Captured:
    """What is planted.

    unkeyed : by path what the planted action that plays has keyed first
    found : by RNA path of the contacts of limbs that were planted in it, their keys as they were found
    given : the same of limbs whose contacts somebody has said, with bone and offset of the points that they are about
    is_lost : whether the action that plays was planted, and what it was made from is gone
    """

    action: Action
    slot: str
    unkeyed: Mapping[str, list[float]]
    found: Mapping[str, list[list[float]]] = field(default_factory=dict)
    given: Mapping[str, list[tuple[str, tuple[float, float, float]]]] = field(default_factory=dict)
    is_lost: bool = False

    @property
    def rows(self) -> Collection[str]:
        """RNA paths of the contacts of all limbs that were planted in what plays."""
        return {*self.found, *self.given}


def captured(rig: Rig) -> Captured:
    """What the armature plays, or what that was planted from; Refused where it plays no action."""
    action, slot = versions.played(rig)
    if action is None:
        raise Refused("NO_CAPTURE", object=rig)
    made: Any = action
    if made.two_bone_ik_source is None:
        return Captured(action=action, slot=slot, unkeyed={}, is_lost=_MADE in made)
    unkeyed = {path: values for path, values in _made(action).items() if values}
    rows = {curve.data_path for curve in versions.slot_curves(action, slot)}
    planted = {path: said for path, said in json.loads(made.get(_CONTACTS, "{}")).items() if path in rows}
    return Captured(
        action=made.two_bone_ik_source,
        slot=made.two_bone_ik_source_slot,
        unkeyed=unkeyed,
        found={path: said["keys"] for path, said in planted.items() if "keys" in said},
        given={path: said["points"] for path, said in planted.items() if "points" in said},
    )


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


def begin_anew(rig: Rig, source: Captured, keyed: Collection[str]) -> list[str]:
    """Let the armature play a copy of what was captured, whose paths `keyed` are to be keyed.

    Contacts that are keyed in what it played go over to the copy. If somebody has keyed anything else there, it stays
    in the file; returns sentences for the report.
    """
    before, slot = versions.played(rig)
    planted = before if before != source.action else None
    _set(rig, source.unkeyed, source.unkeyed.keys() - keyed)
    versions.play(rig, source.action, source.slot)
    curves = Counter(curve.data_path for curve in versions.curves(rig))
    found = {path: source.unkeyed.get(path) or list(rig.path_resolve(path)) for path in keyed}
    values = {path: value if curves[path] < len(value) else None for path, value in found.items()}
    versions.copy_action(rig)
    action: Any = versions.played(rig)[0]
    source_action.forget_made(action)
    action[_MADE] = json.dumps(values)
    action.two_bone_ik_source, action.two_bone_ik_source_slot = source.action, source.slot
    name = planted.name if planted else f"{source.action.name} Planted"
    for curve in versions.slot_curves(planted, slot) if planted else ():
        if contacts.is_row(curve):
            contacts.hold(write.copy_curve(rig, curve, curve.data_path, contacts.GROUP))
    if planted and not planted.users and _is_edited(planted, slot, source):
        planted.use_fake_user = True
    else:
        source_action.give_way(planted)
        planted = None
    action.name = name
    return [translated("alert.edits_kept", action=planted.name, planted=action.name)] if planted else []


def remember_contacts(rig: Rig, feet: Iterable[tuple[Foot, bool]]) -> None:
    """Let the planted action that plays know of the contacts of these feet, and whether they were found."""
    curves, said = list(versions.curves(rig)), {}
    for foot, is_found in feet:
        row = contacts.row(curves, foot.chain.end.path)
        known = {"keys": contacts.keys(row)} if row and is_found else {"points": foot.points}
        said[contacts.path(foot.chain.end.path)] = known
    action: Any = versions.played(rig)[0]
    action[_CONTACTS] = json.dumps(said)


def _made(action: Action) -> dict[str, list[float] | None]:
    made: dict[str, list[float] | None] = json.loads(action.get(_MADE, "{}"))
    return made


def _is_edited(planted: Action, slot: str, source: Captured) -> bool:
    """Whether it has other keys than what was captured, apart from what was planted, and contacts."""
    made = _made(planted).keys()
    now, before = (
        {
            (curve.data_path, curve.array_index): curve
            for curve in versions.slot_curves(*each)
            if curve.data_path not in made and not contacts.is_row(curve)
        }
        for each in ((planted, slot), (source.action, source.slot))
    )
    return not same_curves(now, before)


def _set(rig: Rig, values: Mapping[str, list[float]], paths: Collection[str]) -> None:
    for path in paths:
        with suppress(ValueError):  # the bone was removed, or renamed
            owner: Any = rig.path_resolve(path)
            owner[:] = values[path]
