"""What the overlay shows beside the pose of limbs, as points in world space: for each the sign of its state, for the
limb in hand its reach and pole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from bpy.types import RegionView3D
from mathutils import Vector

from ...skeleton import transform
from ...solver import Solution
from ...solver.values import Array, Plane
from ...solver.vectors import any_normal
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

    reach : circles of the least and the greatest reach, in the chain's plane and, unless that is fixed, across it
    pole : from the mid joint to the pole target; empty where there is none
    """

    reach: list[Line]
    pole: Line


def guides(rig_state: RigState, name: str) -> Guides | None:
    """The guides of the chain of this name; None where it is not solved."""
    solved = next((one for one in rig_state.solved if one.plan.name == name), None)
    if solved is None:
        return None
    solution, pole, to_world = solved.solution, solved.goals.pole, solved.group.to_world[0, 0]

    def line(*points: Array) -> Line:
        return transform.transform_points(to_world, np.array(points)).tolist()

    circles = _circles(solution, fixed=solved.plan.options.plane == Plane.REST)
    return Guides(
        reach=[line(*circle) for circle in circles],
        pole=line(solution.joints[0, 0, 1], pole[0, 0]) if pole is not None else [],
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
