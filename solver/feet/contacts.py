"""On which frames the points of a foot stand on the ground, found from how fast and how high they are.

Speeds are in leg lengths a second, heights in leg lengths, durations in seconds: the answer does not depend on the
size of the character or on the rate of the samples. How exactly a point keeps its place is judged by the noise of the
samples, which is measured.

A second on which a point stands costs the square of its unrest, but at most a few; a second on which it is free costs
1; a change between the two costs half the least duration of a contact. The cheapest sequence has no shorter contact,
since it would save less than its two changes cost, and for the same reason no gap shorter than its least duration.

Feet that seem to stand flat may turn about one of their points: that point alone stands (`without_pivots`). A flat
stretch that turns far and fast is a pivot; one that pitches for long stands on the point that stays down. The heading
is that of the line between ball and heel; its speed is the slope of a line fitted to it.
"""

from dataclasses import dataclass, field
from math import ceil, floor

import numpy as np

from ..numbers import true_runs
from ..shortest_path import shortest_path
from ..values import Array, Mask
from ..vectors import any_normal, cross, dot, norm, unit
from .statistics import HELD, commonest, densest, noise, slopes, window_sums

_LEVEL = 0.8
"""Part of the still frames that must be at one height for the ground to be level."""

_FAR = 3.0
"""A foot that is this many times as far off the ground as still points stands on something else."""


_JUMP = 0.05
"""Leg lengths: what goes farther from one frame to the next has left its place. Captures begin with a T-pose."""

_TINY = 1e-12
"""Seconds squared: of a single frame there is no slope."""

_NEVER = 1e6
"""Seconds: no sequence costs as much. Of infinities the search would make no number."""

_TURNS, _SPEED = np.radians(12.0), np.radians(20.0)
"""A pivot turns farther than this, and faster a second. Ordinary flat stands turn by 1 to 7.5 degrees, pivots by 46."""

_PITCHES = np.radians(6.0)
"""From its mean. A foot that stays flat for 15 s was captured with a pitch of up to 10.7 degrees in all."""

