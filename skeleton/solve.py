"""Samples into solutions: each chain in its own space, after those that move it; and how far tip or tail misses."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import replace

import numpy as np

from ..solver.values import Array, Goals, Integers, Status
from ..solver.vectors import norm
from . import carried_along, chain_group, rounding, tail, transform, uneven_scale
from .bone_channels import shown_bases
from .chain_group import ChainGroup
from .solved_group import SolvedGroup
from .steps import run
from .values import Plan, Samples

Move = Callable[[Samples, SolvedGroup], Samples]
"""The samples with everything that is parented to solved chains moved to where these will take it."""


def solve_group(group: ChainGroup, samples: Samples, count: int, seconds: Array | None = None) -> SolvedGroup:
    """Chains side by side, solved for their targets and poles over `count` frames, at these `seconds` (count,)."""
    solved = solve_for(group, chain_group.goals(group, samples, count, seconds), samples)
    return flat_told(solved) if group.flat.any() else solved


def solve_for(group: ChainGroup, goals: Goals, samples: Samples) -> SolvedGroup:
    """Chains side by side, solved for these goals, whose targets are where the tips go, or the tails of tip bones."""
    if group.kinematics.rigid:
        lever = tail.lever(group, group.kinematics.to_armature, samples) if group.plan.by_tail else None
        solution = group.solve(tail.joint_goals(group, goals, lever))
        return SolvedGroup(group=group, goals=goals, solution=solution, samples=samples)
    return uneven_scale.solve_group(group, goals, samples)


def solve_groups(plan: Plan, samples: Samples) -> list[SolvedGroup]:
    """All chains of the plan, in as few calls of the solver as possible."""
    return run(solving(plan, samples))


def solving(
    plan: Plan, samples: Samples, move: Move = carried_along.move_dependents
) -> Generator[float, None, list[SolvedGroup]]:
    """Solves all chains of the plan rank by rank; yields the part of them that is solved.

    move : what chains of one rank do to the samples that those of the next are solved from
    """
    solved: list[SolvedGroup] = []
    start, count = 0, len(plan.frames)
    for rank in plan.ranks:
        for moving in solved[start:]:
            samples = move(samples, moving)
        start = len(solved)
        for group in chain_group.chain_groups(rank, samples, count):
            if solved:
                yield sum(len(group_solved.plans) for group_solved in solved) / len(plan.chains)
            solved.append(solve_group(group, samples, count, plan.seconds))
    return solved


def solve_again(solved: Iterable[SolvedGroup], samples: Samples, *, carried: bool) -> list[SolvedGroup]:
    """Solves chains once more: nothing but their targets and poles has moved since, and what carries them.

    Chains that are no longer rigid are put side by side again.

    carried : False where what carries them has not moved
    """
    again: list[SolvedGroup] = []
    for old in solved:
        count, group = len(old.goals.target), old.group.carried(samples) if carried else old.group
        groups = [group] if group else chain_group.chain_groups(old.plans, samples, count)
        again += (solve_group(group, samples, count) for group in groups)
    return again


def world_joints(solved: SolvedGroup, rows: Integers | slice = slice(None)) -> Array:
    """(n, c, 3, 3) root, mid and tip in the world, on these rows of the frames; (n, c, 4, 3) with a hock."""
    group, joints = solved.group, solved.solution.joints
    to_world = group.to_world
    if group.flat.any() and not group.kinematics.rigid:
        # Not all bones are squeezed that hang on one: chain space does not hold where they are.
        joints = np.broadcast_to(uneven_scale.posed_joints(group, shown_bases(solved), solved.samples), joints.shape)
        to_world = transform.stacked(solved.samples.to_world[plan.rig] for plan in group.plans)
    return transform.transform_points(transform.on_rows(rows)(to_world)[:, :, None], joints[rows])


def world_miss(solved: SolvedGroup) -> Array:
    """(n, c) distance to the target in the world, from the tip or the tail that comes to it."""
    by_tail = solved.plan.by_tail
    if by_tail or solved.group.flat.any():
        targets = transform.stacked(solved.samples.world(plan.target)[..., :3, 3] for plan in solved.plans)
        return norm(targets - (tail.world_tails(solved) if by_tail else world_joints(solved)[..., -1, :]))
    return norm(transform.transform_vectors(solved.group.to_world[..., :3, :3], solved.solution.miss))


def flat_told(solved: SolvedGroup) -> SolvedGroup:
    """The solved chains, where a flat limb that misses its target in the world does not count as having reached it."""
    solution, miss = solved.solution, world_miss(solved)
    joints = world_joints(solved)
    size = norm(np.diff(joints, axis=-2)).sum(axis=-1)
    largest = np.maximum(np.abs(joints).max(axis=(-2, -1)), miss)
    short = solved.group.flat & (miss > rounding.near(size, largest)) & (solution.status == Status.REACHED)
    solution = replace(
        solution,
        status=np.where(short, Status.TOO_FAR, solution.status).astype(np.uint8),
        shortfall=np.where(short, miss, solution.shortfall),
        degenerate=solution.degenerate | solved.group.flat,
    )
    return replace(solved, solution=solution)
