"""Which of the animations of a file its armatures play: importers play the first one, often a T-pose."""

from collections.abc import Iterator, Set

import bpy
import numpy as np
from bpy.types import Action, FCurve

from .. import versions
from ..armatures import Rig, is_rig
from ..curves.write import attribute
from ..messages.refused import Refused
from ..messages.translation import nearest_name, translated
from ..rna_paths import bone_and_property
from .take import Import

_STILL = 1e-4
"""Part of a value, or radians, by which single precision and bakes move what is at rest."""


def played(take: Import, others: Set[Action]) -> Iterator[str]:
    """Let each armature play the animation that is asked for, otherwise the longest one that moves bones.

    others : the actions that the file had before
    returns : sentences for the report
    raises : Refused if none has this name
    """
    name, file, rigs = take.take, take.path, [*filter(is_rig, take.scene.objects)]
    actions = [action for action in bpy.data.actions if action not in others]
    for rig in rigs:
        slot = versions.played(rig)[1]
        # Without slots, it is the name of an action that tells whose it is.
        own = [action for action in actions if slot or len(rigs) == 1 or rig.name in action.name]
        found = {_name(rig, action): action for action in own if _bone_curves(action, slot)}
        if name and name not in found:
            raise Refused("NO_ANIMATION", value=name, file=file, nearest=nearest_name(name, found))
        if len(found) > 1:
            chosen = name or max(found, key=lambda name: (_moves(found[name], slot), _length(found[name])))
            versions.play(rig, found[chosen], slot)
            rest = ", ".join(f'"{other}"' for other in found if other != chosen)
            yield translated("report.animation", value=chosen, file=file, others=rest)


def _name(rig: Rig, action: Action) -> str:
    """What the file calls it: importers put the object's name before or behind that."""
    tracks = rig.animation_data.nla_tracks if rig.animation_data else ()
    named = (track.name for track in tracks if any(strip.action == action for strip in track.strips))
    return next(named, action.name.rpartition("|")[2])


def _bone_curves(action: Action, slot: str) -> list[FCurve]:
    return [curve for curve in versions.slot_curves(action, slot) if bone_and_property(curve.data_path)[0]]


def _moves(action: Action, slot: str) -> bool:
    values = (attribute(curve.keyframe_points, "co")[:, 1] for curve in _bone_curves(action, slot))
    return any(np.ptp(each) > _STILL * max(1.0, np.abs(each).max()) for each in values if len(each))


def _length(action: Action) -> float:
    first, last = action.frame_range.to_tuple()
    return float(last - first)
