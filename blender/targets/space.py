"""The space that a target moves in: the world, an object, or a bone; and the floor that feet stand on."""

from collections.abc import Sequence

import bpy
import numpy as np
from bpy.types import Object

from ...skeleton.values import Plan, Point, Samples
from ...solver.values import Array
from ...solver.vectors import product
from ..armatures import is_rig
from ..messages.refused import Refused
from ..messages.translation import nearest_name, point_text
from ..scene import dependencies

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


def refuse_circle(plan: Plan, space: Point | None) -> None:
    """Raise `Refused` where the space would move along with a target or a limb that is to follow it."""
    sources = dependencies.upstream(space) if space else set()
    for chain in plan.chains:
        for point in (Point(chain.rig, chain.root.name), chain.target, chain.pole):
            if point in sources:
                raise Refused("SPACE_FOLLOWS", chain=chain, value=point_text(space))


def carrier(samples: Samples, space: Point | None) -> Array:
    """(n, 4, 4) in the world, what objects are put on: a bone carries them at its tail."""
    if space is None:
        return np.eye(4)[None]
    tail = np.eye(4)
    tail[1, 3] = space.object.data.bones[space.bone].length if space.bone else 0.0
    return product(samples.world(space), tail)
