"""Two links in a plane, and closed forms over whole arrays: against geometry, fifty digits and plain definitions."""

from __future__ import annotations

import warnings
from itertools import product
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from two_bone_ik.skeleton import transform
from two_bone_ik.solver.feet.hips import envelope_weights, smooth_envelope
from two_bone_ik.solver.feet.statistics import densest

from solver import Status, Unreachable, planar
from support.oracles import circle_crossings

BOTH_BENDS = pytest.mark.parametrize("bend", [1, -1])


# arccos(1 - e) is about √(2e): rounding at 1e-16 moves the mid joint by 1e-8 of its bone, and the tip by nothing.
NEAR_SINGULAR = 1e-7


def length(lengths: np.ndarray) -> np.ndarray:
    return np.sum(lengths, axis=-1)


def reachable(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Lengths with ratios from 1e-6 to 1e6, and targets all over the annulus, with both edges."""
    rng = np.random.default_rng(seed)
    lengths = np.stack((np.ones(count), 10.0 ** rng.uniform(-6, 6, count)), axis=-1) * rng.choice((1.0, 0.01, 300.0))
    inner, outer = np.abs(lengths[:, 0] - lengths[:, 1]), length(lengths)
    part = rng.choice((rng.random(count), rng.random(count) ** 8, 1 - rng.random(count) ** 8), axis=0)
    distance = inner + part * (outer - inner)
    direction = rng.uniform(-pi, pi, count)
    return lengths, np.stack((distance * np.cos(direction), distance * np.sin(direction)), axis=-1)


@BOTH_BENDS
def test_both_closed_forms_meet_a_million_targets(bend: int) -> None:
    lengths, target = reachable(1_000_000, seed=bend + 1)
    joints = planar.forward(lengths, planar.angles(lengths, target, bend))
    mid = planar.mid(lengths, target, bend)
    total = length(lengths)
    assert (np.linalg.norm(joints[:, 1] - target, axis=-1) / total).max() < 1e-12
    # Each may be off by NEAR_SINGULAR, but both lose the same digits.
    assert (np.linalg.norm(joints[:, 0] - mid, axis=-1) / total).max() < 1e-12


@BOTH_BENDS
def test_mid_and_angles_equal_fifty_digits(bend: int) -> None:
    lengths, target = reachable(300, seed=7)
    exact = np.array([circle_crossings(*row)[bend > 0] for row in np.column_stack((lengths, target))])
    for mid in (planar.mid(lengths, target, bend), planar.forward(lengths, planar.angles(lengths, target, bend))[:, 0]):
        assert (np.linalg.norm(mid - exact, axis=-1) / length(lengths)).max() < NEAR_SINGULAR


def test_both_gives_two_solutions_that_meet_at_the_edges() -> None:
    inside = planar.both((2, 1), (1, 1.5))
    np.testing.assert_allclose(planar.forward((2, 1), inside)[:, 1], [(1, 1.5)] * 2, atol=1e-14)
    assert inside[0, 1] == -inside[1, 1] > 0
    for reach in (1.0, 3.0):
        first, second = planar.forward((2, 1), planar.both((2, 1), (0, reach)))
        np.testing.assert_allclose(first, second, atol=1e-14)


def test_the_elbow_may_lie_behind_the_root() -> None:
    """Its projection on the root-target line clamped at 0 missed by 0.22 in another solver."""
    solved = planar.solve((1, 1.5), (0.8, 0))
    assert solved.joints[0, 0] < 0
    np.testing.assert_allclose(solved.joints[1], (0.8, 0), atol=1e-15)
    assert solved.miss == 0


def test_too_close_is_clamped_to_the_difference_of_the_lengths() -> None:
    """Not to the first length, as in another solver."""
    solved = planar.solve((1.0, 0.4), (0, 0.1))
    np.testing.assert_allclose(solved.joints[1], (0, 0.6), atol=1e-15)
    assert solved.status == Status.TOO_CLOSE
    np.testing.assert_allclose(solved.miss, 0.5, atol=1e-15)


@pytest.mark.parametrize("distance", [0.6, 1.4])
@BOTH_BENDS
def test_the_edges_of_the_annulus_count_as_reached(distance: float, bend: int) -> None:
    directions = np.linspace(0, 2 * pi, 100)
    target = distance * np.stack((np.cos(directions), np.sin(directions)), axis=-1)
    solved = planar.solve((1.0, 0.4), target, bend)
    assert (solved.status == Status.REACHED).all()
    assert (solved.miss == 0).all()


def test_too_far_points_straight_at_the_target() -> None:
    solved = planar.solve((1, 2), (-30, 40))
    np.testing.assert_allclose(solved.joints, [(-0.6, 0.8), (-1.8, 2.4)], atol=1e-14)
    assert (solved.status, solved.miss) == (Status.TOO_FAR, 47)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ((3, 4), "the target is 5 from the root, but the chain reaches from 0.5 to 1.5"),
        ([(1, 0), (0.1, 0)], r"target \[1\] is 0.1 from the root, but the chain reaches from 0.5 to 1.5"),
        ((0, 0), "the target is 0 from the root"),
    ],
)
def test_out_of_reach_is_an_error_on_request(target: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        planar.solve((1, 0.5), target, unreachable=Unreachable.ERROR)


def test_a_target_on_the_root_keeps_the_last_direction() -> None:
    """A stale pose from before came back in another solver."""
    target = [(0.0, 0.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1e-320, 0.0)]
    solved = planar.solve((1, 1), target)
    mid = planar.mid((1, 1), target)
    np.testing.assert_allclose(solved.joints[:, 0], mid, atol=NEAR_SINGULAR)
    # Folded, the mid joint stands at right angles to the direction of the target.
    np.testing.assert_allclose(mid[[0, 2, 4]], [(1, 0), (1, 0), (0, -1)], atol=1e-12)
    assert (solved.status == Status.REACHED).all()
    assert solved.degenerate.tolist() == [True, False, True, False, True]
    assert (solved.miss == 0).all()


def test_a_bone_without_length_leaves_the_other_to_point() -> None:
    target = np.array([(0.0, 2.0), (-3.0, 0.0)])
    for lengths in ((1, 0), (0, 1)):
        solved = planar.solve(lengths, target)
        np.testing.assert_allclose(solved.joints[:, 1], [(0, 1), (-1, 0)], atol=1e-15)
        assert (solved.status == Status.TOO_FAR).all()
        assert solved.degenerate.all()
        np.testing.assert_allclose(solved.miss, (1, 2))
    assert (planar.angles((1, 0), target)[:, 1] == 0).all(), "nothing decides this angle, so it stays"
    assert (planar.angles((0, 1), target)[:, 0] == 0).all()
    assert (planar.solve((0, 0), target).joints == 0).all()


def test_a_bone_without_length_keeps_the_undecided_angle() -> None:
    lengths = [(1.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    hinge = planar.angles(lengths, [(0.5, 0.5)] * 3)[:, 1]
    assert hinge[1] == hinge[0] == hinge[2]


def test_rows_broadcast() -> None:
    lengths = np.array([(1.0, 0.5), (0.3, 0.8)])[:, None]
    target = np.random.default_rng(0).normal(size=(5, 2))
    for function in (planar.angles, planar.mid):
        both = function(lengths, target)
        assert both.shape == (2, 5, 2)
        for row, column in product(range(2), range(5)):
            np.testing.assert_array_equal(both[row, column], function(lengths[row, 0], target[column]))
    assert planar.mid((1, 1), np.empty((0, 2))).shape == (0, 2)


def test_a_million_rows_are_solved_as_each_one_is() -> None:
    """They go through the cache in blocks; the last one is not full."""
    lengths, target = reachable(100_001)
    bend = np.where(np.arange(len(target)) % 3, 1, -1)
    rows = [0, 16_383, 16_384, 99_999, 100_000]
    np.testing.assert_array_equal(planar.mid([(1, 1)], target)[rows], planar.mid((1, 1), target[rows]))
    for function in (planar.mid, planar.angles):
        whole = function(lengths, target, bend)
        for row in rows:
            np.testing.assert_array_equal(whole[row], function(lengths[row], target[row], bend[row]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_by_its_row(bad: float) -> None:
    target = np.ones((4, 2))
    target[2, 1] = bad
    for function in (planar.solve, planar.angles, planar.mid, planar.both):
        with pytest.raises(ValueError, match=r"target must be finite, but row \[2\] is \[ *1\. "):
            function((1, 1), target)
        with pytest.raises(ValueError, match=r"lengths must be finite, but is \["):
            function((1, bad), (1, 1))


def test_a_negative_length_is_refused_by_its_row() -> None:
    with pytest.raises(ValueError, match=r"lengths must not be negative, but row \[1\] is \[ 1\. -1\.\]"):
        planar.solve([(1, 1), (1, -1)], (1, 1))


ANY = st.floats(-1e59, 1e59)
LENGTH = st.floats(0, 1e59)
EXTREME = st.sampled_from((0.0, 5e-324, 1e-308, 1e-160, 1e-60, 1e-30, 1.0, 1e30, 1e59))


@given(
    st.lists(st.tuples(LENGTH | EXTREME, LENGTH | EXTREME, ANY | EXTREME, ANY | EXTREME), min_size=1, max_size=4),
    st.sampled_from((1, -1)),
)
def test_no_finite_input_gives_nan_or_a_warning(rows: list[tuple[float, ...]], bend: int) -> None:
    values = np.array(rows)
    lengths, target = values[:, :2], values[:, 2:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solved = planar.solve(lengths, target, bend)
        mid = planar.mid(lengths, target, bend)
        oriented = planar.oriented(np.column_stack((lengths, lengths[:, 0])), target, target[:, 0])
    for result in (solved.angles, solved.joints, solved.miss, mid, oriented):
        assert not np.isnan(result).any()
    assert np.isfinite(solved.angles).all()


@given(LENGTH, st.floats(1e-6, 1e6), st.floats(0, 1), st.floats(-pi, pi), st.sampled_from((1, -1)))
def test_any_size_is_solved_alike(size: float, ratio: float, part: float, direction: float, bend: int) -> None:
    """A power of two changes no digit, so the same limb a thousand times as large has the same angles."""
    distance = abs(1 - ratio) + part * (1 + ratio - abs(1 - ratio))
    target = np.array((distance * np.cos(direction), distance * np.sin(direction)))
    scale = 2.0 ** np.clip(np.frexp(size)[1], -170, 170)
    expected = planar.solve((1, ratio), target, bend)
    solved = planar.solve((scale, ratio * scale), scale * target, bend)
    # Full turns are the same on either side.
    np.testing.assert_allclose(np.exp(1j * solved.angles), np.exp(1j * expected.angles), rtol=0, atol=1e-14)
    np.testing.assert_allclose(solved.joints / scale, expected.joints, rtol=0, atol=1e-14 * (1 + ratio))


class TestOriented:
    """Three links, the last one's direction given."""

    def test_the_tip_is_met_from_the_given_direction_by_both_bends(self) -> None:
        rng = np.random.default_rng(3)
        lengths, direction = rng.uniform(0.5, 2, (10_000, 3)), rng.uniform(-pi, pi, 10_000)
        wrist, target = planar_wrist_in_reach(rng, lengths), None
        target = wrist + lengths[:, 2:] * np.stack((np.cos(direction), np.sin(direction)), axis=-1)
        angles = planar.oriented(lengths, target, direction)
        joints = planar.forward(lengths[:, None], angles)
        np.testing.assert_allclose(joints[:, :, 2], np.broadcast_to(target[:, None], joints[:, :, 2].shape), atol=1e-12)
        np.testing.assert_allclose(joints[:, :, 1], np.broadcast_to(wrist[:, None], joints[:, :, 1].shape), atol=1e-12)
        turned = angles.sum(axis=-1) - direction[:, None]
        np.testing.assert_allclose(np.cos(turned), 1, atol=1e-12)
        assert (angles[:, 0, 1] * angles[:, 1, 1] <= 0).all(), "one bends each way"
        assert (np.abs(angles[..., 2]) <= pi).all()

    def test_out_of_reach_the_last_links_direction_is_kept(self) -> None:
        angles = planar.oriented((1, 1, 0.5), (10, 0), pi / 2)
        joints = planar.forward((1, 1, 0.5), angles)
        np.testing.assert_allclose(joints[0, 2] - joints[0, 1], (0, 0.5), atol=1e-15)
        wrist = np.array((10, -0.5))
        np.testing.assert_allclose(joints[0, 1], 2 * wrist / np.linalg.norm(wrist), atol=1e-14)


def planar_wrist_in_reach(rng: np.random.Generator, lengths: np.ndarray) -> np.ndarray:
    inner, outer = np.abs(lengths[:, 0] - lengths[:, 1]), lengths[:, 0] + lengths[:, 1]
    distance, direction = inner + rng.random(len(lengths)) * (outer - inner), rng.uniform(-pi, pi, len(lengths))
    return distance[:, None] * np.stack((np.cos(direction), np.sin(direction)), axis=-1)


ROUNDING = 1e-12
"""Of a few products of numbers near 1."""


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_affine_products_and_inverses_are_those_of_matrices(rng: np.random.Generator) -> None:
    one, other = (transform.compose(rng.normal(size=(20, 2, 3, 3)), rng.normal(size=(20, 2, 3))) for _ in range(2))
    for first, second in ((one, other), (one[:1], other), (one, other[:1, :1])):
        np.testing.assert_allclose(transform.affine_product(first, second), first @ second, atol=ROUNDING)
    size = np.abs(np.linalg.inv(one)).max()
    np.testing.assert_allclose(transform.inverse(one), np.linalg.inv(one), atol=ROUNDING * size**2)


@pytest.mark.parametrize("size", [1, 3])
def test_the_densest_sample_has_most_others_near_it(size: int, rng: np.random.Generator) -> None:
    samples = np.concatenate((rng.normal(size=(90, size)), rng.normal(0.7, 0.05, (30, size))))
    near = [[np.linalg.norm(one - other) < 0.2 for other in samples] for one in samples]
    center = samples[np.argmax(np.sum(near, axis=1))]
    expected = samples[np.linalg.norm(samples - center, axis=1) < 0.2]
    mean, count = densest(samples, 0.2)
    assert count == len(expected)
    np.testing.assert_allclose(mean, expected.mean(axis=0), atol=ROUNDING)


@pytest.mark.parametrize("rate", [10.0, 24.0, 60.0, 120.0])
def test_an_envelope_is_the_mean_of_greatest_values(rate: float, rng: np.random.Generator) -> None:
    values, weights = rng.random(60), envelope_weights(rate, 0.2)
    side = len(weights) // 2
    windows = np.clip(np.arange(-side, 60 + side)[:, None] + np.arange(-side, side + 1), 0, 59)
    greatest = values[windows].max(axis=1)
    expected = [weights @ greatest[row : row + len(weights)] for row in range(60)]
    np.testing.assert_allclose(smooth_envelope(values, rate, 0.2), expected, atol=ROUNDING)
