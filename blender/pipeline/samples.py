"""What sampling gives: matrices over all frames, of all that the chains depend on."""

from __future__ import annotations

from dataclasses import dataclass

from bpy.types import Object

from ...solver.values import Array
from . import follow
from .plan import ChainPlan, Plan, Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """objects: whose place in the world; bones: whose pose; channels: whose own location, rotation and scale."""

    objects: frozenset[Object]
    bones: frozenset[Point]
    channels: frozenset[Point]

    @property
    def points(self) -> frozenset[Point]:
        """All that has to be evaluated; an armature whose pose counts is named with its bones."""
        posed = self.bones | self.channels
        return posed | {Point(item) for item in self.objects}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Samples:
    """Matrices over the frames of the plan, each (n, 4, 4), or (1, 4, 4) where it is the same on all of them.

    to_world : from an object's space to the world
    pose : from a bone's space to its armature's
    basis : a bone's own channels, as `PoseBone.matrix_basis`
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
    carriers = [point for chain in plan.chains for point in _carriers(plan, chain, [*goals, *parents])]
    own = [Point(plan.rig, name) for chain in plan.chains for name in (*chain.bones, chain.tip_bone) if name]
    return Wanted(
        objects=frozenset({plan.rig, *(point.object for point in goals)}),
        bones=frozenset({point for point in (*goals, *parents, *carriers) if point.bone}),
        channels=frozenset(own),
    )


def _carriers(plan: Plan, chain: ChainPlan, points: list[Point]) -> list[Point]:
    names = {follow.carrier(point, plan.rig, chain.bones) for point in points} - {None}
    return [Point(plan.rig, name) for name in names if name]
