"""Fewest keys: on every frame within what is allowed, and never more than the best of all choices of keys."""

from __future__ import annotations

import tracemalloc
from collections.abc import Collection, Sequence
from itertools import combinations, islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from two_bone_ik.skeleton.reduced_keys import Fit, reduce_channels
from two_bone_ik.skeleton.values import Channel

from skeleton.steps import run
from solver import reduce

BOTH_KINDS = pytest.mark.parametrize("cubic", [True, False])


def keys_and_curve(*given: object, **options: object) -> tuple[np.ndarray, reduce.Curve]:
    """The rows with keys, and the curve."""
    curve = run(reduce.fewest_keys(*given, **options))
    return np.flatnonzero(np.isin(given[0], curve.frames)), curve


def off_by(values: np.ndarray, tolerance: float) -> reduce.Error:
    return lambda rows, curve: np.abs(curve - values[rows]).max(axis=-1, initial=0) / tolerance


def bezier(keys: np.ndarray, frames: np.ndarray, values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """(n, k) what plays: handles a third of the way to the next key, by de Casteljau."""
    played = np.empty_like(values)
    for index, (start, end) in enumerate(pairwise(keys)):
        third = (frames[end] - frames[start]) / 3
        level = [
            values[start],
            values[start] + third * slopes[index, 0],
            values[end] - third * slopes[index, 1],
            values[end],
        ]
        time = ((frames[start : end + 1] - frames[start]) / (frames[end] - frames[start]))[:, None]
        while len(level) > 1:
            level = [a + time * (b - a) for a, b in pairwise(level)]
        played[start : end + 1] = level[0]
    return played


def motion(count: int, seed: int, smooth: float) -> tuple[np.ndarray, np.ndarray]:
    """Uneven frames and a walk of three values."""
    rng = np.random.default_rng(seed)
    frames = -20 + np.cumsum(rng.uniform(0.25, 2, count))
    steps = rng.normal(size=(count, 3)) * (1 - smooth) + 3 * smooth * np.sin(np.outer(frames, (0.1, 0.23, 0.4)))
    return frames, np.cumsum(steps, axis=0)


@pytest.mark.once
@given(st.integers(2, 120), st.integers(0, 1000), st.sampled_from((0.0, 0.7, 1.0)), st.floats(1e-3, 3))
def test_what_plays_is_within_what_is_allowed_on_every_frame(
    count: int, seed: int, smooth: float, tolerance: float
) -> None:
    frames, values = motion(count, seed, smooth)
    keys, curve = keys_and_curve(frames, values, off_by(values, tolerance), cubic=True)
    assert keys[0] == 0
    assert keys[-1] == count - 1
    played = bezier(keys, frames, values, curve.slopes)
    assert np.abs(played - values).max() <= tolerance * (1 + 1e-9)
    assert np.abs(played - curve.at(frames)).max() <= 1e-9
    keys, curve = keys_and_curve(frames, values, off_by(values, tolerance), cubic=False)
    lines = np.stack([np.interp(frames, frames[keys], column[keys]) for column in values.T], axis=-1)
    assert np.abs(lines - values).max() <= tolerance * (1 + 1e-9)
    assert np.abs(lines - curve.at(frames)).max() <= 1e-9


def holds(start: int, end: int, frames: np.ndarray, values: np.ndarray, tolerance: float, cubic: bool) -> bool:
    """True where a span has no row off: a straight line, plus the best of all cubics that are zero at both ends."""
    part = (frames[start : end + 1] - frames[start]) / (frames[end] - frames[start])
    left = values[start : end + 1] - values[start] - np.outer(part, values[end] - values[start])
    if cubic:
        shapes = np.stack((part * (1 - part) ** 2, part**2 * (1 - part)), axis=-1)
        left = left - shapes @ np.linalg.lstsq(shapes, left, rcond=None)[0]
    return bool(np.abs(left).max() <= tolerance)


def least(rows: Sequence[int], good: Collection[tuple[int, int]]) -> int:
    """The fewest of these rows, with the first and the last, that are joined by good spans alone: all are tried."""
    first, *between, last = rows
    return next(
        size + 2
        for size in range(len(between) + 1)
        for chosen in combinations(between, size)
        if all(span in good for span in pairwise((first, *chosen, last)))
    )


def shortest(rows: Sequence[int], good: Collection[tuple[int, int]]) -> int:
    """The same for many rows, by adding one after another."""
    fewest = {rows[0]: 1}
    for end in rows[1:]:
        fewest[end] = 1 + min(fewest[start] for start in fewest if (start, end) in good)
    return fewest[rows[-1]]


@pytest.mark.once
@given(st.integers(2, 10), st.integers(0, 1000), st.sampled_from((0.0, 0.7, 1.0)), st.floats(0.1, 3), st.booleans())
def test_no_choice_of_keys_needs_fewer(count: int, seed: int, smooth: float, tolerance: float, cubic: bool) -> None:
    frames, values = motion(count, seed, smooth)
    keys, _ = keys_and_curve(frames, values, off_by(values, tolerance), cubic=cubic)
    spans = combinations(range(count), 2)
    good = {span for span in spans if holds(*span, frames, values, tolerance, cubic)}
    assert len(keys) == least(range(count), good)


@pytest.mark.once
@BOTH_KINDS
@given(st.lists(st.sampled_from((0, 0, 0, 0, 1, 4)), min_size=24, max_size=24), st.booleans())
def test_no_choice_needs_fewer_where_values_jump(cubic: bool, steps: list[int], jumps: bool) -> None:
    """Values that stand or move on quarters, or jump to whole frames: keyed there, and between only if need be."""
    frames, tolerance = np.arange(25) / 4, 0.1
    moved = np.concatenate(([0], steps))
    values = np.cumsum(np.where(np.arange(25) % 4 == 0, moved, 0) if jumps else moved)[:, None] * 1.0
    keys, curve = keys_and_curve(frames, values, off_by(values, tolerance), cubic=cubic, keyed=np.arange(0, 25, 4))
    assert np.abs(curve.at(frames) - values).max() <= tolerance
    wholes = [(start, start + 4) for start in range(0, 24, 4)]
    good = {span for span in wholes if holds(*span, frames, values, tolerance, cubic)}
    still = {(start, end) for start, end in combinations(range(25), 2) if np.ptp(values[start:end]) <= tolerance}
    rows, jumped = {24}, set()
    for span in wholes:
        rows |= {span[0]} if span in good | still else {*range(*span)}
        jumped |= {span[1]} if span in still - good else set()
    good |= {span for span in combinations(sorted(rows), 2) if holds(*span, frames, values, tolerance, cubic)}
    good |= {span for span in still if span[1] in jumped}
    assert len(keys) == shortest(sorted(rows), good)
    assert {keys[index + 1] for index in np.flatnonzero(curve.constant)} <= jumped


@given(st.integers(2, 40), st.integers(0, 1000), st.floats(0.1, 3))
def test_lines_over_many_rows_are_the_shortest_path(count: int, seed: int, tolerance: float) -> None:
    frames, values = motion(count, seed, 0.7)
    keys, _ = keys_and_curve(frames, values, off_by(values, tolerance), cubic=False)
    spans = combinations(range(count), 2)
    good = {span for span in spans if holds(*span, frames, values, tolerance, cubic=False)}
    assert len(keys) == shortest(range(count), good)


def test_a_step_as_high_as_three_tolerances_needs_two_keys() -> None:
    values = np.array((0.0, 0.0, 3.0, 3.0))[:, None]
    keys, _ = keys_and_curve(np.arange(4.0), values, off_by(values, 1), cubic=False)
    assert keys.tolist() == [0, 3]


@BOTH_KINDS
def test_values_that_jump_are_held_until_they_do(cubic: bool) -> None:
    frames = np.arange(81) / 4
    values = np.floor(frames / 5)[:, None]
    keys, curve = keys_and_curve(frames, values, off_by(values, 1e-3), cubic=cubic, keyed=np.arange(0, 81, 4))
    assert frames[keys].tolist() == [0, 5, 10, 15, 20]
    assert curve.constant.all()
    finer = np.linspace(0, 20, 4001)
    np.testing.assert_allclose(curve.at(finer), np.floor(finer / 5)[:, None], atol=1e-12)


@BOTH_KINDS
def test_rows_between_are_keyed_only_where_they_have_to_be(cubic: bool) -> None:
    frames = np.arange(41) / 4
    values = np.where(np.arange(41) == 22, 1.0, 0.0)[:, None]
    keys, _ = keys_and_curve(frames, values, off_by(values, 0.01), cubic=cubic, keyed=np.arange(0, 41, 4))
    between = [row for row in keys.tolist() if row % 4]
    assert between
    assert set(between) <= {21, 22, 23}


def test_a_cubic_needs_two_keys() -> None:
    frames = np.linspace(-3, 4, 40)
    cubic = np.stack((frames**3 - frames, 2 * frames**2), axis=-1)
    keys, curve = keys_and_curve(frames, cubic, off_by(cubic, 0.05), cubic=True)
    assert keys.tolist() == [0, 39]
    np.testing.assert_allclose(curve.slopes[0], ((26, -12), (47, 16)), rtol=0.02)


def test_a_bent_line_needs_a_key_at_its_corner() -> None:
    frames = np.linspace(-3, 4, 40)
    bent = np.abs(frames - frames[17])[:, None]
    keys, _ = keys_and_curve(frames, bent, off_by(bent, 1e-6), cubic=False)
    assert keys.tolist() == [0, 17, 39]


@BOTH_KINDS
def test_what_does_not_move_needs_its_ends(cubic: bool) -> None:
    values = np.ones((100, 7))
    keys, curve = keys_and_curve(np.arange(100.0), values, off_by(values, 1e-9), cubic=cubic)
    assert keys.tolist() == [0, 99]
    assert np.abs(curve.slopes).max() < 1e-15


@BOTH_KINDS
def test_where_nothing_may_be_off_every_frame_is_kept(cubic: bool) -> None:
    frames, values = motion(30, 0, 0.0)
    keys, _ = keys_and_curve(frames, values, off_by(values, 1e-12), cubic=cubic)
    assert len(keys) == 30


@BOTH_KINDS
@pytest.mark.parametrize("count", [0, 1, 2])
def test_hardly_a_frame(cubic: bool, count: int) -> None:
    values = np.arange(2.0 * count).reshape(count, 2)
    keys, curve = keys_and_curve(np.arange(float(count)), values, off_by(values, 1), cubic=cubic)
    assert keys.tolist() == list(range(count))
    assert curve.slopes.shape == (max(0, count - 1), 2, 2)
    np.testing.assert_array_equal(curve.at(np.arange(float(count))), values)


def test_a_wave_needs_fewer_keys_than_it_has_quarters() -> None:
    """A cubic follows a quarter turn to 1e-2, and a half one to 6e-2."""
    frames = np.arange(250.0)
    values = np.sin(frames / 4)[:, None]
    keys, _ = keys_and_curve(frames, values, off_by(values, 1e-2), cubic=True)
    assert len(keys) < 250 / 4 / (np.pi / 2) + 1


@pytest.mark.once
@BOTH_KINDS
@pytest.mark.parametrize("kind", ["still", "slow", "fast", "random"])
def test_the_work_grows_with_the_frames_not_with_their_square(cubic: bool, kind: str) -> None:
    frames = np.arange(1000.0)
    values = {
        "still": np.zeros((1000, 1)),
        "slow": np.sin(frames / 150)[:, None],
        "fast": np.sin(frames / 5)[:, None],
        "random": np.random.default_rng(0).normal(size=(1000, 1)),
    }[kind]
    judged = []

    def error(rows: np.ndarray, curve: np.ndarray) -> np.ndarray:
        judged.append(len(rows))
        return off_by(values, 0.01)(rows, curve)

    run(reduce.fewest_keys(frames, values, error, cubic=cubic))
    assert sum(judged) < 400 * len(frames)
    assert len(judged) < 4 * len(frames)


def test_a_limb_too_far_out_for_its_tolerance_gets_keys() -> None:
    frames = np.arange(0.0, 8.0, 0.25)
    turns = frames[:, None] * (0.1, 0.07, 0.03)
    channel = Channel(path="rotation", group="bone", frames=frames, values=turns)

    def rounded(values: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
        """Points that the last digit of a value moves by ten times the tolerance, be it to either side."""
        return 1e-2 * np.abs(np.sign(values[0] - turns[rows]))[:, None]

    steps = reduce_channels([channel], np.arange(len(frames)), rounded, Fit(1e-3, cubic=True), step=4)
    assert sum(1 for _ in islice(steps, 10_000)) < 10_000


def test_a_limb_without_length_is_reduced_as_well() -> None:
    frames = np.arange(5.0)
    channel = Channel(path="location", group="bone", frames=frames, values=np.sin(frames)[:, None] * (1.0, 0.5, 0.2))

    def still(values: list[np.ndarray], _rows: np.ndarray) -> np.ndarray:
        return 0.0 * values[0][:, None]

    [reduced] = run(reduce_channels([channel], np.arange(5), still, Fit(1e-3, cubic=True), step=1, size=0.0))
    assert reduced.frames.tolist() == [0.0, 4.0]


def test_how_points_move_is_kept_once() -> None:
    count, values, points = 12_000, 4, 8
    frames = np.arange(float(count))
    rng = np.random.default_rng(2)
    curves = np.sin(frames[:, None] * rng.uniform(0.01, 0.03, values))
    channel = Channel(path="rotation", group="bone", frames=frames, values=curves)
    to_points = rng.normal(size=(values, points * 3))

    def moved(given: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
        return (given[0] @ to_points).reshape(len(given[0]), points, 3)

    tracemalloc.start()
    try:
        [reduced] = run(reduce_channels([channel], np.arange(count), moved, Fit(0.05, cubic=True), step=8))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(reduced.frames) < count / 10
    # Four bytes for each value, point and axis; the pieces that are worked on take about as much again.
    assert most < 2.5 * 4 * count * values * points * 3, "bytes"
