"""How far a hand turns about its forearm, against brute force and high precision, and the shares of twist bones."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import twist
from solver.rotation import from_quaternions
from support.oracles import random_rotation, rotation_about, rotation_angle

EPSILON = 2.0**-52

LINE = np.array((0.0, 1.0, 0.0))


def turned(swing: float, direction: float, angle: float) -> np.ndarray:
    """(3, 3) a twist by `angle` about `LINE`, then a swing about an axis across it."""
    return rotation_about((np.cos(direction), 0.0, np.sin(direction)), swing) @ rotation_about(LINE, angle)


def exact_twist(matrix: np.ndarray, line: np.ndarray) -> tuple[float, float]:
    """Twist and swing of a matrix to 50 digits: the twist about a line is the angle, in the plane across it, from a
    vector to where the matrix takes it after the shortest rotation of the line back.
    """
    with mpmath.workdps(50):
        m = mpmath.matrix(matrix.tolist())
        d = mpmath.matrix(line.tolist()) / mpmath.norm(mpmath.matrix(line.tolist()))
        end = m * d
        axis = _cross(end, d)
        cosine, sine = _dot(end, d), mpmath.norm(axis)
        across = axis / sine
        # Both the axis of the swing and its image are across the line: the swing leaves that axis alone.
        back = m.T * across
        angle = mpmath.atan2(_dot(d, _cross(back, across)), _dot(back, across))
        return float(angle), float(mpmath.atan2(sine, cosine))


def _cross(a: mpmath.matrix, b: mpmath.matrix) -> mpmath.matrix:
    return mpmath.matrix([a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)])


def _dot(a: mpmath.matrix, b: mpmath.matrix) -> mpmath.mpf:
    return sum(x * y for x, y in zip(a, b, strict=True))


def half_twist(matrix: np.ndarray) -> float:
    """Half the twist about `LINE`, but for half turns: 4 w w is 1 + trace, and 4 w y this difference."""
    return float(np.arctan2(matrix[0, 2] - matrix[2, 0], 1.0 + np.trace(matrix)))


def least(angle: np.ndarray) -> np.ndarray:
    """(...) the same turn within half a turn either way."""
    return np.remainder(np.asarray(angle) + np.pi, 2 * np.pi) - np.pi


def test_twist_and_swing_are_exact_to_rounding() -> None:
    """A matrix rounds to a few epsilon. A turn that small counts 1 / cos(swing / 2) times in the twist."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        line, matrix = rng.normal(size=3), random_rotation(rng)
        angle, swing = exact_twist(matrix, line)
        if swing > twist.DECIDED:
            continue
        found = twist.twist(matrix[None], line)
        assert abs(least(found.angle[0] - angle)) <= 30 * EPSILON / np.cos(0.5 * swing)
        np.testing.assert_allclose(found.swing[0], swing, atol=30 * EPSILON)


def test_the_twist_is_the_nearest_turn_about_the_line() -> None:
    """Brute force over a whole turn: what is left then is the swing, the least rotation that any turn leaves."""
    rng = np.random.default_rng(2)
    angles = np.linspace(-np.pi, np.pi, 501)
    for _ in range(20):
        matrix = random_rotation(rng)
        found = twist.twist(matrix[None], LINE)
        if not found.decided[0]:
            continue
        left = [rotation_angle(rotation_about(LINE, angle), matrix) for angle in angles]
        assert rotation_angle(rotation_about(LINE, found.angle[0]), matrix) <= min(left) + 1e-12
        assert abs(least(found.angle[0] - angles[np.argmin(left)])) < angles[1] - angles[0]
        np.testing.assert_allclose(found.swing[0], min(left), atol=1e-4)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, np.radians(149.0)))
@settings(max_examples=25, deadline=None)
def test_a_motion_that_is_made_of_twist_and_swing_is_read_so(seed: int, most: float) -> None:
    """Several turns round; at 149 degrees of swing rounding counts four times."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 1, 200)
    angle = np.cumsum(np.repeat(rng.uniform(-0.2, 0.2, 10), 20))
    angle -= angle[0]
    swing = most * np.abs(np.sin(time * rng.uniform(1, 10)))
    around = rng.uniform(-3, 3) + time
    matrices = [turned(*each) for each in zip(swing, around, angle, strict=True)]
    found = twist.twist(matrices, LINE)
    np.testing.assert_allclose(found.angle, angle, atol=1e-12)
    np.testing.assert_allclose(found.swing, swing, atol=1e-7, err_msg="near none, the matrix shows its square")


def test_along_the_shortest_way_of_a_step_the_twist_is_right() -> None:
    """At a swing of 149 degrees a turn by 170 degrees a frame may turn the twist by more than half a turn."""
    rng = np.random.default_rng(3)
    parts = np.linspace(0.0, 1.0, 301)
    more_than_half = 0
    for _ in range(60):
        first = turned(np.radians(rng.uniform(100, 149)), rng.uniform(-3, 3), rng.uniform(-3, 3))
        axis = rng.normal(size=3)
        way = rotation_about(axis, parts * np.radians(170.0)) @ first
        if not twist.twist(way, LINE).decided.all():
            continue
        expected = 2.0 * np.unwrap([half_twist(matrix) for matrix in way], period=np.pi)
        step = np.diff(twist.twist(way[[0, -1]], LINE).angle)[0]
        if np.abs(np.diff(expected)).max() < 1.0:
            np.testing.assert_allclose(step, expected[-1] - expected[0], atol=1e-9)
            more_than_half += abs(step) > np.pi
    assert more_than_half > 1


def _noise(rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, 3, 3) as that of keys, which are in single precision."""
    vectors = rng.normal(scale=1e-7, size=(count, 3))
    return np.array([rotation_about(vector, np.linalg.norm(vector)) for vector in vectors])


