"""Captures that begin with a T-pose, or are several takes in one: nothing is smoothed across the jump."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from solver.feet.jumps import pieces
from support.footsteps import LENGTHS, Capture
from support.planted import planted
from support.takes import TAKES, disturbed, walk

RAISED = 0.03
"""Metres by which the floor is higher than captured."""

LEGS = np.full(2, LENGTHS.sum())


def with_t_pose(take: Capture) -> Capture:
    """The take behind a frame of straight legs, half a metre aside."""
    hips = take.hips[:1] + np.array((0.5, 0.0, 0.0))
    knees = hips - np.array((0.0, 0.0, LENGTHS[0]))
    first = replace(take, hips=hips, knees=knees, ankles=knees - np.array((0.0, 0.0, LENGTHS[1])))
    first = replace(
        first, feet=np.tile(np.eye(3), (1, 2, 1, 1)), touches=np.zeros((1, 2, 2), bool), floor=take.floor[:1]
    )
    return joined(first, take)


def joined(first: Capture, second: Capture) -> Capture:
    rows = {each.name for each in fields(Capture)} - {"rate", "ground_velocity"}
    return replace(second, **{name: np.concatenate((getattr(first, name), getattr(second, name))) for name in rows})


def test_a_t_pose_in_front_changes_nothing_and_stays() -> None:
    take = disturbed(walk(120.0, seconds=1.5), 0.002, seed=3)
    alone = {"stands": take.touches, "level": take.floor + RAISED, "ratio": 1.0}
    _, truth = planted(take, **alone)
    before = with_t_pose(take)
    _, after = planted(before, **{**alone, "stands": before.touches, "level": before.floor + RAISED})
    off = [np.abs(getattr(after, name)[1:] - getattr(truth, name)).max() for name in ("hips", "knees", "ankles")]
    moved = [np.abs(getattr(after, name)[0] - getattr(before, name)[0]).max() for name in ("knees", "ankles")]
    print(
        f"behind it {max(off):.2g} m off; its knees move by {1e3 * moved[0]:.1f} mm, its ankles by {1e3 * moved[1]:.1f}"
    )
    assert max(off) < 1e-12
    # Straight legs are bent by a hair, so that nothing snaps.
    assert moved[1] < 1e-3
    assert moved[0] < 0.02


@pytest.mark.parametrize("rate", [12.0, 30.0, 120.0])
@pytest.mark.parametrize("name", TAKES)
def test_feet_that_step_run_or_jump_are_one_take(name: str, rate: float) -> None:
    take = disturbed(TAKES[name](rate), 0.01, seed=1)
    assert pieces(take.ankles, LEGS, rate) == [slice(0, len(take.ankles))]


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_takes_put_together_are_told_apart(rate: float) -> None:
    first, second = (walk(rate, seconds=seconds) for seconds in (1.0, 2.0))
    count = len(first.hips)
    both = joined(first, replace(second, ankles=second.ankles + np.array((0.0, -2.0, 0.0))))
    assert pieces(both.ankles, LEGS, rate) == [slice(0, count), slice(count, len(both.ankles))]


def test_one_foot_alone_never_jumps() -> None:
    ankles = np.zeros((20, 1, 3))
    ankles[10:, :, 1] = 0.5
    assert pieces(ankles, LEGS[:1], 30.0) == [slice(0, 20)]


@pytest.mark.parametrize("held", [2, 3])
def test_a_walk_in_place_with_held_poses_is_one_take(held: int) -> None:
    """Both feet move whenever one does: backward with the ground, or forward."""
    times = np.arange(97) // held * held / 24.0
    phases = (times[:, None] + (0.0, 0.5)) % 1.0
    ahead = np.where(phases < 0.6, 0.3 - phases, 1.5 * phases - 1.2)
    tips = np.stack((0.0 * ahead, 1.4 * ahead, 0.15 * (phases > 0.6)), axis=-1)
    assert pieces(tips, LEGS, 24.0) == [slice(0, 97)]
