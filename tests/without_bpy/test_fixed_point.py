"""Fixed points are found where plain substitution runs away, row by row, and the closest values where there is none."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.fixed_point import fixed_point

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS)
def test_a_linear_map_that_runs_away_is_solved(seed: int) -> None:
    random = np.random.default_rng(seed)
    slope, shift = random.normal(size=(5, 6, 6)) * 2.0, random.normal(size=(5, 6))
    right = np.linalg.solve(np.eye(6) - slope, shift[..., None])[..., 0]
    found = fixed_point(lambda x: (slope @ x[..., None])[..., 0] + shift, np.zeros((5, 6)), 1e-12)
    off = (slope @ found[..., None])[..., 0] + shift - found
    assert (np.abs(off).max(axis=-1) <= 1e-6 * np.abs(right).max(axis=-1) + 1e-9).all()


@given(SEEDS)
def test_rows_do_not_disturb_each_other(seed: int) -> None:
    random = np.random.default_rng(seed)
    pull = random.uniform(-3.0, 3.0, size=(4, 3))

    def curved(x: np.ndarray, pull: np.ndarray) -> np.ndarray:
        return np.sin(pull * x[..., ::-1]) + pull

    close = 1e-10
    both = fixed_point(lambda x: curved(x, pull), np.zeros((4, 3)), close)
    alone = np.concatenate([fixed_point(lambda x, row=row: curved(x, row), np.zeros((1, 3)), close) for row in pull])
    # Where none is found, the search wanders, and a rounding decides where it ends: NumPy 1.24 rounds the sine of a
    # number otherwise in the midst of more of them.
    found = np.abs(curved(alone, pull) - alone).max(axis=-1) <= 2.0 * close * np.abs(alone).max(axis=-1)
    np.testing.assert_allclose(both[found], alone[found], atol=1e-8)


def test_without_a_fixed_point_the_closest_is_found() -> None:
    found = fixed_point(lambda x: x + 1.0 + x**2, np.full((1, 1), 3.0), 1e-12)
    np.testing.assert_allclose(found, 0.0, atol=1e-2)
