"""The turn of a hand about the forearm, spread over the twist bones between: no wrist is wrung.

A rotation R is a *twist* about a line followed by a *swing* about an axis at right angles to it. With the quaternion
(w, v) of R and the line's direction d, the twist is the angle 2 atan2(v d, w), and the swing has the cosine
2 (w^2 + (v d)^2) - 1 (Dobrowolski, Swing-twist decomposition in Clifford algebra, 2015). The twist about d is the
rotation about d that is nearest to R. Near a swing of 180 degrees it is undecided: both terms go to 0, and a turn by a
small angle changes the twist by 1 / cos(swing / 2) times as much. Frames run along the first axis.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import inputs
from .carry_last import carry_last
from .rotation import least_turn, quaternions
from .values import Array, Mask
from .vectors import along, dot, norm, rejection, unit

DECIDED = np.radians(150.0)
"""Radians of swing up to which the twist counts; there a turn of the hand counts four times."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Twist:
    """Result of `twist`.

    angle : (n, ...)           radians, without jumps; whole turns count
    swing : (n, ...)           radians in [0, pi]
    decided : (n, ...) bool    False where the swing is so large that the angle was taken from the frames around
    """

    angle: Array
    swing: Array
    decided: Mask


def twist(rotations: ArrayLike, line: ArrayLike, before: ArrayLike | None = None) -> Twist:
    """How far a bone turns about a line, over all frames, as one motion without jumps.

    From frame to frame it is followed along the shortest rotation: it is right while the bone turns by less than 180
    degrees a frame. On frames with more than 150 degrees of swing the angle goes evenly from the last decided frame
    to the next, whole turns nearest, and is held before the first and after the last. Over a step that leads through
    so much swing it goes by the least turn as well.

    rotations : (n, ..., 3, 3)   of the bone from rest, against what carries it
    line : (..., 3)              direction, of any length but 0, from joint to joint at rest, in the same space
    before : (...) or None       radians; the first decided frame has the angle nearest to it, by default to 0
    raises : ValueError for inputs that are not finite, that do not fit together, or for a line without length

    >>> from solver.rotation import from_axis_angles
    >>> turns = np.radians([0.0, 100.0, 200.0, 300.0, 400.0])
    >>> hand = from_axis_angles(np.stack((turns, *np.zeros((2, 5)), np.ones(5)), axis=-1))
    >>> np.degrees(twist(hand, [0, 0, 1]).angle).round(9)
    array([  0., 100., 200., 300., 400.])
    """
    matrices, direction = inputs.check_array("rotations", rotations, 3, 3), inputs.check_array("line", line, 3)
    inputs.common_rows(rotations=(matrices.shape, 2), line=(direction.shape, 1))
    if not direction.any(axis=-1).all():
        raise ValueError("line must have a length")
    turn = quaternions(matrices)
    axis = np.broadcast_to(unit(direction), (*turn.shape[:-1], 3))
    part = np.stack((turn[..., 0], dot(turn[..., 1:], axis)), axis=-1)
    swing = 2.0 * np.arctan2(norm(rejection(turn[..., 1:], axis)), norm(part))
    decided = swing <= DECIDED
    start = None if before is None else inputs.check_array("before", before)
    followed = decided[1:] & decided[:-1] & _stays_decided(turn, part)
    return Twist(angle=_without_jumps(part, decided, followed, start), swing=swing, decided=decided)


