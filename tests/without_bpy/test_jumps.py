"""Captures that jump, and feet whose points come to stand at odd heights: no contact goes on, no foot jumps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.feet.contacts import footing
from solver.feet.corrections import corrections
from support.footsteps import LENGTHS
from support.planted import UP, planted
from support.takes import disturbed, walk

LEGS = np.full(2, LENGTHS.sum())


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("row", [0, 100])
def test_no_contact_goes_on_across_a_jump(rate: float, row: int) -> None:
    """Many captures begin with a T-pose on their first frame."""
    take = disturbed(walk(rate, seconds=6.0), 0.001, 1)
    away = np.where(np.arange(len(take.hips)) <= row, 0.15, 0.0)[:, None, None] * (1.0, 0.0, 0.0)
    jumping = replace(take, hips=take.hips + away, knees=take.knees + away, ankles=take.ankles + away)
    stands = footing(jumping.points, rate, LEGS, UP).stands
    assert not (stands[row] & stands[row + 1]).any()
    before = np.abs(planted(take)[0].moved).max()
    moved = planted(jumping)[0].moved.max()
    print(f"feet are moved by up to {1e3 * moved:.1f} mm, without the jump by {1e3 * before:.1f} mm")
    if row == 0:
        assert moved < 1.5 * before


def test_a_foot_does_not_jump_where_a_point_comes_to_stand() -> None:
    """The heel was captured 60 mm above the ball, and sinks."""
    points = np.zeros((90, 2, 3))
    points[:, 0, 1], points[30:60, 1, 2] = 0.15, np.linspace(0.12, 0.0, 30)
    stands = np.ones((90, 2), dtype=bool)
    stands[:30, 1] = stands[60:, 1] = False
    lifts = corrections(points, stands, None, 30.0, UP, steepest=0.3)[:, 2]
    print(f"{1e3 * np.abs(np.diff(lifts)).max():.1f} mm a frame")
    assert np.abs(np.diff(lifts)).max() < 0.3 / 30.0 + 1e-12
    assert lifts[59] == pytest.approx(0.06)
    assert lifts[[0, -1]] == pytest.approx(0.0, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), steepest=st.floats(0.05, 5.0))
def test_heights_are_little_above_the_least_not_steeper(seed: int, steepest: float) -> None:
    rng = np.random.default_rng(seed)
    points = np.concatenate((rng.normal(0, 0.1, (40, 1, 2)), rng.normal(0, 0.03, (40, 1, 1))), axis=-1)
    level = np.zeros((40, 1))
    lifts = corrections(points, np.ones((40, 1), dtype=bool), level, 30.0, UP, steepest=steepest)[:, 2]
    rows = np.arange(40)
    least = (-points[:, 0, 2] - steepest / 30.0 * np.abs(rows[:, None] - rows)).max(axis=1)
    assert (lifts > least - 1e-12).all()
    # A corner is rounded by what is at most two frames away.
    assert (lifts < least + 2.0 * steepest / 30.0 + 1e-12).all()


@pytest.mark.parametrize("rate", [30.0, 120.0, 960.0])
@pytest.mark.parametrize("step", [0.05, -0.05], ids=["up", "down"])
def test_a_foot_on_a_ramp_speeds_up_alike_at_any_rate(rate: float, step: float) -> None:
    """The ground of a stand goes up or down at once, halfway through two seconds."""
    count = round(2.0 * rate)
    level = np.where(np.arange(count) < count // 2, 0.0, step)[:, None]
    stands = np.ones((count, 1), dtype=bool)
    lifts = corrections(np.zeros((count, 1, 3)), stands, level, rate, UP, steepest=0.3)[:, 2]
    speed = np.diff(lifts) * rate
    assert (lifts > level[:, 0] - 1e-12).all()
    assert np.abs(speed).max() < 0.3 + 1e-9
    # Weights over a 30th of a second to either side, which are twice their mean in the middle.
    assert np.abs(np.diff(speed)).max() * rate < 0.3 * 30.0
    assert lifts[[0, -1]] == pytest.approx(level[[0, -1], 0])


@pytest.mark.parametrize("rate", [120.0, 960.0])
def test_a_foot_does_not_jerk_where_a_point_leaves_higher(rate: float) -> None:
    """The heel was captured 2 mm higher than the ball."""
    count = round(2.0 * rate)
    points = np.zeros((count, 2, 3))
    points[:, 1, 2] = 0.002
    stands = np.ones((count, 2), dtype=bool)
    stands[count // 2 :, 0] = False
    lifts = corrections(points, stands, None, rate, UP, steepest=0.3)[:, 2]
    assert np.abs(np.diff(lifts, 2)).max() * rate**2 < 0.3 * 30.0
