"""How far the limb reaches: the annulus, easing into full extension, stretch, what to do beyond."""

from __future__ import annotations

from math import exp, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import Bend, Reference, Status, Unreachable, reach
from support.limbs import (
    LEG,
    STRAIGHT,
    limb,
    random_limb,
    random_pose,
    solved,
    targets_within_reach,
    total_length,
)

FULL = 1.8
"""Full reach of STRAIGHT."""


def along(distances: object) -> np.ndarray:
    """(n, 3) targets at these distances from the root."""
    return np.asarray(distances, dtype=float)[:, None] * np.array((0.0, 0.6, 0.8))


def reached(solution: object) -> np.ndarray:
    return np.linalg.norm(solution.joints[:, 2], axis=-1)


def test_the_annulus_is_exact_at_both_ends() -> None:
    rng = np.random.default_rng(0)
    lengths = 10.0 ** rng.uniform(-6, 6, (1000, 2))
    inner, outer = reach.annulus(lengths)
    np.testing.assert_array_equal(inner, np.abs(lengths[:, 0] - lengths[:, 1]))
    np.testing.assert_array_equal(outer, lengths[:, 0] + lengths[:, 1])


@given(st.floats(0.01, 100), st.floats(0, pi), st.floats(0, pi))
def test_limits_narrow_the_annulus_by_the_law_of_cosines(ratio: float, first: float, second: float) -> None:
    low, high = sorted((first, second))
    inner, outer = reach.annulus((1.0, ratio), low, high)
    # cos keeps no digit of a small angle's square beyond 1e-16.
    np.testing.assert_allclose(inner**2, 1 + ratio**2 + 2 * ratio * np.cos(high), atol=1e-15 * (1 + ratio) ** 2)
    np.testing.assert_allclose(outer**2, 1 + ratio**2 + 2 * ratio * np.cos(low), atol=1e-15 * (1 + ratio) ** 2)


class TestSoftness:
    @pytest.mark.parametrize("softness", [0.01, 0.1, 0.5, 1.0])
    def test_the_tip_follows_the_formula(self, softness: float) -> None:
        distances = np.linspace(0.3, 5, 200)
        start, span = (1 - softness) * FULL, softness * FULL
        expected = [d if d <= start else start + span * (1 - exp((start - d) / span)) for d in distances]
        found = reached(solved(STRAIGHT, along(distances), softness=softness))
        np.testing.assert_allclose(found, expected, atol=1e-13)

    @given(st.floats(0, 1), st.lists(st.floats(0, 1e6), min_size=2, max_size=50))
    def test_it_rises_to_full_reach_without_passing_it(self, softness: float, distances: list[float]) -> None:
        eased = solved(STRAIGHT, along(np.sort(distances)), softness=softness)
        assert (np.diff(reached(eased)) > -1e-15).all()
        assert (reached(eased) < FULL + 1e-15).all()

    @pytest.mark.parametrize("softness", [0.01, 0.1, 0.5])
    def test_its_slope_at_the_soft_edge_is_one(self, softness: float) -> None:
        """A rational curve with slope 4/3 there overshoots, and the knee speeds up (ozz)."""
        start, step = (1 - softness) * FULL, 1e-6
        eased = reach.soft_reach(np.array((start - step, start, start + step)), np.float64(FULL), softness)
        # The second derivative is 1 / span.
        np.testing.assert_allclose(np.diff(eased) / step, 1, atol=step / (softness * FULL) + 1e-9)
        beyond = reach.soft_reach(np.linspace(start, 3 * FULL, 10_000), np.float64(FULL), softness)
        assert (np.diff(beyond) <= (2 * FULL + softness * FULL) / 9999 + 1e-15).all(), "never faster than the target"

    def test_the_knee_passes_full_reach_at_bounded_speed(self) -> None:
        """And falls at least five times below that of the plain solve."""
        time = np.linspace(0, 2 * pi, 2001)
        distances = 1.6 + 0.4 * np.sin(time)
        speed = [
            np.abs(np.diff(solved(STRAIGHT, along(distances), softness=softness).hinge_angle)).max()
            for softness in (0.0, 0.1)
        ]
        assert speed[1] < speed[0] / 5
        # By the chain rule, from the definition of the eased reach and the law of cosines.
        lengths = np.linalg.norm(np.diff(STRAIGHT.joints, axis=0), axis=-1)
        dense = np.linspace(distances.min(), distances.max(), 100_001)
        start, span = 0.9 * FULL, 0.1 * FULL
        beyond = np.maximum(dense - start, 0)
        eased = np.where(beyond > 0, start + span * (1 - np.exp(-beyond / span)), dense)
        cos = (eased**2 - np.square(lengths).sum()) / (2 * lengths.prod())
        turn = np.exp(-beyond / span) * eased / (lengths.prod() * np.sqrt(1 - cos**2))
        assert speed[1] <= turn.max() * np.abs(np.diff(distances)).max()

    def test_within_the_soft_part_frames_still_count_as_reached(self) -> None:
        solution = solved(STRAIGHT, along((1.75, 1.85)), softness=0.2)
        assert solution.status.tolist() == [Status.REACHED, Status.TOO_FAR]
        assert (np.linalg.norm(solution.miss, axis=-1) > 0.02).all()
        np.testing.assert_allclose(solution.shortfall, (0, 0.05), atol=1e-15)

    def test_all_soft_falls_short_everywhere(self) -> None:
        found = reached(solved(limb((0, 1, 0), (0, 2, 0)), along((1e-6, 1, 2, 100)), softness=1.0))
        np.testing.assert_allclose(found, 2 * (1 - np.exp((-0.5e-6, -0.5, -1, -50))), rtol=1e-9)