def test_over_a_step_through_much_swing_goes_the_least_turn() -> None:
    """As with frames on which nothing is decided: that the way has none of them is a matter of the frame rate."""
    rng = np.random.default_rng(7)
    passing = 0
    for _ in range(400):
        first = turned(np.radians(rng.uniform(60, 149)), rng.uniform(-3, 3), rng.uniform(-3, 3))
        axis, parts = rng.normal(size=3), np.linspace(0.0, np.radians(rng.uniform(20, 178)), 101)
        way = rotation_about(axis, parts) @ first
        decided = twist.twist(way, LINE).decided
        if decided[[0, -1]].all() and not decided.all():
            passing += 1
            step = np.diff(twist.twist(way[[0, -1]], LINE).angle)[0]
            np.testing.assert_allclose(step, least(2.0 * (half_twist(way[-1]) - half_twist(way[0]))), atol=1e-12)
    assert passing > 20


def test_swinging_over_in_a_plane_adds_no_turn() -> None:
    """In a plane the twist stays the same; passed at 180 degrees, the shortest way goes round either side of it."""
    rng = np.random.default_rng(8)
    for _ in range(40):
        swings = np.radians((rng.uniform(90, 149), rng.uniform(211, 260)))
        before, after = (turned(swing, 0.4, -0.9) for swing in swings)
        for noise in _noise(rng, 4):
            np.testing.assert_allclose(twist.twist([before, noise @ after], LINE).angle, -0.9, atol=1e-5)


def test_rounding_does_not_choose_the_way_of_half_a_turn() -> None:
    """There and back again it does not wind up."""
    rng = np.random.default_rng(9)
    for angles in np.pi * np.array(((0.0, 1.0, 0.0), (1.0, 0.0, 1.0), (1.0, 2.0, 1.0))):
        hand = np.array([turned(0.6, 0.3, angle) for angle in angles])
        found = np.array([twist.twist(_noise(rng, 3) @ hand, LINE).angle for _ in range(40)])
        np.testing.assert_allclose(found, found[:1].repeat(40, axis=0), atol=1e-5)
        np.testing.assert_allclose(found[:, 2], found[:, 0], atol=1e-5)


@pytest.mark.parametrize("swing", [0.0, 60.0, 150.0, 178.0])
def test_near_half_a_turn_of_swing_a_small_turn_counts_much(swing: float) -> None:
    """The greatest factor over all axes is 1 / cos(swing / 2): 4 at 150 degrees, 57 at 178."""
    rng, small = np.random.default_rng(4), 1e-7
    start = turned(np.radians(swing), 0.4, 0.9)
    ends = [half_twist(rotation_about(axis, small) @ start) for axis in rng.normal(size=(3000, 3))]
    most = np.abs(least(2.0 * (np.array(ends) - half_twist(start)))).max()
    assert most / small == pytest.approx(1 / np.cos(np.radians(swing / 2)), rel=0.01)


def test_a_loop_round_half_a_turn_of_swing_adds_two_turns() -> None:
    """The hand stays within 40 degrees of one orientation, its swing is 140 degrees, and its twist still adds 720."""
    around = np.linspace(0.0, 2.0 * np.pi, 400)
    far, near = np.cos(np.radians(20.0)), np.sin(np.radians(20.0))
    still = np.zeros_like(around)
    hand = from_quaternions(np.stack((near * np.cos(around), far + still, near * np.sin(around), still), axis=-1))
    found = twist.twist(hand, LINE)
    assert found.decided.all()
    np.testing.assert_allclose(found.angle, 2.0 * around, atol=1e-12)


