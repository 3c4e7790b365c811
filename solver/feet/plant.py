"""plant(legs) -> PlantedLegs: captured legs whose feet stand.

Each step is a module of this package: the frames on which the feet stand are found, the feet are held to the ground,
and the hips go down until the legs reach them. Before, `hips` makes their motion fit the legs; then `solve` poses each
leg, in the plane of its pose as captured.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..reach import soft_reach
from ..values import Array, Mask
from ..vectors import along, norm, product
from . import free_feet, hips
from .contacts import Footing, FootingOptions, footing, on_ground, without_pivots
from .corrections import corrections
from .jumps import pieces
from .rigid import raising_turns_of_feet, standing_turns


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Legs:
    """What was captured, in one space that does not move, with the hips' motion as it suits the legs.

    hips : (n, 3)             what is keyed
    roots, tips : (n, f, 3)   of the legs
    points : (n, f, p, 3)     of the feet, on which they stand; p is 1 or 2, those of one kind at the same place
    lengths : (f,)            of the legs, > 0
    rate : frames a second
    up : (3,)                 unit vector
    feet : (n, f, 3, 3)       orientations, NaN of feet that cannot turn
    against : (n, f) bool     legs that bend against their usual side, beyond straight
    """

    hips: Array
    roots: Array
    tips: Array
    points: Array
    lengths: Array
    rate: float
    up: Array
    feet: Array
    against: Mask

    def moved(self, shift: Array) -> "Legs":
        """The legs, moved by the shift (n, 3)."""
        each = shift[:, None]
        return replace(
            self,
            hips=self.hips + shift,
            roots=self.roots + each,
            tips=self.tips + each,
            points=self.points + each[:, None],
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlantOptions(FootingOptions):
    """The user's choices; the ground also stays where the hips go faster than the velocity that is found.

    softness : 0 to 1                  of the legs, so that knees do not snap; less for legs that were captured straight
    kept : (f,) bool                   legs that are not planted, and whose tips stay as captured; False: none is
    limit : leg lengths                the most that the hips go down; 0 if they cannot be keyed
    """

    softness: float = 0.015
    kept: Mask | bool = False
    limit: float = 0.25


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlantedLegs(Footing):
    """Where hips and feet go, and what is to be told of it, with the footing that they have.

    tips : (n, f, 3)            targets of the legs
    turns : (n, f, 3, 3)        by which feet turn from how they were captured
    lowering : (n,)             how far the hips go down
    moved : (n, f)              how far the feet move
    softness : (n, f)           of the legs; what stands stays so far from the full reach that none of it is lost
    bent : (n, f)               0 where a leg stays as it was captured, also if it was straight; 1 where it may not
    short : (n, f)              how far the feet that stand fall short of where they were to be
    """

    tips: Array
    turns: Array
    lowering: Array
    moved: Array
    softness: Array
    bent: Array
    short: Array


_LEAST_ROOM = 0.002
"""Part of its length that even a leg that was captured straight stays short of, else noise would snap its knee. Where
the hips stay, the foot would fall short by as much.
"""


def plant(legs: Legs, options: PlantOptions) -> PlantedLegs:
    """Hips and feet of captured legs so that what stands on the ground stays there."""
    up, lengths = legs.up, np.asarray(legs.lengths, dtype=np.float64)
    takes, ground = pieces(legs.tips, lengths, legs.rate), _ground(legs, options)
    turns = _turns(legs, ground.stands, takes)
    tips = _held(legs, ground, turns, takes)
    if ground.level is not None:
        points = _turned(legs, turns) + (tips - legs.tips)[:, :, None]
        stands = ground.stands & _can_turn(legs.feet)[:, None]
        raised = raising_turns_of_feet(points, legs.points, stands, ground.level, lengths, up)
        if (raised != np.eye(3)).any():
            turns = product(raised, turns)
            tips = _held(legs, ground, turns, takes)

    planted = np.logical_or.reduce(ground.stands, axis=-1) | options.kept
    captured = norm(legs.roots - legs.tips) / lengths
    # Twice the part of its length by which a leg was captured shorter, on the frames around as well.
    room = np.clip(2.0 * (1.0 - hips.envelopes(captured, legs.rate, hips.LOWERS, takes)), 0.0, 1.0)
    room = np.maximum(room, _LEAST_ROOM if options.limit else 0.0)
    softness = np.where(options.kept, 0.0, np.minimum(options.softness, room))
    limit = options.limit * float(lengths.mean())
    least = hips.lowering(legs.roots, tips, (1.0 - softness) * lengths, planted, up, limit)
    down = hips.envelopes(least, legs.rate, hips.LOWERS, takes)
    roots = legs.roots - along(up, down)[:, None]

    near = free_feet.near_contacts(planted, legs.rate, takes)
    beyond = (1.0 - near) * free_feet.near_contacts(legs.against, legs.rate, takes, hips.LOWERS)
    tips = free_feet.pulled_in(roots, tips, lengths, captured, near, beyond)
    near = free_feet.near_contacts(planted, legs.rate, takes, hips.LOWERS)
    bent = (1.0 - beyond) * free_feet.bent_anew(roots, tips, lengths, captured, near)
    softness, distance = softness * bent, norm(roots - tips)
    short = np.maximum(distance - np.minimum(soft_reach(distance, lengths, softness), lengths), 0.0)
    return PlantedLegs(
        tips=tips,
        turns=turns,
        stands=ground.stands,
        level=ground.level,
        velocity=ground.velocity,
        outrun=ground.outrun,
        lowering=down,
        moved=norm(tips - legs.tips),
        softness=softness,
        bent=bent,
        short=np.where(planted, short, 0.0),
    )


def _ground(legs: Legs, options: PlantOptions) -> Footing:
    """Which points stand when, and on what; the ground stays where the hips go faster than it was found to.

    Then contacts are found again for ground that stays, unless legs have another length than the captured ones.
    """
    found = footing(legs.points, legs.rate, legs.lengths, legs.up, options)
    if options.stands is None and legs.points.shape[2] == 2:
        found = replace(found, stands=_without_pivots(legs, found, options.stillness.contact))
    if options.velocity is None and found.velocity.any():
        speeds, still = hips.travel(legs.hips, legs.rate, float(np.mean(legs.lengths)), legs.up), np.zeros(3)
        if len(speeds) and np.median(norm(speeds)) > norm(found.velocity):
            if not hips.are_carried(speeds, found.velocity):
                return replace(found, velocity=still)
            return replace(_ground(legs, replace(options, velocity=still)), outrun=found.velocity)
    return found


def _without_pivots(legs: Legs, ground: Footing, contact: float) -> Mask:
    """(n, f, 2) which points stand, of feet that stand flat only where they do not turn."""
    seen = on_ground(legs.points, legs.rate, ground.velocity)
    feet = (
        without_pivots(seen[:, foot], ground.stands[:, foot], legs.rate, legs.up, contact)
        for foot in range(len(legs.lengths))
    )
    return np.stack(list(feet), axis=1)


def _held(legs: Legs, ground: Footing, turns: Array, takes: Sequence[slice]) -> Array:
    """(n, f, 3) tips of feet that turn so (n, f, 3, 3), held to the ground."""
    turned = _turned(legs, turns)
    seen, captured = (on_ground(each, legs.rate, ground.velocity) for each in (turned, legs.points))
    correction = np.empty(legs.tips.shape, order="F")
    for foot in range(len(legs.lengths)):
        for rows in takes:
            level = None if ground.level is None else ground.level[rows, foot]
            standing = seen[rows, foot], ground.stands[rows, foot], level
            correction[rows, foot] = corrections(*standing, legs.rate, legs.up, captured[rows, foot])
    return legs.tips + correction


def _turns(legs: Legs, stands: Mask, takes: Sequence[slice]) -> Array:
    """(n, f, 3, 3) by which feet turn so that they stand at rest."""
    turns = np.empty(legs.feet.shape)
    turns[:] = np.eye(3)
    for foot in np.flatnonzero(_can_turn(legs.feet)):
        for rows in takes:
            captured = legs.feet[rows, foot], legs.points[rows, foot], stands[rows, foot]
            turns[rows, foot] = standing_turns(*captured, legs.rate, legs.up)
    return turns


def _can_turn(feet: Array) -> Mask:
    """(f,) of feet with these orientations (n, f, 3, 3)."""
    return ~np.logical_or.reduce(np.isnan(feet), axis=(0, 2, 3))


def _turned(legs: Legs, turns: Array) -> Array:
    """(n, f, p, 3) the points of feet that turn about their tips."""
    tips = legs.tips[:, :, None]
    return tips + (legs.points - tips) @ np.swapaxes(turns, -1, -2)
