"""What cannot be sampled or posed is refused: what the viewport leaves out, places that are nowhere, and more.

Blender gives NaN and infinity by itself, and neither may end up in a pose. Options whose keys clash on a frame are
refused here, those that clash without keys in `bake/chain`. Frame handlers may remove what was read by objects and
names.
"""

from collections.abc import Collection, Iterable
from math import degrees
from typing import Any

import numpy as np
from bpy.types import Depsgraph, Object
from numpy.typing import NDArray

from ...skeleton.values import Plan, Point, Samples
from ...solver.values import Array
from ..armatures import Rig, editable, is_rig
from ..messages.refused import Refused
from ..messages.translation import frame_text
from ..settings import bone_marks
from ..settings.keyed_options import bone_field
from . import dependencies


def given_rig(item: Object | None) -> Rig:
    """The armature object of a request, before it reads; Refused for anything else. What reads it changes nothing.

    Where bones were renamed since Blender evaluated them last, chains and holds have the new names from now on.
    """
    if not (item is None or isinstance(item, Object)):
        raise Refused("NO_ARMATURE.type", value=item)
    if not is_rig(item):
        raise Refused("NO_ARMATURE.object", object=item or "nothing")
    bone_marks.notice_all_of(item)
    return item


def refuse_unposable(rig: Rig) -> None:
    """Raise `Refused` unless the pose of the armature object can be set and shows."""
    if not editable(rig):
        raise Refused("LINKED", object=rig)
    if rig.mode == "EDIT":
        raise Refused("EDIT_MODE", object=rig)
    if rig.pose is None:
        # Blender gives a new object its pose bones when it evaluates it first.
        raise Refused("NO_POSE.armature", object=rig)
    if rig.data.pose_position == "REST":
        raise Refused("REST_POSITION.armature", object=rig)


def refuse_disabled(objects: Iterable[Object], depsgraph: Depsgraph) -> None:
    """Raise `Refused` for the first object that Blender leaves out in silence: not even `is_evaluated` tells."""
    shown = depsgraph.view_layer_eval.objects
    for item in objects:
        if item.name not in shown:
            scenes = item.users_scene
            if depsgraph.scene in scenes:
                raise Refused("DISABLED", object=item)
            names = ", ".join(f'"{scene.name}"' for scene in scenes)
            raise Refused("OTHER_SCENE" if scenes else "IN_NO_SCENE", object=item, value=names)


_MOST = 1e18
"""Beyond it the squares that Blender itself computes with, in single precision, are infinite."""


def refuse_not_finite(samples: Samples, frames: Array) -> None:
    """Raise `Refused` for the first of the `frames` (n,) on which a sampled transform has NaN or infinity."""
    parts = (part for basis in samples.basis.values() for part in (basis.location, basis.rotation, basis.scale))
    arrays = (*samples.to_world.values(), *samples.pose.values(), *parts)
    # What does not move is copied into one array, since each call of NumPy costs more; what moves is large and stays.
    moving, still = ([part for part in arrays if (len(part) > 1) is moves] for moves in (True, False))
    if all(map(all_finite, [*moving, *([np.concatenate(still, axis=None)] if still else [])])):
        return
    worlds = {Point(item): matrices for item, matrices in samples.to_world.items()}
    own = {point: basis.matrix for point, basis in samples.basis.items()}
    spoiled = [
        (int(np.argmin(_finite(matrices).all(axis=(-2, -1)))), point, matrices)
        for point, matrices in (*worlds.items(), *samples.pose.items(), *own.items())
        if not all_finite(matrices)
    ]
    if not spoiled:
        return
    # What it carries is nowhere, too: name what carries the others.
    row, point, matrices = min(spoiled, key=lambda entry: (entry[0], len(dependencies.with_parents(entry[1]))))
    spoiling = matrices[row][~_finite(matrices[row])]
    worst = float(spoiling[np.abs(spoiling).argmax()])
    raise _refused("NOT_FINITE.bone" if point.bone else "NOT_FINITE.object", point, frames[row], worst)


def _refused(sentence: str, point: Point, frame: float, value: object, **named: Any) -> Refused:
    return Refused(sentence, object=point.object, bone=point.bone, value=value, frame=frame_text(frame), **named)


def all_finite(values: Array) -> bool:
    """True if none of these numbers is NaN, infinite or beyond what Blender can compute with."""
    return bool(values.max() <= _MOST and values.min() >= -_MOST)


def _finite(matrices: Array) -> NDArray[np.bool_]:
    return np.abs(matrices) <= _MOST


def refuse_unfit_numbers(samples: Samples, frames: Array) -> None:
    """Raise `Refused` for the first of the `frames` (n,) on which a chain's options make no sense."""
    for point, numbers in samples.numbers.items():
        for name, values in numbers.items():
            if not np.isfinite(values).all():
                row = int(np.argmin(np.isfinite(values)))
                raise _refused("NOT_FINITE.option", point, frames[row], float(values[row]), property=bone_field(name))
        if {"bend_min", "bend_max"} <= numbers.keys():
            least, most = np.broadcast_arrays(numbers["bend_min"], numbers["bend_max"])
            if (least > most).any():
                row = int(np.argmax(least > most))
                low, high = degrees(least[row]), degrees(most[row])
                raise _refused("CROSSED_LIMITS.keyed", point, frames[row], (low, high), low=low, high=high)


class Removal:
    """Tells what of a plan has been removed, by names that it keeps: a removed object has no name any more."""

    def __init__(self, plan: Plan) -> None:
        self._rig = plan.rig.name
        points = [Point(plan.rig)]
        for chain in plan.chains:
            points += (Point(chain.rig, bone.name) for bone in chain.carrying)
            points += dependencies.places_of(chain)
        needed = dependencies.by_object(points)
        self._needed = [(item.name, item, sorted(bones - {""})) for item, bones in needed.items()]

    def refuse(self) -> None:
        """Raise `Refused` for the first that is gone, if any is."""
        for name, item, needed in self._needed:
            try:
                bones = item.data.bones if is_rig(item) else ()
            except ReferenceError:
                raise Refused("REMOVED.object", object=name, rig=self._rig) from None
            if gone := next((bone for bone in needed if bone not in bones), ""):
                raise Refused("REMOVED.bone", object=name, bone=gone, rig=self._rig)


def given_names(rig: Rig, names: Any) -> list[str]:
    """These names, each once, or this one name; Refused for anything else, and where there is none."""
    if isinstance(names, str):
        return [names]
    for name in names if isinstance(names, Collection) else [names]:
        if not isinstance(name, str):
            raise Refused("NOT_A_NAME", object=rig, value=name)
    unique = list(dict.fromkeys(names))
    if not unique:
        raise Refused("NO_NAMES", object=rig)
    return unique
