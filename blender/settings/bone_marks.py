"""Chains and holds go along with a bone that is renamed, as Blender's own constraints do, in all of the file.

Blender tells neither when a bone is renamed nor what it was called, and where two bones swap their names, names alone
tell nothing. So a pose bone that something names has a mark, and beside it the name under which it was seen last. What
names the bone keeps the mark, too, beside the name that it was given. A copy of a bone comes with its mark: the one
with the old name keeps it. Marks count within one armature object, so copies of a character may share them.

To follow a rename changes nothing that the user has set, and Blender does it in its own constraints at once. So it is
done as soon as names are read: after Blender has evaluated the armature, when a file is loaded, and before a request
reads. Bones from a library are renamed in their own file, so these have no marks.

Blender renames bones in actions that play. Those from before Hold and before Plant do not play, and each of them stays
as it is: a copy with the new names takes its place, and undo gives the other back.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, NamedTuple, TypeGuard
from uuid import uuid4

import bpy
from bpy.types import Action, Object, PoseBone

from .. import versions
from ..armatures import Rig, editable, is_rig
from ..options import rows
from ..rna_paths import bone_and_property
from ..session import session

Names = Mapping[str, str]
"""New names of bones by their old ones."""

Marks = dict[str, list[str]]
"""By field the mark of the bone that it names, and the name."""


class _Kind(NamedTuple):
    """What names bones.

    marks : its property that keeps their marks
    fields : those that name a bone, each with the pointer to the object that has it, "" for the one that has the field
    """

    marks: str
    fields: Mapping[str, str]


CHAIN = _Kind("bone_marks", {name: row.get("of", "") for name, row in rows("chain", type="bone").items()})
HOLD = _Kind("bone_marks", {name: row.get("of", "") for name, row in rows("holds", type="bone").items()})
OBJECT = _Kind("two_bone_ik_bone_marks", {f"two_bone_ik_{name}": "" for name in rows("plant", type="bone")})
SCENE = _Kind("two_bone_ik_bone_marks", {"two_bone_ik_hold_to_bone": "two_bone_ik_hold_to"})

MADE = "two_bone_ik_planted"
"""Custom property of planted actions: maps each planted path to its unkeyed values, or None if the captured action keys
it fully."""

CONTACTS = "two_bone_ik_contacts"
"""Custom property of planted actions: by RNA path of the contacts of what was planted, what is remembered of them."""

# By `session_uid` of an armature object whether it was in Edit Mode, and its bones, when names were last read.
session.names_bones = True
_seen: dict[int, tuple[bool, list[str]]] = session.of_state({})


def mark(holder: Any, kind: _Kind, field: str) -> None:
    """Remember which bone this field of a chain, hold, object or scene names from now on."""
    marks, rig, name = _marks(holder, kind), _owner(holder, kind, field), getattr(holder, field)
    bone: Any = rig.pose.bones.get(name) if rig else None
    if bone and _name_seen(bone) not in ("", name):
        _bones_by_mark(bone.id_data)  # it may be a copy, which takes its mark from another bone
    _keep(holder, kind, {**marks, field: [_mark_of(bone), name] if bone else []})


def mark_bones(rig: Rig, names: Iterable[str]) -> None:
    """Give these bones marks, since keys name them that Blender does not rename."""
    for name in set(names) if _has_marks(rig) else ():
        bone: Any = rig.pose.bones.get(name)
        if bone:
            _mark_of(bone)


def mark_keyed(rig: Rig, action: Action, slot: str) -> None:
    """Mark all bones that the action has keys for."""
    mark_bones(rig, (bone_and_property(curve.data_path)[0] for curve in versions.slot_curves(action, slot)))


def marked(rig: Rig) -> set[str]:
    """The names of bones that have a mark."""
    bones: Iterable[Any] = rig.pose.bones if rig.pose else ()
    return {bone.name for bone in bones if bone.two_bone_ik_mark}


def unmark_others(rig: Rig, names: Set[str]) -> None:
    """Take the marks of all bones but these, as what named the others was given up."""
    for name in marked(rig) - names:
        rig.pose.bones[name].property_unset("two_bone_ik_mark")


def notice(rigs: Iterable[Object | None]) -> dict[Rig, Names]:
    """Look whether bones of these armatures have other names than when they were last read; if so, follow them.

    returns : the new names of their bones that were renamed
    """
    changed = [rig for rig in dict.fromkeys(rigs) if _has_marks(rig) and _has_changed(rig)]
    renamed = [rig for rig in changed if any(_name_seen(bone) not in ("", bone.name) for bone in rig.pose.bones)]
    if renamed:
        return follow_all(renamed)
    for rig in changed:
        _settle(((rig, kind, holder) for kind, holder in _holders(rig)), {})
        for owner in _keeping(rig):  # also in files saved before there were marks
            mark_keyed(rig, owner.two_bone_ik_source, owner.two_bone_ik_source_slot)
    return {}


def notice_all_of(rig: Rig) -> None:
    """Before a request reads: look at the armature and at all whose bones its chains and their targets name."""
    chains, fields = rig.two_bone_ik_chains, ("target", "pole_target")
    # Blender sets a pointer that is read.
    there = {getattr(chain, field) for chain in chains for field in fields if chain.is_property_set(field)}
    spaces = {record.space for point in there - {None} for record in point.two_bone_ik_holds}
    notice((rig, *there, *spaces))


def follow_all(rigs: Iterable[Rig] = ()) -> dict[Rig, Names]:
    """Let all in the file that names bones go along with those that were renamed.

    rigs : some of which bones were renamed
    returns : the new names of their bones that were renamed
    """
    tables = {rig: _bones_by_mark(rig) for rig in rigs}
    holders = ((item, kind, holder) for item in bpy.data.objects for kind, holder in _holders(item))
    scenes = ((scene, SCENE, scene) for scene in bpy.data.scenes if not scene.library)
    changed = _settle((*holders, *scenes), tables)
    by_rig = {rig: _seen_now(table) for rig, table in tables.items() if not _is_edited(rig)}
    names = {rig: renamed for rig, renamed in by_rig.items() if renamed}
    for rig, renamed in names.items():
        _rename_in_actions(rig, renamed)
    for rig in changed | names.keys():
        for listener in listeners:
            listener(rig, names.get(rig, {}))
    return names


listeners: list[Any] = []
"""Called as f(rig, names) once bones of `rig` were renamed, or a chain of it names other bones.

