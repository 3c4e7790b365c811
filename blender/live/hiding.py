"""What keeps a limb that is posed from showing so: constraints on top, and the switches of rigs with several layers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bpy.types import Scene
from mathutils import Vector

from ...skeleton.values import ChainPlan
from .. import versions
from ..armatures import Rig
from ..pipeline import write
from ..pipeline.read import dependencies, switches
from ..pipeline.read.notes import acts
from ..pipeline.requests import turn_switch


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
            found = switches.switch_of(plan.rig.pose.bones[name], plan.rig) if off > near else None
            if found:
                return Hiding(bone=name, constraint=found.constraint, switch=found.path, value=found.value)
    return None


def keyed(plan: ChainPlan) -> bool:
    """True where rotations of the chain's bones have F-curves."""
    find = versions.curve_finder(plan.rig)
    return any(find(bone.rotation_path, index=index) for bone in plan.keyed for index in range(4))


def mend(rig: Rig, found: Hiding, chain: str, scene: Scene) -> list[str]:
    """Mute the constraint, or turn the switch so that this chain shows; returns sentences about what may undo that."""
    if not found.switch:
        return write.mute_constraints(rig, [(found.bone, found.constraint)])
    return turn_switch.turn_switch(rig, chain, scene, found.switch, found.value)
