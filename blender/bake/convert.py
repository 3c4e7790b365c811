"""Solutions into the channels to be written, with fewer keys where these were asked for."""

from collections.abc import Generator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...skeleton import bone_channels
from ...skeleton.reduced_keys import Fit, TestPoints, limb_points, reduce_channels
from ...skeleton.reduced_targets import reduce_targets
from ...skeleton.solved_group import SolvedGroup, one_by_one
from ...skeleton.steps import part
from ...skeleton.target_channels import KeyedTargets, Places, channels_by_target
from ...skeleton.values import Channel, Plan, Point, Samples
from ..curves import own_keys
from ..curves.keys import values_before
from ..settings.key_settings import Keys, KeyStyle

Rows = Mapping[str, NDArray[np.intp]]
"""By chain (m,) which of the plan's frames get keys."""


def channels(
    plan: Plan, solved: Sequence[SolvedGroup], rows: Rows, style: KeyStyle
) -> Generator[float, None, list[Channel]]:
    """The channels of the chains' bones, on frames `rows` of the plan or, reduced, on as few as the style allows.

    The call converts what is solved. What it returns yields the part that is done, since reducing takes long, and keeps
    nothing of the solution.
    """
    rotations = [bone.rotation_path for chain in plan.chains for bone in chain.keyed]
    before = values_before(plan.rig, rotations, plan.frames[0])
    by_chain = bone_channels.channels(plan, solved, rows, before)
    if any(chain.may_fall_short("influence") for chain in plan.chains):
        by_chain = own_keys.with_own_keys(plan, solved, by_chain)
    points: dict[str, TestPoints] = {}
    for limb in one_by_one(plan, solved) if style.keys == Keys.REDUCED else ():
        paths = [channel.path for channel in by_chain[limb.plan.name]]
        points[limb.plan.name] = partial(limb_points, limb.group, limb.samples.basis, paths)
    return _reduced(plan, by_chain, points, rows, style)


def _reduced(
    plan: Plan, by_chain: dict[str, list[Channel]], points: Mapping[str, TestPoints], rows: Rows, style: KeyStyle
) -> Generator[float, None, list[Channel]]:
    """points : by chain that is to have fewer keys"""
    fit = _fit(style)
    for number, (name, test_points) in enumerate(points.items()):
        reduced = partial(reduce_channels, test_points=test_points, fit=fit, step=plan.step)
        steps = own_keys.piecewise(reduced, by_chain[name], rows[name], step=plan.step, cubic=fit.cubic)
        by_chain[name] = yield from part(steps, number / len(by_chain), (number + 1) / len(by_chain))
    return [channel for of_chain in by_chain.values() for channel in of_chain]


def target_channels(
    plan: Plan, solved: Sequence[SolvedGroup], places: Places, samples: Samples, targets: KeyedTargets, style: KeyStyle
) -> Generator[float, None, dict[Point, Sequence[Channel]]]:
    """By target the channels that give it its transform, on the frames that the style asks for; yields the part done.

    solved : the chains for these targets, each a group of one
    """
    if style.keys == Keys.REDUCED:
        return (yield from reduce_targets(plan, solved, places, samples, targets, _fit(style)))
    channels = channels_by_target(plan, places, samples, targets, {})
    rows = {point: plan.rows_to_key(group.plan) for group in solved for point in (group.plan.target, group.plan.pole)}
    return {point: [channel.on_rows(rows[point]) for channel in whole] for point, whole in channels.items()}


def _fit(style: KeyStyle) -> Fit:
    return Fit(tolerance=style.tolerance, cubic=style.interpolation == "BEZIER")


def paths(plan: Plan) -> set[str]:
    """RNA paths of all that the plan poses or keys."""
    rotations = {bone.rotation_path for chain in plan.chains for bone in chain.keyed}
    return rotations | {bone.scale_path for chain in plan.chains for bone in chain.scaled}
