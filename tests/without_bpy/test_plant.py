"""Planting from end to end: captured legs in, legs whose feet stand out, judged by the footsteps that are known."""

from __future__ import annotations

from dataclasses import replace
from importlib import util
from pathlib import Path

import numpy as np
import pytest

from solver.feet.plant import PlantedLegs
from solver.feet.statistics import slide
from support.footsteps import CLEARANCE, Capture
from support.planted import ANKLE, ground_velocity, most_acceleration, planted, slid, stair_level
from support.takes import TAKES, disturbed, legs_scaled

RATIOS = (0.85, 1.0, 1.15)


@pytest.fixture(scope="module")
def results() -> list[tuple[Capture, PlantedLegs, Capture]]:
    """Every take with faults on top, on legs that are shorter, as long and longer: before, what was found, after."""
    found = []
    for ratio in RATIOS:
        for seed, (name, make) in enumerate(TAKES.items()):
            take = disturbed(make((30.0, 60.0, 120.0)[seed % 3]), 0.002, seed)
            before = legs_scaled(take, ratio)
            level = stair_level(take, ratio) if name == "stair" else None
            found.append((before, *planted(before, ratio, level=level, ratio=ratio, origin=ANKLE)))
    return found


def test_known_contacts_do_not_slide(results: list) -> None:
    before = np.concatenate([slid(before, ground_velocity(before, result)) for before, result, _ in results])
    after = np.concatenate([slid(after, ground_velocity(before, result)) for before, result, after in results])
    before, held = (np.sort(values)[: int(0.97 * len(values))] for values in (before, after))
    slides = [1e3 * np.quantile(values, 0.99) for values in (before, held)]
    print("slide of 97 % of the frames, 99th percentile: {:.3f} mm a frame before, {:.6f} after".format(*slides))
    print(f"{np.mean(after < 1e-4):.4f} of the frames stand still")
    assert np.quantile(held, 0.99) < 1e-4


def test_knees_do_not_pop(results: list) -> None:
    ratios = [
        most_acceleration(after.knees, after.rate) / most_acceleration(before.knees, before.rate)
        for before, _, after in results
    ]
    print(f"knee acceleration, as captured 1: median {np.median(ratios):.3f}, greatest {max(ratios):.3f}")
    assert np.median(ratios) <= 1.15
    # Legs that are fully stretched, and not soft, reach 3.
    assert max(ratios) <= 2.0


def test_hips_stay_smooth(results: list) -> None:
    ratios = [
        most_acceleration(after.hips, after.rate) / most_acceleration(before.hips, before.rate)
        for before, _, after in results
    ]
    print(f"hip acceleration, as captured 1: greatest {max(ratios):.3f}")
    assert max(ratios) <= 1.2


def test_planted_feet_are_reached(results: list) -> None:
    for _, result, after in results:
        missed = np.linalg.norm(after.ankles - result.tips, axis=-1)[result.stands.any(axis=-1)]
        assert missed.max() < 1e-9
        assert result.short.max() < 1e-9


def test_a_foot_slides_as_far_as_the_point_that_slides_most(results: list) -> None:
    before, result, _ = results[0]
    told = slide(before.points, result.stands)[:, 0]
    steps = np.linalg.norm(np.diff(before.points, axis=0), axis=-1)
    for row in np.flatnonzero(np.isfinite(told)):
        both = result.stands[row, 0] & result.stands[row + 1, 0]
        assert told[row] == pytest.approx(steps[row, 0][both].max())


def test_soles_are_on_a_given_floor() -> None:
    heights = []
    for seed, make in enumerate(TAKES.values()):
        take = disturbed(make(60.0), 0.002, seed)
        _, after = planted(take, level=take.floor)
        above = np.where(take.touches, after.points[..., 2] - take.floor, np.inf).min(axis=-1)
        heights.append(above[np.isfinite(above)])
    above = np.concatenate(heights)
    on_floor = np.mean((above > -0.001) & (above < 0.002))
    print(f"soles from 1 mm below to 2 mm above the floor: {on_floor:.4f} of the known contacts")
    assert on_floor >= 0.97


def test_hips_that_cannot_be_keyed_stay_and_feet_give_way() -> None:
    take = disturbed(TAKES["walk"](60.0), 0.002, 1)
    level = np.broadcast_to(CLEARANCE - 0.03, take.touches.shape)
    result, after = planted(take, level=level, limit=0.0)
    assert (after.hips == take.hips).all()
    missed = np.linalg.norm(after.ankles - result.tips, axis=-1)
    assert missed.max() > 0.01
    assert np.abs(np.where(result.stands.any(axis=-1), missed, 0.0) - result.short).max() < 1e-9, "and this is told"


def test_contacts_may_be_given() -> None:
    take = disturbed(TAKES["walk"](60.0), 0.002, 1)
    result, after = planted(take, stands=take.touches)
    assert (result.stands == take.touches).all()
    assert slid(after, np.zeros(3)).max() < 1e-9


def test_a_pose_that_stands_stays() -> None:
    take = TAKES["stand"](30.0)
    still = replace(
        take, **{name: np.repeat(getattr(take, name)[:1], 40, axis=0) for name in ("hips", "knees", "ankles", "feet")}
    )
    _, after = planted(still)
    assert np.abs(after.hips - still.hips).max() == 0.0
    assert np.abs(after.knees - still.knees).max() < 1e-9


spec = util.spec_from_file_location("plant_benchmark", Path(__file__).parents[2] / "benchmarks" / "plant.py")
benchmark = util.module_from_spec(spec)


spec.loader.exec_module(benchmark)


@pytest.mark.parametrize("ratio", benchmark.RATIOS)
def test_planted_feet_keep_what_is_promised(ratio: float) -> None:
    for way, figures in zip(benchmark.WAYS, benchmark.judged_takes(ratio), strict=True):
        print(ratio, way, figures.row())
    assert figures.still >= 0.97
    assert figures.most_slide <= 1e-4
    assert figures.knee <= 1.15
    assert figures.hip <= 1.2
    assert figures.on_floor >= 0.97


@pytest.mark.once
@pytest.mark.parametrize(("noise", "rates"), [*zip(benchmark.NOISES, [(30.0,), (120.0,), (30.0, 120.0)], strict=True)])
def test_feet_are_at_rest_wherever_plant_lets_them_stand(noise: float, rates: tuple[float, ...]) -> None:
    figures = benchmark.judged_stands(noise, rates=rates)
    print(noise, rates, figures.row())
    assert figures.most_slide <= 1e-4
    assert figures.most_turn <= 0.05
    assert figures.f1 >= 0.96
    assert np.median(figures.knees) <= 1.15
    assert figures.knees.max() <= 2.0


def test_the_lowering_of_hips_is_that_of_a_search() -> None:
    assert benchmark.lowering_error(500) < 1e-9
