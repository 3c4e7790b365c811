"""Chains that move what later chains depend on: the samples, brought to where the solved chain takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ..blender.pipeline.read import dependencies
from ..solver.triad import product
from ..solver.values import Array, Unreachable
from . import inherit, transform
from .basis import Basis
from .bone_basis import bone_bases, with_bone_basis
from .chain_group import out_of_reach
from .plan import ChainPlan, Point
from .samples import Samples
from .solved_group import SolvedGroup


def posed(samples: Samples, solved: SolvedGroup) -> Samples:
    """The samples with all that hangs on these chains moved along, where the chains stand as they were solved.

    On frames that a chain skips nothing moves: it stands as it was sampled.
    """
    own = bone_bases(solved)
    basis = {}
    for row, plan in enumerate(solved.here.plans):
        for bone, one in zip(plan.keyed, own, strict=True):
            point = Point(plan.rig, bone.name)
            basis[point] = with_bone_basis(samples.basis[point], one.of(row))
    skips = solved.plan.options.unreachable == Unreachable.SKIP
    still = out_of_reach(solved.solution) & skips
    return moved(samples, solved, basis, still)


def moved(samples: Samples, solved: SolvedGroup, basis: Mapping[Point, Basis], still: NDArray[np.bool_]) -> Samples:
    """The samples with all that hangs on these chains, by parents, moved along with them.

    basis : own channels of the chains' keyed bones
    still : (n, c) frames on which a chain moves nothing
    """
    for row, plan in enumerate(solved.here.plans):
        alone = solved.here.one(row)
        own = tuple(
            basis.get(Point(plan.rig, name), found) for name, found in zip(plan.bones, alone.basis, strict=True)
        )
        poses = map(alone.kinematics.in_armature, alone.kinematics.posed(own))
        samples = _moved(samples, plan, dict(zip(plan.bones, poses, strict=True)), basis, still[:, row])
    return samples


def _moved(
    samples: Samples,
    plan: ChainPlan,
    chain: dict[str, Array],
    basis: Mapping[Point, Basis],
    still: NDArray[np.bool_],
) -> Samples:
    """chain : (n, 4, 4) in armature space, the pose of each of the chain's bones by name"""
    rig, bones = plan.rig, plan.bones
    hanging = {item: dependencies.branch(Point(item), rig, bones) for item in samples.to_world}
    following = {point: dependencies.branch(point, rig, bones) for point in samples.pose if point.object == rig}

    def pose(branch: list[str]) -> Array:
        *below, carrier = branch
        found = chain[carrier]
        for name in reversed(below):
            point = Point(rig, name)
            found = inherit.pose(rig.data.bones[name], found, basis.get(point, samples.basis[point]).matrix)
        return found

    def place(item: Object, branch: list[str]) -> Array:
        to_world, nearest = samples.to_world[rig], Point(rig, branch[0])
        local = product(transform.inverse(product(to_world, samples.pose[nearest])), samples.to_world[item])
        return product(to_world, product(pose(branch), local))

    def where_moving(before: Array, after: Array) -> Array:
        return np.where(still[:, None, None], before, after) if still.any() else after

    worlds = {
        item: where_moving(samples.to_world[item], place(item, found)) for item, found in hanging.items() if found
    }
    poses = {point: where_moving(samples.pose[point], pose(found)) for point, found in following.items() if found}
    return replace(samples, to_world=samples.to_world | worlds, pose=samples.pose | poses)
