"""Whether a plan still holds: what it was made from, far cheaper to look at again than to read."""

from __future__ import annotations

from bpy.types import Object

from ..bones import inherit
from ..plan import Plan
from . import follow

Ties = tuple[object, ...]
"""Equal as long as chains whose choices nobody has changed would be read as they were."""


def ties(plan: Plan) -> Ties:
    """Of a plan whose targets are still there."""
    points = (point for chain in plan.chains for point in (chain.target, chain.pole) if point and point.bone)
    there = [point.bone in point.object.data.bones for point in points]
    names = (name for chain in plan.chains for name in (*chain.bones, *chain.below))
    return follow.links(plan.chains), there, [_rest(plan.rig, name) for name in names]


def _rest(rig: Object, name: str) -> Ties | None:
    bone = rig.data.bones.get(name)
    return bone and (inherit.rules(bone), bone.matrix_local.copy(), bone.length, bone.parent and bone.parent.name)
