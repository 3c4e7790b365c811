"""What a report says of chains that do not keep their pose for the targets that were found for it."""

from collections.abc import Iterable, Iterator

import numpy as np

from ...skeleton.targets_from_pose import TargetsFromPose
from ...skeleton.values import Plan
from .chain_report import when
from .translation import translated


def pose_notes(plan: Plan, found: Iterable[TargetsFromPose]) -> Iterator[str]:
    """A sentence for each chain that does not keep its pose when it is solved for the targets that were found."""
    for one in found:
        chain = one.solved.plan
        if one.joints_moved.any():
            yield translated(
                "alert.pose_changes" if chain.pole else "alert.pose_changes_without_pole",
                chain=chain.name,
                when=when(plan.frames, one.joints_moved),
                moved=one.moved.max(),
            )
        elif one.bones_rolled.any():
            yield translated(
                "alert.roll_changes",
                chain=chain.name,
                rolled=np.degrees(one.rolled.max()),
                when=when(plan.frames, one.bones_rolled),
            )
