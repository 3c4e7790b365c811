"""Feet that stand, by three ways, judged by footsteps that are known: python benchmarks/plant.py

Needs NumPy alone. Walks, a run, a treadmill, a stair, standing, turns on the ball and a jump, with 2 mm of noise,
skating and drift, on legs 0.85, 1 and 1.15 times as long as the captured ones: as the rotations were copied; by two
thresholds, the best pair for these takes, with the mean position held; and planted. Thresholds are given the floor, the
velocity of the treadmill and hips that were scaled to the legs.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from solver.contacts import on_ground
from solver.corrections import stand_spans
from solver.hips import scaled
from support.footsteps import Capture
from support.planted import ANKLE, most_acceleration, planted, posed, slid, stair_level
from support.takes import TAKES, disturbed, legs_scaled, walk

RATES, RATIOS = (30.0, 60.0, 120.0), (0.85, 1.0, 1.15)
FAST, HIGH = 0.6, 0.022
"""Metres a second, metres: the thresholds that label most frames right at 2 mm of noise."""


def main() -> None:
    """Print a row for each way, and the time for 10,000 frames."""
    rows = np.array([list(judged(*take)) for take in takes()])
    print("| | frames that slide less than 0.1 mm | 97 % slide at most, mm | knee acceleration | hip acceleration |")
    print("| --- | --- | --- | --- | --- |")
    for number, name in enumerate(("copied", "two thresholds", "planted")):
        still, far, knee, hip = rows[:, number].T
        print(f"| {name} | {still.mean():.1%} | {np.median(far):.3f} | {np.median(knee):.2f} | {np.median(hip):.2f} |")
    take = disturbed(walk(60.0, seconds=10_000 / 60), 0.002, 1)
    begin = process_time()
    planted(take)
    print(f"{len(take.hips)} frames, two legs: {process_time() - begin:.2f} s")


def takes() -> Iterator[tuple[str, Capture, float]]:
    """Each take by name, on legs of another length."""
    for ratio in RATIOS:
        for seed, (name, make) in enumerate(TAKES.items()):
            yield name, legs_scaled(disturbed(make(RATES[seed % 3]), 0.002, seed), ratio), ratio


def judged(name: str, take: Capture, ratio: float) -> Iterator[tuple[float, ...]]:
    """Of each way: the part of known contacts that stand, the slide of 97 % of them, accelerations as captured 1."""
    level = stair_level(take, ratio)
    given = level if name == "stair" else None
    result, ours = planted(take, ratio, level=given, ratio=ratio, origin=ANKLE)
    for way in (take, held_by_thresholds(take, ratio, level), ours):
        velocity = result.velocity if way is ours else take.ground_velocity
        slides = 1e3 * np.sort(slid(way, velocity))
        knee, hip = (
            most_acceleration(getattr(way, joint), take.rate) / most_acceleration(getattr(take, joint), take.rate)
            for joint in ("knees", "hips")
        )
        yield float(np.mean(slides < 0.1)), slides[int(0.97 * len(slides)) - 1], knee, hip


def held_by_thresholds(take: Capture, ratio: float, level: np.ndarray) -> Capture:
    """Feet that are slow and low stay at the mean of where they are."""
    middle = take.hips.mean(axis=1)
    fit = scaled(middle, ratio, ANKLE) - middle
    points = on_ground(take.points + fit[:, None, None], take.rate, take.ground_velocity)
    speed = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * take.rate
    stands = ((speed < FAST) & (points[..., 2] - level < HIGH)).any(axis=-1)
    tips = take.ankles + fit[:, None]
    for foot in (0, 1):
        for first, last in stand_spans(stands[:, foot]):
            rows = slice(first, last + 1)
            ball = points[rows, foot, 0]
            tips[rows, foot] += ball.mean(axis=0) - ball
    return posed(take, fit, tips)


if __name__ == "__main__":
    main()
