"""The ground on which captured feet are planted: whether it moves, and how high it is, on legs of any length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from solver.numbers import true_runs
from support.footsteps import Capture
from support.planted import UP, captured_legs, hips_ratio, planted, slid
from support.takes import disturbed, jump, legs_scaled, stand, treadmill, walk


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_feet_that_skate_alike_do_not_move_the_ground(rate: float) -> None:
    take = legs_scaled(disturbed(walk(rate), 0.002, 0), 0.85)
    result, after = planted(take, 0.85, ratio=1.0, limit=0.0)
    slides = [1e3 * np.median(slid(seen, np.zeros(3))) for seen in (take, after)]
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


def carried(take: Capture, velocity: tuple[float, float, float]) -> Capture:
    """The take on something that goes with this velocity."""
    way = np.arange(len(take.hips))[:, None, None] / take.rate * np.array(velocity)
    return replace(take, **{name: getattr(take, name) + way for name in ("hips", "knees", "ankles")})


@pytest.mark.parametrize("velocity", [(0.0, 2.5, 0.0), (1.0, 0.5, 0.0), (1.2, 0.0, 0.0)])
def test_who_walks_on_what_carries_him_is_not_pulled_back(velocity: tuple[float, float, float]) -> None:
    take = carried(disturbed(walk(60.0), 0.001, 1), velocity)
    result, after = planted(take)
    off = np.linalg.norm(after.ankles - take.ankles, axis=-1).max()
    assert not result.velocity.any()
    assert result.lowering.max() < 0.02
    assert off < 0.05
    assert result.outrun == pytest.approx(velocity, abs=0.1)


@pytest.mark.parametrize("ratio", [0.8, 0.88])
@pytest.mark.parametrize("scaled", [None, 1.0], ids=["hips scaled", "hips not scaled"])
def test_frames_on_which_all_is_held_are_no_treadmill(ratio: float, scaled: float | None) -> None:
    """Legs of another length skate in 31 frames of a walk, and the last pose is held for 220."""
    take = legs_scaled(walk(30.0, seconds=1.0), ratio)
    names = ("hips", "knees", "ankles", "feet", "touches", "floor")
    held = {name: np.concatenate((getattr(take, name), *[getattr(take, name)[-1:]] * 220)) for name in names}
    take = replace(take, **held)
    found = hips_ratio(captured_legs(take, ratio))
    result, _ = planted(take, ratio, ratio=scaled)
    assert not result.velocity.any()
    assert found == pytest.approx(ratio, abs=0.03)


def on_a_step(rate: float, high: float) -> tuple[Capture, np.ndarray]:
    """One who stands, for 0.7 s on a step that is so high, and on which frames; no contacts on the way to and fro."""
    take, count = stand(rate), len(stand(rate).hips)
    times = np.arange(count) / rate
    rise = high * np.interp(times, (4.3, 4.7, 5.4, 5.8), (0.0, 1.0, 1.0, 0.0))[:, None, None] * UP
    take = replace(take, **{name: getattr(take, name) + rise for name in ("hips", "knees", "ankles")})
    touches = take.touches & ((times < 4.3) | (times > 5.8) | ((times > 4.75) & (times < 5.35)))[:, None, None]
    return disturbed(replace(take, touches=touches), 0.001, 1, drift=0.0), (times > 4.75) & (times < 5.35)


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_feet_on_a_lower_step_for_a_while_stay_there(rate: float) -> None:
    take, rows = on_a_step(rate, -0.17)
    result, after = planted(take)
    lifted = (after.points - take.points)[rows][..., 2]
    assert result.stands[rows].any(axis=-1).mean() > 0.9
    assert np.abs(lifted).max() < 0.02


def test_feet_on_a_box_by_keyed_contacts_stay_on_it() -> None:
    take, rows = on_a_step(30.0, 0.3)
    _, after = planted(take, stands=take.touches)
    lowered = (take.points - after.points)[rows][..., 2]
    assert np.abs(lowered).max() < 0.02


@pytest.mark.parametrize("late", [1.0, 3.0, 6.0])
def test_a_body_that_is_carried_along_stands_until_then(late: float) -> None:
    """It holds one pose, perfectly, and from this second on glides."""
    take = stand(60.0)
    times = np.arange(420) / take.rate
    glides = 0.5 * np.maximum(times - late, 0.0)[:, None, None] * (0.0, 1.0, 0.0)
    one = {name: np.repeat(getattr(take, name)[:1], 420, axis=0) for name in ("hips", "knees", "ankles", "feet")}
    moving = {name: one[name] + glides for name in ("hips", "knees", "ankles")}
    result, _ = planted(replace(take, **one | moving))
    assert not result.velocity.any()
    assert result.moved.max() < 0.02, "what it glides while the detection still takes it to stand"
    stands = result.stands.any(axis=(1, 2))
    assert stands[times < late - 0.1].all()
    assert not stands[times > late + 0.2].any()


@pytest.mark.parametrize("make", [walk, jump])
def test_noise_at_a_high_rate_does_not_lift_what_stands(make: Callable[[float], Capture]) -> None:
    result, after = planted(disturbed(make(120.0), 0.002, 0))
    heights = [
        np.ptp(after.points[first : last + 1, foot, point] @ UP)
        for foot, point in np.ndindex(result.stands.shape[1:])
        for first, last in true_runs(result.stands[:, foot, point] & ~result.stands[:, foot, 1 - point])
    ]
    assert len(heights) > 10
    assert max(heights) < 1e-9
