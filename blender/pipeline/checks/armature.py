"""Armature objects that have no pose, or one that cannot be set."""

from __future__ import annotations

from bpy.types import Object

from ...armatures import Rig, editable, is_rig
from ...messages.refused import Refused


def refuse_other_than_armature(item: Object | None) -> None:
    """Raise `Refused` unless this is an armature object."""
    if not is_rig(item):
        raise Refused("NO_ARMATURE", object=item or "nothing").saying(
            '"{object}" is not an armature: choose an armature object'
        )


def refuse_unposable(rig: Rig) -> None:
    """Raise `Refused` unless this is an armature object whose pose can be set and shows."""
    refuse_other_than_armature(rig)
    if not editable(rig):
        raise Refused("LINKED", object=rig).saying('"{object}" is linked: make a library override and make it editable')
    if rig.mode == "EDIT":
        raise Refused("EDIT_MODE", object=rig).saying('"{object}" is in Edit Mode: leave it first')
    if rig.pose is None:
        # Blender gives a new object its pose bones when it evaluates it first.
        raise Refused("NO_POSE", object=rig).saying('"{object}" is so new that it has no pose: update its view layer')
    if rig.data.pose_position == "REST":
        raise Refused("REST_POSITION", object=rig).saying(
            '"{object}" is in Rest Position: set its armature to Pose Position'
        )
