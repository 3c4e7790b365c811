"""Hips that move sideways, too, by the least for which planted legs reach their feet; against brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver.feet.plant import Legs, PlantOptions, plant
from solver.feet.sideways import least_move, smooth_moves
from support.footsteps import LENGTHS
from support.planted import UP, planted
from support.takes import TAKES, disturbed

COUNT = 150


def random_legs(seed: int, count: int) -> tuple[np.ndarray, ...]:
    """Hips, feet, reaches and what is planted, of so many legs; some fall short by a little, and some by far."""
    rng = np.random.default_rng(seed)
    feet = rng.normal(0, 0.35, (COUNT, count, 3)) * (1, 1, 0.3)
    hips = rng.normal((0, 0, 0.95), 0.1, (COUNT, count, 3))
    return hips, feet, rng.uniform(0.8, 1.1, (COUNT, count)), rng.random((COUNT, count)) < 0.8


def falls_short(hips: np.ndarray, feet: np.ndarray, reach: np.ndarray, planted: np.ndarray) -> np.ndarray:
    """(..., f) by how much."""
    return np.where(planted, np.maximum(np.linalg.norm(hips - feet, axis=-1) - reach, 0.0), 0.0)


def projected(centres: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Dykstra's alternating projections (1983): the point of all balls (k,) that is nearest to the origin."""
    place, left = np.zeros(3), np.zeros_like(centres)
    for _ in range(4000):
        before = place
        for row, (centre, radius) in enumerate(zip(centres, reach, strict=True)):
            ahead = place + left[row]
            line = ahead - centre
            place = centre + line * min(1.0, radius / max(np.linalg.norm(line), 1e-30))
            left[row] = ahead - place
        if np.linalg.norm(place - before) < 1e-14:
            break
    return place


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_move_is_the_shortest_that_reaches(count: int) -> None:
    hips, feet, reach, planted = random_legs(count, count)
    move, checked = least_move(hips, feet, reach, planted, limit=0.8), 0
    for row in range(COUNT):
        legs = planted[row]
        truth = projected((feet - hips)[row, legs], reach[row, legs])
        if falls_short(hips[row] + truth, feet[row], reach[row], legs).max() < 1e-9 and np.linalg.norm(truth) < 0.79:
            # Dykstra gets there from outside, slowly where balls hardly overlap.
            assert np.abs(move[row] - truth).max() < 1e-6
            assert falls_short(hips[row] + move[row], feet[row], reach[row], legs).max() < 1e-8
            checked += np.linalg.norm(truth) > 0.0
    print(f"{checked} moves")
    assert checked > 20


@pytest.mark.parametrize("count", [2, 3, 4])
def test_feet_out_of_reach_give_way_by_the_least_squares(count: int) -> None:
    hips, feet, reach, planted = random_legs(10 + count, count)
    limit, rng, checked = 0.1, np.random.default_rng(1), 0
    move = least_move(hips, feet, reach, planted, limit)
    assert np.linalg.norm(move, axis=1).max() <= limit + 1e-12
    for row in range(40):

        def squares(moves: np.ndarray, row: int = row) -> np.ndarray:
            short = falls_short(hips[row] + moves[..., None, :], feet[row], reach[row], planted[row])
            return np.sum(short**2, axis=-1)

        ours, spread = squares(move[row]), limit
        best = np.zeros(3)
        for _ in range(50):
            tries = best + rng.normal(0, spread, (50, 3))
            tries *= np.minimum(1.0, limit / np.linalg.norm(tries, axis=1))[:, None]
            found = squares(tries)
            if found.min() < squares(best):
                best = tries[found.argmin()]
            else:
                spread *= 0.6
        assert ours <= squares(best) + 1e-9
        checked += ours > 1e-6
    assert checked > 5


def test_hips_without_a_planted_leg_stay() -> None:
    hips, feet, reach, planted = random_legs(6, 3)
    assert (least_move(hips, feet, reach, np.zeros_like(planted), 1.0) == 0.0).all()


