"""Limbs that bend a little to the wrong side, or clearly so: planes never turn over from one frame to the next."""

from __future__ import annotations

import numpy as np
import pytest
from two_bone_ik.skeleton.feet.straight_limbs import rotations_to_bend

RATES = (24.0, 120.0)


def bent(degrees: np.ndarray, rate: float, shares: np.ndarray | None = None) -> np.ndarray:
    """(n,) degrees by which a limb is bent about x after these bends, which are about x; 1 is the usual share."""
    zero, angles = np.zeros(len(degrees)), np.radians(degrees)
    first = np.tile((0.0, 0.0, -1.0), (len(degrees), 1))
    second = np.stack((zero, np.sin(angles), -np.cos(angles)), axis=-1)
    shares = np.ones(len(first)) if shares is None else shares
    turns = rotations_to_bend(np.stack((first, second), axis=1), rate, shares)
    turned = np.einsum("nij,nj->ni", turns, second)
    assert np.abs(turned[:, 0]).max() < 1e-9
    return np.degrees(np.arctan2(turned[:, 1], -turned[:, 2]))


def dip(low: float, rate: float) -> np.ndarray:
    """Degrees over four seconds: from 45 down to `low`, and back."""
    times = np.arange(round(4.0 * rate)) / rate
    return 45.0 + (low - 45.0) * np.exp(-(((times - 2.0) / 0.5) ** 2))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("low", [-5.0, -11.0, -12.0, -16.0, -19.0])
def test_a_knee_beyond_straight_goes_over_smoothly(low: float, rate: float) -> None:
    captured = dip(low, rate)
    found = bent(captured, rate)
    steps = [np.abs(np.diff(each)).max() for each in (captured, found)]
    print(f"down to {low} degrees: steps of {steps[0]:.2f} degrees captured, of {steps[1]:.2f} planted")
    assert steps[1] < 1.2 * steps[0]
    assert found.min() > 7.0


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("low", [-25.0, -60.0])
def test_a_limb_that_bends_clearly_backwards_stays_as_captured(low: float, rate: float) -> None:
    captured = dip(low, rate)
    found = bent(captured, rate)
    steps = [np.abs(np.diff(each)).max() for each in (captured, found)]
    print(f"down to {low} degrees: steps of {steps[0]:.2f} degrees captured, of {steps[1]:.2f} planted")
    assert np.abs(found - captured)[captured < 0.0].max() < 1e-9
    assert steps[1] < 1.2 * steps[0]


@pytest.mark.parametrize("low", [-5.0, 0.0, 3.0])
def test_a_limb_that_is_not_planted_stays_as_captured(low: float) -> None:
    captured = dip(low, 60.0)
    assert np.abs(bent(captured, 60.0, np.zeros(len(captured))) - captured).max() < 1e-9
    both = bent(captured, 60.0), captured
    half = bent(captured, 60.0, np.full(len(captured), 0.5))
    assert (half <= np.maximum(*both) + 1e-9).all()
    assert (half >= np.minimum(*both) - 1e-9).all()
