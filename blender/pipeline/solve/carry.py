"""Chains that move what later chains depend on: the samples, brought to where the solved chain takes them."""

from __future__ import annotations

from dataclasses import replace

from bpy.types import Object

from ....solver.triad import product
from ....solver.values import Array, Solution
from ..bones import inherit, transform
from ..plan import Point
from ..read import follow
from ..samples import Samples
from .own_pose import own_poses, poses
from .space import ChainSpace


def carried(samples: Samples, here: ChainSpace, solution: Solution) -> Samples:
    """The samples with all that hangs on this chain, by parents, moved along with it."""
    rig, bones = here.plan.rig, here.plan.bones
    hanging = {item: follow.branch(Point(item), rig, bones) for item in samples.to_world}
    following = {point: follow.branch(point, rig, bones) for point in samples.pose if point.object == rig}
    if not any(hanging.values()) and not any(following.values()):
        return samples
    solved = poses(here, own_poses(here, solution, samples))

    def pose(branch: list[str]) -> Array:
        *below, carrier = branch
        found = solved[carrier]
        for name in reversed(below):
            found = inherit.pose(rig.data.bones[name], found, samples.basis[Point(rig, name)])
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
