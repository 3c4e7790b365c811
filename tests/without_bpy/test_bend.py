"""Which of the two solutions: by side; by least motion, against all sequences; by limits; near the wrong side."""

from __future__ import annotations

from functools import cache
from math import pi

import numpy as np
import pytest
from two_bone_ik.skeleton.feet.straight_limbs import rotations_to_bend

from solver import Bend, Options, Plane, Reference, Status, diagnostics
from support.limbs import LEG, STRAIGHT, X, lengths, limb, random_limb, random_pose, solved, total_length
from support.oracles import least_cost, rotation_angle


def random_path(rng: np.random.Generator, size: float, count: int) -> np.ndarray:
    """(count, 3) a walk in and out of reach."""
    return size * (rng.normal(size=3) * 0.5 + np.cumsum(rng.normal(size=(count, 3)) * 0.3, axis=0))


def both_solutions(*args: object, **options: object) -> list:
    return [solved(*args, bend=bend, **options) for bend in (Bend.POSITIVE, Bend.NEGATIVE)]


@pytest.mark.parametrize(("bend", "sign"), [(Bend.POSITIVE, 1), (Bend.NEGATIVE, -1), (Bend.REST, 1)])
def test_the_sign_of_the_hinge_angle_is_as_asked_for(bend: Bend, sign: int) -> None:
    rng = np.random.default_rng(1)
    for plane in (Plane.AIM, Plane.REST):
        chain = random_limb(rng)
        solution = solved(chain, random_path(rng, total_length(chain), 50), bend=bend, plane=plane)
        assert (np.copysign(1, solution.hinge_angle) == sign).all(), "and at full reach and full fold as well"


def test_positive_is_positive_even_if_the_rest_pose_is_not() -> None:
    chain = limb((0, 1, 0.1), (0, 1.9, -0.1), X, use_hinge_axis=True)
    for plane in (Plane.AIM, Plane.REST):
        assert solved(chain, (0.2, 1.4, 0.1), bend=Bend.POSITIVE, plane=plane).hinge_angle > 0.1
        assert solved(chain, (0.2, 1.4, 0.1), bend=Bend.NEGATIVE, plane=plane).hinge_angle < -0.1


def test_bend_rest_is_the_side_of_the_reference_pose() -> None:
    for axis, sign in ((X, -1), (-X, 1)):
        chain = limb((0, 1, 0.1), (0, 1.9, -0.1), axis, use_hinge_axis=True)
        assert np.sign(solved(chain, (0.2, 1.4, 0.1)).hinge_angle) == sign


def test_a_pole_that_the_plane_does_not_use_decides_nothing() -> None:
    for bend, sign in ((Bend.POSITIVE, 1), (Bend.NEGATIVE, -1)):
        solution = solved(LEG, (0, 1.4, 0), (0, 0, -9), plane=Plane.AIM, bend=bend)
        assert np.sign(solution.hinge_angle) == sign


@pytest.mark.parametrize("bend", [Bend.REST, Bend.NEAREST, Bend.LIMITS])
@pytest.mark.parametrize("plane", [Plane.AIM, Plane.POLE])
@pytest.mark.parametrize("side", [Bend.POSITIVE, Bend.NEGATIVE])
def test_a_limb_folded_within_its_limits_stays_so(side: Bend, plane: Plane, bend: Bend) -> None:
    """A full fold shows no side, and limits may allow it to one side alone: the other is off the target."""
    rng = np.random.default_rng(7)
    chain, pole, way = random_limb(rng), rng.normal(size=3), rng.normal(size=3)
    reach = np.abs(np.diff(lengths(chain)))[0]
    limits = {"bend_min": -1.6, "bend_max": pi} if side == Bend.POSITIVE else {"bend_min": -pi, "bend_max": 1.6}
    bent = solved(chain, 0.5 * total_length(chain) * way / np.linalg.norm(way), bend=side)
    options = {"reference": Reference.POSE, "plane": plane, "bend": bend, **limits}
    place = 0.2 * reach * rng.normal(size=3)
    folded = solved(chain, place, pole, bent.rotations, **options)
    again = solved(chain, place, pole, folded.rotations, **options)
    assert np.linalg.norm(folded.joints[:, 2], axis=-1) == pytest.approx(reach, rel=1e-9)
    np.testing.assert_allclose(again.joints, folded.joints, atol=1e-9)
    np.testing.assert_allclose(again.rotations, folded.rotations, atol=1e-9)


