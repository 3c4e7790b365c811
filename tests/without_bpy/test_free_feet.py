"""Feet in the air: legs that were captured straight stay so, and no foot is pushed into the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver.feet.corrections import corrections
from solver.feet.free_feet import bent_anew
from support.footsteps import LENGTHS, Capture, knees
from support.planted import UP, most_acceleration, planted
from support.takes import stand

KICKS = 3.4, 4.0
"""Seconds in which the right foot kicks; it stands before and behind."""

CROUCH = np.array((0.0, 0.0, -0.08))
"""Metres by which the hips are lower than upright."""


def kick(rate: float, straightest: float) -> Capture:
    """One who stands with bent legs, and kicks with one that gets as long as this part of its length."""
    take = stand(rate)
    take = replace(take, hips=take.hips + CROUCH)
    times = np.arange(len(take.hips)) / rate
    part = np.clip((times - KICKS[0]) / (KICKS[1] - KICKS[0]), 0.0, 1.0)
    up, share = np.sin(np.pi * part) ** 2 * np.radians(75.0), np.sin(np.pi * part) ** 2
    line = (take.ankles - take.hips)[:, 1]
    length = np.linalg.norm(line, axis=-1) / LENGTHS.sum()
    aim = line / (length * LENGTHS.sum())[:, None]
    swung = np.cos(up)[:, None] * aim + np.sin(up)[:, None] * np.array((0.0, 1.0, 0.0))
    swung /= np.linalg.norm(swung, axis=-1, keepdims=True)
    ankles, touches = take.ankles.copy(), take.touches.copy()
    length = length + share * (straightest - length)
    ankles[:, 1] = take.hips[:, 1] + (length * LENGTHS.sum())[:, None] * swung
    touches[(times > KICKS[0]) & (times < KICKS[1]), 1] = False
    ahead = np.broadcast_to((0.0, 1.0, 0.0), ankles.shape)
    return replace(take, ankles=ankles, touches=touches, knees=knees(take.hips, ankles, ahead))


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("straightest", [0.99, 0.999, 0.9999])
@pytest.mark.parametrize("lower", [0.01, 0.02])
def test_a_knee_that_gets_straight_in_the_air_does_not_snap(rate: float, straightest: float, lower: float) -> None:
    take = kick(rate, straightest)
    _, after = planted(take, stands=take.touches, level=take.floor - lower)
    rows = slice(round(KICKS[0] * rate), round(KICKS[1] * rate))
    ratio = most_acceleration(after.knees[rows, 1], rate) / most_acceleration(take.knees[rows, 1], rate)
    print(f"knee acceleration {ratio:.3f} times as captured")
    assert ratio < 1.1


@pytest.mark.parametrize(("captured", "planted", "least", "most"), [(0.9999, 0.995, 0.9, 1), (0.9, 0.895, 0, 0.01)])
def test_a_leg_in_the_air_bends_anew_if_its_knee_moves_far(
    captured: float, planted: float, least: float, most: float
) -> None:
    """By half a percent, the knee of a straight leg of a metre moves by 5 cm, and that of a bent one by 5 mm."""
    roots, tips = np.zeros((1, 1, 3)), -planted * UP[None, None]
    [[share]] = bent_anew(roots, tips, np.ones(1), np.full((1, 1), captured), np.zeros((1, 1)))
    assert least <= share <= most


def test_a_straight_leg_far_from_contacts_stays_as_captured() -> None:
    take = kick(60.0, 0.9999)
    stands = take.touches.copy()
    stands[round(2.5 * 60.0) :, 1] = False
    _, after = planted(take, stands=stands, level=take.floor)
    off = np.abs(after.knees - take.knees)[round(3.1 * 60.0) :, 1].max()
    print(f"the knee is {off:.2g} m off")
    assert off < 1e-9


@pytest.mark.parametrize("rate", [30.0, 120.0])
@pytest.mark.parametrize(("stood", "hovers"), [(0.03, 0.008), (-0.04, -0.04), (0.02, -0.01), (-0.03, 0.05)])
def test_no_foot_in_the_air_is_pushed_into_the_ground(rate: float, stood: float, hovers: float) -> None:
    """It was captured so high above the ground while it stands, in the middle, and while it does not."""
    times = np.arange(round(5.0 * rate)) / rate
    between = np.clip((np.abs(times - 2.5) - 0.5) / 0.3, 0.0, 1.0)
    height = stood + (hovers - stood) * between * between * (3.0 - 2.0 * between)
    stands = np.abs(times - 2.5) < 0.5
    found = height + corrections(height[:, None, None] * UP, stands[:, None], np.zeros((len(times), 1)), rate, UP)[:, 2]
    # Up to half a second beside the stand the foot may still be on its way.
    free = np.abs(times - 2.5) > 1.0
    usual, accelerations = min(0.0, hovers - min(stood, 0.0)), np.abs(np.diff(found, 2)) * rate**2
    print(f"{1e3 * found[free].min():.1f} mm above the ground, {accelerations.max():.2f} m/s^2 at most")
    assert np.abs(found[stands]).max() < 1e-12
    assert found[free].min() > usual - 0.001
    assert accelerations.max() < 5.0
