"""Captured legs of a skeleton as the solver's `plant` takes them, and what it finds as targets of their chains.

Each leg's target is its tip bone as captured, moved to another place, and turned so that the foot stands at rest.
Hands are planted after the legs, each by itself, once the hips are where they will be.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...solver.feet import hips as hips_motion
from ...solver.feet.plant import Legs, PlantedLegs, PlantOptions, plant
from ...solver.values import Array, Mask
from ...solver.vectors import along, dot, norm, product
from .. import inherit, transform
from ..values import ChainPlan, Channel, Plan, Point, Samples
from . import straight_limbs
from .feet import UP, BonePoint, Foot, Hips, contact_points, limb_joints, orientations, positions, slow_rows

_LOW = 0.25
"""Part of the frames on which the lower tip is lowest; then it stands."""

Heights = Callable[[Array, float], Array]
"""The height of the floor (...) below points (..., 3), for legs of this length; NaN where it is not below them."""

FloorLevels = Callable[[Array], tuple[Array, Mask]]
"""Heights (n, f, 2) of ball and heel where they stand below points (n, f, 2, 3); and where no floor is (n, f)."""

GivenContacts = tuple[Mask, Mask] | None
"""(n, 2) whether ball and heel of a foot stand, and (n,) on which frames this is known; None if it is on none."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlantedFeet:
    """Where hips and feet go, with a column for each foot.

    captured : all legs and hands
    placed : (n, f, 2, 3)     ball and heel as planted
    shift : (n, 3)            of the hips
    tips : (n, f, 3)
    turns : (n, f, 3, 3)      of the feet, from how they were captured
    stands : (n, f, 2) bool
    velocity, outrun : (f, 3) of the ground, and one that the ground was not given since the hips outrun it
    moved, softness, bent, short : (n, f)     as `PlantedLegs` has them
    ratio : float             by which the hips' motion was scaled
    lowering : (n,)           of the hips
    groundless : (n, f) bool  where the foot would stand if there was a floor below it
    ground : (n, f)           height of the ball where it is on the ground; -inf where that is not known
    """

    captured: Legs
    placed: Array
    shift: Array
    tips: Array
    turns: Array
    stands: Mask
    velocity: Array
    outrun: Array
    moved: Array
    softness: Array
    bent: Array
    short: Array
    ratio: float
    lowering: Array
    groundless: Mask
    ground: Array


def plant_feet(
    whole: Legs,
    samples: Samples,
    feet: Sequence[Foot],
    hips: Hips | None,
    given: Sequence[GivenContacts],
    options: PlantOptions,
    heights: Heights | None,
) -> PlantedFeet:
    """What is to be made of feet that were sampled on these frames.

    whole : the `captured_legs`
    given : of each foot, what is known of its contacts
    heights : None if the ground is to be found
    """
    legs = [column for column, foot in enumerate(feet) if not foot.is_hand]
    kept = np.array([not foot.is_planted for foot in feet])
    found: dict[int, tuple[PlantedLegs, int]] = {}
    groundless = np.zeros((len(whole.hips), len(feet)), dtype=np.bool_)
    ratio, lowering, fit = 1.0, np.zeros(len(whole.hips)), np.zeros_like(whole.hips)
    if legs:
        own, those = _columns(whole, legs), [feet[column] for column in legs]
        known = [given[column] for column in legs]
        ratio, fit = _ratio_and_fit(own, hips)
        leg, clearances = float(own.lengths.mean()), _clearances(samples, those, len(whole.hips))
        floor = partial(_floor_levels, heights, leg, clearances) if heights else None
        chosen = replace(options, limit=options.limit if hips else 0.0, kept=kept[legs])
        body, groundless[:, legs] = _planted_legs(own.moved(fit), known, chosen, floor)
        found, lowering = {column: (body, row) for row, column in enumerate(legs)}, body.lowering
    shift = fit - along(UP, lowering)
    # Hands that hang at ease go along with the body, over ground that would seem to move.
    options = replace(options, limit=0.0, velocity=np.zeros(3), level_ground=False)
    for column in set(range(len(feet))) - found.keys():
        hand, foot = _columns(whole, [column]), feet[column]
        if hips and foot.chain.name in hips.carries:
            hand = replace(hand.moved(fit if foot.is_kept else shift), roots=hand.roots + shift[:, None])
        found[column] = _with_given(hand, replace(options, kept=kept[[column]]), [given[column]]), 0
    ordered = [found[column] for column in range(len(feet))]
    over_frames = "tips", "turns", "stands", "moved", "softness", "bent", "short"
    every: dict[str, Any] = {
        name: transform.stacked(getattr(legs, name)[:, row] for legs, row in ordered) for name in over_frames
    }
    every |= {name: np.stack([getattr(legs, name) for legs, _ in ordered]) for name in ("velocity", "outrun")}
    lines = (whole.points - whole.tips[:, :, None]) @ np.swapaxes(every["turns"], -1, -2)
    placed = every["tips"][:, :, None] + lines
    return PlantedFeet(
        captured=whole,
        placed=placed,
        shift=shift,
        ratio=ratio,
        lowering=lowering,
        groundless=groundless,
        ground=transform.stacked(_ground(placed[:, column, 0], *legs) for column, legs in enumerate(ordered)),
        **every,
    )


