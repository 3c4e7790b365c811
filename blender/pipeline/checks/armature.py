"""Armature objects that have no pose, or one that cannot be set."""

from __future__ import annotations

from bpy.types import Object

from ...messages.refused import Refused


def refuse_other_than_armature(rig: Object | None) -> None:
    """Raise `Refused` unless this is an armature object."""
    if rig is None or rig.type != "ARMATURE":
        name = rig.name if rig else "nothing"
        raise Refused('"{object}" is not an armature: choose an armature object', kind="NO_ARMATURE", object=name)


def refuse_unposable(rig: Object) -> None:
    """Raise `Refused` unless this is an armature object whose pose can be set and shows."""
    refuse_other_than_armature(rig)
    name = rig.name
    if not rig.is_editable or (rig.override_library and rig.override_library.is_system_override):
        raise Refused('"{object}" is linked: make a library override and make it editable', kind="LINKED", object=name)
    if rig.mode == "EDIT":
        raise Refused('"{object}" is in Edit Mode: leave it first', kind="EDIT_MODE", object=name)
    if rig.pose is None:
        # Blender gives a new object its pose bones when it evaluates it first.
        raise Refused('"{object}" is so new that it has no pose: update its view layer', kind="NO_POSE", object=name)
    if rig.data.pose_position == "REST":
        raise Refused(
            '"{object}" is in Rest Position: set its armature to Pose Position', kind="REST_POSITION", object=name
        )
