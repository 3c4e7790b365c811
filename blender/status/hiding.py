"""What hides the pose of a limb: constraints on top of it, and the switches of rigs with several control sets."""

from dataclasses import dataclass, replace

from mathutils import Vector

from ...skeleton.values import ChainPlan
from .. import versions
from ..armatures import Rig
from ..bake.mute_constraints import mute_constraints
from ..bake.notes import acts
from ..rigs import known_limbs
from ..rigs.switch_property import ik_constraint, switch_path, toe_path, turn
from ..scene import dependencies

_SCALING = {"COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"}
"""Constraints that move no joint where they act on the tip bone, or on one at the same place that carries it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiding:
    """What keeps a limb from showing: a constraint of a bone, by their names, or the switch of its rig, or both.

    switch : RNA path of the switch; without a constraint it shows other bones of the rig
    value : of the switch, where the limb shows
    """

    bone: str = ""
    constraint: str = ""
    switch: str = ""
    value: float = 0.0


def on_top(plan: ChainPlan) -> Hiding | None:
    """The first constraint that moves a joint of this chain, whatever its pose is; IK first."""
    keyed, chain, below = ({bone.name for bone in bones} for bones in (plan.keyed, plan.bones, plan.below))
    acting = [(bone, constraint) for bone, constraint in dependencies.constrained(plan.rig) if acts(constraint)]
    for bone, constraint in sorted(acting, key=lambda each: each[1].type != "IK"):
        moves_joint = bone.name in chain or (bone.name in below and constraint.type not in _SCALING)
        if moves_joint or dependencies.hides(bone, constraint, keyed):
            return _switched(plan, Hiding(bone=bone.name, constraint=constraint.name))
    return None


def _switched(plan: ChainPlan, hiding: Hiding) -> Hiding:
    """`hiding` with the switch of its constraint, if that is one of a known limb."""
    limb = known_limbs.known_by_end(plan.rig).get(plan.end.name)
    if not limb:
        return hiding
    ends = (limb.switch_bone, limb.followed, switch_path(plan.rig, limb), limb.fk_value)
    toes = (limb.fk[2], limb.toe_ik, toe_path(plan.rig, limb), 0.0)
    for bone, followed, path, value in (ends, toes):
        constraint = ik_constraint(plan.rig, bone, followed)
        if constraint and (bone, constraint.name) == (hiding.bone, hiding.constraint):
            return replace(hiding, switch=path, value=value)
    return hiding


def switched_off(plan: ChainPlan, copies: known_limbs.Copies, evaluated: Rig, near: float) -> Hiding | None:
    """The switch by which the rig shows other bones in place of this chain's, and elsewhere.

    near : in world units how far a bone may be from the one in its place, and still show it
    """
    switch = known_limbs.hiding_switch(plan, known_limbs.known_by_end(plan.rig).get(plan.end.name), copies)
    if switch and any(_apart(evaluated, *pair) > near for pair in switch.instead):
        return Hiding(switch=switch.path, value=switch.value)
    return None


def _apart(evaluated: Rig, posed: str, other: str) -> float:
    """World units from a bone to where it would be if it lay to the other as at rest."""
    own, shown, to_world = evaluated.pose.bones[posed], evaluated.pose.bones[other], evaluated.matrix_world.to_3x3()
    place = shown.matrix @ shown.bone.matrix_local.inverted() @ own.bone.matrix_local
    tail = place @ Vector((0.0, own.bone.length, 0.0))
    return max((to_world @ (place.translation - own.head)).length, (to_world @ (tail - own.tail)).length)


def can_be_set(rig: Rig, hiding: Hiding) -> bool:
    """False where the switch is animated, so that it would not stay as it is set."""
    return not (hiding.switch and versions.is_ever_animated(rig, hiding.switch))


def mend(rig: Rig, hiding: Hiding) -> list[str]:
    """Mute the constraint, or set the switch so that the chain shows; returns sentences about what may undo that."""
    if not hiding.switch:
        return mute_constraints(rig, [(hiding.bone, hiding.constraint)])
    turn(rig, hiding.switch, hiding.value)
    return []
