"""Armature objects that have no pose, or one that cannot be set."""

from bpy.types import Object

from ..armatures import Rig, editable, is_rig
from ..messages.refused import Refused


def refuse_other_than_armature(item: Object | None) -> None:
    """Raise `Refused` unless this is an armature object."""
    if item is None or isinstance(item, Object):
        if not is_rig(item):
            raise Refused("NO_ARMATURE.object", object=item or "nothing")
    else:
        raise Refused("NO_ARMATURE.type", value=item)


def given_rig(item: Object | None) -> Rig:
    """The same, as what it is to mypy; Refused unless it is an armature object."""
    refuse_other_than_armature(item)
    assert is_rig(item)
    return item


def refuse_unposable(rig: Rig) -> None:
    """Raise `Refused` unless this is an armature object whose pose can be set and shows."""
    refuse_other_than_armature(rig)
    if not editable(rig):
        raise Refused("LINKED", object=rig)
    if rig.mode == "EDIT":
        raise Refused("EDIT_MODE", object=rig)
    if rig.pose is None:
        # Blender gives a new object its pose bones when it evaluates it first.
        raise Refused("NO_POSE.armature", object=rig)
    if rig.data.pose_position == "REST":
        raise Refused("REST_POSITION.armature", object=rig)