class TestNearest:
    """Over the whole range the sequence that moves the joints least."""

    @pytest.mark.once
    @pytest.mark.parametrize("count", [1, 2, 5, 8, 12])
    def test_it_is_the_best_of_all_sequences(self, count: int) -> None:
        rng = np.random.default_rng(count)
        for case in range(20 if count < 12 else 3):
            chain = random_limb(rng)
            pose = random_pose(rng, count) if case % 2 else None
            target = random_path(rng, total_length(chain), count)
            options = {"pose": pose, "plane": (Plane.AIM, Plane.REST)[case % 3 == 0]}
            two = both_solutions(chain, target, **options)
            start_angle = own_angle(chain, None if pose is None else pose[0])
            start_root = np.eye(3) if pose is None else pose[0, 0]

            @cache
            def step(frame: int, before: int, now: int, two=two, start=(start_root, start_angle)) -> float:
                root, angle = two[now].rotations[frame, 0], two[now].hinge_angle[frame]
                if before < 0:
                    old_root, old_angle = start
                else:
                    old_root, old_angle = two[before].rotations[frame - 1, 0], two[before].hinge_angle[frame - 1]
                hinge = abs(np.angle(np.exp(1j * (angle - old_angle))))
                return rotation_angle(old_root, root) + hinge

            best, _ = least_cost(step, count)
            solution = solved(chain, target, bend=Bend.NEAREST, **options)
            taken = [int(np.copysign(1, angle) < 0) for angle in solution.hinge_angle]
            cost = sum(step(frame, [-1, *taken][frame], now) for frame, now in enumerate(taken))
            # Of sequences as good as each other it takes the one that keeps to one side.
            np.testing.assert_allclose(cost, best, rtol=0, atol=count * 1e-6)

    def test_a_smooth_path_within_reach_never_flips(self) -> None:
        turns = np.linspace(0, 6 * pi, 500)
        target = np.stack((0.5 * np.cos(turns), 1.2 + 0.3 * np.sin(turns), 0.4 * np.sin(2 * turns)), axis=-1)
        solution = solved(LEG, target, bend=Bend.NEAREST)
        assert not diagnostics.flips(solution).any()
        np.testing.assert_array_equal(solution.joints, solved(LEG, target).joints)

    def test_nearest_passes_the_root_where_a_fixed_bend_jumps(self) -> None:
        chain = limb((0, 1, 0.2), (0, 2, 0))
        along = np.linspace(-1, 1, 100)
        target = np.stack((0 * along, along, 1e-4 + 0 * along), axis=-1)
        fixed, nearest = (solved(chain, target, bend=bend) for bend in (Bend.REST, Bend.NEAREST))
        assert diagnostics.flips(nearest).sum() == 1
        assert diagnostics.speed(fixed, np.arange(100)).max() > 1.0
        assert diagnostics.speed(nearest, np.arange(100)).max() < 0.1

    def test_it_starts_from_the_current_pose(self) -> None:
        for angle in (0.5, -0.5):
            pose = solved(STRAIGHT, (0, 1.5, 0), bend=Bend.POSITIVE if angle > 0 else Bend.NEGATIVE).rotations
            solution = solved(STRAIGHT, (0.1, 1.4, 0), pose=pose, bend=Bend.NEAREST)
            assert np.sign(solution.hinge_angle) == np.sign(angle)

    def test_bend_limits_takes_the_solution_that_is_not_cut_short(self) -> None:
        solution = solved(LEG, (0, 1.2, 0), bend=Bend.NEAREST, bend_min=-2.5, bend_max=0.1)
        assert solution.status == Status.REACHED
        assert solution.hinge_angle < -1

    def test_it_takes_time_in_proportion_to_the_frames(self) -> None:
        target = random_path(np.random.default_rng(0), 0.02, 50_000)
        assert len(solved(LEG, target, bend=Bend.NEAREST).joints) == 50_000


def own_angle(chain: object, pose: np.ndarray | None) -> float:
    first, second = np.diff(chain.joints, axis=0)
    axis = np.cross(first, second)
    if pose is not None:
        first, second, axis = pose[0] @ first, pose[1] @ second, pose[1] @ axis
    bend = np.cross(first, second)
    return float(np.copysign(np.arctan2(np.linalg.norm(bend), first @ second), bend @ axis))