`names` are the new names of its bones by their old ones.
"""


def renamed_path(path: str, names: Names) -> str:
    """The RNA path, of a bone by its new name.

    >>> renamed_path('pose.bones["hand"].location', {"hand": "palm"})
    'pose.bones["palm"].location'
    """
    bone, rest = bone_and_property(path)
    if bone not in names:
        return path
    dot = "" if rest.startswith("[") else "."
    return f'pose.bones["{bpy.utils.escape_identifier(names[bone])}"]{dot}{rest}'


def _has_marks(item: Object | None) -> TypeGuard[Rig]:
    """Whether this is an armature whose bones are renamed in this file."""
    if not is_rig(item) or item.library or item.pose is None:
        return False
    return not (item.data.library or item.data.override_library)


def _is_edited(rig: Rig) -> bool:
    """Whether it is in Edit Mode, where undo gives bones their names back without a word."""
    return rig.data.is_editmode


def _has_changed(rig: Rig) -> bool:
    now = _is_edited(rig), rig.pose.bones.keys()
    if _seen.get(rig.session_uid) == now:
        return False
    _seen[rig.session_uid] = now
    if now[0]:
        _bones_by_mark(rig)  # the bone that was copied may be deleted before Edit Mode ends
    return not now[0]


def _holders(item: Any) -> Iterator[tuple[_Kind, Any]]:
    """All of an object that names bones and can be changed."""
    if (item.two_bone_ik_chains or item.two_bone_ik_holds or item.two_bone_ik_hips) and editable(item):
        yield from ((CHAIN, chain) for chain in item.two_bone_ik_chains)
        yield from ((HOLD, record) for record in item.two_bone_ik_holds)
        if item.two_bone_ik_hips:
            yield OBJECT, item


def _owner(holder: Any, kind: _Kind, field: str) -> Rig | None:
    """The armature object that has the bone which the field names; None where its bones have no marks."""
    pointer = kind.fields[field]
    owner = getattr(holder, pointer) if pointer else holder.id_data
    return owner if _has_marks(owner) else None


def _settle(holders: Iterable[tuple[Any, _Kind, Any]], tables: dict[Rig, dict[str, PoseBone]]) -> set[Rig]:
    """Bring names and marks of these together; returns the armatures whose chains name other bones now.

    holders : each with the data-block that has it
    tables : by armature its bones by their marks, as far as known
    """
    changed = set()
    for block, kind, holder in holders:
        before = _marks(holder, kind)
        after = {field: _settled(holder, kind, field, before.get(field, []), tables) for field in kind.fields}
        for field, (_, name) in ((field, mark_and_name) for field, mark_and_name in after.items() if mark_and_name):
            if name != getattr(holder, field):
                versions.stored(holder)[field] = name  # no update: users have not chosen another bone
                changed.add(block)
        _keep(holder, kind, after)
    return {block for block in changed if is_rig(block)}


def _settled(
    holder: Any, kind: _Kind, field: str, before: list[str], tables: dict[Rig, dict[str, PoseBone]]
) -> list[str]:
    """The mark of the bone that a field names, and the bone's name now; empty if there is none."""
    name = getattr(holder, field)
    rig = _owner(holder, kind, field) if name else None
    if rig is None:
        return []
    if _is_edited(rig):
        return before
    if rig not in tables:
        tables[rig] = _bones_by_mark(rig)
    table = tables[rig]
    bone: Any = rig.pose.bones.get(name)
    if before[1:] == [name]:
        if before[0] in table:
            return [before[0], table[before[0]].name]
        if bone is None:
            return before  # undo may bring it back
        if not bone.two_bone_ik_mark:
            bone.two_bone_ik_mark = f"{before[0]} {name}"
    if bone is None:
        return []
    own = _mark_of(bone)
    table[own] = bone
    return [own, name]


