"""The action that was captured, which stays as it is, and the planted one that is made from it and refers to it."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from bpy.types import Action, FCurve

from ...skeleton.feet.feet import Foot
from .. import versions
from ..armatures import Rig
from ..bake import write_channels
from ..curves import kept_action, write
from ..curves.borders import same_curves
from ..messages.refused import Refused, unless_gone
from ..messages.translation import translated
from ..rna_paths import bone_and_property
from ..settings import bone_marks
from ..settings.bone_marks import CONTACTS, MADE
from . import contact_keys


class RememberedContacts(NamedTuple):
    """Contacts of a limb as a press has left them.

    keys : frame and value of each
    said : from which frame to which users have set them; all others were found
    points : bone and offset of what they are about, if anybody has said any
    stands_on : bone and offset of ball and heel, as planted; empty in older files
    is_planted : whether the limb was planted by the last press, or by an earlier one and is as captured again
    """

    keys: Sequence[Sequence[float]] = ()
    said: Sequence[Sequence[float]] = ()
    points: Sequence[tuple[str, tuple[float, float, float]]] = ()
    stands_on: Sequence[tuple[str, tuple[float, float, float]]] = ()
    is_planted: bool = True


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Capture:
    """What is planted.

    unkeyed : by path what the planted action that plays has keyed first
    rows : what is remembered of contacts that it has, by their RNA path
    is_lost : whether the action that plays was planted, and what it was made from is gone
    """

    action: Action
    slot: str
    unkeyed: Mapping[str, list[float]]
    rows: Mapping[str, RememberedContacts] = field(default_factory=dict)
    is_lost: bool = False


def captured(rig: Rig) -> Capture:
    """What the armature plays, or what that was planted from.

    raises : Refused where it plays no action, or has keys of other bones than when it was planted
    """
    action, slot = versions.played(rig)
    if action is None:
        raise Refused("NO_CAPTURE", object=rig)
    made: Any = action
    source, source_slot = made.two_bone_ik_source, made.two_bone_ik_source_slot
    if source is None:
        return Capture(action=action, slot=slot, unkeyed={}, is_lost=MADE in made)
    planted = unkeyed_values(action)
    keyed = {curve.data_path for curve in versions.slot_curves(action, slot)}
    before = {curve.data_path for curve in versions.slot_curves(source, source_slot)}
    if renamed := ", ".join(_renamed(rig, before | planted.keys(), keyed)):
        raise Refused("BONES_RENAMED", object=rig, value=renamed, action=source.name)
    unkeyed = {path: values for path, values in planted.items() if values}
    rows = {path: row for path, row in remembered(rig).items() if path in keyed}
    return Capture(action=source, slot=source_slot, unkeyed=unkeyed, rows=rows)


def remembered(rig: Rig) -> Mapping[str, RememberedContacts]:
    """What a planted action that the armature plays remembers of contacts, by their RNA path."""
    action = versions.played(rig)[0]
    return _remembered(action.get(CONTACTS, "{}")) if action else {}


@lru_cache(maxsize=8)
def _remembered(text: str) -> Mapping[str, RememberedContacts]:
    """Kept, since the overlay asks at each redraw."""
    return {path: RememberedContacts(**row) for path, row in json.loads(text).items()}


@contextmanager
def playing(rig: Rig, source: Capture) -> Iterator[Rig]:
    """While it is open, an armature object that plays what was captured: this one if it does, else a copy."""
    if versions.played(rig) == (source.action, source.slot):
        yield rig
        return
    with write_channels.copied(rig) as copy:
        versions.play(copy, source.action, source.slot)
        _set(copy, source.unkeyed, source.unkeyed)
        try:
            yield copy
        finally:
            versions.play(copy, None, "")  # else it would go with the copy if nothing else uses it


def begin_anew(rig: Rig, source: Capture, keyed: Collection[str]) -> list[str]:
    """Let the armature play a copy of what was captured, whose paths `keyed` are to be keyed.

    Contacts that are keyed in what it played go over to the copy. If anything else is keyed there, it stays
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
    kept_action.forget_made(action)
    action[MADE] = json.dumps(values)
    action.two_bone_ik_source, action.two_bone_ik_source_slot = source.action, source.slot
    bone_marks.mark_keyed(rig, source.action, source.slot)
    name = planted.name if planted else f"{source.action.name} Planted"
    for curve in versions.slot_curves(planted, slot) if planted else ():
        if contact_keys.is_row(curve):
            contact_keys.keep_in_steps(write.copy_curve(rig, curve, curve.data_path, contact_keys.GROUP))
    if planted and not planted.users and _is_edited(planted, slot, source):
        planted.use_fake_user = True
    else:
        kept_action.give_way(planted)
        planted = None
    action.name = name
    return [translated("alert.edits_kept", action=planted.name, planted=action.name)] if planted else []


def unkeyed_values(action: Action) -> dict[str, list[float] | None]:
    """By path of what is planted its values in the capture, if that does not key them, or in part; else None."""
    made: dict[str, list[float] | None] = json.loads(action.get(MADE, "{}"))
    return made


@contextmanager
def apart(rig: Rig, source: Capture) -> Iterator[None]:
    """While it is open, what was planted does not refer to what was captured.

    To evaluate an action Blender copies all that it refers to as well, and a capture has many keys.
    """
    action: Any = versions.played(rig)[0]
    action.two_bone_ik_source = None
    try:
        yield
    finally:
        with unless_gone:
            action.two_bone_ik_source = source.action


def remember_contacts(rig: Rig, source: Capture, feet: Iterable[tuple[Foot, Sequence[Sequence[float]]]]) -> None:
    """Let the planted action that plays know of the contacts of these feet, and on which frames users have set them.

    Rows of other limbs were copied along, and what is known of them stays.
    """
    known = {path: row._replace(is_planted=False) for path, row in source.rows.items()}
    for foot, said in feet:
        row = contact_keys.row_of(rig, foot.chain.end.path)
        points = foot.points if said else ()
        keys = row.keys.tolist() if row else ()
        found = RememberedContacts(keys=keys, said=said, points=points, stands_on=foot.points)
        known[contact_keys.path(foot.chain.end.path)] = found
        end: Any = rig.pose.bones[foot.chain.end.name]
        end.two_bone_ik_contact_written = source.action.name if source.action else ""
    action: Any = versions.played(rig)[0]
    action[CONTACTS] = json.dumps({path: row._asdict() for path, row in known.items()})
    bone_marks.mark_bones(rig, (bone for row in known.values() for bone, _ in row.stands_on))


def _renamed(rig: Rig, before: Iterable[str], now: Iterable[str]) -> list[str]:
    """Bones that are gone with their keys while others have got keys: Blender renames in the action that plays."""
    old, new = ({bone_and_property(path)[0] for path in paths} for paths in (before, now))
    return sorted(old - new - {"", *rig.data.bones.keys()}) if new - old else []


def _is_edited(planted: Action, slot: str, source: Capture) -> bool:
    """Whether it has other keys than what was captured, apart from what was planted, and contacts."""
    made = unkeyed_values(planted).keys()

    def others(action: Action, slot: str) -> list[FCurve]:
        curves = versions.slot_curves(action, slot)
        return [curve for curve in curves if curve.data_path not in made and not contact_keys.is_row(curve)]

    return not same_curves(others(planted, slot), others(source.action, source.slot))


def _set(rig: Rig, values: Mapping[str, list[float]], paths: Collection[str]) -> None:
    for path in paths:
        with suppress(ValueError):  # the bone was removed, or renamed
            owner: Any = rig.path_resolve(path)
            owner[:] = values[path]
