"""Targets out of reach of chains that are to reach them or not be baked at all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ....skeleton.chain_group import SolvedGroup, one_by_one
from ....skeleton.values import Plan
from ....solver.values import Unreachable
from ...messages.refused import Refused
from ...messages.report import frame_text


def refuse_unreachable(plan: Plan, solved: Iterable[SolvedGroup]) -> None:
    """Raise `Refused` for the first frame out of reach of a chain whose Unreachable is Error."""
    erring = [group for group in solved if group.plan.options.unreachable == Unreachable.ERROR]
    for one in one_by_one(plan, erring):
        out = one.out_of_reach[plan.asked, 0]
        if out.any():
            frame = plan.step * int(np.argmax(out))
            distance, inner, outer = one.distances(frame)
            when = frame_text(plan.frames[frame])
            raise Refused("UNREACHABLE", chain=one.plan, value=distance, frame=when, inner=inner, outer=outer)
