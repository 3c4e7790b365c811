"""Whether a plan still holds: what it was made from, far cheaper to look at again than to read."""

from __future__ import annotations

from bpy.types import Object

from ....skeleton import inherit
from ....skeleton.plan import Plan
from . import dependencies

Fingerprint = tuple[object, ...]
"""Equal as long as chains whose choices nobody has changed would be read as they were."""


def fingerprint(plan: Plan) -> Fingerprint:
    """Of a plan whose targets are still there."""
    points = (point for chain in plan.chains for point in (chain.target, chain.pole) if point and point.bone)
    there = [point.bone in point.object.data.bones for point in points]
    names = (name for chain in plan.chains for name in (*chain.bones, *chain.below))
    return dependencies.links(plan.chains), there, [_rest(plan.rig, name) for name in names]


def _rest(rig: Object, name: str) -> Fingerprint | None:
    bone = rig.data.bones.get(name)
    return bone and (inherit.rules(bone), bone.matrix_local.copy(), bone.length, bone.parent and bone.parent.name)
