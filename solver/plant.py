"""plant(legs) -> Planted: captured legs whose feet stand.

Each step is a module of this package: the hips' motion is made to fit the legs, the frames on which the feet stand are
found, the feet are held to the ground, and the hips go down until the legs reach them. Feet keep the orientation that
was captured. `solve` then poses each leg, in the plane of its pose as captured.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import hips
from .contacts import Stillness, footing, on_ground
from .corrections import corrections, slide
from .reach import soft_reach
from .values import Array, Number
from .vectors import norm


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Legs:
    """What was captured, in one space that does not move.

    hips : (n, 3)             what is keyed
    roots, tips : (n, f, 3)   of the legs
    points : (n, f, p, 3)     of the feet, on which they stand; p is 1 or 2, those of one kind at the same place
    lengths : (f,)            of the legs, > 0
    rate : frames a second
    up : (3,)                 unit vector
    """

    hips: Array
    roots: Array
    tips: Array
    points: Array
    lengths: Array
    rate: float
    up: Array

    def moved(self, shift: Array) -> Legs:
        """The legs, moved by the shift (n, 3)."""
        each = shift[:, None]
        return Legs(
            hips=self.hips + shift,
            roots=self.roots + each,
            tips=self.tips + each,
            points=self.points + each[:, None],
            lengths=self.lengths,
            rate=self.rate,
            up=self.up,
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlantOptions:
    """The user's choices.

    stands : (n, f, p) bool or None    which points stand; None: they are found
    level : (n, f, p) or None          height of each point where it stands on the ground; None: it is found
    level_ground : bool                whether there may be one height at which all stand, as feet do and hands do not
    velocity : (3,) or None            of the ground; None: it is found, and it stays where the hips go faster
    ratio : float or None              by which the hips' motion is scaled; None: it is found
    origin : (3,)                      the place from which it is scaled, at the height of a tip that stands
    softness : 0 to 1, or (f,)         of the legs, so that knees do not snap; less for legs that were captured straight
    limit : leg lengths                the most that the hips go down; 0 if they cannot be keyed
    smooth : seconds                   for which the hips go down before a frame that makes them, and go up after it
    fade : seconds                     over which a foot is moved before its first contact, and after its last
    """

    stands: NDArray[np.bool_] | None = None
    level: Array | None = None
    level_ground: bool = True
    velocity: Array | None = None
    ratio: float | None = None
    origin: Array = field(default_factory=lambda: np.zeros(3))
    softness: Number = 0.015
    limit: float = 0.25
    smooth: float = 0.25
    fade: float = 0.5
    stillness: Stillness = field(default_factory=Stillness)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Planted:
    """Where hips and feet go, and what is to be told of it.

    hips : (n, 3)               from where they were captured
    tips : (n, f, 3)            targets of the legs
    stands : (n, f, p) bool     which points stand
    level : (n, f, p) or None   height of each point where it stands on the ground; None: each contact has its own
    velocity : (3,)             of the ground
    ratio : float               by which the hips' motion was scaled
    lowering : (n,)             how far the hips go down
    moved : (n, f)              how far the feet move
    softness : (n, f)           of the legs; what stands stays so far from the full reach that none of it is lost
    short : (n, f)              how far the feet that stand fall short of where they were to be
    slide : (n - 1, f)          along the ground before, from frame to frame; NaN if the foot does not stand on both
    """

    hips: Array
    tips: Array
    stands: NDArray[np.bool_]
    level: Array | None
    velocity: Array
    ratio: float
    lowering: Array
    moved: Array
    softness: Array
    short: Array
    slide: Array


_STEEPEST = 0.3
"""Leg lengths a second: corrections of feet that stand go up and down no faster, unless a floor is given that asks for
it. Noise asks for less.
"""

_LEAST_ROOM = 0.002
"""Part of its length that even a leg that was captured straight stays short of, else noise would snap its knee. Where
the hips stay, the foot would fall short by as much.
"""

_DEFAULTS = PlantOptions()


def plant(legs: Legs, options: PlantOptions = _DEFAULTS) -> Planted:
    """Hips and feet of captured legs so that what stands on the ground stays there."""
    rate, up, lengths = legs.rate, legs.up, np.asarray(legs.lengths, dtype=np.float64)
    ratio = options.ratio
    if ratio is None:
        ratio = hips.found_ratio(legs.hips, legs.points, rate, float(lengths.mean()), up)
    fit = hips.scaled(legs.hips, ratio, options.origin) - legs.hips
    legs = legs.moved(fit)
    ground = footing(
        legs.points,
        rate,
        lengths,
        up,
        stands=options.stands,
        level=options.level,
        level_ground=options.level_ground,
        velocity=options.velocity,
        stillness=options.stillness,
    )
    stands, velocity = ground.stands, ground.velocity
    if options.velocity is None and hips.outrun(legs.hips, rate, velocity, up):
        velocity = np.zeros(3)  # the legs have another length than the captured ones, and skate
    points = on_ground(legs.points, rate, velocity)
    moves = [
        corrections(
            points[:, foot],
            stands[:, foot],
            None if ground.level is None else ground.level[:, foot],
            rate,
            up,
            options.fade,
            _STEEPEST * float(lengths[foot]) if options.level is None else np.inf,
        )
        for foot in range(len(lengths))
    ]
    correction = np.stack(moves, axis=1)
    tips, planted = legs.tips + correction, np.logical_or.reduce(stands, axis=-1)
    room = np.maximum(_room(legs, lengths, options.smooth), _LEAST_ROOM if options.limit else 0.0)
    softness = np.minimum(options.softness, room)
    limit = options.limit * float(lengths.mean())
    down = hips.lowering(legs.roots, tips, (1.0 - softness) * lengths, planted, up, limit)
    down = hips.smooth_envelope(down, rate, options.smooth)
    distance = norm(legs.roots - down[:, None, None] * up - tips)
    short = np.maximum(distance - np.minimum(soft_reach(distance, lengths, softness), lengths), 0.0)
    return Planted(
        hips=fit - down[:, None] * up,
        tips=tips,
        stands=stands,
        level=ground.level,
        velocity=velocity,
        ratio=ratio,
        lowering=down,
        moved=norm(correction),
        softness=softness,
        short=np.where(planted, short, 0.0),
        slide=slide(points, stands, up),
    )


def _room(legs: Legs, lengths: Array, seconds: float) -> Array:
    """(n, f) twice the part of its length by which a leg was captured shorter, for so many seconds to either side."""
    extension = norm(legs.roots - legs.tips) / lengths
    most = [hips.smooth_envelope(one, legs.rate, seconds) for one in extension.T]
    return np.clip(2.0 * (1.0 - np.stack(most, axis=1)), 0.0, 1.0)
