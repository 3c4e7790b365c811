"""What the overlay shows of a chain, as points in world space: limb, other solution, reach, pole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi

import numpy as np

from ...skeleton import transform
from ...skeleton.chain_group import SolvedGroup
from ...solver import Solution
from ...solver.values import Array, Plane, Status
from ...solver.vectors import any_normal
from .state import RigState

Line = list[tuple[float, float, float]]
"""Points in world space, to be joined one after another."""

_TURN = np.linspace(0.0, 2.0 * pi, 65)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainOverlay:
    """One chain as it is solved now.

    name : of the chain
    status : a `Status`
    limb : root, mid and tip
    other : the same of the other solution; empty where there is one only
    reach : circles of the least and the greatest reach, in the chain's plane and, unless that is fixed, across it
    pole : from the mid joint to the pole target; empty where there is none
    miss : from the tip to the target
    """

    name: str
    status: Status
    limb: Line
    other: Line
    reach: list[Line]
    pole: Line
    miss: Line


def chain_overlays(now: RigState) -> Iterator[ChainOverlay]:
    """Of all chains that are solved."""
    for solved in now.solved:
        yield _outline(solved)


def _outline(solved: SolvedGroup) -> ChainOverlay:
    plan, solution, pole = solved.plan, solved.solution, solved.goals.pole
    to_world, joints, target = solved.group.to_world[0, 0], solution.joints[0, 0], solution.target[0, 0]

    def line(*points: Array) -> Line:
        return transform.transform_points(to_world, np.array(points)).tolist()

    other = _mirrored(joints)
    circles = _circles(solution, fixed=plan.options.plane == Plane.REST)
    return ChainOverlay(
        name=plan.name,
        status=Status(int(solution.status[0, 0])),
        limb=line(*joints),
        other=line(*other) if not np.allclose(other, joints, atol=1e-3 * np.abs(joints).max()) else [],
        reach=[line(*circle) for circle in circles],
        pole=line(joints[1], pole[0, 0]) if pole is not None else [],
        miss=line(joints[2], target),
    )


def _mirrored(joints: Array) -> Array:
    """(3, 3) the joints with the mid joint on the other side of the line from root to tip."""
    root, mid, tip = joints
    size_sq = float(tip @ tip)
    # On a full fold the line has no direction, and the other side is where the mid joint is turned around.
    along = tip * (mid @ tip / size_sq) if size_sq > 0.0 else np.zeros(3)
    return np.array((root, 2.0 * along - mid, tip))


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
