"""Switches of rigs with several layers, as IK-FK of a Rigify limb: the property that says which layer shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import PoseBone

from ....skeleton.values import ChainPlan
from ...armatures import Rig
from ...rna_paths import owner_and_property
from . import dependencies

_LARGEST = 1e6
"""A property whose ends are farther away has none: it is no switch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """What drives the influence of a constraint.

    constraint : its name
    path : RNA path of the rig's custom property
    value : the end of the property that it is not at
    """

    constraint: str
    path: str
    value: float

    @property
    def name(self) -> str:
        """The name of the property."""
        return self.path.rpartition('["')[2][:-2]


def copying(rig: Rig) -> dict[str, list[str]]:
    """By the name of a bone those of bones that copy it: layers of one rig, the last of which deforms the character."""
    found: dict[str, list[str]] = {}
    for bone, constraint in dependencies.constrained(rig):
        for place in dependencies.targets(constraint) if constraint.type == "COPY_TRANSFORMS" else ():
            if place.object == rig and place.bone:
                found.setdefault(place.bone, []).append(bone.name)
    return found


def switched_off(rig: Rig, chains: Iterable[ChainPlan]) -> dict[str, Switch]:
    """By chain the switch by which bones that copy this chain's do not do so now."""
    owners = {bone.name: chain.name for chain in chains for bone in (chain.root, chain.end, *chain.below[-1:])}
    copied: dict[PoseBone, set[str]] = {}
    shown: dict[PoseBone, set[str]] = {}
    for bone, constraint in dependencies.constrained(rig):
        if constraint.type == "COPY_TRANSFORMS" and not constraint.mute:
            names = {owners[place.bone] for place in dependencies.targets(constraint) if place.bone in owners}
            copied.setdefault(bone, set()).update(names)
            # The last of them covers what those before it copy.
            if constraint.influence == 1.0:
                shown[bone] = names
    hidden = ((bone, name) for bone, names in copied.items() for name in names - shown.get(bone, set()))
    return {name: switch for bone, name in hidden if (switch := switch_of(bone, rig))}


def switch_of(bone: PoseBone, rig: Rig) -> Switch | None:
    """The property of the rig that drives the influence of a constraint of this bone."""
    animation = rig.animation_data
    for constraint in bone.constraints if animation else ():
        driven = animation.drivers.find(constraint.path_from_id("influence"))
        for variable in driven.driver.variables if driven else ():
            path = variable.targets[0].data_path
            if variable.type == "SINGLE_PROP" and variable.targets[0].id == rig and path.endswith('"]'):
                value = _other_end(rig, path)
                if value is not None:
                    return Switch(constraint=constraint.name, path=path, value=value)
    return None


def turn(rig: Rig, path: str, value: float) -> None:
    """Set the property of the rig at this path."""
    owner, name = _owner(rig, path)
    owner[name] = type(owner[name])(value)
    rig.update_tag()


def _other_end(rig: Rig, path: str) -> float | None:
    """The other end of a switch that is at one; None for what is no switch, or is not there."""
    try:
        owner, name = _owner(rig, path)
        value = owner[name]
    except (KeyError, ValueError):
        return None
    if not isinstance(value, (bool, int, float)):
        return None
    limits = owner.id_properties_ui(name).as_dict()
    ends = [float(limits.get("min", 0.0)), float(limits.get("max", 1.0))]
    if float(value) not in ends or max(map(abs, ends)) > _LARGEST:
        return None
    return ends[1 - ends.index(float(value))]


def _owner(rig: Rig, path: str) -> tuple[Any, str]:
    """What has the custom property at this path of the rig, and the property's name."""
    owner, name = owner_and_property(path)
    return rig.path_resolve(owner) if owner else rig, bpy.utils.unescape_identifier(name[2:-2])
