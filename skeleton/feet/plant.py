"""Captured legs of a skeleton as the solver's `plant` takes them, and what it finds as targets of their chains.

Each leg's target is its tip bone as captured, moved to another place, and turned so that the foot stands at rest.
Hands are planted after the legs, each by itself, once the hips are where they will be.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...solver.feet import hips as hips_motion
from ...solver.feet.plant import Legs, PlantedLegs, PlantOptions, plant
from ...solver.values import Array
from ...solver.vectors import dot, norm, product
from .. import inherit, transform
from ..values import ChainPlan, Channel, Plan, Point, Samples
from . import straight_limbs
from .feet import UP, BonePoint, Foot, Hips, contact_points, limb_joints, orientations, positions, slow_rows
from .floor_levels import FloorLevels, Heights

_LOW = 0.25
"""Part of the frames on which the lower tip is lowest; then it stands."""

GivenContacts = tuple[NDArray[np.bool_], NDArray[np.bool_]] | None
"""(n, 2) whether ball and heel of a foot stand, and (n,) on which frames this is known; None if it is on none."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlantedFeet:
    """Where hips and feet go, with a column for each foot.

    points, placed : (n, f, 2, 3)     ball and heel, as captured and as planted
    feet : (n, f, 3, 3)       orientations as captured; NaN of feet that cannot turn
    shift : (n, 3)            of the hips
    tips : (n, f, 3)
    turns : (n, f, 3, 3)      of the feet, from how they were captured
    stands : (n, f, 2) bool
    velocity, outrun : (f, 3) of the ground, and one that the ground was not given since the hips outrun it
    moved, softness, bent, short : (n, f)     as `PlantedLegs` has them
    lengths : (f,)            of the limbs
    ratio : float             by which the hips' motion was scaled
    lowering : (n,)           of the hips
    groundless : (n, f) bool  where the foot would stand if there was a floor below it
    ground : (n, f)           height of the ball where it is on the ground; -inf where that is not known
    """

    points: Array
    placed: Array
    feet: Array
    shift: Array
    tips: Array
    turns: Array
    stands: NDArray[np.bool_]
    velocity: Array
    outrun: Array
    moved: Array
    softness: Array
    bent: Array
    short: Array
    lengths: Array
    ratio: float
    lowering: Array
    groundless: NDArray[np.bool_]
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
    found: dict[int, tuple[PlantedLegs, int]] = {}
    groundless = np.zeros((len(whole.hips), len(feet)), dtype=np.bool_)
    body = None
    if legs:
        captured, those = _columns(whole, legs), [feet[column] for column in legs]
        known = [given[column] for column in legs]
        body, groundless[:, legs] = _planted_legs(captured, samples, those, hips, known, options, heights)
        found = {column: (body, row) for row, column in enumerate(legs)}
    for column in set(range(len(feet))) - found.keys():
        carried = body if hips and feet[column].chain.name in hips.carries else None
        found[column] = _planted_hand(_columns(whole, [column]), feet[column], carried, given[column], options), 0
    every: dict[str, Any] = {
        name: transform.stacked(getattr(found[column][0], name)[:, found[column][1]] for column in range(len(feet)))
        for name in ("tips", "turns", "stands", "moved", "softness", "bent", "short")
    }
    every |= {
        name: np.stack([getattr(found[column][0], name) for column in range(len(feet))])
        for name in ("velocity", "outrun")
    }
    still = np.zeros_like(whole.hips)
    assert whole.feet is not None
    lines = (whole.points - whole.tips[:, :, None]) @ np.swapaxes(every["turns"], -1, -2)
    placed = every["tips"][:, :, None] + lines
    return PlantedFeet(
        points=whole.points,
        placed=placed,
        feet=whole.feet,
        shift=body.hips if body else still,
        lengths=whole.lengths,
        ratio=body.ratio if body else 1.0,
        lowering=body.lowering if body else still[:, 0],
        groundless=groundless,
        ground=transform.stacked(_ground(placed[:, column, 0], *found[column]) for column in range(len(feet))),
        **every,
    )


def _planted_legs(
    legs: Legs,
    samples: Samples,
    feet: Sequence[Foot],
    hips: Hips | None,
    given: Sequence[GivenContacts],
    options: PlantOptions,
    heights: Heights | None,
) -> tuple[PlantedLegs, NDArray[np.bool_]]:
    """The legs, all together; and (n, f) where there is no floor below a foot that would stand."""
    options, fitted = _fitted(legs, feet, hips, options)
    if heights is None:
        return _with_given(legs, options, given), np.zeros(legs.tips.shape[:2], dtype=np.bool_)
    clearances = _clearances(samples, feet, legs.points)
    floor = FloorLevels(heights=heights, clearances=clearances, leg=float(legs.lengths.mean()))
    level, outside = floor.at(fitted.points)
    options = replace(options, level=level)
    return floor.landed(legs, options, _with_given(legs, options, given), outside)


def _planted_hand(
    hand: Legs, foot: Foot, body: PlantedLegs | None, given: GivenContacts, options: PlantOptions
) -> PlantedLegs:
    """A hand, by itself. `body` : the legs on whose hips it is, if it goes along with them."""
    if body:
        roots = hand.roots + body.hips[:, None]
        hand = replace(hand.moved(body.fit if foot.is_kept else body.hips), roots=roots)
    # Hands that hang at ease go along with the body, over ground that would seem to move.
    still = replace(options, ratio=1.0, limit=0.0, velocity=np.zeros(3), level_ground=False)
    return _with_given(hand, replace(still, kept=np.array([not foot.is_planted])), [given])


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


def _fitted(legs: Legs, feet: Sequence[Foot], hips: Hips | None, options: PlantOptions) -> tuple[PlantOptions, Legs]:
    """The options for these legs with the scale of their hips' motion, and the legs moved by it."""
    leg, origin = float(legs.lengths.mean()), np.zeros(3)
    ratio = hips_motion.found_ratio(legs.hips, legs.points, legs.rate, leg, legs.up) if hips else 1.0
    if ratio != 1.0:
        # At the height at which tips stood that were not yet so much longer.
        stood = dot(legs.roots + (legs.tips - legs.roots) / ratio, legs.up).min(axis=1)
        origin = legs.hips[0] + (float(np.quantile(stood, _LOW)) - dot(legs.hips[0], legs.up)) * legs.up
    kept = np.array([not foot.is_planted for foot in feet])
    limit = options.limit if hips else 0.0
    moved = legs.moved(hips_motion.fit(legs.hips, ratio, origin))
    return replace(options, ratio=ratio, origin=origin, limit=limit, kept=kept), moved


def _clearances(samples: Samples, feet: Sequence[Foot], points: Array) -> Array:
    """(f, 2) how far ball and heel (n, f, 2, 3) are above the lowest end of their foot's bones, while it stands."""
    found = []
    for column, foot in enumerate(feet):
        own = points[:, column]
        low = dot(positions(samples, foot.chain.rig, foot.ends, len(points)), UP).min(axis=1)
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
