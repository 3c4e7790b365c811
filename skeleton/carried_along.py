"""Chains that move what later chains depend on: the samples, updated to where the solved chains take them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..solver.values import Array, Mask, Unreachable
from ..solver.vectors import product
from . import inherit, transform
from .bone_channels import bases_by_bone
from .inherit import Bones
from .solved_group import SolvedGroup
from .transform import Basis
from .values import ChainPlan, Point, Samples


def move_dependents(samples: Samples, solved: SolvedGroup) -> Samples:
    """The samples with everything that is parented to these chains moved along with their solution.

    On frames that a chain skips it moves nothing: its bones stay as they were sampled.
    """
    bases = bases_by_bone(solved)
    basis = {Point(plan.rig, bone.name): bases[bone] for plan in solved.plans for bone in plan.keyed}
    skips = solved.plan.options.unreachable == Unreachable.SKIP
    return move_with(samples, solved, basis, solved.out_of_reach & skips)


def move_with(samples: Samples, solved: SolvedGroup, basis: Mapping[Point, Basis], still: Mask) -> Samples:
    """The samples with everything that is parented to these chains moved along with their bones.

    basis : of the chains' keyed bones
    still : (n, c) frames on which a chain moves nothing
    """
    group, basis = solved.group, {**samples.basis, **basis}
    bases = tuple(
        Basis.side_by_side(basis[Point(plan.rig, bone.name)] for plan, bone in zip(group.plans, bones, strict=True))
        for bones in group.kinematics.bones
    )
    poses = [group.kinematics.in_armature(pose) for pose in group.kinematics.poses(bases)]
    for row, plan in enumerate(group.plans):
        by_name = {bone.name: pose[:, row] for bone, pose in zip(plan.bones, poses, strict=True)}
        samples = _with_dependents(samples, plan, by_name, basis, still[:, row])
    return samples


def _with_dependents(
    samples: Samples, plan: ChainPlan, chain: Mapping[str, Array], basis: Mapping[Point, Basis], still: Mask
) -> Samples:
    """chain : (n, 4, 4) in armature space, the pose of each of the chain's bones by name"""
    armature_to_world = samples.to_world[plan.rig]

    def pose(bones: Bones) -> Array:
        ancestor, *below = reversed(bones)
        own = (Basis.side_by_side([basis[Point(plan.rig, bone.name)]]) for bone in below)
        return inherit.poses(zip(below, strict=True), chain[ancestor.name][:, None], own)[-1][:, 0]

    def to_world(point: Point, bones: Bones) -> Array:
        nearest = samples.pose[Point(plan.rig, bones[0].name)]
        local = product(transform.inverse(product(armature_to_world, nearest)), samples.to_world[point.object])
        return product(armature_to_world, product(pose(bones), local))

    def where_moving(before: Array, after: Array) -> Array:
        return np.where(still[:, None, None], before, after) if still.any() else after

    worlds, poses = {}, {}
    for point, bones in plan.dependents.items():
        if point.bone:
            poses[point] = where_moving(samples.pose[point], pose(bones))
        else:
            worlds[point.object] = where_moving(samples.to_world[point.object], to_world(point, bones))
    return replace(samples, to_world=samples.to_world | worlds, pose=samples.pose | poses)
