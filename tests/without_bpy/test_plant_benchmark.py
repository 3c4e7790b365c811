"""What the benchmark of planted feet prints is what is promised of them."""

from __future__ import annotations

from importlib import util
from pathlib import Path

import pytest

spec = util.spec_from_file_location("plant_benchmark", Path(__file__).parents[2] / "benchmarks" / "plant.py")
benchmark = util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


@pytest.mark.parametrize("ratio", benchmark.RATIOS)
def test_planted_feet_keep_what_is_promised(ratio: float) -> None:
    for way, figures in zip(benchmark.WAYS, benchmark.judged_takes(ratio), strict=True):
        print(ratio, way, figures.row())
    assert figures.still >= 0.97
    assert figures.most_slide <= 1e-4
    assert figures.knee <= 1.1
    assert figures.hip <= 1.2
    assert figures.on_floor >= 0.97


def test_the_lowering_of_hips_is_that_of_a_search() -> None:
    assert benchmark.lowering_error(500) < 1e-9
