"""Hips: scaled to the legs, and lowered by the least so that planted legs reach their feet; against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.feet.hips import fit, found_ratio, height_range, lowering, smooth_envelope
from support.footsteps import LENGTHS
from support.oracles import random_rotation
from support.takes import TAKES, disturbed, legs_scaled

COUNT = 300


def random_legs(seed: int) -> tuple[np.ndarray, ...]:
    """Hips, feet, reaches, what is planted and up, of three legs; some fall short by a little, and some by far."""
    rng = np.random.default_rng(seed)
    turn = random_rotation(rng)
    feet = rng.normal(0, 0.3, (COUNT, 3, 3)) * (1, 1, 0.2)
    hips = rng.normal((0, 0, 0.9), 0.1, (COUNT, 3, 3))
    return hips @ turn.T, feet @ turn.T, rng.uniform(0.8, 1.1, (COUNT, 3)), rng.random((COUNT, 3)) < 0.7, turn[:, 2]


def falls_short(hips: np.ndarray, feet: np.ndarray, reach: np.ndarray, planted: np.ndarray) -> np.ndarray:
    """(..., f) by how much."""
    return np.where(planted, np.maximum(np.linalg.norm(hips - feet, axis=-1) - reach, 0.0), 0.0)


def bisected(inside: object, low: float, high: float) -> float:
    """Where a condition that holds at `high` and not at `low` begins to hold."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if inside(middle) else (middle, high)
    return high


@pytest.mark.parametrize("seed", [1, 2])
def test_the_lowering_is_the_least_that_reaches(seed: int) -> None:
    hips, feet, reach, planted, up = random_legs(seed)
    down = lowering(hips, feet, reach, planted, up, limit=0.6)
    tries, checked = np.linspace(0.0, 0.6, 601), 0
    for row in range(COUNT):

        def reaches(distance: float, row: int = row) -> bool:
            return not falls_short(hips[row] - distance * up, feet[row], reach[row], planted[row]).any()

        moved = hips[row] - tries[:, None, None] * up
        good = tries[~falls_short(moved, feet[row], reach[row], planted[row]).any(axis=-1)]
        if len(good):
            least = 0.0 if good[0] == 0.0 else bisected(reaches, good[0] - tries[1], good[0])
            assert abs(down[row] - least) < 1e-9
            checked += good[0] > 0.0
    assert checked > 20


@pytest.mark.parametrize("seed", [3, 4])
def test_feet_out_of_reach_give_way_by_the_least_squares(seed: int) -> None:
    hips, feet, reach, planted, up = random_legs(seed)
    limit, checked = 0.2, 0
    down = lowering(hips, feet, reach, planted, up, limit)
    tries = np.linspace(0.0, limit, 2001)
    for row in range(COUNT):
        moved = hips[row] - tries[:, None, None] * up
        squares = np.sum(falls_short(moved, feet[row], reach[row], planted[row]) ** 2, axis=-1)
        ours = np.sum(falls_short(hips[row] - down[row] * up, feet[row], reach[row], planted[row]) ** 2)
        assert ours <= squares.min() + 1e-15
        checked += squares.min() > 1e-6
    assert checked > 20
    assert ((down >= 0.0) & (down <= limit)).all()


def test_the_range_of_heights_ends_where_a_leg_is_straight() -> None:
    hips, feet, reach, planted, up = random_legs(5)
    least, most = height_range(hips, feet, reach, planted, up)
    some = planted.any(axis=1) & (least <= most)
    for shift in (least, most):
        distance = np.linalg.norm(hips + shift[:, None, None] * up - feet, axis=-1) - reach
        assert np.abs(np.where(planted, distance, -np.inf).max(axis=1)[some]).max() < 1e-12
    assert np.isinf(least[~planted.any(axis=1)]).all()


def test_hips_without_a_planted_leg_stay() -> None:
    hips, feet, reach, planted, up = random_legs(6)
    assert (lowering(hips, feet, reach, np.zeros_like(planted), up, 1.0) == 0.0).all()


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=80), st.floats(1.0, 60.0), st.floats(0.0, 1.0))
def test_the_envelope_never_falls_short(values: list[float], rate: float, seconds: float) -> None:
    envelope = smooth_envelope(np.array(values), rate, seconds)
    # Sums of weights round.
    assert (envelope >= np.array(values) - 1e-12).all()
    assert (envelope <= max(values) + 1e-12).all()


def test_the_envelope_is_smooth_and_ends() -> None:
    values = np.zeros(240)
    values[120] = 0.1
    envelope = smooth_envelope(values, 60.0, 0.25)
    assert envelope[120] == pytest.approx(0.1)
    assert (envelope[np.abs(np.arange(240) - 120) > 31] == 0.0).all()
    # Up by h = 0.1 in t = 0.5 s, at rest at both ends: 4 h / t^2 is the least; a raised cosine takes pi / 2 as much.
    assert np.abs(np.diff(envelope, 2)).max() * 60**2 < 1.1 * 0.5 * np.pi * 4 * 0.1 / 0.5**2


def test_scaled_hips_put_feet_on_the_ground() -> None:
    take, origin = TAKES["walk"](30.0), np.array((0.0, 0.0, 0.09))
    for ratio in (0.85, 1.15):
        copied = legs_scaled(take, ratio)
        middle = copied.hips.mean(axis=1)
        shift = fit(middle, ratio, origin)
        flat = take.touches.all(axis=-1)
        assert np.abs((copied.ankles + shift[:, None])[flat][:, 2] - 0.09).max() < 1e-12


@pytest.mark.parametrize("name", ["walk", "stroll", "run", "stair"])
@pytest.mark.parametrize("ratio", [0.85, 1.0, 1.15])
def test_the_ratio_of_the_legs_shows_in_the_motion(name: str, ratio: float) -> None:
    copied = legs_scaled(disturbed(TAKES[name](60.0), 0.002, 1), ratio)
    found = found_ratio(copied.hips.mean(axis=1), copied.points, copied.rate, ratio * LENGTHS.sum(), np.eye(3)[2])
    assert found == pytest.approx(ratio, abs=0.06) if ratio != 1.0 else found == 1.0


@pytest.mark.parametrize("name", ["treadmill", "stand", "turn", "jump"])
def test_hips_that_do_not_travel_show_no_ratio(name: str) -> None:
    take = disturbed(TAKES[name](60.0), 0.002, 1)
    assert found_ratio(take.hips.mean(axis=1), take.points, take.rate, LENGTHS.sum(), np.eye(3)[2]) == 1.0
