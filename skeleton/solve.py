"""Samples into solutions: each chain in its own space, after those that move it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from . import chain_group, dependent_chains, uneven_scale
from .chain_group import ChainGroup
from .plan import Plan
from .samples import Samples
from .solved_group import SolvedGroup

Carry: TypeAlias = Callable[[Samples, SolvedGroup], Samples]
"""The samples with all that hangs on solved chains moved to where it will be."""


def solve_groups(plan: Plan, samples: Samples, carried: Carry = dependent_chains.posed) -> list[SolvedGroup]:
    """All chains of the plan, as many side by side as can be, those that hang on others on where `carried` has them."""
    solved: list[SolvedGroup] = []
    last: list[SolvedGroup] = []
    count = len(plan.frames)
    for rank in plan.ranks:
        for group in last:
            samples = carried(samples, group)
        last = [solve_group(here, samples, count) for here in chain_group.chain_groups(rank, samples, count)]
        solved += last
    return solved


def solve_again(solved: Iterable[SolvedGroup], samples: Samples) -> list[SolvedGroup]:
    """The same chains, where nothing has moved since but what they reach for."""
    return [solve_group(old.here, samples, len(old.goals.target)) for old in solved]


def solve_group(here: ChainGroup, samples: Samples, count: int) -> SolvedGroup:
    return uneven_scale.solve_group(here, chain_group.goals(here, samples, count), samples)
