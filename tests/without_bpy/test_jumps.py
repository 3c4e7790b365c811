"""Captures that jump, and feet whose points come to stand at odd heights: no contact goes on, no foot jumps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver.feet.contacts import footing
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
