"""The ground on which captured feet are planted: whether it moves, and how high it is, on legs of any length."""

from __future__ import annotations

import numpy as np
import pytest

from support.planted import UP, planted, slid
from support.takes import disturbed, legs_scaled, treadmill, walk


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_feet_that_skate_alike_do_not_move_the_ground(rate: float) -> None:
    take = legs_scaled(disturbed(walk(rate), 0.002, 0), 0.85)
    result, after = planted(take, 0.85, ratio=1.0, limit=0.0)
    slides = [1e3 * np.median(slid(seen, np.zeros(3))) for seen in (take, after)]
    print("{:.3f} mm a frame before, {:.3f} after; the ground moves by {}".format(*slides, result.velocity))
    assert (result.velocity == 0.0).all()
    assert slides[1] < 0.1


@pytest.mark.parametrize("surge", [0.0, 0.3])
def test_a_treadmill_moves_under_hips_that_surge(surge: float) -> None:
    take = disturbed(treadmill(60.0), 0.002, 1)
    ahead = surge * np.sin(2 * np.pi * np.arange(len(take.hips)) / take.rate / 8.0)[:, None, None] * (0.0, 1.0, 0.0)
    for places in (take.hips, take.knees, take.ankles):
        places += ahead
    result, _ = planted(take)
    assert np.linalg.norm(result.velocity - take.ground_velocity) < 0.05 + surge
    assert result.velocity @ UP == 0.0
