"""What has to be sampled: all that the chains of a plan need to know of the scene."""

from __future__ import annotations

from dataclasses import dataclass

from bpy.types import Object

from ..plan import Plan, Point
from ..read import follow


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What has to be known of the scene.

    objects : whose place in the world
    bones : whose pose
    own : bones whose own location and scale
    turned : those of them whose own rotation counts too
    """

    objects: frozenset[Object]
    bones: frozenset[Point]
    own: frozenset[Point]
    turned: frozenset[Point]

    @property
    def placed(self) -> frozenset[Point]:
        """All whose place counts."""
        return self.bones | {Point(item) for item in self.objects}

    @property
    def points(self) -> frozenset[Point]:
        """All that has to be evaluated; an armature whose pose counts is named with its bones."""
        return self.placed | self.own


def wanted(plan: Plan) -> Wanted:
    """What the chains of the plan need to know of the scene."""
    goals = [point for chain in plan.chains for point in (chain.target, chain.pole) if point]
    parents = [Point(plan.rig, chain.parent.name) for chain in plan.chains if chain.parent]
    branches = [follow.branch(point, plan.rig, chain.bones) for chain in plan.chains for point in (*goals, *parents)]
    carriers = [Point(plan.rig, branch[0]) for branch in branches if branch]
    between = {Point(plan.rig, name) for branch in branches for name in branch[:-1]}
    own = {Point(plan.rig, name) for chain in plan.chains for name in (*chain.bones, *chain.below)}
    turned = {Point(plan.rig, name) for chain in plan.chains for name in chain.turned}
    return Wanted(
        objects=frozenset({plan.rig, *(point.object for point in goals)}),
        bones=frozenset({point for point in (*goals, *parents, *carriers) if point.bone}),
        own=frozenset(own | between),
        turned=frozenset(turned | between),
    )
