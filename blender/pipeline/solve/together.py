"""Chains that do not move each other, side by side: those with the same options take one call of the solver."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import fields

from ....solver import solve
from ....solver.values import Chain, Goals, Solution
from ..batches import batches, stacked
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
    first = spaces[0]
    poles = [here.goals.pole for here in spaces if here.goals.pole is not None]
    poses = [here.goals.pose for here in spaces if here.goals.pose is not None]
    chain = Chain(
        joints=stacked([here.chain.joints for here in spaces]),
        hinge_axis=stacked([here.chain.hinge_axis for here in spaces]),
        use_hinge_axis=first.chain.use_hinge_axis,
    )
    goals = Goals(
        target=stacked([here.goals.target for here in spaces]),
        pole=stacked(poles) if poles else None,
        pose=stacked(poses) if poses else None,
    )
    solution = solve(chain, goals, first.plan.options)
    return [
        Solution(**{field.name: getattr(solution, field.name)[:, row] for field in fields(Solution)})
        for row in range(len(spaces))
    ]