_WINDOW = 0.25
"""Seconds over which the speed is taken, so that noise of 2 mm does not turn a foot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stillness:
    """How still a point must be to stand.

    At each of the first three values, by itself, standing and moving are equally likely.

    speed : leg lengths a second
    place : leg lengths             from where the point is on the frames around
    height : leg lengths            above the ground
    noise : standard deviations     so much of the noise in each of the three is allowed on top
    window : seconds                over which speed and place are taken
    contact, gap : seconds          least duration of a contact, and of a gap between two
    """

    speed: float = 0.15
    place: float = 0.003
    height: float = 0.03
    noise: float = 2.5
    window: float = 0.08
    contact: float = 0.1
    gap: float = 0.06


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FootingOptions:
    """What is known of contacts and ground, and how contacts are found.

    stands : (n, f, p) bool or None     which points stand; None: it is found
    level : (n, f, p) or None           height of each point where it stands on the ground; None: it is found. The
                                        ground is level if most still points of each kind are at one height, and no
                                        contact is far off. A capture need not agree with a level that is given: height
                                        counts from where most still points are.
    level_ground : bool                 whether there may be one height at which all stand, as feet do; hands do not,
                                        and stay at the height of whatever they rest on
    velocity : (3,) or None             of the ground; None: it is found. The ground moves if the points are seldom at
                                        rest but often have one and the same velocity, as on a treadmill.
    """

    stands: Mask | None = None
    level: Array | None = None
    level_ground: bool = True
    velocity: Array | None = None
    stillness: Stillness = field(default_factory=Stillness)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Footing:
    """Which points stand when, and on what.

    stands : (n, f, p) bool
    level : (n, f, p) or None     height of each point where it stands on the ground; None: each contact has its own
    velocity : (3,)               of the ground, or of feet that skate all alike, in units a second
    outrun : (3,)                 such a velocity that hips outrun: the ground was taken to stay
    """

    stands: Mask
    level: Array | None
    velocity: Array
    outrun: Array = field(default_factory=lambda: np.zeros(3))


_DEFAULTS = FootingOptions()


def footing(points: Array, rate: float, legs: Array, up: Array, options: FootingOptions = _DEFAULTS) -> Footing:
    """Finds the frames on which each point stands, and the ground on which it does.

    points : (n, f, p, 3)     p points of f feet, those of one kind at the same place in the row
    rate : frames a second
    legs : (f,)               lengths of the legs, > 0
    up : (3,)                 unit vector
    """
    stands, level, velocity, stillness = options.stands, options.level, options.velocity, options.stillness
    size = np.asarray(legs, dtype=np.float64)[:, None]
    scaled, heights = points / size[..., None], dot(points, up) / size
    tolerance = stillness.noise * noise(scaled, rate)
    if velocity is None:
        velocity = _ground_velocity(scaled, rate, up, tolerance, stillness) * size.mean()
    above, near = heights if level is None else heights - level / size, stillness.height + tolerance
    if stands is None:
        seen = on_ground(points, rate, velocity) / size[..., None]
        unrest = _unrest(seen, rate, tolerance, stillness)
        common = _common_height(above, unrest < 1.0, near) if options.level_ground else None
        high = 0.0 if common is None else np.maximum(above - common, 0.0) / near
        jumps = norm(np.diff(seen, axis=0)) > _JUMP + tolerance
        stands = _standing(np.hypot(unrest, high), jumps, rate, stillness)
    if level is None and options.level_ground:
        # As it is found where these contacts are given.
        common = _common_height(above, stands, near)
        if common is not None and _far_off(above - common, stands, near) < stillness.contact * rate:
            level = np.broadcast_to(common * size, heights.shape)
    return Footing(stands=stands, level=level, velocity=velocity)


def on_ground(points: Array, rate: float, velocity: Array) -> Array:
    """(n, ..., 3) the points as seen from a ground that moves, and that is where it is on the first frame."""
    times = np.arange(len(points)) / rate
    return points - times.reshape(-1, *[1] * (points.ndim - 1)) * velocity


def _unrest(points: Array, rate: float, tolerance: float, stillness: Stillness) -> Array:
    """(n, f, p) how much each point moves: 1 at the edge between standing and not.

    It is the least of those windows that the frame lies in, so that a frame at the end of a contact is as still as the
    contact. A window counts for a frame by its slope, and by how far the point is from where it is on the others. Each
    lasts exactly as long at any rate: where it ends between two frames, the point is taken to be on the way.
    """
    span = min(stillness.window * rate, len(points) - 1.0)
    parts = max(10, round(span))
    least = np.full(points.shape[:-1], np.inf, order="F")
    for place in range(parts + 1):
        # Of samples at equal distances over exactly the window, this one is the frame itself.
        at = np.round((np.arange(parts + 1) - place) * (span / parts), 9)
        first, last = floor(at[0]), ceil(at[-1])
        if last - first >= len(points):
            continue
        between = np.maximum(1.0 - np.abs(at[:, None] - np.arange(first, last + 1)), 0.0)
        times = (at - at.mean()) / rate
        weights = times @ between / max(float(times @ times), _TINY)
        speed_sq = (norm(window_sums(points, weights)) / (stillness.speed + norm(weights) * tolerance)) ** 2
        rows = slice(-first, len(points) - last)
        off = points[rows] - window_sums(points, between.mean(axis=0))
        # From the mean of all, a frame is less far than from that of the others.
        away = (parts + 1) / parts / (stillness.place + tolerance)
        np.minimum(least[rows], speed_sq + away**2 * dot(off, off), out=least[rows])
    return np.sqrt(least)


def _standing(unrest: Array, jumps: Mask, rate: float, stillness: Stillness) -> Mask:
    """(n, f, p) the cheapest sequence for each point, in which none stands on both frames of a jump (n - 1, f, p)."""
    most = 1.0 + stillness.contact / stillness.gap
    costs = np.stack((np.ones_like(unrest), np.minimum(unrest * unrest, most))) / rate
    change = 0.5 * stillness.contact * (1.0 - np.eye(2))
    steps = costs[None, :, 1:] + change.reshape(2, 2, *[1] * unrest.ndim)
    steps[1, 1, jumps] = _NEVER
    return shortest_path(costs[:, 0], steps)


def _ground_velocity(points: Array, rate: float, up: Array, tolerance: float, stillness: Stillness) -> Array:
    """(3,) the velocity, at right angles to `up`, that points have most often; 0 if that is hardly more often.

    A pose that is held shows nothing: a treadmill would stop with it, and whom something carries does not walk.
    """
    fitted, deviation = slopes(points, stillness.window, rate)
    apart = fitted - fitted.mean(axis=(1, 2), keepdims=True) if points.shape[1] > 1 else fitted
    fitted = fitted[(norm(apart) > HELD).any(axis=(1, 2))]
    common = commonest(fitted.reshape(-1, 3), stillness.speed + deviation * tolerance, np.zeros(3))
    return common - dot(common, up) * up


def _common_height(heights: Array, stands: Mask, near: float) -> Array | None:
    """(p,) the height at which the points of each kind stand; None if feet often stand on no point at its height.

    A heel may rest in the air while its ball stands, so the feet are judged and not the points.
    """
    kinds = range(heights.shape[-1])
    found = np.array([_lowest_common(heights[..., kind][stands[..., kind]], near) for kind in kinds])
    level = stands & (np.abs(heights - found) < near)
    feet, on_level = (np.count_nonzero(each.any(axis=-1)) for each in (stands, level))
    return found if feet and on_level >= _LEVEL * feet else None


def _far_off(above: Array, stands: Mask, near: float) -> int:
    """On how many frames a foot stands far above the ground, or far below, with all that it stands on."""
    off = np.where(stands, np.abs(above), np.inf).min(axis=-1)
    return int(np.count_nonzero(np.isfinite(off) & (off > _FAR * near)))


def _lowest_common(still: Array, near: float) -> float:
    """The height near which most of (m,) are that are not above another such height; far below all if there is none."""
    height, rest = -np.inf, still
    while len(rest) > (1.0 - _LEVEL) * len(still):
        (height,), _ = densest(rest[:, None], near)
        rest = rest[rest < height - near]
    return float(height)


def without_pivots(points: Array, stands: Mask, rate: float, up: Array, contact: float) -> Mask:
    """(n, 2) which points of one foot stand, of which each flat stretch is one in which the foot does not turn.

    points : (n, 2, 3)        seen from the ground
    stands : (n, 2) bool      as found
    contact : seconds         the least duration of a contact
    """
    found, line = stands.copy(), points[:, 0] - points[:, 1]
    heights, forwards = dot(points, up), any_normal(up)
    pitches = np.arcsin(np.clip(dot(unit(line), up), -1.0, 1.0))
    headings = np.arctan2(dot(line, cross(up, forwards)), dot(line, forwards))
    for first, last in true_runs(stands.all(axis=1) & (norm(line) > 0.0)):
        rows = slice(first, last + 1)
        own, height, pitch = points[rows], heights[rows], pitches[rows]
        for begin, end in true_runs(np.abs(pitch - pitch.mean()) > _PITCHES):
            if end - begin + 1 > contact * rate:
                off = np.abs(height[begin : end + 1] - np.median(height, axis=0)).mean(axis=0)
                found[first + begin : first + end + 1, np.argmax(off)] = False
        for begin, end in _turning_spans(np.unwrap(headings[rows]), rate):
            way = norm(own[begin : end + 1] - own[begin]).mean(axis=0)
            found[first + begin : first + end + 1, np.argmax(way)] = False
    return found


def _turning_spans(heading: Array, rate: float) -> list[tuple[int, int]]:
    """First and last row of each run in which headings (n,) in radians turn far and fast."""
    if np.ptp(heading) <= _TURNS:
        return []  # as nearly all
    speed, _ = slopes(heading, _WINDOW, rate)
    side = len(heading) - len(speed)
    speed = np.pad(speed, (side // 2, side - side // 2), mode="edge")
    # A pivot that hardly pauses is one; it may go to and fro.
    fast = true_runs(np.abs(speed) > _SPEED)
    return [(first, last) for first, last in fast if np.ptp(heading[first : last + 1]) > _TURNS]
