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
from support.planted import ANKLE, most_acceleration, planted, slid, stair_level
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


def test_hips_stay_smooth(results: list) -> None:
    ratios = [
        most_acceleration(after.hips, after.rate) / most_acceleration(before.hips, before.rate)
        for before, _, after in results
    ]
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
