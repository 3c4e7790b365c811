"""Which bones below captured feet are toes that can be keyed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress

from bpy.types import FCurve

from ...skeleton.feet.feet import Foot
from ...skeleton.values import Bone, Point
from ..armatures import Rig
from ..bake.notes import acts
from ..curves.key_checks import refuse_unplayable
from ..messages.refused import Refused
from ..scene import dependencies
from ..scene.bone import read_bone

_AHEAD = 0.25
"""Part of the foot's length by which a toe at least begins ahead of it."""


def with_free_toes(
    rig: Rig, feet: Iterable[Foot], curves: Sequence[FCurve]
) -> tuple[tuple[Foot, ...], tuple[str, ...]]:
    """The feet with those of their toes that can be keyed in these captured curves, and the names of the others."""
    found, stiff = [], []
    for foot in feet:
        toes = list(_toes(rig, foot)) if foot.chain.below and foot.is_planted and not foot.is_hand else []
        free = [_can_be_keyed(rig, toe.rotation_path, curves) for toe in toes]
        found.append(replace(foot, toes=tuple(compress(toes, free))))
        stiff += [toe.name for toe, is_free in zip(toes, free, strict=True) if not is_free]
    return tuple(found), tuple(stiff)


def _can_be_keyed(rig: Rig, path: str, curves: Iterable[FCurve]) -> bool:
    try:
        refuse_unplayable(rig, {path}, curves)
    except Refused:
        return False
    return True


def _toes(rig: Rig, foot: Foot) -> Iterator[Bone]:
    """All that is below the foot apart from its heel; what lies along it goes with it.

    What the foot stands on turns with the foot alone, otherwise it would slide.
    """
    heel, above = foot.points[1].bone, rig.data.bones[foot.chain.tip_bone]
    for bone in above.children:
        is_ahead = (bone.head_local - above.head_local).length > _AHEAD * above.length
        moving = (constraint for _, constraint in dependencies.constraints_moving(Point(rig, bone.name)))
        below = {child.name for child in bone.children_recursive}
        has_point = any(place.bone in below or (place.bone == bone.name and any(place.offset)) for place in foot.points)
        if is_ahead and bone.name != heel and not has_point and not any(map(acts, moving)):
            yield read_bone(rig, bone.name)
