"""The space that a target moves in (the world, an object, or a bone) and the floor of feet, as scripts name them."""

from collections.abc import Sequence

import bpy
from bpy.types import Object

from ...skeleton.values import Point
from ..armatures import is_rig
from ..messages.refused import Refused
from ..messages.translation import nearest_name

Space = Object | tuple[Object, str] | None
"""As scripts give it: None for the world, an object, or an armature object and the name of its bone."""


def space_point(space: Space) -> Point | None:
    """The space as a point; Refused where the object has no such bone."""
    item, bone = space if isinstance(space, tuple) and len(space) == 2 else (space, "")
    if item is None:
        return None
    if not (isinstance(item, Object) and isinstance(bone, str)):
        raise Refused("NOT_A_SPACE", value=space)
    bones: Sequence[str] = item.data.bones.keys() if is_rig(item) else ()
    if bone and bone not in bones:
        raise Refused("NO_BONE.to_carry", object=item, bone=bone, nearest=nearest_name(bone, bones))
    return Point(item, bone)


def space_named(name: str, bone: str) -> Space:
    """The space by the names of an object, "" for the world, and a bone; Refused where there is no such object."""
    if not name:
        return None
    item: Object | None = bpy.data.objects.get(name)
    if item is None:
        raise Refused("NO_SPACE", object=name, value=name, nearest=nearest_name(name, bpy.data.objects.keys()))
    return item, bone


def floor_named(name: str) -> float | Object | None:
    """The floor by a height or the name of an object, None for ""; Refused where it is neither."""
    item: Object | None = bpy.data.objects.get(name)
    if item or not name:
        return item
    try:
        return float(name)
    except ValueError:
        nearest = nearest_name(name, bpy.data.objects.keys())
        raise Refused("FLOOR_UNKNOWN", object=name, value=name, nearest=nearest) from None