def shares(places: ArrayLike, *, upper: bool, in_line: bool = False) -> Array:
    """The parts of the twist by which the twist bones of one bone of the limb turn against it.

    Below the mid joint the end bone has nothing of the tip bone's twist, and a bone at the place s turns by s of it.
    Above, the root bone has all of its own twist, and a bone beside it turns back by 1 - s. Where twist bones in line
    carry each other, the root bone gives its own twist up, the last of them has it all, and those before it in
    proportion.

    places : (..., k)     from 0 at the upper joint to 1 at the lower joint; of bones in line, in order
    returns : (..., k)    in line each turns by what it has more than the bone that carries it

    >>> shares([0.25, 0.75], upper=False), shares([0.25, 0.75], upper=True)
    (array([0.25, 0.75]), array([-0.75, -0.25]))
    >>> shares([0.3, 0.6], upper=True, in_line=True)
    array([0.5, 1. ])
    """
    places = inputs.check_array("places", places)
    if not upper:
        return places
    if not in_line:
        return places - 1.0
    last = places[..., -1:]
    # All of them at the upper joint: the last has it all, those before nothing.
    first = np.where(np.arange(places.shape[-1]) == places.shape[-1] - 1, 1.0, 0.0)
    return np.where(last > 0.0, places / np.where(last > 0.0, last, 1.0), first)


def place(point: ArrayLike, start: ArrayLike, end: ArrayLike) -> tuple[Array, Array]:
    """Where a point lies along the line between two joints, and how far off the line.

    point, start, end : (..., 3)     in one space
    returns : place (...), 0 at `start` and 1 at `end`; off (...), as part of the distance of the joints
    raises : ValueError as from `twist`, and for joints at one place

    >>> [float(part) for part in place([0.1, 0.5, 0.0], [0, 0, 0], [0, 2, 0])]
    [0.25, 0.05]
    """
    names = ("point", "start", "end")
    point, start, end = (inputs.check_array(*each, 3) for each in zip(names, (point, start, end), strict=True))
    inputs.common_rows(**{name: (each.shape, 1) for name, each in zip(names, (point, start, end), strict=True)})
    length = norm(end - start)
    if not length.all():
        raise ValueError("start and end must be apart")
    direction = (end - start) / length[..., None]
    reached = dot(point - start, direction)
    return reached / length, norm(point - start - along(direction, reached)) / length


def _stays_decided(turn: Array, part: Array) -> Mask:
    """(n - 1, ...) True where the shortest way from a decided frame to the next has no more swing on it than counts.

    It leads over the sums a q + b r of the quaternions, with a and b not negative. There is less swing where `part`, as
    part of the sum, is longer than a limit; the squares of both have a difference that is quadratic in a and b.
    """
    limit = np.cos(0.5 * DECIDED) ** 2
    own = np.maximum(dot(part, part) - limit, 0.0)
    return dot(part[1:], part[:-1]) - limit * dot(turn[1:], turn[:-1]) >= -np.sqrt(own[1:] * own[:-1])


def _without_jumps(part: Array, decided: Mask, followed: Mask, before: Array | None) -> Array:
    """The angles whose halves have the directions `part` (n, ..., 2), even over undecided frames.

    followed : (n - 1, ...)     steps along the shortest way, which leads over sums of both quaternions: so half the
                                angle steps by less than half a turn
    """
    half = np.arctan2(part[..., 1], part[..., 0])
    steps, last = 2.0 * least_turn(np.diff(half, axis=0)), carry_last(half, decided)
    # What was passed where nothing is decided is not known: over it goes the least turn.
    over = np.where(decided[1:], least_turn(2.0 * (half[1:] - last[:-1])), 0.0)
    steps = np.where(followed, steps, over)
    start = np.zeros(half.shape[1:]) if before is None else np.broadcast_to(before, half.shape[1:])
    first = np.where(decided.any(axis=0), start + least_turn(2.0 * last[0] - start), start)
    return _evened(first + np.cumsum(np.insert(steps, 0, 0.0, axis=0), axis=0), decided)


def _evened(values: Array, decided: Mask) -> Array:
    """The values (n, ...), on undecided frames evenly between those of the decided frames before and after."""
    rows = np.broadcast_to(np.arange(len(values), dtype=np.float64).reshape(-1, *[1] * (values.ndim - 1)), values.shape)
    before, after = (carry_last(rows[::way], decided[::way])[::way] for way in (1, -1))
    first, second = (carry_last(values[::way], decided[::way])[::way] for way in (1, -1))
    return first + (second - first) * (rows - before) / np.maximum(after - before, 1.0)
