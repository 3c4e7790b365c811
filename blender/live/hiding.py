"""What keeps a limb that is posed from showing so: constraints on top, and the switches of rigs with several layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import PoseBone
from mathutils import Vector

from ...skeleton.values import ChainPlan
from .. import versions
from ..armatures import Rig
from ..pipeline import write
from ..pipeline.read import dependencies
from ..pipeline.read.notes import acts
from ..rna_paths import owner_and_property

_LARGEST = 1e6
"""A property whose ends are farther away has none: it is no switch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiding:
    """A constraint of a bone, by their names; with `switch`, the RNA path of the rig's property that drives it.

    value : of the switch, where the limb shows
    """

    bone: str
    constraint: str
    switch: str = ""
    value: float = 0.0


def on_top(plan: ChainPlan) -> Hiding | None:
    """The first constraint that moves a bone of this chain, whatever its pose is; IK first."""
    keyed = {bone.name for bone in plan.keyed}
    bones = keyed | {bone.name for bone in (*plan.bones, *plan.below)}
    found = [
        (constraint.type != "IK", Hiding(bone=bone.name, constraint=constraint.name))
        for bone, constraint in dependencies.constrained(plan.rig)
        if acts(constraint) and (dependencies.hides(bone, constraint, keyed) or bone.name in bones)
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def copies(rig: Rig) -> dict[str, list[str]]:
    """By the name of a bone those of bones that copy it: layers of one rig, the last of which deforms the character."""
    found: dict[str, list[str]] = {}
    for bone, constraint in dependencies.constrained(rig):
        for place in dependencies.targets(constraint) if constraint.type == "COPY_TRANSFORMS" else ():
            if place.object == rig and place.bone:
                found.setdefault(place.bone, []).append(bone.name)
    return found


def switched_off(plan: ChainPlan, copies: Mapping[str, Iterable[str]], evaluated: Rig, near: float) -> Hiding | None:
    """What keeps bones that copy this chain's from doing so, by a switch of the rig, as IK-FK of a Rigify limb.

    near : in world units how far a bone may be from the one that it copies, and still show it
    """
    bones, to_world = evaluated.pose.bones, evaluated.matrix_world.to_3x3()
    for posed in (bones[bone.name] for bone in (plan.root, plan.end, *plan.below[-1:])):
        # A bone may have been renamed or removed since.
        for name in (name for name in copies.get(posed.name, ()) if name in bones):
            tail = bones[name].matrix @ Vector((0.0, posed.length, 0.0))
            off = max((to_world @ (bones[name].head - posed.head)).length, (to_world @ (tail - posed.tail)).length)
            found = _switch(plan.rig.pose.bones[name], plan.rig) if off > near else None
            if found:
                return found
    return None


def keyed(plan: ChainPlan) -> bool:
    """True where rotations of the chain's bones have F-curves."""
    find = versions.curve_finder(plan.rig)
    return any(find(bone.rotation_path, index=index) for bone in plan.keyed for index in range(4))


def mend(rig: Rig, found: Hiding) -> list[str]:
    """Mute the constraint, or turn the switch; returns sentences about what may undo that."""
    if not found.switch:
        return write.mute_constraints(rig, [(found.bone, found.constraint)])
    owner, name = _owner(rig, found.switch)
    owner[name] = type(owner[name])(found.value)
    rig.update_tag()
    return []


def _switch(bone: PoseBone, rig: Rig) -> Hiding | None:
    """The property of the rig that drives the influence of a constraint of this bone, and the end that it is not at."""
    animation = rig.animation_data
    for constraint in bone.constraints if animation else ():
        driven = animation.drivers.find(constraint.path_from_id("influence"))
        for variable in driven.driver.variables if driven else ():
            path = variable.targets[0].data_path
            if variable.type == "SINGLE_PROP" and variable.targets[0].id == rig and path.endswith('"]'):
                value = _other_end(rig, path)
                if value is not None:
                    return Hiding(bone=bone.name, constraint=constraint.name, switch=path, value=value)
    return None


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
