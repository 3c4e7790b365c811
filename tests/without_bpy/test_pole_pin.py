"""Pin to Pole: the mid joint on its pole, against brute force, high precision and the solver without a pin."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Goals, Options, Plane, Status, pole_pin, solve
from support.limbs import limb
from support.oracles import random_rotation

ROUNDING = 1e-12
"""Of sums and roots of a dozen numbers near 1."""


def random_case(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Lengths from 1:5 to 5:1, a target within reach, a pole anywhere, and the most by which a bone may scale."""
    lengths = np.array((1.0, 5 ** rng.uniform(-1, 1)))
    most = float(rng.choice((1.0, 1.05, 1.5, 3.0)))
    inner, outer = reach_by_hand(lengths, most)
    target, pole = rng.normal(size=(2, 3))
    target *= rng.uniform(inner, outer) / np.linalg.norm(target)
    return lengths, target, pole * lengths.sum() * rng.choice((0.1, 0.5, 2.0)), most


def reach_by_hand(lengths: np.ndarray, most: float) -> tuple[float, float]:
    """The reach where the longer bone is shortest and the other longest, and where both are longest."""
    long, short = max(lengths), min(lengths)
    return max(0.0, long / most - short * most), most * sum(lengths)


def least_distance(lengths: np.ndarray, target: np.ndarray, pole: np.ndarray, most: float) -> float:
    """How near the mid joint can come to the pole, by brute force: along the circles in the half plane of the pole.

    Each is searched at 400 places, then again and again around the best of them that both bones allow.
    """
    distance = np.linalg.norm(target)
    ahead = pole @ target / distance
    place = complex(ahead, np.sqrt(max(pole @ pole - ahead**2, 0.0)))

    def allowed(points: np.ndarray) -> np.ndarray:
        first, second = np.abs(points), np.abs(points - distance)
        slack = 1e-13 * most * lengths.sum()
        return (
            (first >= lengths[0] / most - slack)
            & (first <= lengths[0] * most + slack)
            & (second >= lengths[1] / most - slack)
            & (second <= lengths[1] * most + slack)
        )

    if allowed(np.array([place]))[0]:
        return 0.0
    best = np.inf
    for center, length in ((0.0, lengths[0]), (distance, lengths[1])):
        for radius in (length / most, length * most):
            middle, width = 0.0, np.pi
            for _ in range(12):
                angles = middle + np.linspace(-width, width, 400)
                points = center + radius * np.exp(1j * angles)
                apart = np.where(allowed(points), np.abs(points - place), np.inf)
                if not np.isfinite(apart).any():
                    break
                middle, width = angles[np.argmin(apart)], width / 20
                best = min(best, apart.min())
    return best


