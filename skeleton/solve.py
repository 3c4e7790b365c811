"""Samples into solutions: each chain in its own space, after those that move it."""

from collections.abc import Callable, Generator, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..solver.values import Array
from . import chain_group, dependent_chains, transform, uneven_scale
from .chain_group import ChainGroup, SolvedGroup
from .steps import run
from .values import Plan, Samples

Move: TypeAlias = Callable[[Samples, SolvedGroup], Samples]
"""The samples with everything that is parented to solved chains moved to where these will take it."""


def solve_groups(plan: Plan, samples: Samples) -> list[SolvedGroup]:
    """All chains of the plan, in as few calls of the solver as possible."""
    return run(solving(plan, samples))


def solving(
    plan: Plan, samples: Samples, move: Move = dependent_chains.move_dependents
) -> Generator[float, None, list[SolvedGroup]]:
    """The same step by step.

    move : what chains of one rank do to the samples that those of the next are solved from
    """
    solved: list[SolvedGroup] = []
    last: list[SolvedGroup] = []
    count = len(plan.frames)
    for rank in plan.ranks:
        for moving in last:
            samples = move(samples, moving)
        last = []
        for group in chain_group.chain_groups(rank, samples, count):
            if solved or last:
                yield sum(len(each.plans) for each in (*solved, *last)) / len(plan.chains)
            last.append(solve_group(group, samples, count, plan.seconds))
        solved += last
    return solved


def solve_again(solved: Iterable[SolvedGroup], samples: Samples) -> list[SolvedGroup]:
    """The same chains, if nothing but their targets and poles has moved since."""
    return [solve_group(old.group, samples, len(old.goals.target)) for old in solved]


def solve_group(group: ChainGroup, samples: Samples, count: int, seconds: Array | None = None) -> SolvedGroup:
    """Chains side by side, solved for their targets and poles over `count` frames, at these `seconds` (count,)."""
    return uneven_scale.solve_group(group, chain_group.goals(group, samples, count, seconds), samples)


def world_joints(solved: SolvedGroup, rows: NDArray[np.intp] | slice = slice(None)) -> Array:
    """(n, c, 3, 3) root, mid and tip in the world, on these rows of the frames."""
    to_world = solved.group.to_world if len(solved.group.to_world) == 1 else solved.group.to_world[rows]
    return transform.transform_points(to_world[:, :, None], solved.solution.joints[rows])
