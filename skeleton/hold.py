"""A target held to a space: it stays where it was gripped, and before and after goes over into its own motion.

In between a correction is added to the own motion, so that its features stay: for locations the way from the own to the
held one, for orientations the rotation vector of the turn between them. It leaves the hold with value and slope and
dies out with value and slope, as a cubic Hermite curve does.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..solver import rotation
from ..solver.values import Array
from ..solver.vectors import product
from . import transform
from .target_channels import WorldTransform
from .values import MERGE, Channel, Point

CUT = 1.0 / 32.0
"""Frames: an ease of zero is as short as this, which no frame and no quarter of one shows."""

PARTS = 4
"""The motion is sampled this many times from key to key: prop and body move between frames, too."""

_JUMP = 1e-3
"""Radians, or parts of a quaternion: a larger difference at the end means one more turn than the keys there have."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Hold:
    """A target that stays where it is, over a range of frames.

    start, end, at : frames; from `start` to `end` it stays where it is on frame `at`
    space : what it is held to; None for the world
    rotation : whether its orientation is held as well
    ease : frames in which it goes over, before and after
    grip : (4, 4) where it is in the space; None where frame `at` is to tell
    """

    start: float
    end: float
    at: float
    space: Point | None
    rotation: bool
    ease: tuple[float, float]
    grip: Array | None = None

    @property
    def span(self) -> tuple[float, float]:
        """First and last frame on which it may change anything."""
        before, after = (max(ease, CUT) for ease in self.ease)
        return self.start - before, self.end + after

    @property
    def frames(self) -> Array:
        """(PARTS m + 1,) frames of its m + 1 keys, with those between them.

        There is a key on each whole frame, wherever the hold begins: there the motion of other things has its kinks.
        """
        first, last = self.span
        keys = np.unique([first, self.start, self.end, last])
        for more in (np.array([self.at]), np.arange(np.ceil(first), np.floor(last) + 1.0)):
            apart = np.abs(more[:, None] - keys).min(axis=1) >= MERGE
            keys = np.sort(np.append(keys, more[apart]))
        between = keys[:-1, None] + np.diff(keys)[:, None] * (np.arange(PARTS) / PARTS)
        return np.append(between, keys[-1])

    def overlaps(self, other: "Hold") -> bool:
        """Whether both change something on the same frame."""
        return self.span[0] <= other.span[1] and other.span[0] <= self.span[1]


def gripped(hold: Hold, frames: Array, own: Array, space: Array) -> Hold:
    """The hold with its grip: one that it has on a thing stays, one in the world is where it then is.

    own, space : (n, 4, 4)     from the target and from the space to the world
    """
    if hold.grip is not None and hold.space is not None:
        return hold
    row = int(np.argmin(np.abs(frames - hold.at)))
    own, space = (np.broadcast_to(matrices, (len(frames), 4, 4))[row] for matrices in (own, space))
    return replace(hold, grip=product(transform.inverse(space), own).astype(np.float32).astype(np.float64))


def held_transform(hold: Hold, frames: Array, own: Array, space: Array) -> WorldTransform:
    """Where the target has to be on these frames, with its orientation if that is held; `hold` has its grip."""
    assert hold.grip is not None
    shape = (len(frames), 4, 4)
    own, held = np.broadcast_to(own, shape), np.broadcast_to(product(space, hold.grip), shape)
    location = own[:, :3, 3] + _correction(hold, frames, held[:, :3, 3] - own[:, :3, 3])
    if not hold.rotation:
        return WorldTransform(location=location)
    own, held = transform.orientation(own[:, :3, :3]), transform.orientation(held[:, :3, :3])
    turn = product(held, np.swapaxes(own, -1, -2))
    vectors = _correction(hold, frames, _vectors(hold, frames, turn))
    inside = (frames >= hold.start) & (frames <= hold.end)
    turned = product(rotation.from_vectors(vectors), own)
    return WorldTransform(location=location, orientation=np.where(inside[:, None, None], held, turned))


def _correction(hold: Hold, frames: Array, full: Array) -> Array:
    """(n, 3) the correction, which inside the hold is `full` (n, 3)."""
    result = np.where(((frames >= hold.start) & (frames <= hold.end))[:, None], full, 0.0)
    first, last = hold.span
    for border, far, rows in (
        (hold.start, first, np.flatnonzero(frames <= hold.start)[::-1]),
        (hold.end, last, np.flatnonzero(frames >= hold.end)),
    ):
        ease, step = abs(far - border), abs(frames[rows[1]] - frames[rows[0]])
        # One-sided, to second order: what the own motion does inside the hold does not count.
        value, near, next_one = full[rows[:3]]
        slope = (4.0 * near - 3.0 * value - next_one) / (2.0 * step)
        done = (np.abs(frames[rows] - border) / ease)[:, None]
        left = 1.0 - done
        result[rows] = left * left * ((1.0 + 2.0 * done) * value + done * ease * slope)
    return result


def _vectors(hold: Hold, frames: Array, turns: Array) -> Array:
    """(n, 3) rotation vectors of turns (n, 3, 3): at both ends of the hold the shortest, and from there on outwards
    without a jump.
    """
    result = np.zeros((len(frames), 3))
    for rows in (np.flatnonzero(frames <= hold.start)[::-1], np.flatnonzero(frames >= hold.end)):
        quaternions = rotation.quaternions(turns[rows], np.array((1.0, 0.0, 0.0, 0.0)))
        result[rows] = rotation.vectors(quaternions)
    return result


def keys(channel: Channel, start: Array, end: Array) -> Channel:
    """The channel with keys on every `PARTS`-th of its frames, and slopes by which it keeps the values between them.

    start, end : (k,)     what the property's curves have on the first and the last frame
    """
    frames, values = channel.frames[::PARTS], channel.values[::PARTS].copy()
    quarter, last_quarter = channel.values[1::PARTS], channel.values[3::PARTS]
    wound = np.abs(values[-1] - end).max() > _JUMP
    values[0], steps = start, np.diff(frames)[:, None]
    if not wound:
        values[-1] = end
    # The cubic from key to key with slopes s and t has at a quarter (27 a + 5 b + 4.5 s - 1.5 t) / 32 of the way, and
    # at three quarters (5 a + 27 b + 1.5 s - 4.5 t) / 32.
    first = (32.0 * quarter - 27.0 * values[:-1] - 5.0 * values[1:]) / 1.5
    second = (32.0 * last_quarter - 5.0 * values[:-1] - 27.0 * values[1:]) / 1.5
    slopes = np.stack(((3.0 * first - second) / 8.0, (first - 3.0 * second) / 8.0), axis=1) / steps[:, None]
    constant = None
    if wound:
        # Both values name the same orientation: between two keys this close, the change does not show.
        frames = np.insert(frames, -1, frames[-1] - CUT / 2.0)
        frames, values = frames.copy(), np.vstack((values, end))
        slopes = np.concatenate((slopes, np.zeros_like(slopes[:1])))
        constant = np.arange(len(frames) - 1) == len(frames) - 2
    return replace(channel, frames=frames, values=values, slopes=slopes, constant=constant)
