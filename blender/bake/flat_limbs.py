"""What a check says of limbs with a scale of zero: where their bones will be is only known once Blender poses them."""

from collections.abc import Iterable, Iterator

import numpy as np

from ...skeleton.chain_group import SolvedGroup
from ...skeleton.values import Plan
from ..messages.translation import translated
from .chain_report import when


def flat_notes(plan: Plan, solved: Iterable[SolvedGroup]) -> Iterator[str]:
    """A sentence for each chain with bones to which more than rotations passes, where a scale of zero does."""
    frames = plan.frames[plan.asked]
    for group in (each.group for each in solved):
        if group.kinematics.rigid:
            continue
        flat = group.flat
        for basis in group.basis:
            flat = flat | (basis.scale == 0.0).any(axis=-1)
        if flat.any():
            each = np.broadcast_to(flat, (len(plan.frames), flat.shape[1]))[plan.asked]
            for column, chain in enumerate(group.plans):
                if each[:, column].any():
                    yield translated("note.flat_unproven", chain=chain.name, when=when(frames, each[:, column]))
