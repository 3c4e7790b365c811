"""Captured legs made from known footsteps, by plain geometry; noise, skating and drift come on top.

Metres, z up, the left foot first. A foot strikes with its heel, rolls flat, rolls off over its ball and swings to its
next step. So it is known on which frames heel and ball stand on the ground. No code is shared with the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi

import numpy as np

LENGTHS = np.array((0.45, 0.43))
"""Of thigh and shin."""

SIDES = np.array(((-0.09, 0.0, 0.0), (0.09, 0.0, 0.0)))
"""From the middle of the hips to the hip joints."""

BALL, HEEL = POINTS = np.array(((0.0, 0.13, -0.06), (0.0, -0.05, -0.07)))
"""From the ankle, with the foot flat on the ground and pointing along y; the ankle is 0.09 above the sole."""

CLEARANCE = 0.09 + POINTS[:, 2]
"""Heights of ball and heel above the sole."""

_MOST = 0.985
"""The longest that a leg gets, as part of its length."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A footstep: where the ankle is while the foot is flat, and when what happens, in seconds.

    strike_pitch : radians; above 0 the heel strikes first, below 0 the ball
    turn : radians by which the flat foot turns on its ball, half way between `flat` and `heel_off`
    """

    place: np.ndarray
    yaw: float
    strike: float
    flat: float
    heel_off: float
    toe_off: float
    strike_pitch: float = 0.3
    off_pitch: float = -0.9
    turn: float = 0.0
    lift: float = 0.06
    sharp: float = 0.5

    @property
    def turns_in(self) -> tuple[float, float]:
        middle, half = (self.flat + self.heel_off) / 2, 0.2 if self.turn else 0.0
        return middle - half, middle + half


@dataclass(frozen=True, kw_only=True)
class Capture:
    """What was captured, a row a frame, and what is known of it.

    hips : (n, 2, 3)         hip joints
    knees, ankles : (n, 2, 3)
    feet : (n, 2, 3, 3)      orientations
    touches : (n, 2, 2)      True while ball and heel stand on the ground
    floor : (n, 2, 2)        the height at which ball and heel touch the ground below them
    ground_velocity : (3,)   of a treadmill
    """

    rate: float
    hips: np.ndarray
    knees: np.ndarray
    ankles: np.ndarray
    feet: np.ndarray
    touches: np.ndarray
    floor: np.ndarray
    ground_velocity: np.ndarray

    @property
    def points(self) -> np.ndarray:
        """(n, 2, 2, 3) ball and heel of each foot."""
        return self.ankles[:, :, None] + np.einsum("nfij,pj->nfpi", self.feet, POINTS)


def _smooth(part: np.ndarray, sharp: float) -> np.ndarray:
    """From 0 to 1; between a cubic, which starts with a jolt, and a quintic."""
    cubic, quintic = part**2 * (3 - 2 * part), part**3 * (10 - 15 * part + 6 * part**2)
    return sharp * cubic + (1 - sharp) * quintic


def turned(yaw: np.ndarray, pitch: np.ndarray) -> np.ndarray:
    """(n, 3, 3) orientations of a foot; pitch lifts the toes."""
    (cy, sy), (cp, sp), zero = (np.cos(yaw), np.sin(yaw)), (np.cos(pitch), np.sin(pitch)), np.zeros_like(yaw)
    return np.moveaxis(np.array(((cy, -sy * cp, sy * sp), (sy, cy * cp, -cy * sp), (zero, sp, cp))), -1, 0)


def _on_ground(step: Step, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ball, yaw and pitch of the foot during a step."""
    begin, end = step.turns_in
    yaw = step.yaw + step.turn * _smooth(np.clip((times - begin) / max(end - begin, 1e-9), 0, 1), 1.0)
    landing = np.clip((times - step.strike) / max(step.flat - step.strike, 1e-9), 0, 1)
    leaving = np.clip((times - step.heel_off) / max(step.toe_off - step.heel_off, 1e-9), 0, 1)
    pitch = step.strike_pitch * (1 - landing) + step.off_pitch * leaving**2
    flat = turned(np.array([step.yaw]), np.zeros(1))[0]
    ball, heel = step.place + flat @ BALL, step.place + flat @ HEEL
    on_heel = heel + turned(yaw, pitch) @ (BALL - HEEL)
    return np.where(((times < step.flat) & (step.strike_pitch > 0.0))[:, None], on_heel, ball), yaw, pitch