class TestStretch:
    @pytest.mark.parametrize("softness", [0.0, 0.2])
    def test_the_target_is_met_up_to_the_maximum(self, softness: float) -> None:
        distances = np.array((0.5, 1.5, 1.7, 1.8, 2.0, 2.5))
        options = {"unreachable": Unreachable.STRETCH, "max_stretch": 1.5, "softness": softness}
        solution = solved(STRAIGHT, along(distances), **options)
        np.testing.assert_allclose(solution.miss, 0, atol=1e-14)
        assert (solution.status == Status.REACHED).all()
        unstretched = solved(STRAIGHT, along(distances), softness=softness)
        both = np.tile(np.maximum(1, distances / reached(unstretched))[:, None], 2)
        np.testing.assert_allclose(solution.stretch, both, atol=1e-14)
        np.testing.assert_allclose(solution.rotations, unstretched.rotations, atol=1e-14)

    def test_no_farther_than_the_maximum(self) -> None:
        solution = solved(STRAIGHT, along((2.7, 9)), unreachable=Unreachable.STRETCH, max_stretch=1.5)
        np.testing.assert_allclose(reached(solution), 2.7)
        assert solution.status.tolist() == [Status.REACHED, Status.TOO_FAR]
        np.testing.assert_allclose(solution.reach[:, 1], 2.7)

    def test_a_target_too_close_does_not_shrink_the_bones(self) -> None:
        solution = solved(STRAIGHT, along((0.1,)), unreachable=Unreachable.STRETCH, max_stretch=2)
        assert (solution.stretch == 1).all()
        assert solution.status == Status.TOO_CLOSE

    def test_nothing_stretches_unless_asked_to(self) -> None:
        for unreachable in set(Unreachable) - {Unreachable.STRETCH}:
            assert (solved(STRAIGHT, along((1, 5)), unreachable=unreachable, max_stretch=3).stretch == 1).all()


