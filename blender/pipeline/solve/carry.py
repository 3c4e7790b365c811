"""Chains that move what later chains depend on: the samples, brought to where the solved chain takes them."""

from __future__ import annotations

from dataclasses import replace

from bpy.types import Object

from ....solver.triad import product
from ....solver.values import Array
from ..bones import inherit, transform
from ..plan import ChainPlan, Point
from ..read import follow
from ..samples import Samples
from .own_pose import own_poses, poses
from .solved import Solved


def carried(samples: Samples, solved: Solved) -> Samples:
    """The samples with all that hangs on these chains, by parents, moved along with them."""
    columns = poses(solved.here, own_poses(solved))
    for row, plan in enumerate(solved.here.plans):
        bones = {name: found[:, row] for name, found in zip(plan.bones, columns, strict=True)}
        samples = _carried(samples, plan, bones)
    return samples


def _carried(samples: Samples, plan: ChainPlan, solved: dict[str, Array]) -> Samples:
    """solved : (n, 4, 4) in armature space, the pose of each of the chain's bones by name"""
    rig, bones = plan.rig, plan.bones
    hanging = {item: follow.branch(Point(item), rig, bones) for item in samples.to_world}
    following = {point: follow.branch(point, rig, bones) for point in samples.pose if point.object == rig}

    def pose(branch: list[str]) -> Array:
        *below, carrier = branch
        found = solved[carrier]
        for name in reversed(below):
            found = inherit.pose(rig.data.bones[name], found, samples.basis[Point(rig, name)].matrix)
        return found

    def place(item: Object, branch: list[str]) -> Array:
        to_world, nearest = samples.to_world[rig], Point(rig, branch[0])
        local = product(transform.inverse(product(to_world, samples.pose[nearest])), samples.to_world[item])
        return product(to_world, product(pose(branch), local))

    return replace(
        samples,
        to_world=samples.to_world | {item: place(item, branch) for item, branch in hanging.items() if branch},
        pose=samples.pose | {point: pose(branch) for point, branch in following.items() if branch},
    )
