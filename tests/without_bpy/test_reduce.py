"""Fewest keys: on every frame within what is allowed, with as few as all choices of keys would need."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import reduce

BOTH_KINDS = pytest.mark.parametrize("cubic", [True, False])


def off_by(values: np.ndarray, tolerance: float) -> reduce.Error:
    return lambda rows, curve: np.abs(curve - values[rows]).max(axis=-1, initial=0) / tolerance


def bezier(keys: np.ndarray, frames: np.ndarray, values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """(n, k) what plays: handles a third of the way to the next key, by de Casteljau."""
    played = np.empty_like(values)
    for index, (start, end) in enumerate(pairwise(keys)):
        third = (frames[end] - frames[start]) / 3
        points = (
            values[start],
            values[start] + third * slopes[index],
            values[end] - third * slopes[index + 1],
            values[end],
        )
        for row in range(start, end + 1):
            time = (frames[row] - frames[start]) / (frames[end] - frames[start])
            level = list(points)
            while len(level) > 1:
                level = [a + time * (b - a) for a, b in pairwise(level)]
            played[row] = level[0]
    return played


def motion(count: int, seed: int, smooth: float) -> tuple[np.ndarray, np.ndarray]:
    """Uneven frames and a walk of three values."""
    rng = np.random.default_rng(seed)
    frames = -20 + np.cumsum(rng.uniform(0.25, 2, count))
    steps = rng.normal(size=(count, 3)) * (1 - smooth) + 3 * smooth * np.sin(np.outer(frames, (0.1, 0.23, 0.4)))
    return frames, np.cumsum(steps, axis=0)


@given(st.integers(2, 120), st.integers(0, 1000), st.sampled_from((0.0, 0.7, 1.0)), st.floats(1e-3, 3))
def test_what_plays_is_within_what_is_allowed_on_every_frame(
    count: int, seed: int, smooth: float, tolerance: float
) -> None:
    frames, values = motion(count, seed, smooth)
    keys, slopes = reduce.fewest_keys(frames, values, off_by(values, tolerance), cubic=True)
    assert keys[0] == 0
    assert keys[-1] == count - 1
    assert np.abs(bezier(keys, frames, values, slopes) - values).max() <= tolerance * (1 + 1e-9)
    keys, slopes = reduce.fewest_keys(frames, values, off_by(values, tolerance), cubic=False)
    assert slopes is None
    lines = np.stack([np.interp(frames, frames[keys], column[keys]) for column in values.T], axis=-1)
    assert np.abs(lines - values).max() <= tolerance * (1 + 1e-9)


@BOTH_KINDS
@pytest.mark.parametrize("seed", range(6))
def test_hardly_fewer_would_do(cubic: bool, seed: int) -> None:
    """Of all choices of keys the smallest needs at most one less."""
    frames, values = motion(10, seed, 0.7)
    tolerance = 0.6
    error = off_by(values, tolerance)
    keys, _ = reduce.fewest_keys(frames, values, error, cubic=cubic)

    def enough(chosen: tuple[int, ...]) -> bool:
        rows = np.array((0, *chosen, 9))
        slopes = reduce.best_slopes(rows, frames, values) if cubic else None
        return bool((error(np.arange(10), reduce.curve(rows, frames, values, slopes)) <= 1).all())

    least = next(size for size in range(9) if any(map(enough, combinations(range(1, 9), size)))) + 2
    assert least <= len(keys) <= least + 1


def test_a_cubic_needs_two_keys_and_a_bent_line_its_corner() -> None:
    frames = np.linspace(-3, 4, 40)
    cubic = np.stack((frames**3 - frames, 2 * frames**2), axis=-1)
    keys, slopes = reduce.fewest_keys(frames, cubic, off_by(cubic, 0.05), cubic=True)
    assert keys.tolist() == [0, 39]
    np.testing.assert_allclose(slopes, ((26, -12), (47, 16)), rtol=0.02)
    bent = np.abs(frames - frames[17])[:, None]
    keys, _ = reduce.fewest_keys(frames, bent, off_by(bent, 1e-6), cubic=False)
    assert keys.tolist() == [0, 17, 39]


@BOTH_KINDS
def test_what_does_not_move_needs_its_ends(cubic: bool) -> None:
    values = np.ones((100, 7))
    keys, slopes = reduce.fewest_keys(np.arange(100.0), values, off_by(values, 1e-9), cubic=cubic)
    assert keys.tolist() == [0, 99]
    assert slopes is None or np.abs(slopes).max() < 1e-15


@BOTH_KINDS
def test_where_nothing_may_be_off_every_frame_is_kept(cubic: bool) -> None:
    frames, values = motion(30, 0, 0.0)
    keys, _ = reduce.fewest_keys(frames, values, off_by(values, 1e-12), cubic=cubic)
    assert len(keys) == 30


@BOTH_KINDS
@pytest.mark.parametrize("count", [0, 1, 2])
def test_hardly_a_frame(cubic: bool, count: int) -> None:
    values = np.arange(2.0 * count).reshape(count, 2)
    keys, slopes = reduce.fewest_keys(np.arange(float(count)), values, off_by(values, 1), cubic=cubic)
    assert keys.tolist() == list(range(count))
    assert slopes is None or slopes.shape == values.shape


def test_a_wave_needs_fewer_keys_than_it_has_quarters() -> None:
    """A cubic follows a quarter turn to 1e-2, and a half one to 6e-2."""
    frames = np.arange(250.0)
    values = np.sin(frames / 4)[:, None]
    keys, _ = reduce.fewest_keys(frames, values, off_by(values, 1e-2), cubic=True)
    assert len(keys) < 250 / 4 / (np.pi / 2) + 1


def test_errors_are_judged_a_few_times_over_all_frames_not_once_a_key() -> None:
    frames, values = motion(2000, 1, 1.0)
    calls = []

    def error(rows: np.ndarray, curve: np.ndarray) -> np.ndarray:
        calls.append(len(rows))
        return off_by(values, 0.1)(rows, curve)

    keys, _ = reduce.fewest_keys(frames, values, error, cubic=True)
    assert len(calls) < len(keys)
