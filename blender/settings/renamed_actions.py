"""Actions that Blender does not rename bones in, as they do not play: those from before Hold and before Plant.

Each of them stays as it is: a copy with the new names takes its place, and undo gives the other back.
"""

import json
from typing import Any

from bpy.types import Action

from .. import versions
from ..armatures import Rig
from ..rna_paths import bone_and_property
from .bone_marks import Names, mark_bones, renamed_path

MADE = "two_bone_ik_planted"
"""Custom property of planted actions: maps each planted path to its unkeyed values, or None if the captured action keys
it fully."""

CONTACTS = "two_bone_ik_contacts"
"""Custom property of planted actions: by RNA path of the contacts of what was planted, what is remembered of them."""


def mark_keyed(rig: Rig, action: Action, slot: str) -> None:
    """Mark all bones that the action has keys for."""
    mark_bones(rig, (bone_and_property(curve.data_path)[0] for curve in versions.slot_curves(action, slot)))


def mark_kept(rig: Any) -> None:
    """Mark the bones in this armature's kept actions, also in files saved before there were marks."""
    planted: Any = versions.played(rig)[0]
    for owner in (rig, planted):
        if owner and owner.two_bone_ik_source:
            mark_keyed(rig, owner.two_bone_ik_source, owner.two_bone_ik_source_slot)


def rename(rig: Any, names: Names) -> None:
    """Let what is kept of this armature's actions name these bones as they are called now."""
    planted: Any = versions.played(rig)[0]
    for owner in (rig, planted):
        if owner and owner.is_editable and owner.two_bone_ik_source:
            owner.two_bone_ik_source = _renamed(owner.two_bone_ik_source, owner.two_bone_ik_source_slot, names)
    if planted and planted.is_editable and planted.two_bone_ik_source:
        for name in (MADE, CONTACTS):
            if name in planted:
                before = json.loads(planted[name])
                planted[name] = json.dumps(
                    {renamed_path(path, names): _row(row, names) for path, row in before.items()}
                )


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
