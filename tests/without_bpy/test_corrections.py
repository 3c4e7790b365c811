"""Corrections: what stands is held still, rolls or turns without a step, and is met by smooth curves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from solver.feet.contacts import without_pivots
from solver.feet.corrections import corrections
from solver.feet.rigid import standing_turns
from solver.feet.statistics import slide
from solver.numbers import true_runs
from solver.rotation import from_axis_angles
from support.footsteps import CLEARANCE, POINTS, Capture, Step
from support.footsteps import foot as foot_of
from support.footsteps import turned as foot_turned
from support.planted import UP
from support.takes import disturbed, run, turn, walk

FLAT = 1.0 - UP


def corrected(take: Capture, foot: int = 0, level: object = CLEARANCE) -> np.ndarray:
    """(n, 3) for the known contacts of one foot, turned so that it is at rest where it stands flat."""
    points = turned(take, foot)
    level = None if level is None else np.broadcast_to(level, points.shape[:2])
    captured = take.points[:, foot]
    return corrections(points, take.touches[:, foot], level, take.rate, UP, captured=captured)


def turned(take: Capture, foot: int = 0) -> np.ndarray:
    """(n, 2, 3) ball and heel of a foot that turns about its ankle, but keeps its place."""
    captured = take.points[:, foot]
    turns = standing_turns(take.feet[:, foot], captured, take.touches[:, foot], take.rate, UP)
    ankles = take.ankles[:, foot, None]
    return ankles + np.einsum("nij,npj->npi", turns, captured - ankles)


@pytest.fixture(scope="module", params=[walk, run, turn], ids=lambda make: make.__name__)
def take(request: pytest.FixtureRequest) -> Capture:
    return disturbed(request.param(60.0), 0.005, 1)


def test_a_foot_that_stands_does_not_slide(take: Capture) -> None:
    for foot in (0, 1):
        points = turned(take, foot) + corrected(take, foot)[:, None]
        slid = slide(points, take.touches[:, foot])
        both = (take.touches[1:, foot] & take.touches[:-1, foot]).any(axis=-1)
        assert (np.isfinite(slid) == both).all()
        assert np.nanmax(slid) < 1e-12, "and so it rolls from heel to ball without a step"
        assert np.nanmax(slide(take.points[:, foot], take.touches[:, foot])) > 1e-3, "as it did before"


def test_the_lowest_standing_point_of_a_stand_is_on_the_ground(take: Capture) -> None:
    stands = take.touches[:, 0]
    above = np.where(stands, (turned(take) + corrected(take)[:, None])[..., 2] - CLEARANCE, np.inf)
    for first, last in true_runs(stands.any(axis=-1)):
        assert above[first : last + 1].min() == pytest.approx(0.0, abs=1e-12)


def test_each_point_has_one_height_for_a_whole_stand(take: Capture) -> None:
    for level in (CLEARANCE, None):
        heights = (turned(take) + corrected(take, level=level)[:, None])[..., 2]
        for first, last in true_runs(take.touches[:, 0].any(axis=-1)):
            for point in (0, 1):
                own = heights[first : last + 1, point][take.touches[first : last + 1, 0, point]]
                assert len(own) == 0 or np.ptp(own) < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_what_has_no_ground_is_held_in_height_as_well(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.cumsum(rng.normal(0, 0.002, (200, 2, 3)), axis=0) + rng.normal(0, 0.001, (200, 2, 3))
    stands = np.repeat(rng.random((20, 2)) < 0.6, 10, axis=0)
    stands[:, 1] &= ~stands[:, 0]
    after = points + corrections(points, stands, None, 60.0, UP)[:, None]
    both, steps = stands[1:] & stands[:-1], np.linalg.norm(np.diff(after, axis=0), axis=-1)
    assert both.any(axis=-1).sum() > 50
    assert np.where(both, steps, np.inf).min(axis=-1)[both.any(axis=-1)].max() < 1e-12


def test_the_place_that_is_held_needs_the_least_correction(take: Capture) -> None:
    stands = take.touches[:, 0]
    moved = np.where(stands[..., None], turned(take) + corrected(take)[:, None] - take.points[:, 0], 0.0) * FLAT
    for first, last in true_runs(stands.any(axis=-1)):
        part, counted = moved[first : last + 1], stands[first : last + 1, :, None]
        for other in 1e-3 * np.array(((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))):
            assert np.sum((part + other * counted) ** 2) > np.sum(part**2)


def test_between_two_stands_the_correction_is_a_cubic(take: Capture) -> None:
    moved, spans = corrected(take, level=None), true_runs(take.touches[:, 0].any(axis=-1))
    for (_, before), (after, _) in pairwise(spans):
        rows = np.arange(before, after + 1)
        fitted = np.polynomial.polynomial.polyfit(rows - before, moved[rows], 3)
        on_cubic = np.polynomial.polynomial.polyval(rows - before, fitted).T
        assert np.abs(on_cubic - moved[rows]).max() < 1e-9


def test_a_correction_goes_on_with_the_speed_that_it_had() -> None:
    rate, speed = 6000.0, np.array((0.3, -0.1, 0.0))
    points = (np.arange(12000)[:, None] / rate * speed)[:, None]
    stands = np.zeros((12000, 1), dtype=bool)
    stands[2000:5000] = stands[8000:10000] = True
    velocity = np.diff(corrections(points, stands, None, rate, UP), axis=0) * rate
    assert np.abs(velocity[2000:4999] + speed).max() < 1e-6
    for edge in (1999, 4999, 7999, 9999):
        # In the first frame the curvature of a cubic over half a second changes its slope by 0.2 %.
        assert np.abs(velocity[edge - 1] - velocity[edge]).max() < 0.01 * 0.3


@pytest.mark.parametrize("rate", [30.0, 120.0])
@pytest.mark.parametrize("pause", [0.8, 2.0, 8.0, 16.0])
def test_in_a_long_pause_a_foot_does_not_swing_out(pause: float, rate: float) -> None:
    """It skates by a centimetre to and fro while it stands, for two seconds before and after."""
    times = np.arange(round((pause + 4.0) * rate)) / rate
    points = 0.012 * np.stack((np.sin(4.0 * times), np.cos(3.0 * times), 0.0 * times), axis=-1)[:, None]
    stands = (times < 2.0) | (times > pause + 2.0)
    moved = corrections(points, stands[:, None], None, rate, UP)
    first, last = np.flatnonzero(~stands)[[0, -1]]
    sizes, turns = np.linalg.norm(moved, axis=1), np.linalg.norm(np.diff(moved, 2, axis=0), axis=1) * rate
    larger = max(sizes[first - 1], sizes[last + 1])
    assert sizes[first : last + 1].max() <= 1.2 * larger
    # It goes on with the speed that it had, which is up to 60 mm a second.
    assert turns[[first - 2, first - 1, last - 1, last]].max() < 0.03


def test_before_the_first_and_after_the_last_stand_it_dies_away() -> None:
    points = np.random.default_rng(1).normal(0, 0.01, (300, 1, 3))
    stands = np.zeros((300, 1), dtype=bool)
    stands[100:200] = True
    moved = corrections(points, stands, -np.ones((300, 1)), 60.0, UP)
    assert (np.abs(moved[:70]).max(), np.abs(moved[230:]).max()) == (0.0, 0.0)
    assert (np.abs(moved[75:100]).max(axis=1) > 0.0).all()
    assert np.abs(np.diff(moved[199:], axis=0)).max() < 1.0 / 10, "a metre, over half a second"


def test_a_foot_that_never_stands_does_not_move() -> None:
    points = np.random.default_rng(1).normal(size=(50, 2, 3))
    assert (corrections(points, np.zeros((50, 2), dtype=bool), None, 30.0, UP) == 0.0).all()


@pytest.mark.parametrize("frame", [0, 7, 19])
def test_a_stand_may_last_one_frame(frame: int) -> None:
    points = np.random.default_rng(1).normal(size=(20, 2, 3))
    stands = np.zeros((20, 2), dtype=bool)
    stands[frame] = True
    moved = corrections(points, stands, np.zeros((20, 2)), 30.0, UP)
    assert np.isfinite(moved).all()
    assert moved[frame] @ UP == pytest.approx(-(points[frame] @ UP).min())


def test_corrections_do_not_depend_on_the_axes(take: Capture) -> None:
    turn_back = np.array(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    points, level = take.points[:, 0], np.broadcast_to(CLEARANCE, take.touches.shape[::2])
    moved = corrections(points, take.touches[:, 0], level, take.rate, UP)
    about = corrections(points @ turn_back.T, take.touches[:, 0], level, take.rate, turn_back @ UP)
    assert np.abs(about - moved @ turn_back.T).max() < 1e-12


def turning_points(angles: np.ndarray, point: int, axis: np.ndarray, noise: float = 0.0) -> np.ndarray:
    """(n, 2, 3) ball and heel of a foot that turns about one of them."""
    turns = from_axis_angles(np.column_stack((angles, np.broadcast_to(axis, (len(angles), 3)))))
    points = POINTS[point] + np.einsum("nij,pj->npi", turns, POINTS - POINTS[point])
    return points + np.random.default_rng(1).normal(0.0, noise, points.shape)


def eased(count: int, degrees: float) -> np.ndarray:
    """(3 * count,) radians: at rest, then turning, then at rest."""
    part = np.clip(np.arange(-count, 2 * count) / count, 0.0, 1.0)
    return np.radians(degrees) * part**2 * (3.0 - 2.0 * part)


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("point", [0, 1], ids=["ball", "heel"])
@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_a_slow_pivot_stands_on_what_it_turns_about(rate: float, point: int, noise: float) -> None:
    count = round(1.5 * rate)
    points = turning_points(eased(count, 48.0), point, UP, noise)
    stands = without_pivots(points, np.ones((3 * count, 2), dtype=bool), rate, UP, 0.1)
    assert stands[:, point].all()
    middle = slice(round(1.3 * count), round(1.7 * count))
    assert not stands[middle, 1 - point].any()
    assert stands[: round(0.8 * count)].all()
    assert stands[round(2.2 * count) :].all()


@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_ordinary_flat_stands_stay_flat(noise: float) -> None:
    points = turning_points(eased(30, 7.5), 0, UP, noise)
    assert without_pivots(points, np.ones((90, 2), dtype=bool), 30.0, UP, 0.1).all()
    still = np.broadcast_to(POINTS, (1, 2, 3))
    assert without_pivots(still, np.ones((1, 2), dtype=bool), 30.0, UP, 0.1).all()


def test_a_foot_that_pitches_for_long_stands_on_one_point() -> None:
    angles = np.zeros(300)
    angles[200:260] = np.radians(-10.0)
    points = turning_points(angles, 0, np.array((1.0, 0.0, 0.0)))
    stands = without_pivots(points, np.ones((300, 2), dtype=bool), 60.0, UP, 0.1)
    assert stands[:, 0].all()
    assert (stands[:, 1] == (angles == 0.0)).all()


def test_a_made_footstep_that_turns_slowly_is_found() -> None:
    step = Step(
        place=np.array((0.0, 0.0, 0.09)), yaw=0.2, strike=-1e6, flat=-1.0, heel_off=1e6, toe_off=1e7, strike_pitch=0.0
    )
    ankles, orientations, _ = foot_of([step], np.arange(120) / 60.0)
    yaw = eased(40, 46.0)
    turns = foot_turned(yaw, np.zeros_like(yaw)) @ orientations
    ball = ankles[0] + orientations[0] @ POINTS[0]
    points = ball + np.einsum("nij,pj->npi", turns, POINTS - POINTS[0])
    stands = without_pivots(points, np.ones((120, 2), dtype=bool), 60.0, UP, 0.1)
    assert stands[:, 0].all()
    assert not stands[50:70, 1].any()
