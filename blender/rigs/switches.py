"""The switch that keeps a limb from showing, on rigs that have it in several layers, as IK-FK of a Rigify limb.

Of a known rig its file tells which property that is. Of others the bones do that copy the limb: the property that
drives their constraints.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bpy.types import Constraint, PoseBone

from ...skeleton.values import ChainPlan
from ..armatures import Rig
from ..rna_paths import owner_and_property
from ..scene import dependencies
from . import switch_property
from .known_limbs import limbs_of
from .rig_files import KnownLimb

_LARGEST = 1e6
"""A property whose ends are farther away has none: it is no switch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """The property of a rig by which a limb does not show.

    path : its RNA path, from the armature object
    value : what it is where the limb shows
    instead : each bone of the limb with the one that shows in its place
    """

    path: str
    value: float
    instead: tuple[tuple[str, str], ...]


Copies = Mapping[str, list[str]]
"""By the name of a bone those of bones that copy it: layers of one rig, the last of which deforms the character."""


def copies(rig: Rig, constraints: Iterable[tuple[PoseBone, Constraint]]) -> Copies:
    """constraints : all of the rig, as `constrained` has them"""
    found: dict[str, list[str]] = {}
    for bone, constraint in constraints:
        for place in dependencies.targets(constraint) if constraint.type == "COPY_TRANSFORMS" else ():
            if place.object == rig and place.bone:
                found.setdefault(place.bone, []).append(bone.name)
    return found


def known_by_end(rig: Rig) -> dict[str, KnownLimb]:
    """The limbs of a known rig, by the end bones of chains that pose their FK controls."""
    return {limb.fk[1]: limb for limb in reversed(limbs_of(rig))}


def hiding_switch(chain: ChainPlan, limb: KnownLimb | None, copied: Copies) -> Switch | None:
    """The switch by which the rig does not show the chain now; None where it shows, or no switch is the reason.

    limb : that of a known rig whose FK controls the chain poses
    """
    rig: Rig = chain.rig
    if limb:
        path = switch_property.switch_path(rig, limb)
        if not path or switch_property.shown_layer(rig, limb) == "FK":
            return None
        instead = tuple(zip(limb.fk, limb.shown or limb.ik, strict=True))[:3]
        return Switch(path=path, value=limb.fk_value, instead=instead)
    posed = [bone.name for bone in (chain.root, chain.end, *chain.below[-1:])]
    # A bone may have been renamed or removed since.
    pairs = [(name, other) for name in posed for other in copied.get(name, ()) if other in rig.pose.bones]
    hidden = [(name, other) for name, other in pairs if _covers(rig.pose.bones[other], posed)]
    for _, other in hidden:
        for path in _driving(rig, rig.pose.bones[other]):
            if (value := other_end(rig, path)) is not None:
                return Switch(path=path, value=value, instead=tuple(hidden))
    return None


def _covers(bone: PoseBone, posed: Collection[str]) -> bool:
    """Whether the bone copies one of those posed, and another on top."""
    constraints = [each for each in bone.constraints if each.type == "COPY_TRANSFORMS" and not each.mute]

    def copying(some: Iterable[Any]) -> bool:
        return any(place.bone in posed for each in some for place in dependencies.targets(each))

    # The last of them covers what those before it copy.
    last = [each for each in constraints if each.influence == 1.0][-1:]
    return copying(constraints) and not copying(last)


def _driving(rig: Rig, bone: PoseBone) -> Iterable[str]:
    for constraint in bone.constraints:
        path = switch_property.driving_path(rig, constraint)
        if path and path.endswith('"]'):
            yield path


def other_end(rig: Rig, path: str) -> float | None:
    """The other end of a custom property that is at one; None for what is no switch, or is not there."""
    value = switch_property.number_at(rig, path)
    if value is None:
        return None
    owner_path, _ = owner_and_property(path)
    owner: Any = rig.path_resolve(owner_path) if owner_path else rig
    limits = owner.id_properties_ui(switch_property.property_label(path)).as_dict()
    ends = [float(limits.get("min", 0.0)), float(limits.get("max", 1.0))]
    if value not in ends or max(map(abs, ends)) > _LARGEST:
        return None
    return ends[1 - ends.index(value)]
