"""Whether a plan is still right: the values that it was read from, far cheaper to compare than to read a plan again."""

from bpy.types import Bone, PoseBone

from ....skeleton.values import Plan
from ...armatures import Rig
from . import dependencies
from .animated_options import standing_options

Fingerprint = tuple[object, ...]
"""Equal as long as reading chains whose properties have not changed would give the same plan."""


def fingerprint(plan: Plan) -> Fingerprint:
    """Of a plan whose targets have not been removed."""
    points = (point for chain in plan.chains for point in (chain.target, chain.pole) if point and point.bone)
    exist = [point.bone in point.object.data.bones for point in points]
    between = (bones[:-1] for chain in plan.chains for bones in chain.dependents.values())
    bones = (bone for some in (*((*chain.bones, *chain.below) for chain in plan.chains), *between) for bone in some)
    numbers = [standing_options(plan.rig, chain) for chain in plan.chains]
    return dependencies.links(plan.chains), exist, numbers, [_values(plan.rig, bone.name) for bone in bones]


def _values(rig: Rig, name: str) -> Fingerprint | None:
    """All that `read_bone` reads of a bone; None if it is gone."""
    bone: Bone | None = rig.data.bones.get(name)
    pose_bone: PoseBone | None = rig.pose.bones.get(name)
    if not (bone and pose_bone):
        return None
    parent = bone.parent
    return (
        (bone.use_inherit_rotation, bone.use_local_location, bone.inherit_scale, pose_bone.rotation_mode),
        (bone.length, bone.head.copy(), bone.matrix.copy(), bone.matrix_local.copy()),
        parent and (parent.name, parent.length),
    )
