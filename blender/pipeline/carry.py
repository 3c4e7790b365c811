"""Chains that move what later chains depend on: the samples, brought to where the solved chain takes them."""

from __future__ import annotations

from dataclasses import replace

from bpy.types import Object

from ...solver.values import Array, Solution
from . import follow, transform
from .own_pose import own_poses, poses
from .plan import Point
from .samples import Samples
from .space import ChainSpace


def carried(samples: Samples, here: ChainSpace, solution: Solution) -> Samples:
    """The samples with all that hangs on this chain, by parents, moved along with it."""
    rig, bones = here.plan.rig, here.plan.bones
    hanging = {item: follow.carrier(Point(item), rig, bones) for item in samples.to_world}
    following = {point: follow.carrier(point, rig, bones) for point in samples.pose if point.object == rig}
    if not any(hanging.values()) and not any(following.values()):
        return samples
    solved = poses(here, own_poses(here, solution, samples))
    shifts = {
        name: pose @ transform.inverse(samples.pose[Point(rig, name)])
        for name, pose in solved.items()
        if Point(rig, name) in samples.pose
    }
    to_world = samples.to_world[rig]

    def place(item: Object, matrices: Array) -> Array:
        name = hanging[item]
        return to_world @ shifts[name] @ transform.inverse(to_world) @ matrices if name else matrices

    def pose(point: Point, matrices: Array) -> Array:
        name = following.get(point)
        return shifts[name] @ matrices if name else matrices

    return replace(
        samples,
        to_world={item: place(item, matrices) for item, matrices in samples.to_world.items()},
        pose={point: pose(point, matrices) for point, matrices in samples.pose.items()},
    )