def _ratio_and_fit(legs: Legs, hips: Hips | None) -> tuple[float, Array]:
    """By how much the hips' motion is scaled so that it suits the legs, and how far (n, 3) that moves all."""
    leg = float(legs.lengths.mean())
    ratio = hips_motion.found_ratio(legs.hips, legs.points, legs.rate, leg, legs.up) if hips else 1.0
    if ratio == 1.0:
        return ratio, np.zeros_like(legs.hips)
    # At the height at which tips stood that were not yet so much longer.
    stood = dot(legs.roots + (legs.tips - legs.roots) / ratio, legs.up).min(axis=1)
    origin = legs.hips[0] + (float(np.quantile(stood, _LOW)) - dot(legs.hips[0], legs.up)) * legs.up
    return ratio, hips_motion.fit(legs.hips, ratio, origin)


def _planted_legs(
    legs: Legs, given: Sequence[GivenContacts], options: PlantOptions, floor: FloorLevels | None
) -> tuple[PlantedLegs, Mask]:
    """The legs, all together; and (n, f) where there is no floor below a foot that would stand."""
    if floor is None:
        return _with_given(legs, options, given), np.zeros(legs.tips.shape[:2], dtype=np.bool_)
    level, outside = floor(legs.points)
    planted = _with_given(legs, replace(options, level=level), given)
    # Where feet land does not depend on heights.
    landed, off = floor(legs.points + (planted.tips - legs.tips)[:, :, None])
    landed = np.where(off[..., None], level, landed)
    # There is no floor for a foot if there was none where it was captured either. Such feet are free.
    off &= outside
    if not off.any() and np.array_equal(landed, level):
        return planted, off
    held = np.logical_or.reduce(planted.stands, axis=-1)
    return plant(legs, replace(options, level=landed, stands=planted.stands & ~off[..., None])), off & held


def _floor_levels(heights: Heights, leg: float, clearances: Array, points: Array) -> tuple[Array, Mask]:
    """`FloorLevels` of a floor.

    A point without a floor has that of the other; a foot without has the one that it had last, or has next.

    leg : length of a leg
    clearances : (f, 2)     how high ball and heel are above their soles
    """
    found = heights(points, leg)
    usual = np.nanmedian(found)
    found = np.where(np.isnan(found), found[..., ::-1], found)
    outside = np.logical_or.reduce(np.isnan(found), axis=-1)
    rows = np.arange(len(found))
    for column in np.flatnonzero(outside.any(axis=0)):
        known = ~outside[:, column]
        for point in (0, 1):
            own = found[:, column, point]
            own[~known] = np.interp(rows[~known], rows[known], own[known]) if known.any() else usual
    return found + clearances, outside


def _ground(balls: Array, planted: PlantedLegs, row: int) -> Array:
    """(n,) as `PlantedFeet` has it."""
    if planted.level is not None:
        return planted.level[:, row, 0]
    return np.where(planted.stands[:, row, 0], dot(balls, UP), -np.inf)


def captured_legs(samples: Samples, feet: Sequence[Foot], hips: Hips | None, count: int, rate: float) -> Legs:
    """The legs of these feet as they were sampled, on `count` frames."""
    joints = transform.stacked(positions(samples, foot.chain.rig, limb_joints(foot.chain), count) for foot in feet)
    roots, _, tips = np.moveaxis(joints, 2, 0)
    if hips:
        moved = positions(samples, feet[0].chain.rig, [BonePoint(hips.bone.name)], count)[:, 0]
    else:
        moved = roots.mean(axis=1)
    return Legs(
        hips=moved,
        roots=roots,
        tips=tips,
        points=contact_points(samples, feet, count),
        feet=transform.stacked(orientations(samples, foot, count) for foot in feet),
        against=np.stack([straight_limbs.against_usual(samples, foot.chain, count) for foot in feet], axis=1),
        # Bones with keyed locations may change them from frame to frame.
        lengths=np.median(norm(np.diff(joints, axis=2)).sum(axis=2), axis=0),
        rate=rate,
        up=UP,
    )


