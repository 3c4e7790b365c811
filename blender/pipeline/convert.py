"""Solutions into the channels to be written, with fewer keys where these were asked for."""

from collections.abc import Generator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...skeleton import bone_channels
from ...skeleton.chain_group import SolvedGroup, one_by_one
from ...skeleton.reduced_keys import reduce_keys
from ...skeleton.steps import part
from ...skeleton.values import Channel, Plan
from ..key_settings import Keys, KeyStyle
from . import own_keys
from .read.keys import rotations_before

Rows = Mapping[str, NDArray[np.intp]]
"""By chain (m,) which of the plan's frames get keys."""


def channels(
    plan: Plan, solved: Sequence[SolvedGroup], rows: Rows, style: KeyStyle
) -> Generator[float, None, list[Channel]]:
    """The channels of the chains' bones, on frames `rows` of the plan or, reduced, on as few as the style allows.

    To reduce takes long: on the way it yields the part that is done.
    """
    by_chain = bone_channels.channels(plan, solved, rows, rotations_before(plan))
    by_chain = own_keys.with_own_keys(plan, solved, by_chain)
    if style.keys == Keys.REDUCED:
        cubic = style.interpolation == "BEZIER"
        for number, one in enumerate(one_by_one(plan, solved)):
            name = one.plan.name
            reduced = partial(reduce_keys, solved=one, step=plan.step, tolerance=style.tolerance, cubic=cubic)
            steps = own_keys.piecewise(reduced, by_chain[name], rows[name], step=plan.step, cubic=cubic)
            by_chain[name] = yield from part(steps, number / len(by_chain), (number + 1) / len(by_chain))
    return [channel for found in by_chain.values() for channel in found]


def paths(plan: Plan) -> set[str]:
    """RNA paths of all that the plan poses or keys."""
    rotations = {bone.rotation_path for chain in plan.chains for bone in chain.keyed}
    return rotations | {bone.scale_path for chain in plan.chains for bone in chain.scaled}