def foot(steps: Sequence[Step], times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ankles (n, 3), orientations (n, 3, 3), and whether ball and heel touch the ground (n, 2)."""
    balls, yaws, pitches = np.zeros((len(times), 3)), np.zeros(len(times)), np.zeros(len(times))
    touches = np.zeros((len(times), 2), dtype=bool)
    for step in steps:
        now = (times >= step.strike) & (times <= step.toe_off)
        balls[now], yaws[now], pitches[now] = _on_ground(step, times[now])
        begin, end = step.turns_in
        ball, heel = (step.flat if late else step.strike for late in (step.strike_pitch > 0, step.strike_pitch < 0))
        touches[:, 0] |= (times >= ball) & (times <= step.toe_off)
        turns = (times > begin) & (times < end)
        touches[:, 1] |= (times >= heel) & (times <= step.heel_off) & ~turns
    for before, after in pairwise(steps):
        now = (times > before.toe_off) & (times < after.strike)
        part = (times[now] - before.toe_off) / (after.strike - before.toe_off)
        ends = [_on_ground(step, np.array([time])) for step, time in ((before, before.toe_off), (after, after.strike))]
        (ball_a, yaw_a, pitch_a), (ball_b, yaw_b, pitch_b) = ends
        share = _smooth(part, after.sharp)
        balls[now] = ball_a + share[:, None] * (ball_b - ball_a)
        balls[now, 2] += after.lift * np.sin(pi * part) ** 2
        yaws[now], pitches[now] = yaw_a + share * (yaw_b - yaw_a), pitch_a + _smooth(part, 1.0) * (pitch_b - pitch_a)
    orientations = turned(yaws, pitches)
    return balls - orientations @ BALL, orientations, touches


def knees(hips: np.ndarray, ankles: np.ndarray, forward: np.ndarray, lengths: np.ndarray = LENGTHS) -> np.ndarray:
    """(..., 3) where the circles of both bones cross, on the side of `forward`."""
    line = ankles - hips
    distance = np.linalg.norm(line, axis=-1, keepdims=True)
    aim = line / distance
    first, second = lengths
    along = (distance**2 + first**2 - second**2) / (2 * distance)
    side = forward - np.sum(forward * aim, axis=-1, keepdims=True) * aim
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    return hips + along * aim + np.sqrt(np.maximum(first**2 - along**2, 0)) * side


def smoothed(values: np.ndarray, count: int) -> np.ndarray:
    """(n,) the mean of so many rows around each, three times over."""
    for _ in range(3):
        padded = np.pad(values, (count // 2, count - 1 - count // 2), mode="edge")
        values = np.convolve(padded, np.full(count, 1 / count), mode="valid")
    return values


def capture(
    both: Sequence[Sequence[Step]],
    times: np.ndarray,
    path: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    floor: Callable[[np.ndarray], np.ndarray] = lambda places: np.zeros(places.shape[:-1]),
    velocity: Sequence[float] = (0.0, 0.0, 0.0),
) -> Capture:
    """The legs that take these steps.

    both : the steps of each foot
    path : times -> places (n, 3) of the middle of the hips, and their yaw (n,). They are lowered to where both legs
        reach their feet, smoothly and by the same on all frames that are near.
    floor : places (..., 3) -> heights of the ground below
    """
    rate = 1 / (times[1] - times[0])
    ankles, feet, touches = (np.stack(parts, axis=1) for parts in zip(*map(foot, both, (times, times)), strict=True))
    middle, yaw = path(times)
    joints = middle[:, None] + np.einsum("nij,sj->nsi", turned(yaw, np.zeros_like(yaw)), SIDES)
    reach = _MOST * LENGTHS.sum()
    room = reach**2 - np.sum((joints - ankles)[..., :2] ** 2, axis=-1)
    assert room.min() > 0.0, "the steps are too long"
    most = (ankles[..., 2] + np.sqrt(room) - joints[..., 2]).min(axis=1)
    width = int(0.15 * rate) | 1
    padded = np.pad(most, 3 * (width // 2), mode="edge")
    least = np.lib.stride_tricks.sliding_window_view(padded, 6 * (width // 2) + 1).min(axis=-1)
    joints[..., 2] += smoothed(least, width)[:, None]
    ground = np.asarray(velocity) * times[:, None, None]
    points = ankles[:, :, None] + np.einsum("nfij,pj->nfpi", feet, POINTS)
    forward = turned(yaw, np.zeros_like(yaw))[:, None, :, 1]
    return Capture(
        rate=rate,
        hips=joints + ground,
        knees=knees(joints, ankles, forward) + ground,
        ankles=ankles + ground,
        feet=feet,
        touches=touches,
        floor=np.where(touches, points[..., 2], floor(points) + CLEARANCE),
        ground_velocity=np.array(velocity),
    )
