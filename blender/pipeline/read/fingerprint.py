"""Whether a plan is still right: the values that it was read from, far cheaper to compare than to read a plan again."""

from collections.abc import Iterable

from bpy.types import Bone

from ....skeleton.values import Plan, Point
from ...armatures import Rig
from . import dependencies
from .animated_options import standing_options

Fingerprint = tuple[object, ...]
"""Equal as long as reading chains whose properties have not changed would give the same plan."""


def fingerprint(plan: Plan, places: Iterable[Point]) -> Fingerprint:
    """Of a plan, whose targets have not been removed, all that its armature's bones do not have at rest.

    places : all that its chains' places depend on
    """
    bones = plan.rig.pose.bones
    modes = [bones[name].rotation_mode if name in bones else None for name in _names(plan)]
    # An option that changes reads its chain again, unless something animates it.
    numbers = [standing_options(plan.rig, chain) for chain in plan.chains] if plan.rig.animation_data else None
    return *map(dependencies.ties, places), modes, numbers


def rest_fingerprint(plan: Plan) -> Fingerprint:
    """Of a plan, what the bones have at rest: it changes with the data of an armature alone."""
    points = (point for chain in plan.chains for point in (chain.target, chain.pole) if point and point.bone)
    exist = [point.bone in point.object.data.bones for point in points]
    return dependencies.links(plan.chains, driven=True), exist, [_rest(plan.rig, name) for name in _names(plan)]


def _names(plan: Plan) -> list[str]:
    """Of the bones that were read."""
    between = (bones[:-1] for chain in plan.chains for bones in chain.dependents.values())
    return [bone.name for some in (*((*each.bones, *each.below) for each in plan.chains), *between) for bone in some]


def _rest(rig: Rig, name: str) -> Fingerprint | None:
    """All that `read_bone` reads of a bone in the armature's data; None if it is gone."""
    bone: Bone | None = rig.data.bones.get(name)
    if not bone:
        return None
    parent = bone.parent
    return (
        (bone.use_inherit_rotation, bone.use_local_location, bone.inherit_scale),
        (bone.length, bone.head.copy(), bone.matrix.copy(), bone.matrix_local.copy()),
        parent and (parent.name, parent.length),
    )
