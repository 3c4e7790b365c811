"""Fixed points are found where plain substitution runs away, row by row, and the closest values where there is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.fixed_point import fixed_point

SEEDS = st.integers(0, 2**32 - 1)


def fixed(function: Callable[[np.ndarray], np.ndarray], start: np.ndarray, close: float) -> np.ndarray:
    """Found by the values alone: what leads nearest to itself costs least."""

    def with_cost(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        led = function(x)
        return led, np.square(led - x).sum(axis=-1)

    return fixed_point(with_cost, start, close)


@given(SEEDS)
def test_a_linear_map_that_runs_away_is_solved(seed: int) -> None:
    random = np.random.default_rng(seed)
    slope, shift = random.normal(size=(5, 6, 6)) * 2.0, random.normal(size=(5, 6))
    right = np.linalg.solve(np.eye(6) - slope, shift[..., None])[..., 0]
    found = fixed(lambda x: (slope @ x[..., None])[..., 0] + shift, np.zeros((5, 6)), 1e-12)
    off = (slope @ found[..., None])[..., 0] + shift - found
    assert (np.abs(off).max(axis=-1) <= 1e-6 * np.abs(right).max(axis=-1) + 1e-9).all()


@given(SEEDS)
def test_rows_do_not_disturb_each_other(seed: int) -> None:
    random = np.random.default_rng(seed)
    pull = random.uniform(-3.0, 3.0, size=(4, 3))

    def curved(x: np.ndarray, pull: np.ndarray) -> np.ndarray:
        return np.sin(pull * x[..., ::-1]) + pull

    close = 1e-10
    both = fixed(lambda x: curved(x, pull), np.zeros((4, 3)), close)
    alone = np.concatenate([fixed(lambda x, row=row: curved(x, row), np.zeros((1, 3)), close) for row in pull])
    # Where none is found, the search wanders, and a rounding decides where it ends: NumPy 1.24 rounds the sine of a
    # number otherwise in the midst of more of them.
    found = np.abs(curved(alone, pull) - alone).max(axis=-1) <= 2.0 * close * np.abs(alone).max(axis=-1)
    np.testing.assert_allclose(both[found], alone[found], atol=1e-8)


def test_a_bone_as_long_as_its_direction_says_is_found() -> None:
    """The second of two bones is shortest in line with the first. Any bend changes its length, and so the distance.

    Reached are all distances from that with both in line to that with the second folded back.
    """
    random = np.random.default_rng(0)
    first, second, squash, part = (
        random.uniform(low, high, 2000) for low, high in ((0.3, 1.5), (0.3, 1.5), (0.2, 1), (0, 1))
    )
    nearest, farthest = np.maximum(first - squash * second, second - first), first + squash * second
    distance = np.maximum(nearest, 0.0) + part * (farthest - np.maximum(nearest, 0.0))

    def length(x: np.ndarray) -> np.ndarray:
        """By the corner of the triangle with this length, of the ellipse that a circle is squashed to."""
        cosine = np.clip((distance**2 - first**2 - x[:, 0] ** 2) / (2.0 * first * x[:, 0]), -1.0, 1.0)
        return (second / np.sqrt(1.0 - cosine**2 + (cosine / squash) ** 2))[:, None]

    found = fixed(length, second[:, None] * np.sqrt(random.uniform(squash**2, 1.0))[:, None], 1e-9)
    reached = nearest < farthest
    np.testing.assert_allclose(length(found)[reached], found[reached], atol=1e-6)


def test_without_a_fixed_point_the_closest_is_found() -> None:
    found = fixed(lambda x: x + 1.0 + np.clip(x, -50.0, 50.0) ** 2, np.full((1, 1), 3.0), 1e-12)
    np.testing.assert_allclose(found, 0.0, atol=1e-2)


@given(seed=SEEDS, off=st.sampled_from([1.0, 5e-4]))
def test_without_a_fixed_point_the_least_cost_is_found(seed: int, off: float) -> None:
    """By rows that differ by a rounding alike, also where all values are a little `off` at least."""
    random = np.random.default_rng(seed)
    best, start = random.normal(size=(2, 4, 6))

    def function(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x + off * (2.0 + np.sin(1e6 * x)) * (1.0 + np.abs(x)), np.square(x - best).sum(axis=-1)

    found = fixed_point(function, start, 1e-12)
    assert (function(found)[1] < 1e-4 * function(start)[1]).all()
    np.testing.assert_allclose(fixed_point(function, start * (1.0 + 1e-12), 1e-12), found, atol=1e-9)


def test_steps_too_small_to_square_give_numbers() -> None:
    """As of a limb whose bones are scaled to next to nothing."""
    seen: list[np.ndarray] = []

    def function(x: np.ndarray) -> np.ndarray:
        seen.append(x)
        return np.where(x > 0.0, 1.0, 1e-160)

    found = fixed(function, np.zeros((3, 6)), 1e-7)
    assert np.isfinite(found).all()
    assert all(np.isfinite(x).all() for x in seen)
