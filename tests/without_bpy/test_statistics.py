"""What series of samples show, and what they do not show."""

from __future__ import annotations

import numpy as np
import pytest

from solver.feet.contacts import footing
from solver.feet.hips import found_ratio
from solver.feet.statistics import commonest
from support.footsteps import LENGTHS
from support.takes import TAKES, disturbed, stand

UP = np.array((0.0, 0.0, 1.0))


@pytest.mark.parametrize("seed", range(5))
def test_a_value_that_is_common_by_chance_is_not_taken(seed: int) -> None:
    samples = np.random.default_rng(seed).uniform(-3, 3, (400, 1))
    assert commonest(samples, 0.2, np.ones(1)) == 1.0


@pytest.mark.parametrize(("often", "value"), [(30, 1.0), (90, 0.0)])
def test_a_value_is_taken_where_far_more_samples_have_it(often: int, value: float) -> None:
    rng = np.random.default_rng(1)
    samples = np.concatenate((np.zeros(often), np.ones(40), rng.uniform(-3, 3, 300)))[:, None]
    assert commonest(samples, 0.05, np.ones(1)) == pytest.approx(value, abs=0.05)


def roll(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Hips (n, 3) that go along, and points (n, 2, 2, 3) of feet that turn around them and seldom stand."""
    rng = np.random.default_rng(seed)
    times = np.arange(121) / 60
    hips = np.stack((0.1 * np.sin(3 * times), 1.1 * times, 0.5 + 0.2 * np.cos(4 * times)), axis=-1)
    phase = rng.uniform(0, 2 * np.pi, (2, 2)) + 4 * times[:, None, None]
    around = np.stack((0.1 * np.sin(phase / 3), np.sin(phase), np.cos(phase)), axis=-1)
    return hips, hips[:, None, None] + rng.uniform(0.5, 0.8, (2, 2, 1)) * around


@pytest.mark.parametrize("seed", range(5))
def test_feet_that_never_stand_show_neither_legs_nor_ground(seed: int) -> None:
    hips, points = roll(seed)
    assert found_ratio(hips, points, 60.0, 0.88, UP) == 1.0
    assert (footing(points, 60.0, np.full(2, 0.88), UP).velocity == 0.0).all()


def test_a_heel_that_rests_in_the_air_leaves_the_ground_level() -> None:
    take = disturbed(stand(30.0), 0.001, 1, drift=0.0)
    points = take.points.copy()
    points[50:, 1, 1, 2] += 0.12
    found = footing(points, take.rate, np.full(2, LENGTHS.sum()), UP)
    assert found.level is not None
    assert not found.stands[60:, 1, 1].any()
    assert found.stands[60:, 1, 0].mean() > 0.7


def test_the_lower_of_two_common_heights_is_the_heels() -> None:
    take = TAKES["stand"](30.0)
    points = take.points.copy()
    points[80:, :, 1, 2] += 0.12
    found = footing(points, take.rate, np.full(2, LENGTHS.sum()), UP)
    assert found.level is not None
    assert found.level[0, 0, 1] == pytest.approx(take.points[0, 0, 1, 2], abs=0.005)