class TestHold:
    def test_frames_out_of_reach_keep_the_last_pose_within_it(self) -> None:
        distances = (1.0, 1.7, 2.0, 5.0, 1.5, 0.1, 0.2)
        solution = solved(STRAIGHT, along(distances), unreachable=Unreachable.HOLD)
        plain = solved(STRAIGHT, along(distances))
        rows = [0, 1, 1, 1, 4, 4, 5 + 1]
        np.testing.assert_array_equal(solution.rotations, plain.rotations[rows])
        np.testing.assert_array_equal(solution.status, plain.status)
        np.testing.assert_allclose(solution.miss, along(distances) - plain.joints[rows, 2], atol=1e-15)

    def test_before_the_first_frame_within_reach_it_is_already_that(self) -> None:
        solution = solved(STRAIGHT, along((9, 8, 1)), unreachable=Unreachable.HOLD)
        np.testing.assert_array_equal(solution.joints[0], solution.joints[2])

    def test_never_within_reach_it_comes_as_close_as_it_can(self) -> None:
        np.testing.assert_allclose(reached(solved(STRAIGHT, along((9, 8)), unreachable=Unreachable.HOLD)), FULL)

    def test_a_target_on_the_root_of_unequal_bones_is_out_of_reach(self) -> None:
        solution = solved(STRAIGHT, along((1, 0)), unreachable=Unreachable.HOLD)
        np.testing.assert_array_equal(solution.joints[1], solution.joints[0])


@pytest.mark.parametrize("unreachable", [Unreachable.SKIP, Unreachable.ERROR])
def test_what_is_the_callers_is_solved_as_the_closest_pose(unreachable: Unreachable) -> None:
    solution = solved(STRAIGHT, along((9, 1)), unreachable=unreachable)
    np.testing.assert_array_equal(solution.joints, solved(STRAIGHT, along((9, 1))).joints)


class TestExtensionLimit:
    """Never reach farther than the chain's own pose did: mocap foot locks."""

    def test_the_tip_goes_no_farther_than_the_own_pose_on_that_frame(self) -> None:
        rng = np.random.default_rng(1)
        for _ in range(20):
            chain, pose = random_limb(rng), random_pose(rng, 10)
            own = np.linalg.norm((pose @ np.diff(chain.joints, axis=0)[..., None])[..., 0].sum(axis=1), axis=-1)
            target = targets_within_reach(rng, chain, 10)
            solution = solved(chain, target, pose=pose, use_extension_limit=True)
            expected = np.minimum(own, np.linalg.norm(target, axis=-1))
            np.testing.assert_allclose(reached(solution), expected, atol=1e-12 * total_length(chain))
            assert ((solution.status == Status.LIMITED) == (np.linalg.norm(target, axis=-1) > own)).all()

    def test_a_target_where_the_tip_was_moves_nothing(self) -> None:
        rng = np.random.default_rng(2)
        chain, pose = random_limb(rng), random_pose(rng, 10)
        tip = (pose @ np.diff(chain.joints, axis=0)[..., None])[..., 0].sum(axis=1)
        options = {"use_extension_limit": True, "reference": Reference.POSE}
        solution = solved(chain, tip, pose=pose, **options)
        np.testing.assert_allclose(solution.rotations, pose, atol=1e-7)
        assert (solution.status == Status.REACHED).all()

    @pytest.mark.parametrize(("distance", "status"), [(1.5, "REACHED"), (1.915, "LIMITED"), (2.05, "TOO_FAR")])
    def test_a_target_beyond_the_bones_is_too_far_not_limited(self, distance: float, status: str) -> None:
        assert solved(LEG, along((distance,)), use_extension_limit=True).status == Status[status]

    def test_without_a_pose_it_is_that_of_rest(self) -> None:
        np.testing.assert_allclose(reached(solved(LEG, along((1.95,)), use_extension_limit=True)), np.hypot(1.9, 0.1))

    def test_bend_limits_come_first(self) -> None:
        """A joint that cannot close so far does not, whatever the own pose did."""
        pose = solved(STRAIGHT, along((0.25,))).rotations
        options = {"use_extension_limit": True, "bend_min": 0.0, "bend_max": 1.0, "bend": Bend.POSITIVE}
        solution = solved(STRAIGHT, along((1.5,)), pose=pose, **options)
        np.testing.assert_allclose(solution.hinge_angle, 1.0, atol=1e-12)


def test_the_tolerance_decides_what_counts_as_reached() -> None:
    for tolerance, status in ((1e-12, Status.TOO_FAR), (1e-6, Status.REACHED)):
        assert solved(STRAIGHT, along((FULL + 1e-7,)), tolerance=tolerance).status == status
