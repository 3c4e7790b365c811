"""Feet that turn slowly about one of their points do not stand flat meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from solver.feet.pivots import without_pivots
from solver.rotation import from_axis_angles
from support.footsteps import POINTS, Step, turned
from support.footsteps import foot as foot_of
from support.planted import UP


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
    turns = turned(yaw, np.zeros_like(yaw)) @ orientations
    ball = ankles[0] + orientations[0] @ POINTS[0]
    points = ball + np.einsum("nij,pj->npi", turns, POINTS - POINTS[0])
    stands = without_pivots(points, np.ones((120, 2), dtype=bool), 60.0, UP, 0.1)
    assert stands[:, 0].all()
    assert not stands[50:70, 1].any()
