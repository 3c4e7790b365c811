"""What the overlay shows beside the pose of limbs, as points in world space: for each the sign of its state, for the
limb in hand its other solution, reach and pole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from bpy.types import RegionView3D
from mathutils import Vector

from ...skeleton import transform
from ...skeleton.solved_group import SolvedGroup
from ...solver import Solution, rotation
from ...solver.hock import TURNS_WITH
from ...solver.values import Array, Plane
from ...solver.vectors import any_normal, rejection, unit
from ..live.state import RigState
from .limb_state import Place

Line = Sequence[Place]
"""Points in world space, to be joined one after another."""

_TURN = np.linspace(0.0, 2.0 * pi, 65)

CIRCLE = np.stack((np.cos(_TURN[::4]), np.sin(_TURN[::4])), axis=-1).tolist()
"""Points (17, 2) of a circle of radius 1, as a line of a sign has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guides:
    """The geometry of one chain as it is solved now.

    other : the joints of the other solution; empty where there is one only, as of a limb pinned to its pole
    reach : circles of the least and the greatest reach, in the chain's plane and, unless that is fixed, across it
    pole : from the mid joint to the pole target; empty where there is none
    """

    other: Line
    reach: list[Line]
    pole: Line


def guides(rig_state: RigState, name: str) -> Guides | None:
    """Of the chain of this name; None where it is not solved."""
    solved = next((one for one in rig_state.solved if one.plan.name == name), None)
    if solved is None:
        return None
    solution, pole = solved.solution, solved.goals.pole
    to_world, joints = solved.group.to_world[0, 0], solution.joints[0, 0]

    def line(*points: Array) -> Line:
        return transform.transform_points(to_world, np.array(points)).tolist()

    other = joints if solved.plan.pole_pins else _mirrored(solved)
    circles = _circles(solution, fixed=solved.plan.options.plane == Plane.REST)
    return Guides(
        other=line(*other) if not np.allclose(other, joints, atol=1e-3 * np.abs(joints).max()) else [],
        reach=[line(*circle) for circle in circles],
        pole=line(joints[1], pole[0, 0]) if pole is not None else [],
    )


def in_view(lines: list[Any], place: Place, view: RegionView3D, width: int, size: float) -> list[Line]:
    """Lines in the plane of the view, as those of a sign, around a place.

    width : of the region, in pixels
    size : of 1, in pixels
    """
    tip = Vector(place)
    # How much of the world a pixel shows at this depth; behind the eye, nothing is seen anyway.
    depth = max((view.perspective_matrix @ tip.to_4d()).w, 0.0)
    scale = size * 2.0 * depth / (view.window_matrix[0][0] * width)
    right, up = (Vector(row[:3]) * scale for row in view.view_matrix[:2])
    return [[tuple(tip + x * right + y * up) for x, y in line] for line in lines]


def _mirrored(solved: SolvedGroup) -> Array:
    """(3 or 4, 3) the joints with the mid joint on the other side of the line from root to tip."""
    links = np.diff(solved.solution.joints, axis=-2)
    (mid, beyond), tip = solved.group.sides(links)[0, 0], solved.solution.joints[0, 0, -1]
    # On a full fold the line has no direction, and the other side is where the mid joint is turned around.
    other = mid - 2.0 * rejection(mid, unit(tip))
    if not solved.plan.third:
        return np.array((np.zeros(3), other, tip))
    # Of a leg, each bone turns as its side of the triangle does.
    turns = [rotation.shortest(*map(unit, pair)) for pair in ((mid, other), (beyond, tip - other))]
    turned = [turns[bone] @ link for bone, link in zip((0, 1, TURNS_WITH[solved.plan.hock]), links[0, 0], strict=True)]
    return np.cumsum((np.zeros(3), *turned), axis=0)


def _circles(solution: Solution, *, fixed: bool) -> Iterator[Array]:
    """(65, 3) each, about the root in chain space."""
    normal = solution.hinge[0, 0]
    axis = any_normal(normal)
    third = np.cross(normal, axis)
    planes = [(axis, third)] if fixed else [(axis, third), (normal, axis), (normal, third)]
    for radius in solution.reach[0, 0]:
        if radius > 0.0:
            for x, y in planes:
                yield radius * (np.cos(_TURN)[:, None] * x + np.sin(_TURN)[:, None] * y)
