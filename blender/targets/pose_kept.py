"""What a report says of targets that were found for a pose: chains that do not keep it, and few keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ...skeleton.targets_from_pose import TargetsFromPose
from ...skeleton.values import Channel, Plan, Point
from ..bake.chain_report import when
from ..messages.numbers import unit_name
from ..messages.translation import translated


def pose_notes(plan: Plan, targets: Iterable[TargetsFromPose]) -> Iterator[str]:
    """A sentence for each chain that does not keep its pose when it is solved for the targets that were found."""
    for of_chain in targets:
        chain, frames = of_chain.solved.plan, plan.frames[plan.requested]
        moved, rolled = of_chain.joints_moved[plan.requested], of_chain.bones_rolled[plan.requested]
        if moved.any():
            yield translated(
                "alert.pose_changes" if chain.pole or chain.hock else "alert.pose_changes_without_pole",
                chain=chain.name,
                when=when(frames, moved),
                unit=unit_name(plan.scene),
                moved=of_chain.moved[plan.requested].max(),
            )
        elif rolled.any():
            yield translated(
                "alert.roll_changes",
                chain=chain.name,
                rolled=np.degrees(of_chain.rolled[plan.requested].max()),
                when=when(frames, rolled),
            )


def key_notes(plan: Plan, channels: Mapping[Point, Sequence[Channel]]) -> Iterator[str]:
    """A sentence for each chain whose targets do not get keys on just the frames of the range: on how many they do."""
    total = len(plan.frames[plan.requested])
    for chain in plan.chains:
        count = len(channels[chain.target][0].frames)
        if count != total:
            yield translated("note.few_target_keys", chain=chain.name, count=count, total=total)
