"""Feet that stand, by three ways, judged by footsteps that are known: python benchmarks/plant.py

Needs NumPy alone; with the Python of a Blender wheel that has the extension it also prints what `plant_speed.py` does.
Walks, a run, a treadmill, a stair, standing, turns on the ball and a jump, with 2 mm of noise, skating and
drift, on legs 0.85, 1 and 1.15 times as long as the captured ones: as the rotations were copied; by two thresholds, the
best pair for these takes, with the mean position held; and planted. All are given the floor. Thresholds are given the
velocity of the treadmill and hips that were scaled to the legs as well. A foot slides as far as that of its standing
points which slides most. A second table judges the planted feet on the frames on which Plant lets them stand, by noise.
"""

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import util
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from solver.feet.contacts import on_ground
from solver.feet.hips import fit, lowering
from solver.feet.statistics import slide, turning
from solver.numbers import true_runs
from support.footsteps import Capture
from support.planted import ANKLE, UP, ground_velocity, most_acceleration, planted, posed, slid, stair_level
from support.takes import TAKES, disturbed, legs_scaled

RATES, RATIOS, NOISES = (30.0, 60.0, 120.0), (0.85, 1.0, 1.15), (0.0, 0.0005, 0.002)
WAYS = "copied", "two thresholds", "planted"
FAST, HIGH = 0.6, 0.022
"""Metres a second, metres: the thresholds that label most frames right at 2 mm of noise."""


