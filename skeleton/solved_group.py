"""Chains once they are solved: side by side for what goes on with them, or one by one for who looks at them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from ..solver.values import Goals, Solution
from .chain_group import ChainGroup
from .plan import ChainPlan, Plan
from .samples import Samples


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SolvedGroup:
    """Chains side by side, on an axis behind the frames: what they were to reach, and how they do.

    samples : as the chains before them have left them
    """

    here: ChainGroup
    goals: Goals
    solution: Solution
    samples: Samples

    @property
    def plan(self) -> ChainPlan:
        """Of the first; the options of all are the same."""
        return self.here.plan

    def one(self, row: int) -> SolvedGroup:
        """One of the chains, without that axis."""
        goals = self.goals
        return SolvedGroup(
            here=self.here.one(row),
            goals=Goals(
                target=goals.target[:, row],
                pole=None if goals.pole is None else goals.pole[:, row],
                pose=None if goals.pose is None else goals.pose[:, row],
            ),
            solution=Solution(**{each.name: getattr(self.solution, each.name)[:, row] for each in fields(Solution)}),
            samples=self.samples,
        )


def one_by_one(plan: Plan, solved: Iterable[SolvedGroup]) -> list[SolvedGroup]:
    """The chains of the plan, in its order, each by itself."""
    found = {chain.name: group.one(row) for group in solved for row, chain in enumerate(group.here.plans)}
    return [found[chain.name] for chain in plan.chains if chain.name in found]


def bend_sign(solved: SolvedGroup) -> int:
    """The way in which one chain bends on the first frame: +1 or -1, with a pole target +1 towards it."""
    if solved.goals.pole is None:
        return 1 if solved.solution.hinge_angle[0] >= 0.0 else -1
    root, mid, tip = solved.solution.joints[0]
    line = tip - root
    beside, towards = (point - line * (point @ line) / (line @ line or 1.0) for point in (mid, solved.goals.pole[0]))
    return 1 if beside @ towards >= 0.0 else -1