def _columns(legs: Legs, columns: Sequence[int]) -> Legs:
    if len(columns) == len(legs.lengths):
        return legs
    fields = {name: getattr(legs, name)[:, columns] for name in ("roots", "tips", "points", "feet", "against")}
    return replace(legs, lengths=legs.lengths[columns], **fields)


def _clearances(samples: Samples, feet: Sequence[Foot], count: int) -> Array:
    """(f, 2) how far ball and heel are above the lowest end of their foot's bones, while it stands."""
    found = []
    for foot in feet:
        own = contact_points(samples, [foot], count)[:, 0]
        low = dot(positions(samples, foot.chain.rig, foot.ends, count), UP).min(axis=1)
        found.append(np.median((dot(own, UP) - low[:, None])[slow_rows(own)], axis=0))
    return np.stack(found)


def _with_given(legs: Legs, options: PlantOptions, given: Sequence[GivenContacts]) -> PlantedLegs:
    """The legs planted, with contacts found on frames on which they are not given.

    Contacts that were found are then given, so that it makes no difference whether they have been keyed since.
    """
    known = np.stack([one[1] if one else np.zeros(len(legs.hips), dtype=np.bool_) for one in given], axis=1)
    stands = np.stack([one[0] if one else np.zeros((len(known), 2), dtype=np.bool_) for one in given], axis=1)
    if known.all():
        return plant(legs, replace(options, stands=stands))
    found = plant(legs, options)
    if not known.any():
        return found
    return plant(legs, replace(options, stands=np.where(known[..., None], stands, found.stands)))


def with_targets(plan: Plan, samples: Samples, planted: PlantedFeet, hips: Hips | None) -> tuple[Plan, Samples]:
    """The plan with chains whose tips go where they are planted, and the samples with these targets and hips moved."""
    shift = _in_armature(samples, plan, planted.shift)
    moved = {
        chain.parent: transform.affine_product(transform.translation(shift), samples.pose[chain.parent])
        for chain in plan.chains
        if hips and chain.parent and chain.name in hips.carries
    }
    worlds, numbers = {}, {}
    for column, chain in enumerate(plan.chains):
        tip = samples.world(Point(plan.rig, chain.tip_bone or chain.end.name))[:, :3, :3]
        worlds[chain.name] = transform.compose(product(planted.turns[:, column], tip), planted.tips[:, column])
        numbers[Point(plan.rig, chain.end.name)] = {"softness": planted.softness[:, column]}
    samples = replace(samples, to_world={**samples.to_world, **worlds}, pose={**samples.pose, **moved}, numbers=numbers)
    plan = replace(plan, ranks=tuple(tuple(map(_with_target, rank)) for rank in plan.ranks))
    return plan, straight_limbs.bent_samples(plan, samples, planted.bent)


def _with_target(chain: ChainPlan) -> ChainPlan:
    # A target is no object here: its chain's name stands for it.
    return replace(chain, target=Point(chain.name), animated=frozenset({"softness"}))


def _in_armature(samples: Samples, plan: Plan, vectors: Array) -> Array:
    return transform.transform_vectors(transform.inverse(samples.to_world[plan.rig][:, :3, :3]), vectors)


def hips_channel(plan: Plan, samples: Samples, hips: Hips, shift: Array) -> Channel:
    """The keys of the hips' location, moved by (n, 3) in the world."""
    bones, point = (hips.bone,), Point(plan.rig, hips.bone.name)
    parent = samples.pose[hips.parent][:, None] if hips.parent else None
    head = samples.pose[point][:, None, :3, 3]
    # The difference is 0 to the last bit where nothing moves.
    moved = inherit.location(bones, parent, head + _in_armature(samples, plan, shift)[:, None])
    values = samples.basis[point].location + (moved - inherit.location(bones, parent, head))[:, 0]
    values = np.broadcast_to(values, (len(plan.frames), 3))
    return Channel(path=hips.bone.location_path, group=hips.bone.name, frames=plan.frames, values=values)