class TestLimits:
    """They narrow the annulus, and the pose within them that comes closest is exact."""

    @pytest.mark.parametrize("bend", Bend)
    @pytest.mark.parametrize(
        ("low", "high"), [(0.2, 2.0), (-2.0, -0.2), (-1.0, 0.5), (0.0, 2.5), (-2.0, 0.0), (0.7, 0.7)]
    )
    def test_the_tip_comes_as_close_as_at_the_best_of_all_angles(self, bend: Bend, low: float, high: float) -> None:
        rng = np.random.default_rng(2)
        chain = random_limb(rng)
        target = random_path(rng, total_length(chain), 30)
        solution = solved(chain, target, bend=bend, bend_min=low, bend_max=high)
        angles = solution.hinge_angle
        assert (angles > low - 1e-7).all()
        assert (angles < high + 1e-7).all()
        sides = np.linspace(low, high, 200_001)
        if bend in (Bend.REST, Bend.POSITIVE, Bend.NEGATIVE):
            kept = np.copysign(1, sides) == np.copysign(1, angles[0])
            sides = sides[kept | (sides == 0)]
        first, second = lengths(chain)
        reach = np.sqrt(first**2 + second**2 + 2 * first * second * np.cos(sides))
        best = np.abs(np.linalg.norm(target, axis=-1)[:, None] - reach).min(axis=1)
        # As fine as the angles that were tried.
        np.testing.assert_allclose(np.linalg.norm(solution.miss, axis=-1), best, atol=3e-5 * total_length(chain))
        np.testing.assert_allclose(solution.shortfall, best, atol=3e-5 * total_length(chain))

    def test_a_side_that_they_leave_nothing_of_is_not_bent_to(self) -> None:
        assert solved(LEG, (0, 1.4, 0), bend=Bend.NEGATIVE, bend_min=0.1, bend_max=2).hinge_angle > 1
        assert solved(LEG, (0, 1.4, 0), bend=Bend.POSITIVE, bend_min=-2, bend_max=0).hinge_angle < -1
        assert solved(LEG, (0, 1.4, 0), bend=Bend.REST, bend_min=-2, bend_max=-0.1).hinge_angle < -1

    def test_locked_straight_the_limb_points_at_the_target(self) -> None:
        solution = solved(LEG, ((0, 1, 0), (3, 0, 4)), bend_min=0.0, bend_max=0.0)
        straight = total_length(LEG)
        np.testing.assert_allclose(
            solution.joints[:, 2], ((0, straight, 0), (0.6 * straight, 0, 0.8 * straight)), atol=1e-14
        )
        assert solution.status.tolist() == [Status.TOO_CLOSE, Status.TOO_FAR]

    def test_the_reach_is_told(self) -> None:
        solution = solved(STRAIGHT, (0, 1, 0), bend_min=0.5, bend_max=2.0)
        expected = [np.sqrt(1 + 0.64 + 1.6 * np.cos(angle)) for angle in (2.0, 0.5)]
        np.testing.assert_allclose(solution.reach[0], expected, atol=1e-15)

    @pytest.mark.parametrize(("low", "high", "sign"), [(-2.5, 1.0, -1), (-1.0, 2.5, 1), (-2.0, 2.0, 1)])
    def test_bend_limits_takes_the_side_farther_from_them(self, low: float, high: float, sign: int) -> None:
        solution = solved(LEG, (0, 1.6, 0), bend=Bend.LIMITS, bend_min=low, bend_max=high)
        assert np.sign(solution.hinge_angle) == sign

    def test_rounding_does_not_choose_between_two_sides_at_limits(self) -> None:
        """All of the reach is eased into, and the limits leave it from farther out than that."""
        options = {"softness": 1.0, "bend": Bend.LIMITS, "bend_min": -0.5, "bend_max": 0.4}
        rng = np.random.default_rng(3)
        for _ in range(50):
            chain = random_limb(rng)
            target = (0.0, 0.99 * total_length(chain), 0.0)
            assert solved(chain, target, **options).hinge_angle == pytest.approx(0.4)

    def test_bend_limits_takes_the_side_that_reaches(self) -> None:
        solution = solved(LEG, (0, 0.9, 0), bend=Bend.LIMITS, bend_min=-1.0, bend_max=2.2)
        assert solution.status == Status.REACHED
        assert solution.hinge_angle > 1


