"""Legs that were captured straight: planting does not bend them for the sake of softness."""

from __future__ import annotations

import numpy as np
import pytest

from solver.feet.plant import Legs, PlantedLegs, plant
from support.footsteps import LENGTHS, POINTS, SIDES
from support.planted import UP

LEG = LENGTHS.sum()


def stands(extension: float) -> PlantedLegs:
    """Feet that skate by a few millimetres below hips that stay, on legs as far extended as this."""
    times = np.arange(120) / 60
    skate = 0.003 * np.stack((np.sin(3 * times), np.cos(4 * times), 0 * times), axis=-1)
    tips = SIDES + skate[:, None] + np.array((0, 0, 0.09))
    roots = np.broadcast_to(SIDES + np.array((0, 0, 0.09 + extension * LEG)), tips.shape)
    return plant(
        Legs(
            hips=roots.mean(axis=1),
            roots=roots,
            tips=tips,
            points=tips[:, :, None] + POINTS,
            lengths=np.full(2, LEG),
            rate=60.0,
            up=UP,
        )
    )


@pytest.mark.parametrize("extension", [0.99, 0.995, 0.999])
def test_hips_above_straight_legs_go_down_by_little(extension: float) -> None:
    lowered = stands(extension).lowering.max() / LEG
    print(f"extended to {extension}: hips go down by {lowered:.5f} leg lengths")
    # At most as much again as was missing to the full length, and a hair for the skating.
    assert lowered < 1.0 - extension + 1e-4


def test_straight_legs_reach_their_feet() -> None:
    assert stands(0.999).short.max() < 1e-12


def test_bent_legs_keep_their_softness() -> None:
    assert (stands(0.95).softness == 0.015).all()
