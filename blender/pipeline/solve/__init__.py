"""Samples into solutions: each chain in its own space, after those that move it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from ..plan import Plan
from ..samples import Samples
from . import carry, refine, space
from .solved import Solved, one_by_one
from .space import ChainSpace

__all__ = ["Solved", "again", "one_by_one", "solutions"]


Carry: TypeAlias = Callable[[Samples, Solved], Samples]
"""The samples with all that hangs on solved chains moved to where it will be."""


def solutions(plan: Plan, samples: Samples, carried: Carry = carry.posed) -> list[Solved]:
    """All chains of the plan, as many side by side as can be, those that hang on others on where `carried` has them."""
    solved: list[Solved] = []
    last: list[Solved] = []
    count = len(plan.frames)
    for rank in plan.ranks:
        for group in last:
            samples = carried(samples, group)
        last = [_solved(here, samples, count) for here in space.chain_spaces(rank, samples, count)]
        solved += last
    return solved


def again(solved: Iterable[Solved], samples: Samples) -> list[Solved]:
    """The same chains, where nothing has moved since but what they reach for."""
    return [_solved(old.here, samples, len(old.goals.target)) for old in solved]


def _solved(here: ChainSpace, samples: Samples, count: int) -> Solved:
    return refine.solved(here, space.goals(here, samples, count), samples)