def test_undecided_frames_go_evenly_from_one_side_to_the_other() -> None:
    """A hand passes a swing of 180 degrees: beyond 150 its twist is not read."""
    swing = np.radians(np.linspace(90.0, 270.0, 61))
    matrices = [turned(s, 0.2, 0.5 + 0.01 * row) for row, s in enumerate(swing)]
    found = twist.twist(matrices, LINE)
    np.testing.assert_array_equal(found.decided, np.abs(np.degrees(swing) - 180.0) >= 30.0 - 1e-9)
    steps = np.diff(found.angle)
    first, last = np.flatnonzero(~found.decided)[[0, -1]]
    over = steps[first - 1 : last + 1]
    np.testing.assert_allclose(over, over[0], atol=1e-12)
    assert abs(over.sum()) <= np.pi + 1e-9, "and no whole turn is added"


def test_at_the_ends_undecided_frames_are_held() -> None:
    swing = np.radians([170.0, 160.0, 100.0, 90.0, 165.0, 175.0])
    found = twist.twist([turned(s, 0.2, 0.4 * row) for row, s in enumerate(swing)], LINE)
    assert found.decided.tolist() == [False, False, True, True, False, False]
    np.testing.assert_allclose(found.angle, [0.8, 0.8, 0.8, 1.2, 1.2, 1.2], atol=1e-12)


def test_if_nothing_is_decided_the_twist_before_stays() -> None:
    matrices = [turned(np.radians(170.0), 0.2, each) for each in (0.4, 1.4)]
    np.testing.assert_array_equal(twist.twist(matrices, LINE).angle, [0.0, 0.0])
    np.testing.assert_array_equal(twist.twist(matrices, LINE, before=7.0).angle, [7.0, 7.0])


@pytest.mark.parametrize(("before", "first"), [(None, 0.5), (7.0, 0.5 + 2 * np.pi), (-20.0, 0.5 - 6 * np.pi)])
def test_the_first_frame_is_nearest_to_the_twist_before(before: float | None, first: float) -> None:
    found = twist.twist([turned(0.3, 0.2, 0.5), turned(0.3, 0.2, 0.7)], LINE, before)
    np.testing.assert_allclose(found.angle, [first, first + 0.2], atol=1e-12)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_bones_side_by_side_are_read_as_each_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrices = np.array([[random_rotation(rng) for _ in range(3)] for _ in range(8)])
    lines, before = rng.normal(size=(3, 3)), 5 * rng.normal(size=3)
    together = twist.twist(matrices, lines, before)
    for column in range(3):
        alone = twist.twist(matrices[:, column], lines[column], before[column])
        np.testing.assert_array_equal(together.angle[:, column], alone.angle)
        np.testing.assert_array_equal(together.decided[:, column], alone.decided)


def test_spread_twist_leaves_hand_and_end_bone_where_they_are() -> None:
    """Below, bones in line turn by their shares and the hand back: their product is the hand's own rotation."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        hand = turned(rng.uniform(0, 2.5), rng.uniform(-3, 3), rng.uniform(-3, 3))
        angle = twist.twist(hand[None], LINE).angle[0]
        of_each = np.diff(twist.shares((0.3, 0.8), upper=False, in_line=True), prepend=0.0)
        carried = np.eye(3)
        for share in of_each:
            carried = carried @ rotation_about(LINE, share * angle) if share else carried
        own = rotation_about(LINE, -0.8 * angle) @ hand
        np.testing.assert_allclose(carried @ own, hand, atol=1e-12)
        left = twist.twist(own[None], LINE).angle[0]
        np.testing.assert_allclose(least(left - 0.2 * angle), 0.0, atol=1e-9, err_msg="the wrist has what is left")


def test_shares_are_those_of_the_place() -> None:
    np.testing.assert_allclose(twist.shares((0.2, 0.7), upper=False), (0.2, 0.7))
    np.testing.assert_allclose(twist.shares((0.2, 0.7), upper=True), (-0.8, -0.3))
    np.testing.assert_allclose(twist.shares((0.2, 0.8), upper=True, in_line=True), (0.25, 1.0))
    np.testing.assert_allclose(twist.shares((0.0, 0.0), upper=True, in_line=True), (0.0, 1.0))


def test_a_place_is_along_the_line_and_beside_it() -> None:
    rng = np.random.default_rng(6)
    start, end = rng.normal(size=(2, 50, 3))
    along, off = rng.uniform(-1, 2, 50), rng.uniform(0, 0.5, 50)
    across = np.cross(end - start, rng.normal(size=(50, 3)))
    across *= (off * np.linalg.norm(end - start, axis=-1) / np.linalg.norm(across, axis=-1))[:, None]
    found = twist.place(start + along[:, None] * (end - start) + across, start, end)
    np.testing.assert_allclose(found, (along, off), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: twist.twist(np.eye(3)[None], (0, 0, 0)), "line must have a length"),
        (lambda: twist.twist(np.eye(2)[None], LINE), r"rotations must have the shape \(..., 3, 3\)"),
        (lambda: twist.place((0, 0, 0), LINE, LINE), "start and end must be apart"),
    ],
)
def test_what_has_no_twist_is_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