def test_no_place_that_the_bones_allow_is_nearer_to_the_pole() -> None:
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(250):
        lengths, target, pole, most = random_case(rng)
        found = pole_pin.pinned(lengths, target, pole, most)
        expected = least_distance(lengths, target, pole, most)
        # Bones that do not scale meet at one place, which no search along a circle hits.
        if np.isfinite(expected) and most > 1.0:
            np.testing.assert_allclose(found.off_pin, expected, atol=1e-9 * lengths.sum())
            compared += 1
    assert compared > 150


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_each_bone_keeps_its_limits_and_the_tip_its_target(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths, target, pole, most = random_case(rng)
    found = pole_pin.pinned(lengths, target, pole, most)
    size = most * lengths.sum() + np.linalg.norm(pole)
    mid, tip = found.joints[1:]
    apart = np.array((np.linalg.norm(mid), np.linalg.norm(tip - mid)))
    np.testing.assert_allclose(found.stretch * lengths, apart, atol=ROUNDING * size)
    assert (apart >= lengths / most - 3 * ROUNDING * size).all()
    assert (apart <= lengths * most + 3 * ROUNDING * size).all()
    np.testing.assert_allclose(tip, target, atol=ROUNDING * size)
    np.testing.assert_allclose(found.off_pin, np.linalg.norm(pole - mid), atol=ROUNDING * size)
    turn = random_rotation(rng)
    again = pole_pin.pinned(lengths, turn @ target, turn @ pole, most)
    # Near full reach, rounding moves the mid joint by its root: not its distance from the pole, which is least there.
    np.testing.assert_allclose(again.off_pin, found.off_pin, atol=1e-9 * size)


def test_within_both_bones_limits_the_joint_rests_on_the_pole() -> None:
    pole = np.array((0.1, 0.6, 0.7))
    found = pole_pin.pinned((1.0, 1.0), (0.0, 1.6, 0.0), pole, 1.5)
    np.testing.assert_array_equal(found.joints[1], pole)
    np.testing.assert_array_equal(found.joints[2], (0.0, 1.6, 0.0))
    assert (found.off_pin, found.status) == (0.0, Status.REACHED)
    with mpmath.workdps(30):
        first = mpmath.norm([mpmath.mpf(float(part)) for part in pole])
        second = mpmath.norm([mpmath.mpf(float(part)) for part in pole - (0.0, 1.6, 0.0)])
    np.testing.assert_allclose(found.stretch, (float(first), float(second)), rtol=1e-15)


@pytest.mark.parametrize("place", [(0.0, 5.0, 5.0), (0.0, -3.0, 0.2), (0.0, 0.9, 0.01), (4.0, 1.0, 1.0)])
def test_beyond_them_the_joint_is_exact_to_fifty_digits(place: tuple[float, float, float]) -> None:
    """Of the places that projections and circles offer, computed with mpmath, the nearest one that is allowed."""
    lengths, distance, most = (1.0, 0.8), 1.5, 1.2
    with mpmath.workdps(50):
        x, y = mpmath.mpf(place[1]), mpmath.hypot(place[0], place[2])
        ends = [(mpmath.mpf(length) / mpmath.mpf(most), mpmath.mpf(length) * mpmath.mpf(most)) for length in lengths]
        centers, d = (mpmath.mpf(0), mpmath.mpf(distance)), mpmath.mpf(distance)
        places = []
        for center, radii in zip(centers, ends, strict=True):
            length = mpmath.hypot(x - center, y)
            places += [(center + r * (x - center) / length, r * y / length) for r in radii]
        for r, s in ((r, s) for r in ends[0] for s in ends[1]):
            along = (d**2 + r**2 - s**2) / (2 * d)
            places.append((along, mpmath.sqrt(max(r**2 - along**2, 0))))
        slack = mpmath.mpf(10) ** -40
        allowed = [
            point
            for point in places
            if all(
                radii[0] - slack <= mpmath.hypot(point[0] - center, point[1]) <= radii[1] + slack
                for center, radii in zip(centers, ends, strict=True)
            )
        ]
        best = min(allowed, key=lambda point: mpmath.hypot(point[0] - x, point[1] - y))
        direction = mpmath.matrix((place[0], 0, place[2])) / y
        expected = [float(best[1] * direction[0]), float(best[0]), float(best[1] * direction[2])]
    found = pole_pin.pinned(lengths, (0.0, distance, 0.0), place, most)
    np.testing.assert_allclose(found.joints[1], expected, atol=1e-14)


def test_with_no_stretch_it_is_the_limb_that_bends_to_the_pole() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        lengths, target, pole, _ = random_case(rng)
        target *= rng.uniform(abs(np.subtract(*lengths)), lengths.sum()) / np.linalg.norm(target)
        chain = limb((0.0, lengths[0], 0.0), (0.0, lengths.sum(), 0.0))
        expected = solve(chain, Goals(target=target, pole=pole), Options(plane=Plane.POLE)).joints[0]
        found = pole_pin.pinned(lengths, target, pole, 1.0)
        # The mid joint of a nearly straight limb is the root of what rounding leaves.
        np.testing.assert_allclose(found.joints, expected, atol=1e-7 * lengths.sum())
        np.testing.assert_allclose(found.stretch, 1.0, atol=1e-9)


@pytest.mark.parametrize("lengths", [(1.0, 1.0), (1.0, 0.3), (0.3, 1.0), (1.0, 0.9)])
@pytest.mark.parametrize("most", [1.0, 1.3, 4.0])
def test_the_reach_is_where_the_shells_meet(lengths: tuple[float, float], most: float) -> None:
    """Brute force: two bones of every allowed length, at every angle."""
    inner, outer = pole_pin.annulus(lengths, most)
    scale = np.geomspace(1 / most, most, 41)
    first, second, angle = np.meshgrid(lengths[0] * scale, lengths[1] * scale, np.linspace(0, np.pi, 181))
    reached = np.abs(first + second * np.exp(1j * angle))
    np.testing.assert_allclose(outer, reached.max(), rtol=1e-12)
    # Where all distances down to none are within reach, the grid ends one step of 5 percent before.
    assert inner - 1e-12 <= reached.min() <= inner + 0.05
    for distance, status in ((1.1 * outer, Status.TOO_FAR), (0.9 * inner, Status.TOO_CLOSE)):
        found = pole_pin.pinned(lengths, (0.0, 0.0, distance), (0.0, 1.0, 0.5), most)
        if distance > 0.0:
            assert found.status == status
            np.testing.assert_allclose(found.joints[2], (0.0, 0.0, outer if status == Status.TOO_FAR else inner))
            np.testing.assert_allclose(found.shortfall, 0.1 * (outer if status == Status.TOO_FAR else inner))


def paths(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Targets and poles (count, 3) that go on smooth ways, targets within reach of two bones of length 1."""
    time = np.linspace(0, 1, count)[:, None]
    target, pole = (np.sin(rng.uniform(0, 6, 3) + time * rng.uniform(1, 6, 3)) for _ in range(2))
    return target, pole


def test_a_blend_breaks_no_limit_and_goes_without_a_jump() -> None:
    """Without the last step, a fifth of them would break the limits, down to a scale of 0.001."""
    rng = np.random.default_rng(3)
    broken = total = 0
    for _ in range(100):
        lengths, target, pole, _ = random_case(rng)
        most = float(rng.choice((1.2, 2.0)))
        chain = limb((0.0, lengths[0], 0.0), (0.0, lengths.sum(), 0.0))
        without = solve(chain, Goals(target=target, pole=rng.normal(size=3)), Options(plane=Plane.POLE)).joints[0]
        pin = pole_pin.pinned(lengths, target, pole, most)
        for amount in (0.2, 0.5, 0.8):
            joints, stretch = pole_pin.blended(lengths, without, pin, amount)
            apart = np.linalg.norm(np.diff(joints, axis=0), axis=-1)
            np.testing.assert_allclose(apart, stretch * lengths, atol=ROUNDING)
            size = most * lengths.sum() + np.linalg.norm(pole)
            assert (stretch * lengths >= lengths / most - 3 * ROUNDING * size).all()
            assert (stretch * lengths <= lengths * most + 3 * ROUNDING * size).all()
            straight = without + amount * (pin.joints - without)
            scales = np.linalg.norm(np.diff(straight, axis=0), axis=-1) / lengths
            broken += bool((scales < 1 / most - 1e-9).any() or (scales > most + 1e-9).any())
            total += 1
    assert broken > 0.1 * total


def test_at_both_ends_a_blend_is_what_it_goes_between() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        lengths, target, pole, _ = random_case(rng)
        chain = limb((0.0, lengths[0], 0.0), (0.0, lengths.sum(), 0.0))
        without = solve(chain, Goals(target=target, pole=rng.normal(size=3)), Options(plane=Plane.POLE)).joints[0]
        pin = pole_pin.pinned(lengths, target, pole, 1.5)
        for end, expected in ((0.0, without), (1.0, pin.joints)):
            np.testing.assert_array_equal(pole_pin.blended(lengths, without, pin, end)[0], expected)
            near = pole_pin.blended(lengths, without, pin, abs(end - 1e-6))[0]
            # Where two shells meet at a sharp angle, a mid joint moves by the root of what the tip moves.
            np.testing.assert_allclose(near, expected, atol=1e-2 * (lengths.sum() + np.linalg.norm(pole)))


SPECIAL = {
    "on the line": (0.0, 0.4, 0.0),
    "on the line behind the root": (0.0, -0.4, 0.0),
    "on the root": (0.0, 0.0, 0.0),
    "on the tip": (0.0, 1.2, 0.0),
}


@pytest.mark.parametrize("place", SPECIAL.values(), ids=SPECIAL)
@pytest.mark.parametrize("most", [1.0, 1.5, 10.0])
def test_a_pole_that_shows_no_side_leaves_it_as_it_is(place: tuple[float, float, float], most: float) -> None:
    """The mid joint comes from where the pole was a little beside, and stays there: no NaN and no jump."""
    offset = np.concatenate((np.geomspace(1.0, 1e-9, 200), np.zeros(5)))
    pole = np.array(place) + offset[:, None] * (0.6, 0.0, 0.8)
    found = pole_pin.pinned((1.0, 0.9), np.tile((0.0, 1.2, 0.0), (len(offset), 1)), pole, most)
    assert np.isfinite(found.joints).all()
    assert np.isfinite(found.stretch).all()
    last = found.joints[offset == 0.0, 1]
    np.testing.assert_allclose(last, np.tile(found.joints[199, 1], (5, 1)), atol=1e-6)
    with_side = pole_pin.pinned((1.0, 0.9), (0.0, 1.2, 0.0), place, most, side=(0.6, 0.0, 0.8))
    np.testing.assert_allclose(with_side.joints[1], last[0], atol=1e-6)


def test_a_target_on_the_root_keeps_the_last_direction() -> None:
    target = np.array(((0.0, 0.0, 0.2), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    found = pole_pin.pinned((1.0, 0.5), target, (0.0, 0.7, 0.1), 1.2)
    assert found.status.tolist() == [Status.TOO_CLOSE] * 3
    inner = 1.0 / 1.2 - 0.5 * 1.2
    np.testing.assert_allclose(found.joints[:, 2], np.tile((0.0, 0.0, inner), (3, 1)), atol=ROUNDING)
    alike = pole_pin.pinned((1.0, 1.0), np.zeros((2, 3)), (0.0, 0.7, 0.1), 1.6)
    np.testing.assert_allclose(alike.joints[:, 1], np.tile((0.0, 0.7, 0.1), (2, 1)))


def test_frames_and_limbs_side_by_side_are_solved_as_each_alone() -> None:
    rng = np.random.default_rng(5)
    lengths, most = rng.uniform(0.5, 1.5, (3, 2)), np.array((1.0, 1.3, 2.0))
    target, pole, amount = rng.normal(size=(7, 3, 3)), rng.normal(size=(7, 3, 3)), rng.random((7, 3))
    together = pole_pin.pinned(lengths, target, pole, most)
    without = pole_pin.pinned(lengths, target, -pole, 1.0).joints
    between = pole_pin.blended(lengths, without, together, amount)
    for column in range(3):
        alone = pole_pin.pinned(lengths[column], target[:, column], pole[:, column], most[column])
        np.testing.assert_array_equal(alone.joints, together.joints[:, column])
        blended = pole_pin.blended(lengths[column], without[:, column], alone, amount[:, column])
        for one, all_of in zip(blended, between, strict=True):
            np.testing.assert_array_equal(one, all_of[:, column])


def test_while_the_pole_moves_slowly_the_joint_does_so() -> None:
    """Off the line and the joints, the nearest place of a shell moves no faster than a few times as fast."""
    rng = np.random.default_rng(6)
    for _ in range(10):
        target, pole = paths(rng, 1000)
        pole[:, 2] += 3.0
        found = pole_pin.pinned((1.0, 1.0), target, pole, 1.5)
        reached = [(a, b) for a, b in pairwise(range(1000)) if not found.status[[a, b]].any()]
        steps = np.array([np.linalg.norm(found.joints[b] - found.joints[a], axis=-1).max() for a, b in reached])
        assert steps.max(initial=0.0) < 0.1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (((1.0, -1.0), (0, 1, 0), (0, 0, 1), 2.0), "lengths must not be negative"),
        (((1.0, 1.0), (0, 1, 0), (0, 0, 1), 0.9), "max_stretch must be 1 or more, but is 0.9"),
        (((1.0, 1.0), (0, 1, np.nan), (0, 0, 1), 2.0), "target must be finite"),
    ],
)
def test_what_is_no_limb_is_refused(values: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pole_pin.pinned(*values)
