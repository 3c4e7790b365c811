"""What a series of samples shows: how fast it goes, how much of it is noise, where its values are most often.

And how far feet that stand slide and turn from frame to frame: the measure of what `plant` is to undo.
"""

from math import comb

import numpy as np

from ..rotation import angle_between
from ..values import Array, Integers, Mask
from ..vectors import dot, norm

_QUARTER = 1.1011532
"""Standard deviations of a coordinate within which a quarter of normally distributed vectors in space lie."""

_SPACING = 1 / 30
"""Seconds between the samples from which the noise is told."""

HELD = 1e-5
"""Leg lengths: where the third differences of all points are less, or what they go in a second, the pose is held."""

_CLEARLY = 1 / 6
"""Part of the samples that must be near a value for it to be more than chance."""

_CENTERS = 500
"""At most about this many samples are tried as the middle of the densest."""


def slopes(values: Array, seconds: float, rate: float) -> tuple[Array, float]:
    """The straight lines that fit best over this many seconds, one from each frame on.

    values : (n, ...)                  if they last less long, one line fits them all; the slope of one frame is 0
    rate : frames a second
    returns : slopes (m, ...) a second, and the standard deviation of a slope if the values have 1
    """
    weights, deviation = slope_weights(min(max(2, round(seconds * rate) + 1), len(values)), rate)
    return window_sums(values, weights), deviation


def slope_weights(count: int, rate: float) -> tuple[Array, float]:
    """(count,) weights of values in the slope of the line that fits them best; its deviation, as `slopes` gives it."""
    times = (np.arange(count, dtype=np.float64) - 0.5 * (count - 1)) / rate
    weight = max(float(times @ times), 0.5 / rate**2)
    return times / weight, 1.0 / weight**0.5


def window_sums(values: Array, weights: Array) -> Array:
    """(m, ...) sums of as many values (n, ...) as there are weights, each with its own, from each frame on."""
    count = len(values) + 1 - len(weights)
    sums = np.empty((count, *values.shape[1:]), order="F")
    for column in np.ndindex(values.shape[1:]):
        sums[:, *column] = np.correlate(values[:, *column], weights, "valid")
    return sums


def noise(points: Array, rate: float) -> float:
    """Standard deviation of the part of each coordinate that changes from one captured frame to the next.

    points : (n, ..., 3)     in leg lengths
    rate : frames a second

    Third differences of points at rest, whose variance is 20 times as large, are nothing but noise. So it is taken from
    the smallest quarter of them, which belongs to points at rest. They span the same time at any rate, since frames
    that were made between two captured ones have less noise. Where only each second or third frame was captured, these
    are noisier than the others: so each such set of frames is told by itself, and the noisiest counts. A pose that is
    held has no noise; it is left out. Between frames that are far apart few points rest for long enough; there second
    differences do, whose variance is 6 times as large.
    """
    order = 3 if rate * _SPACING > 0.5 else 2
    step = max(1, min(round(rate * _SPACING), (len(points) - 1) // 3))
    differences = points
    for _ in range(order):
        differences = differences[step:] - differences[:-step]
    sizes = norm(differences)
    moves = np.logical_or.reduce(sizes > HELD, axis=tuple(range(1, sizes.ndim)))
    apart = (sizes[first::step][moves[first::step]] for first in range(step))
    most = max((float(np.quantile(some, 0.25)) for some in apart if some.size), default=0.0)
    return most / (_QUARTER * comb(2 * order, order) ** 0.5)


def densest(samples: Array, radius: float) -> tuple[Array, int]:
    """(k,) the mean of those samples (m, k) that are near the one that has most near it, and their number."""
    some = samples[:: 1 + len(samples) // _CENTERS]
    center = some[np.argmax(_near(some, radius))]
    near = samples[norm(samples - center) < radius]
    return near.mean(axis=0), len(near)


def _near(samples: Array, radius: float) -> Integers:
    """(m,) how many of the samples (m, k) are nearer to each than the radius."""
    if samples.shape[1] == 1:
        values = samples[:, 0]
        rising = np.sort(values)
        return np.searchsorted(rising, values + radius) - np.searchsorted(rising, values - radius, side="right")
    size = 0.5 * dot(samples, samples)
    # By `@` the threads of BLAS would wait for each other longer than this takes.
    products = sum(np.multiply.outer(each, each) for each in samples.T)
    return np.count_nonzero(products > size[:, None] + (size - 0.5 * radius * radius), axis=1)


def commonest(samples: Array, radius: float, usual: Array) -> Array:
    """(k,) the value near which most samples (m, k) are; `usual` (k,) unless far more of them are near that value.

    Far more are a sixth of all, and twice as many as near the usual value.
    """
    if not len(samples):
        return usual
    value, often = densest(samples, radius)
    near = np.count_nonzero(norm(samples - usual) < radius)
    return value if often >= max(_CLEARLY * len(samples), 2.0 * float(near)) else usual


def slide(points: Array, stands: Mask) -> Array:
    """(n - 1, ...) how far a foot slides from frame to frame, in space; NaN if no point stands on both.

    points : (n, ..., p, 3)     seen from the ground
    stands : (n, ..., p) bool   a foot slides as far as that of its points which slides most
    """
    most: Array = np.where(stands[1:] & stands[:-1], norm(np.diff(points, axis=0)), -np.inf).max(axis=-1)
    return np.where(most >= 0.0, most, np.nan)


def turning(orientations: Array, points: Array, stands: Mask) -> Array:
    """(n - 1, ...) radians by which a foot turns from frame to frame while it stands flat; NaN where it does not.

    On a single point it may turn as it was captured; also a foot whose points are all at one place.

    orientations : (n, ..., 3, 3)
    points : (n, ..., p, 3)
    stands : (n, ..., p) bool
    """
    spread = points - points[..., :1, :]
    flat = np.logical_and.reduce(stands, axis=-1) & (dot(spread, spread).max(axis=-1) > 0.0)
    return np.where(flat[1:] & flat[:-1], angle_between(orientations[:-1], orientations[1:]), np.nan)
