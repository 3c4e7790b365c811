"""What sampling gives: matrices over all frames, of all that the chains depend on."""

from __future__ import annotations

from dataclasses import dataclass

from bpy.types import Object

from ...solver.values import Array
from . import follow
from .plan import Plan, Point


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Samples:
    """Matrices over the frames of the plan, each (n, 4, 4), or (1, 4, 4) where it is the same on all of them.

    to_world : from an object's space to the world
    pose : from a bone's space to its armature's
    basis : a bone's own channels, as `PoseBone.matrix_basis`; its rotation may be missing where nobody wants it
    """

    to_world: dict[Object, Array]
    pose: dict[Point, Array]
    basis: dict[Point, Array]

    def world(self, point: Point) -> Array:
        """(n, 4, 4) from the space of an object or a bone to the world."""
        to_world = self.to_world[point.object]
        return to_world @ self.pose[point] if point.bone else to_world


def wanted(plan: Plan) -> Wanted:
    """What the chains of the plan need to know of the scene."""
    goals = [point for chain in plan.chains for point in (chain.target, chain.pole) if point]
    parents = [Point(plan.rig, chain.parent.name) for chain in plan.chains if chain.parent]
    branches = [follow.branch(point, plan.rig, chain.bones) for chain in plan.chains for point in (*goals, *parents)]
    carriers = [Point(plan.rig, branch[0]) for branch in branches if branch]
    between = {Point(plan.rig, name) for branch in branches for name in branch[:-1]}
    own = {Point(plan.rig, name) for chain in plan.chains for name in (*chain.bones, chain.tip_bone) if name}
    turned = {Point(plan.rig, name) for chain in plan.chains for name in chain.turned}
    return Wanted(
        objects=frozenset({plan.rig, *(point.object for point in goals)}),
        bones=frozenset({point for point in (*goals, *parents, *carriers) if point.bone}),
        own=frozenset(own | between),
        turned=frozenset(turned | between),
    )