class TestOptions:
    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"softness": 1.5}, "softness must be finite and from 0 to 1, but is 1.5"),
            ({"softness": -0.1}, "softness must be finite and from 0 to 1"),
            ({"max_stretch": 0.9}, r"max_stretch must be finite and from 1 to 1e\+60, but is 0.9"),
            ({"max_stretch": np.inf}, "max_stretch must be finite"),
            ({"influence": np.nan}, "influence must be finite and from 0 to 1, but is nan"),
            ({"pole_influence": 2.0}, "pole_influence must be"),
            ({"pole_angle": np.inf}, "pole_angle must be finite"),
            ({"bend_min": 1.0, "bend_max": 0.5}, "bend_min 1 must not be greater than bend_max 0.5"),
            ({"bend_max": 4.0}, "bend_max must be finite and from -3.14159 to 3.14159, but is 4"),
            ({"tolerance": -1.0}, "tolerance must be"),
            ({"softness": np.array((0.2, 1.5))}, r"softness must be finite and from 0 to 1, but is 1\.5"),
            ({"influence": np.array((0.2, np.nan))}, "influence must be finite and from 0 to 1, but is nan"),
            (
                {"bend_min": np.array((0.0, 1.0)), "bend_max": 0.5},
                r"bend_min 1 must not be greater than bend_max 0\.5",
            ),
        ],
    )
    def test_nonsense_is_refused_in_one_sentence(self, wrong: dict, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            Options(**wrong)

    def test_the_edges_are_allowed(self) -> None:
        Options(softness=1.0, max_stretch=1.0, bend_min=0.3, bend_max=0.3, influence=0.0, tolerance=0.0)

    def test_blenders_single_precision_pi_is_no_limit(self) -> None:
        single = float(np.float32(pi))
        assert single > pi
        limited = solved(LEG, (0, 0.083, 0), bend_min=-single, bend_max=single)
        np.testing.assert_array_equal(limited.joints, solved(LEG, (0, 0.083, 0)).joints)

    def test_words_are_enough(self) -> None:
        expected = solved(LEG, (0, 1, 0.5), plane=Plane.REST, bend=Bend.NEGATIVE, reference=Reference.POSE)
        found = solved(LEG, (0, 1, 0.5), plane="REST", bend="NEGATIVE", reference="POSE")
        np.testing.assert_array_equal(found.joints, expected.joints)


RATES = (24.0, 120.0)


def bent(degrees: np.ndarray, rate: float, shares: np.ndarray | None = None) -> np.ndarray:
    """(n,) degrees by which a limb is bent about x after these bends, which are about x; 1 is the usual share."""
    zero, angles = np.zeros(len(degrees)), np.radians(degrees)
    first = np.tile((0.0, 0.0, -1.0), (len(degrees), 1))
    second = np.stack((zero, np.sin(angles), -np.cos(angles)), axis=-1)
    shares = np.ones(len(first)) if shares is None else shares
    turns = rotations_to_bend(np.stack((first, second), axis=1), rate, shares)
    turned = np.einsum("nij,nj->ni", turns, second)
    assert np.abs(turned[:, 0]).max() < 1e-9
    return np.degrees(np.arctan2(turned[:, 1], -turned[:, 2]))


def dip(low: float, rate: float) -> np.ndarray:
    """Degrees over four seconds: from 45 down to `low`, and back."""
    times = np.arange(round(4.0 * rate)) / rate
    return 45.0 + (low - 45.0) * np.exp(-(((times - 2.0) / 0.5) ** 2))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("low", [-5.0, -11.0, -12.0, -16.0, -19.0])
def test_a_knee_beyond_straight_goes_over_smoothly(low: float, rate: float) -> None:
    captured = dip(low, rate)
    found = bent(captured, rate)
    steps = [np.abs(np.diff(each)).max() for each in (captured, found)]
    assert steps[1] < 1.2 * steps[0]
    assert found.min() > 7.0


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("low", [-25.0, -60.0])
def test_a_limb_that_bends_clearly_backwards_stays_as_captured(low: float, rate: float) -> None:
    captured = dip(low, rate)
    found = bent(captured, rate)
    steps = [np.abs(np.diff(each)).max() for each in (captured, found)]
    assert np.abs(found - captured)[captured < 0.0].max() < 1e-9
    assert steps[1] < 1.2 * steps[0]


@pytest.mark.parametrize("low", [-5.0, 0.0, 3.0])
def test_a_limb_that_is_not_planted_stays_as_captured(low: float) -> None:
    captured = dip(low, 60.0)
    assert np.abs(bent(captured, 60.0, np.zeros(len(captured))) - captured).max() < 1e-9
    both = bent(captured, 60.0), captured
    half = bent(captured, 60.0, np.full(len(captured), 0.5))
    assert (half <= np.maximum(*both) + 1e-9).all()
    assert (half >= np.minimum(*both) - 1e-9).all()
