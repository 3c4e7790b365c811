"""Samples into solutions: each chain in its own space, after those that move it."""

from __future__ import annotations

from ....solver import Solution
from ..plan import Plan
from ..samples import Samples
from . import refine, space
from .carry import carried
from .space import ChainSpace

Solved = list[tuple[ChainSpace, Solution, Samples]]
"""For each chain its space, its solution, and the samples as the chains before it have left them."""


def solutions(plan: Plan, samples: Samples) -> Solved:
    """All chains of the plan."""
    solved: Solved = []
    last: list[tuple[ChainSpace, Solution]] = []
    for rank in plan.ranks:
        for here, solution in last:
            samples = carried(samples, here, solution)
        last = refine.solved(space.chain_spaces(rank, samples, len(plan.frames)), samples)
        solved += [(here, solution, samples) for here, solution in last]
    return solved