def lunge() -> tuple[Legs, np.ndarray]:
    """One who stands, and whose hips move far to the side of one foot and back; both feet stand."""
    take = disturbed(TAKES["stand"](60.0), 0.0, 1, skate=0.0, drift=0.0)
    away = 0.45 * np.sin(np.linspace(0.0, np.pi, len(take.hips))) ** 4
    roots = take.hips + away[:, None, None] * (1, 0, 0)
    legs = Legs(
        hips=roots.mean(axis=1),
        roots=roots,
        tips=np.repeat(take.ankles[:1], len(roots), axis=0),
        points=np.repeat(take.points[:1], len(roots), axis=0),
        lengths=np.full(2, LENGTHS.sum()),
        rate=60.0,
        up=UP,
    )
    return legs, np.ones((len(roots), 2, 2), dtype=bool)


def test_hips_that_may_go_sideways_go_down_less() -> None:
    legs, stands = lunge()
    down, beside = (plant(legs, PlantOptions(stands=stands, sideways=choice, ratio=1.0)) for choice in (False, True))
    print(f"down by {down.lowering.max():.3f}; by {beside.lowering.max():.3f} and {beside.aside.max():.3f} aside")
    assert down.aside.max() == 0.0
    assert beside.lowering.max() < 0.75 * down.lowering.max()
    assert np.hypot(beside.lowering, beside.aside).max() < 0.9 * down.lowering.max()
    assert beside.short.max() < 1e-9
    moved = beside.hips + beside.lowering[:, None] * UP
    assert np.abs(moved @ UP).max() < 1e-12
    # Up by h in t = 0.5 s at rest at both ends takes 4 h / t^2 at least; a raised cosine pi / 2 as much.
    acceleration = np.linalg.norm(np.diff(moved, 2, axis=0), axis=1).max() * 60**2
    assert acceleration < 1.1 * 0.5 * np.pi * 4 * beside.aside.max() / 0.5**2


def test_feet_that_no_lowering_reaches_are_reached_sideways() -> None:
    legs, stands = lunge()
    # Farther along the ground than the legs are long.
    far = 0.92 * np.sin(np.linspace(0.0, np.pi, len(legs.hips)))[:, None] ** 2 * (0.0, 1.0, 0.0)
    legs = replace(legs, roots=legs.roots + far[:, None], hips=legs.hips + far)
    options = PlantOptions(stands=stands, ratio=1.0, limit=0.6)
    down, beside = plant(legs, options), plant(legs, replace(options, sideways=True))
    reach = (1.0 - beside.softness) * legs.lengths
    move = least_move(legs.roots, beside.tips, reach, stands.any(axis=-1), 0.6)
    possible = falls_short(legs.roots + move[:, None], beside.tips, reach, stands.any(axis=-1)).max(axis=1) < 1e-9
    print(f"short by {down.short.max():.3f}, then by {beside.short[possible].max():.1e} where it can be")
    assert possible.all()
    assert down.short.max() > 0.02
    assert beside.short.max() < 1e-9


@pytest.mark.parametrize("name", ["walk", "run", "turn", "jump"])
def test_sideways_no_leg_falls_short_that_lowering_reaches(name: str) -> None:
    take = disturbed(TAKES[name](60.0), 0.002, 2)
    level = take.floor - 0.03
    for choice in (False, True):
        result, after = planted(take, level=level, sideways=choice)
        assert result.short.max() < 1e-9
        missed = np.linalg.norm(after.ankles - result.tips, axis=-1)[result.stands.any(axis=-1)]
        assert missed.max() < 1e-9


def test_moves_to_one_side_are_smoothed_to_no_less() -> None:
    rng = np.random.default_rng(1)
    lengths = np.maximum(0.0, rng.normal(0.0, 1.0, 300))
    way = np.array((0.6, 0.8, 0.0))
    assert (smooth_moves(lengths[:, None] * way, 30.0, 0.25) @ way >= lengths - 1e-12).all()
