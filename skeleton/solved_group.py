"""Chains once they are solved, side by side, or each as a group of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from ..solver.values import Goals, Solution
from .chain_group import ChainGroup
from .values import ChainPlan, Plan, Samples


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SolvedGroup:
    """Chains side by side, their goals and their solution, all with the axis of the chains behind the frames.

    samples : as the chains of earlier ranks left them
    """

    group: ChainGroup
    goals: Goals
    solution: Solution
    samples: Samples

    @property
    def plans(self) -> tuple[ChainPlan, ...]:
        """(c,) of the chains."""
        return self.group.plans

    @property
    def plan(self) -> ChainPlan:
        """Of the first chain; the options of all are the same."""
        return self.group.plan

    def one(self, row: int) -> SolvedGroup:
        """One of the chains: c is 1."""
        goals, only = self.goals, slice(row, row + 1)
        return SolvedGroup(
            group=self.group.one(row),
            goals=Goals(
                target=goals.target[:, only],
                pole=None if goals.pole is None else goals.pole[:, only],
                pose=None if goals.pose is None else goals.pose[:, only],
            ),
            solution=Solution(**{each.name: getattr(self.solution, each.name)[:, only] for each in fields(Solution)}),
            samples=self.samples,
        )


def one_by_one(plan: Plan, solved: Iterable[SolvedGroup]) -> list[SolvedGroup]:
    """The solved chains in the plan's order, each as a group of one."""
    by_name = {chain.name: group.one(row) for group in solved for row, chain in enumerate(group.plans)}
    return [by_name[chain.name] for chain in plan.chains if chain.name in by_name]


def bend_sign(solved: SolvedGroup) -> int:
    """How a group's first chain bends on the first frame: +1 or -1, with a pole target +1 towards it."""
    if solved.goals.pole is None:
        return 1 if solved.solution.hinge_angle[0, 0] >= 0.0 else -1
    root, mid, tip = solved.solution.joints[0, 0]
    line = tip - root
    beside, towards = (point - line * (point @ line) / (line @ line or 1.0) for point in (mid, solved.goals.pole[0, 0]))
    return 1 if beside @ towards >= 0.0 else -1
