"""What a user has moved on the current frame without a key: requests evaluate frames, so there its keys count.

Only who presses a button sees what moved. Scripts set keys one after another and leave properties at the last value, so
in `api` a value that differs from its curve says nothing.

`curves/unkeyed_edits` puts back after a request whatever may be no key, and so takes all that differs at all, and all
below strips. Here only what was surely moved counts, as a button is refused for it.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from math import inf
from typing import Any

import bpy
from bpy.types import Depsgraph, FCurve, Object

from ...skeleton.values import Point
from .. import versions
from ..armatures import Rig, is_rig
from ..curves.key_checks import mixed
from ..curves.keys import by_path_and_index
from ..messages.refused import Refused
from ..messages.translation import frame_text, point_text, translated
from ..rigs.rig_files import KnownLimb
from ..rna_paths import animated_by, bone_and_property, owner_and_property, owner_of
from ..scene import dependencies
from ..settings.properties import limb_bones, root_name
from .build_plan import Names, chosen_chains
from .chain import chain_plan

Points = Iterable[Point]

_MOVING = ("location", "rotation_", "scale", "delta_", "[", "constraints[")
"""How paths of properties begin, behind that of their bone, that move it or what follows it."""

_SAME = 1e-5
"""What is keyed comes back in single precision."""

_NAMED = 3
"""The most that one sentence names."""


def targets(rig: Rig, names: Names) -> Iterator[Point]:
    """Targets and pole targets of the chains with these names; Refused where a name is wrong."""
    return (point for chain in chosen_chains(rig, names) for point in dependencies.targets_of(chain))


def sources(rig: Rig, names: Names) -> Iterator[Point]:
    """What these chains follow: their targets, and what carries their root bones."""
    yield from targets(rig, names)
    for chain in chosen_chains(rig, names):
        yield from dependencies.with_parents(Point(rig, root_name(rig, chain)))[1:2]


def bones(rig: Rig, names: Names) -> Iterator[Point]:
    """The bones of these chains."""
    return (Point(rig, bone) for chain in chosen_chains(rig, names) for bone in limb_bones(rig, chain))


def of_limbs(rig: Rig, limbs: Iterable[KnownLimb]) -> Iterator[Point]:
    """All bones of these known limbs."""
    return (Point(rig, bone) for limb in limbs for bone in limb.named)


def all_bones(rig: Rig) -> Iterator[Point]:
    """All bones of the armature."""
    return (Point(rig, bone.name) for bone in rig.data.bones)


def refuse(points: Points, depsgraph: Depsgraph, frames: Sequence[float] | None = None) -> None:
    """Raise `Refused` where what was moved on one of these frames, the first to the second, would be lost."""
    if moved := find(points, depsgraph, frames):
        raise Refused("MOVED_UNKEYED.one" if len(moved) == 1 else "MOVED_UNKEYED.more", **_named(moved, depsgraph))


def alerts(points: Points, depsgraph: Depsgraph, frames: Sequence[float] | None = None) -> list[str]:
    """A sentence where what was moved there did not count."""
    moved = find(points, depsgraph, frames)
    if not moved:
        return []
    named = _named(moved, depsgraph)
    return [translated("alert.moved_unkeyed" if len(moved) == 1 else "alert.more_moved_unkeyed", **named)]


def find(points: Points, depsgraph: Depsgraph, frames: Sequence[float] | None = None) -> list[Point]:
    """The objects and bones, among these and all that they follow, that are not as their keys have them.

    Blender may leave behind what it does not evaluate, and Live poses bones without keys: neither was moved. What NLA
    strips make of keys only Blender knows.

    frames : the current one counts if it is not before the first and not behind the second; None where it always does
    """
    frame = depsgraph.scene.frame_current_final
    if frames and not frames[0] <= frame <= frames[1]:
        return []
    shown = depsgraph.view_layer_eval.objects
    moved = {
        Point(item, bone)
        for item, names in dependencies.by_object(dependencies.upstream(*points)).items()
        if item.name in shown
        for curve, bone in _moving_curves(item, names - _posed_by_live(item))
        if _differs(item, curve, frame)
    }
    return sorted(moved, key=point_text)


def _named(moved: list[Point], depsgraph: Depsgraph) -> dict[str, Any]:
    names = [f'"{point.bone or point.object.name}"' for point in moved]
    value = ", ".join(names if len(names) <= _NAMED else [*names[:_NAMED], "..."])
    return {"value": value, "frame": frame_text(depsgraph.scene.frame_current_final)}


def _posed_by_live(item: Object) -> set[str]:
    """Names of the bones that Live poses."""
    found: set[str] = set()
    for chain in item.two_bone_ik_chains if is_rig(item) and item.two_bone_ik_live else ():
        with suppress(Refused):
            found.update(bone.name for bone in chain_plan(chain.id_data, chain).keyed if not chain.mute)
    return found


def _moving_curves(item: Object, names: Set[str]) -> Iterator[tuple[FCurve, str]]:
    """The curves that move its bones of these names, "" for the object itself, each with the bone's name."""
    if not (item.animation_data and _plays_alone(item)):
        return
    driven = by_path_and_index(versions.drivers(item))
    for key, curve in by_path_and_index(versions.curves(item)).items():
        bone, path = bone_and_property(curve.data_path)
        moves = bone in names and path.startswith(_MOVING)
        if moves and key not in driven and versions.plays(curve):
            yield curve, bone


def _plays_alone(item: Object) -> bool:
    """Whether the object's curves alone decide what they animate: no NLA strip has a say.

    While a strip is edited, and beside a solo track, Blender may not play them at all. If they are to be mixed with
    strips, it mixes them with default values where all strips of a track are muted.
    """
    data = item.animation_data
    playing = [each for each in data.nla_tracks if data.use_nla and (each.is_solo or (each.strips and not each.mute))]
    mixes = mixed(item) or data.action_extrapolation != "HOLD" or any(track.is_solo for track in playing)
    return not (data.use_tweak_mode or any(versions.strips(item, muted=False)) or (playing and mixes))


def _differs(item: Object, curve: FCurve, frame: float) -> bool:
    """Whether the property is another than its curve makes it; words are not told."""
    found = animated_by(item, curve)
    if not found or isinstance(value := found[0], str):
        return False
    # Blender rounds whole numbers.
    near, keyed = _SAME * max(1.0, abs(value)) if isinstance(value, float) else 1.0 - _SAME, curve.evaluate(frame)
    if abs(value - keyed) <= near:
        return False
    low, high = _limits(item, curve.data_path)
    return abs(value - min(max(keyed, low), high)) > near


def _limits(item: Object, path: str) -> tuple[float, float]:
    """Within them Blender keeps what is keyed."""
    owner, name = owner_of(item, path), owner_and_property(path)[1]
    if name.startswith("["):
        about = owner.id_properties_ui(bpy.utils.unescape_identifier(name[2:-2])).as_dict()
        return about.get("min", -inf), about.get("max", inf)
    field = owner.bl_rna.properties[name]
    return getattr(field, "hard_min", -inf), getattr(field, "hard_max", inf)
