"""Captures of known footsteps: who goes, stands, turns and jumps how; and the faults that captures have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import pi

import numpy as np

from .footsteps import LENGTHS, SIDES, Capture, Step, capture, foot, knees, smoothed, turned


def gait(
    speed: float,
    period: float,
    duty: float,
    *,
    seconds: float = 8.0,
    rate: float = 60.0,
    curve: float = 0.0,
    floor: Callable[[np.ndarray], np.ndarray] = lambda places: np.zeros(places.shape[:-1]),
    flight: float = 0.0,
    seed: int = 1,
    **details: float,
) -> tuple:
    """Steps, times and path for `capture`: one goes on evenly, along y or in a circle.

    curve : radians a second
    period : seconds from a step of a foot to its next
    duty : part of it for which the foot stands
    flight : height by which the hips rise between the steps of a run
    details : of `Step`
    """
    rng, times = np.random.default_rng(seed), np.arange(round(seconds * rate) + 1) / rate

    def path(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        yaw = curve * times
        radius = speed / curve if curve else 0.0
        along = (-radius * (1 - np.cos(yaw)), radius * np.sin(yaw)) if curve else (0 * times, speed * times)
        places = np.stack((*along, flight * np.sin(2 * pi * times / period - pi * duty) ** 2), axis=-1)
        return places + floor(places)[..., None] * (0, 0, 1), yaw

    both = []
    for side, aside in enumerate(SIDES):
        steps = []
        for number in range(-2, int(seconds / period) + 4):
            middle = (number + side / 2) * period
            stands = duty * period * rng.uniform(0.96, 1.04)
            (place,), (yaw,) = path(np.array([middle]))
            place = place + turned(np.array([yaw]), np.zeros(1))[0] @ aside + (*rng.normal(0, 0.01, 2), 0)
            place[2] = floor(place) + 0.09
            strike, toe_off = middle - stands / 2, middle + stands / 2
            steps.append(
                Step(
                    place=place,
                    yaw=yaw,
                    strike=strike,
                    flat=strike + 0.17 * stands,
                    heel_off=strike + 0.65 * stands,
                    toe_off=toe_off,
                    sharp=rng.uniform(),
                    **details,
                )
            )
        both.append(steps)
    return both, times, path


def _stands(place: Sequence[float], yaw: float, begin: float, end: float, **details: float) -> Step:
    """A foot that stands flat from the beginning to the end, but for a fifth of a second in which it rolls off."""
    values = {"strike_pitch": 0.0, "off_pitch": -0.5} | details
    return Step(
        place=np.array((*place, 0.09)), yaw=yaw, strike=begin, flat=begin, heel_off=end - 0.2, toe_off=end, **values
    )


def _standing(seconds: float, rate: float, both: Sequence[Sequence[Step]], sway: float, rises: object = None) -> tuple:
    times = np.arange(round(seconds * rate) + 1) / rate

    def path(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # The hips follow the middle of the feet, which do not jump from step to step.
        middle = np.mean([_course(steps, times) for steps in both], axis=0)
        middle[:, 0] += sway * np.sin(2 * pi * 0.4 * times)
        middle[:, 2] = 0.0 if rises is None else rises(times)
        return middle, np.mean([np.interp(times, *_yaws(steps)) for steps in both], axis=0)

    return both, times, path


def _course(steps: Sequence[Step], times: np.ndarray) -> np.ndarray:
    count = int(0.25 / (times[1] - times[0])) | 1
    return np.stack([smoothed(values, count) for values in foot(steps, times)[0].T], axis=-1)


def _yaws(steps: Sequence[Step]) -> tuple[list, list]:
    times = [time for step in steps for time in (max(step.strike, -1e3), *step.turns_in, step.toe_off)]
    return times, [yaw for step in steps for yaw in (step.yaw, step.yaw, *[step.yaw + step.turn] * 2)]


def walk(rate: float = 60.0, **details: float) -> Capture:
    """Straight on."""
    return capture(*gait(1.3, 1.1, 0.6, rate=rate, **details))


def stroll(rate: float = 60.0) -> Capture:
    """A slow walk in a circle."""
    return capture(*gait(0.7, 1.4, 0.65, rate=rate, curve=0.4, seed=2, lift=0.04, off_pitch=-0.6))


def run(rate: float = 60.0) -> Capture:
    """Straight on, with both feet in the air between the steps."""
    details = {"off_pitch": -1.0, "strike_pitch": 0.15, "lift": 0.25}
    return capture(*gait(3.2, 0.7, 0.34, rate=rate, flight=0.05, seed=3, **details))


def treadmill(rate: float = 60.0) -> Capture:
    """A walk on the spot, over ground that moves back."""
    return capture(*gait(1.4, 1.05, 0.6, rate=rate, seed=4), velocity=(0.0, -1.4, 0.0))


def stair(rate: float = 60.0) -> Capture:
    """Six steps up, 0.17 high and 0.3 deep, of which each foot takes every second; ground before and after."""

    def floor(places: np.ndarray) -> np.ndarray:
        return 0.17 * np.clip(np.round(places[..., 1] / 0.3), 0, 12)

    both, times, path = gait(
        0.5, 1.2, 0.62, rate=rate, seed=5, seconds=9.0, lift=0.13, off_pitch=-0.5, strike_pitch=0.0
    )

    def rising(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        places, yaw = path(times)
        places[:, 2] = 0.17 * np.clip(places[:, 1] / 0.3, 0, 12)
        return places, yaw

    both = [[replace(s, place=np.array((*s.place[:2], floor(s.place) + 0.09))) for s in steps] for steps in both]
    return capture(both, times, rising, floor)


def stand(rate: float = 60.0) -> Capture:
    """One who shifts weight, and only once moves a foot."""
    left = [_stands((-0.12, 0.0), 0.2, -1e6, 1e6)]
    right = [_stands((0.12, 0.0), -0.2, -1e6, 3.0), _stands((0.22, 0.1), -0.3, 3.5, 1e6, lift=0.05)]
    return capture(*_standing(7.0, rate, (left, right), 0.04))


def turn(rate: float = 60.0) -> Capture:
    """Standing, the feet turn on their balls one after the other."""
    left = [
        _stands((-0.1, 0.0), 0.0, -1e6, 2.2),
        _stands((-0.05, 0.1), 0.6, 2.6, 5.4, turn=0.9),
        _stands((-0.15, 0.1), 1.4, 5.9, 1e6),
    ]
    right = [_stands((0.1, 0.0), 0.0, 0.0 - 0.6, 3.0, turn=0.8), _stands((0.15, 0.05), 1.2, 3.5, 1e6)]
    return capture(*_standing(7.5, rate, (left, right), 0.02))


def jump(rate: float = 60.0) -> Capture:
    """Both feet leave the ground at 2 s, rise by 0.3 and land farther ahead; a small hop before and after."""
    both = []
    for x in (-0.12, 0.12):
        spans = ((0.0, -1e6, 1.0, 0.3), (0.0, 1.3, 2.0, 0.3), (0.5, 2.5, 4.0, 0.1), (0.55, 4.25, 1e6, 0.1))
        both.append([_stands((x, y), 0.0, begin, end, lift=lift) for y, begin, end, lift in spans])
        both[-1] = [
            replace(step, lift=lift, strike_pitch=-0.4, flat=step.strike + 0.08 if step.strike > 0 else step.flat)
            for step, lift in zip(both[-1], (0.0, 0.1, 0.3, 0.1), strict=True)
        ]

    def rises(times: np.ndarray) -> np.ndarray:
        return sum(
            height * np.sin(pi * np.clip((times - begin) / (end - begin), 0, 1)) ** 2
            for begin, end, height in ((1.0, 1.3, 0.1), (2.0, 2.5, 0.3), (4.0, 4.25, 0.1))
        )

    return capture(*_standing(6.0, rate, both, 0.01, rises))


TAKES = {take.__name__: take for take in (walk, stroll, run, treadmill, stair, stand, turn, jump)}


def legs_scaled(take: Capture, ratio: float) -> Capture:
    """The rotations copied to legs that are so much longer, with the same feet and hips."""
    bent = take.hips + ratio * (take.knees - take.hips)
    return replace(take, knees=bent, ankles=bent + ratio * (take.ankles - take.knees))


def disturbed(take: Capture, noise: float, seed: int, skate: float = 0.012, drift: float = 0.008) -> Capture:
    """The capture with faults on top.

    noise : metres      standard deviation of each coordinate of ankle, ball and heel, on every frame for itself
    skate : metres      a slow wandering of each foot
    drift : metres a second, sideways for the whole body; a fourth of it upwards
    """
    rng, count = np.random.default_rng(seed), len(take.ankles)
    times = np.arange(count) / take.rate
    phase, rhythm = rng.uniform(0, 2 * pi, (2, 3, 3)), rng.uniform(0.2, 1.0, (2, 3, 3))
    waves = np.sin(2 * pi * rhythm * times[:, None, None, None] + phase).sum(axis=-1) * skate / np.sqrt(3)
    heading = rng.uniform(0, 2 * pi)
    body = times[:, None] * drift * np.array((np.cos(heading), np.sin(heading), 0.25))
    ankles = take.ankles + waves * (1, 1, 0.2) + body[:, None] + rng.normal(0, 0.8 * noise, take.ankles.shape)
    hips = take.hips + body[:, None] + rng.normal(0, 0.5 * noise, (count, 1, 3))
    # Balls and heels are about 0.12 from their middle.
    small = rng.normal(0, 0.75 * noise / 0.12, (count, 2, 3))
    feet = np.einsum("nfij,nfjk->nfik", _rotation_vectors(small), take.feet)
    line = ankles - hips
    distance = np.linalg.norm(line, axis=-1, keepdims=True)
    ankles = hips + line * np.minimum(1, 0.999 * LENGTHS.sum() / distance)
    return replace(take, hips=hips, ankles=ankles, feet=feet, knees=knees(hips, ankles, take.knees - take.hips))


def _rotation_vectors(vectors: np.ndarray) -> np.ndarray:
    """(..., 3, 3) by Rodrigues' formula."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    skew = np.moveaxis(np.array(((zero, -z, y), (z, zero, -x), (-y, x, zero))), (0, 1), (-2, -1))
    return np.eye(3) + np.sinc(angle / pi) * skew + 0.5 * np.sinc(angle / (2 * pi)) ** 2 * skew @ skew
