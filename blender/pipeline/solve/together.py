"""Chains that do not move each other, side by side: those with the same options take one call of the solver."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import fields

import numpy as np

from ....solver import solve
from ....solver.values import Array, Chain, Goals, Solution
from ..batches import batches
from .space import ChainSpace


def solutions(spaces: Sequence[ChainSpace]) -> list[Solution]:
    """The solution of each chain."""
    found: dict[str, Solution] = {}
    for part in batches(spaces, _kind, rows=len(spaces[0].goals.target)):
        found |= zip((here.plan.name for here in part), _side_by_side(part), strict=True)
    return [found[here.plan.name] for here in spaces]


def _kind(here: ChainSpace) -> Hashable:
    return here.plan.options, here.chain.use_hinge_axis, here.goals.pole is None, here.goals.pose is None


def _side_by_side(spaces: Sequence[ChainSpace]) -> list[Solution]:
    chains, goals, first = [here.chain for here in spaces], [here.goals for here in spaces], spaces[0]
    chain = Chain(
        joints=_stacked(chain.joints for chain in chains),
        hinge_axis=_stacked(chain.hinge_axis for chain in chains),
        use_hinge_axis=first.chain.use_hinge_axis,
    )
    goal = Goals(
        target=_stacked(goal.target for goal in goals),
        pole=None if first.goals.pole is None else _stacked(goal.pole for goal in goals),
        pose=None if first.goals.pose is None else _stacked(goal.pose for goal in goals),
    )
    solution = solve(chain, goal, first.plan.options)
    return [
        Solution(**{field.name: getattr(solution, field.name)[row] for field in fields(Solution)})
        for row in range(len(spaces))
    ]


def _stacked(arrays: Iterable[Array | None]) -> Array:
    """(c, n, ...) of arrays (n, ...), each of which may also be given once for all frames."""
    return np.stack(np.broadcast_arrays(*arrays))