def _marks(holder: Any, kind: _Kind) -> Marks:
    return json.loads(getattr(holder, kind.marks) or "{}")


def _keep(holder: Any, kind: _Kind, marks: Marks) -> None:
    kept = {field: mark_and_name for field, mark_and_name in marks.items() if mark_and_name}
    text = json.dumps(kept) if kept else ""
    if text != getattr(holder, kind.marks):
        setattr(holder, kind.marks, text)


def _mark_of(bone: Any) -> str:
    """The bone's mark, which it gets if it has none."""
    if not bone.two_bone_ik_mark:
        bone.two_bone_ik_mark = f"{uuid4().hex} {bone.name}"
    return bone.two_bone_ik_mark.partition(" ")[0]


def _name_seen(bone: Any) -> str:
    """The name under which a marked bone was seen last."""
    return bone.two_bone_ik_mark.partition(" ")[2]


def _bones_by_mark(rig: Rig) -> dict[str, PoseBone]:
    """The bones by their marks; copies lose theirs."""
    by_mark: dict[str, PoseBone] = {}
    for bone in rig.pose.bones:
        own, _, name = bone.two_bone_ik_mark.partition(" ")  # type: ignore[attr-defined]
        if not own:
            continue
        copy = bone if own in by_mark and name != bone.name else by_mark.get(own)
        if copy is not bone:
            by_mark[own] = bone
        if copy:
            copy.two_bone_ik_mark = ""  # type: ignore[attr-defined]
    return by_mark


def _seen_now(table: Mapping[str, Any]) -> Names:
    """Keep under which names these bones are seen now; returns the names of those that were renamed."""
    renamed = {}
    for own, bone in table.items():
        if (before := _name_seen(bone)) != bone.name:
            renamed[before] = bone.name
            bone.two_bone_ik_mark = f"{own} {bone.name}"
    return renamed


def _keeping(rig: Rig) -> Iterator[Any]:
    """The armature object and the action that it plays, those that keep an action from before."""
    owners: tuple[Any, ...] = rig, versions.played(rig)[0]
    return (owner for owner in owners if owner and owner.two_bone_ik_source)


def _rename_in_actions(rig: Rig, names: Names) -> None:
    """Let what is kept of this armature's actions name these bones as they are called now."""
    for owner in (owner for owner in _keeping(rig) if owner.is_editable):
        owner.two_bone_ik_source = _renamed(owner.two_bone_ik_source, owner.two_bone_ik_source_slot, names)
        for name in {MADE, CONTACTS}.intersection(owner.keys()):
            before = json.loads(owner[name])
            owner[name] = json.dumps({renamed_path(path, names): _row(row, names) for path, row in before.items()})


def _row(row: Any, names: Names) -> Any:
    """What is remembered of contacts, on points of bones by their new names."""
    if not isinstance(row, dict):
        return row
    lists = (name for name in ("points", "stands_on") if row.get(name))
    return row | {name: [(names.get(bone, bone), offset) for bone, offset in row[name]] for name in lists}


def _renamed(action: Action, slot: str, names: Names) -> Action:
    """A copy of the action with these names; the action itself if it has keys for none of these bones."""
    if not any(bone_and_property(curve.data_path)[0] in names for curve in versions.slot_curves(action, slot)):
        return action
    copy = action.copy()
    groups = {}
    for curve in versions.slot_curves(copy, slot):
        bone = bone_and_property(curve.data_path)[0]
        curve.data_path = renamed_path(curve.data_path, names)
        if curve.group and curve.group.name == bone in names:
            groups[bone] = curve.group
    for bone, group in groups.items():
        group.name = names[bone]
    return copy