def main() -> None:
    """Print a row for each way on legs of each length, how exact the lowering is, and times beside nla.bake."""
    print("| legs | | frames that stand | 99 % of 97 % slide at most | on the floor | knees | hips |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for ratio in RATIOS:
        for way, figures in zip(WAYS, judged_takes(ratio), strict=True):
            print(f"| {ratio} | {way} | {figures.row()}")
    print("| noise, mm | slide of standing feet, 99 % | turn while flat, 99 % | F1 of contacts | knees | at worst |")
    print("| --- | --- | --- | --- | --- | --- |")
    for noise in NOISES:
        print(f"| {1e3 * noise} | {judged_stands(noise).row()}")
    print(f"the lowering is off from a search by {lowering_error():.1e} leg lengths at most")
    if util.find_spec("bpy"):
        import plant_speed

        plant_speed.main()


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Of all takes together, by known contacts and the given floor.

    slides : (k,) metres a frame, rising
    on_floor : part of the frames on which the lowest point is from 1 mm below to 2 mm above the floor
    knee, hip : greatest acceleration, as captured 1, median of the takes
    """

    slides: np.ndarray
    on_floor: float
    knee: float
    hip: float

    @property
    def still(self) -> float:
        """Part of the frames that slide by less than 0.1 mm."""
        return float(np.mean(self.slides < 1e-4))

    @property
    def most_slide(self) -> float:
        """Metres a frame: 99 % of the best 97 % of the frames slide by less."""
        return float(np.quantile(self.slides[: int(0.97 * len(self.slides))], 0.99))

    def row(self) -> str:
        """The figures as cells of a table."""
        slides = f"{self.still:.1%} | {1e3 * self.most_slide:.3f} mm"
        return f"{slides} | {self.on_floor:.1%} | {self.knee:.2f} | {self.hip:.2f} |"


@dataclass(frozen=True, kw_only=True)
class StandFigures:
    """Of planted takes at all rates and leg lengths together, by the contacts that Plant has found.

    slides : (k,) metres a frame, of feet that stand
    turns : (m,) radians a frame, of feet that stand flat
    f1 : of the contacts of balls and heels with those that are known
    knees : of each take the greatest acceleration, as captured 1
    """

    slides: np.ndarray
    turns: np.ndarray
    f1: float
    knees: np.ndarray

    @property
    def most_slide(self) -> float:
        """Metres a frame: 99 % of the frames slide by less."""
        return float(np.quantile(self.slides, 0.99))

    @property
    def most_turn(self) -> float:
        """Degrees a frame: 99 % of the frames turn by less."""
        return float(np.degrees(np.quantile(self.turns, 0.99)))

    def row(self) -> str:
        """The figures as cells of a table."""
        still = f"{1e3 * self.most_slide:.3f} mm | {self.most_turn:.3f} degrees | {self.f1:.3f}"
        return f"{still} | {np.median(self.knees):.2f} | {self.knees.max():.2f} |"


def judged_stands(noise: float, rates: Sequence[float] = RATES, takes: Collection[str] = TAKES) -> StandFigures:
    """The figures of takes with so much noise (metres); the ground is found, but for the stair."""
    found = [
        _judged_stands(legs_scaled(disturbed(TAKES[name](rate), noise, seed), ratio), ratio, name == "stair")
        for ratio in RATIOS
        for rate in rates
        for seed, name in enumerate(takes)
    ]
    slides, turns, counts, knees = zip(*found, strict=True)
    right, either = np.sum(counts, axis=0)
    return StandFigures(
        slides=np.concatenate(slides),
        turns=np.concatenate(turns),
        f1=float(right / either),
        knees=np.array(knees),
    )


def _judged_stands(
    take: Capture, ratio: float, is_stair: bool
) -> tuple[np.ndarray, np.ndarray, tuple[float, float], float]:
    """Slides, turns, contacts that are right with the mean of those known and found, acceleration as captured 1."""
    floor = stair_level(take, ratio) if is_stair else None
    result, after = planted(take, ratio, level=floor, ratio=ratio, origin=ANKLE)
    slides = slide(on_ground(after.points, take.rate, result.velocity), result.stands)
    turns = turning(after.feet, after.points, result.stands)
    right = np.count_nonzero(result.stands & take.touches)
    either = 0.5 * (np.count_nonzero(result.stands) + np.count_nonzero(take.touches))
    knee = most_acceleration(after.knees, take.rate) / most_acceleration(take.knees, take.rate)
    return slides[np.isfinite(slides)], turns[np.isfinite(turns)], (right, either), knee


def judged_takes(ratio: float, rates: Sequence[float] = RATES, takes: Collection[str] = TAKES) -> list[Figures]:
    """The figures of each way for legs so much longer."""
    found = []
    for seed, name in enumerate(takes):
        take = legs_scaled(disturbed(TAKES[name](rates[seed % len(rates)]), 0.002, seed), ratio)
        found.append(list(_judged(take, ratio)))
    return [_together(one_way) for one_way in zip(*found, strict=True)]


def _judged(take: Capture, ratio: float) -> Iterator[tuple[np.ndarray, np.ndarray, float, float]]:
    """Of each way: slides, heights above the floor, and accelerations as captured 1."""
    floor = stair_level(take, ratio)
    result, ours = planted(take, ratio, level=floor, ratio=ratio, origin=ANKLE)
    for way in (take, held_by_thresholds(take, ratio, floor), ours):
        velocity = ground_velocity(take, result) if way is ours else take.ground_velocity
        above = np.where(take.touches, way.points[..., 2] - floor, np.inf).min(axis=-1)
        knee, hip = (
            most_acceleration(getattr(way, joint), take.rate) / most_acceleration(getattr(take, joint), take.rate)
            for joint in ("knees", "hips")
        )
        yield slid(way, velocity), above[np.isfinite(above)], knee, hip


def _together(takes: Iterable[tuple[np.ndarray, np.ndarray, float, float]]) -> Figures:
    slides, above, knees, hips = zip(*takes, strict=True)
    above = np.concatenate(above)
    return Figures(
        slides=np.sort(np.concatenate(slides)),
        on_floor=float(np.mean((above > -0.001) & (above < 0.002))),
        knee=float(np.median(knees)),
        hip=float(np.median(hips)),
    )


def lowering_error(count: int = 2000) -> float:
    """Leg lengths by which the lowering of random legs differs from the least that a search finds."""
    rng = np.random.default_rng(1)
    feet, hips = rng.normal(0, 0.2, (count, 2, 3)), rng.normal((0, 0, 0.95), 0.1, (count, 2, 3))
    stands = np.ones((count, 2), dtype=bool)
    down = lowering(hips, feet, np.ones(2), stands, UP, 1.0)

    def reached(distance: np.ndarray) -> np.ndarray:
        return (np.linalg.norm(hips - distance[:, None, None] * UP - feet, axis=-1) <= 1.0).all(axis=-1)

    # The first of many tries that reaches, and then halves of the step before it.
    tries = np.linspace(0.0, 1.0, 1001)
    good = np.stack([reached(np.full(count, distance)) for distance in tries])
    possible, first = good.any(axis=0), np.argmax(good, axis=0)
    low, high = tries[np.maximum(first - 1, 0)], tries[first]
    for _ in range(50):
        middle = 0.5 * (low + high)
        inside = reached(middle)
        low, high = np.where(inside, low, middle), np.where(inside, middle, high)
    return float(np.abs(down - high)[possible].max())


def held_by_thresholds(take: Capture, ratio: float, level: np.ndarray) -> Capture:
    """Feet that are slow and low stay at the mean of where they are."""
    middle = take.hips.mean(axis=1)
    shift = fit(middle, ratio, ANKLE)
    points = on_ground(take.points + shift[:, None, None], take.rate, take.ground_velocity)
    speed = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * take.rate
    stands = ((speed < FAST) & (points[..., 2] - level < HIGH)).any(axis=-1)
    tips = take.ankles + shift[:, None]
    for foot in (0, 1):
        for first, last in true_runs(stands[:, foot]):
            rows = slice(first, last + 1)
            ball = points[rows, foot, 0]
            tips[rows, foot] += ball.mean(axis=0) - ball
    return posed(take, shift, tips)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
