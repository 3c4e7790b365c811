"""Straight, folded, in line, on the root, without length: rotations stay rotations and say what status and miss say."""

from __future__ import annotations

import warnings
from itertools import permutations
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Chain, Goals, Options, Plane, Solution, Status, Unreachable, planar, solve
from support.limbs import LEG, OPTIONS, X, Y, Z, lengths, limb, random_limb, random_pose, total_length
from support.oracles import random_rotation

LENGTH = st.sampled_from((0.0, 1.0, 1.0, 0.3, 1 + 1e-16, 1 + 1e-7, 1e-3, 1e-8, 1e-16, 3e-17, 1e-20, 1e-50, 1e5, 1e50))
ANGLE = st.sampled_from((0.0, pi, pi / 2, 1e-12, 1e-7, 2e-6, 1e-4, 1.1e-4, 0.01, 1.0, 2.0, pi - 1e-9, pi - 1e-4))
AXES = (X, Y, Z, -X, -Y, -Z)
ACROSS = st.sampled_from([(axis, other) for axis, other in permutations(AXES, 2) if axis @ other == 0.0])
SIZE = st.sampled_from((1e-60, 1e-30, 1.0, 1.0, 1.0, 1e30))


@st.composite
def directions(draw: st.DrawFn) -> np.ndarray:
    """(3,) a unit vector, turned away from an axis by an angle at which something is undecided, or almost."""
    (axis, other), angle = draw(ACROSS), draw(ANGLE)
    return np.cos(angle) * axis + np.sin(angle) * other


@st.composite
def points(draw: st.DrawFn) -> np.ndarray:
    """(3,) near and far, on the root and in line with what else there is."""
    return draw(st.sampled_from((0.0, 1e-300, 1e-13, 1e-7, 0.5, 1.0, 1 + 1e-15, 2.0, 1e3, 1e9))) * draw(directions())


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    """A chain that may be straight, folded or without length, with a hinge axis that may lie in line or be none."""
    first, second = draw(LENGTH) * draw(directions()), draw(LENGTH) * draw(directions())
    axis = draw(st.sampled_from((0.0, 1e-300, 1e-160, 1.0, 1e50))) * draw(directions())
    return limb(first, first + second, axis, use_hinge_axis=draw(st.booleans()))


def assert_rotations(rotations: np.ndarray) -> None:
    """Orthonormal, and none of them mirrors."""
    assert np.isfinite(rotations).all()
    identity = rotations @ np.swapaxes(rotations, -1, -2)
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(3), identity.shape), rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(rotations), 1, rtol=0, atol=1e-12)


def assert_truthful(solution: Solution, joints: np.ndarray, options: dict) -> None:
    """What the rotations make of the rest chain is where the solution says, and status tells whether it arrives."""
    links = np.diff(joints, axis=-2) * solution.stretch[:, :, None]
    forward = np.cumsum((solution.rotations @ links[..., None])[..., 0], axis=-2)
    size = np.linalg.norm(links, axis=-1).sum(axis=-1).max()
    # What is smaller than 1e-60 counts as 0.
    close = 3e-12 * size + 1e-59
    np.testing.assert_allclose(forward, solution.joints[:, 1:], rtol=0, atol=close)
    miss = solution.target - forward[:, 1]
    close += 3e-12 * np.abs(solution.target).max()
    np.testing.assert_allclose(solution.miss, miss, rtol=0, atol=close)
    free = options["influence"] == 1.0 and options["softness"] == 0.0 and options["unreachable"] != Unreachable.HOLD
    if free and options["plane"] != Plane.REST:
        # As far as status and shortfall say, and no farther: a target on the root lies in every direction.
        np.testing.assert_allclose(np.linalg.norm(miss, axis=-1), solution.shortfall, rtol=0, atol=close)
    np.testing.assert_array_equal(solution.status == Status.REACHED, solution.shortfall == 0.0)
    limited = {Status.LIMITED} if options["use_extension_limit"] else set()
    assert set(solution.status.tolist()) <= {Status.REACHED, Status.TOO_FAR, Status.TOO_CLOSE} | limited


@pytest.mark.once
@given(
    chains(),
    st.lists(points(), min_size=1, max_size=5),
    st.lists(points(), min_size=5, max_size=5),
    OPTIONS,
    st.booleans(),
    st.integers(0, 100),
    SIZE,
)
@settings(max_examples=200, deadline=None)
def test_no_degenerate_input_shears_a_bone_or_makes_a_report_lie(
    chain: Chain, target: list, pole: list, options: dict, posed: bool, seed: int, size: float
) -> None:
    count = len(target)
    pose = random_pose(np.random.default_rng(seed), count) if posed else None
    turn = random_rotation(np.random.default_rng(seed)) if seed else np.eye(3)
    joints = np.clip(size * chain.joints @ turn.T, -1e59, 1e59)
    chain = Chain(joints=joints, hinge_axis=chain.hinge_axis @ turn.T, use_hinge_axis=chain.use_hinge_axis)
    goals = Goals(target=size * np.array(target) @ turn.T, pole=size * np.array(pole[:count]) @ turn.T, pose=pose)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = solve(chain, goals, Options(**options))
    assert_rotations(solution.rotations)
    assert_truthful(solution, joints, options)


@pytest.mark.once
@given(st.lists(chains(), min_size=2, max_size=5), st.data(), OPTIONS)
@settings(max_examples=100, deadline=None)
def test_joints_that_differ_by_frame_shear_no_bone(rests: list[Chain], data: st.DataObject, options: dict) -> None:
    """Where the plane is the rest pose's own, a direction held from another frame may lie outside of it."""
    joints, axes = (np.stack([getattr(one, name) for one in rests]) for name in ("joints", "hinge_axis"))
    target, pole = (np.stack([data.draw(points()) for _ in rests]) for _ in range(2))
    chain = Chain(joints=joints, hinge_axis=axes, use_hinge_axis=data.draw(st.booleans()))
    solution = solve(chain, Goals(target=target, pole=pole), Options(**options))
    assert_rotations(solution.rotations)


def test_in_its_own_plane_a_target_on_the_root_shears_no_bone() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        joints = np.stack([random_limb(rng).joints for _ in range(4)])
        target = rng.normal(size=(4, 3))
        target[2] = 0
        chain = Chain(joints=joints, hinge_axis=X)
        assert_rotations(solve(chain, Goals(target=target), Options(plane=Plane.REST)).rotations)


def test_a_bone_a_hair_long_beside_the_other_shears_nothing() -> None:
    for hair in (1e-16, 3e-17, 1e-20, 1e-50):
        for first, second in ((1.0, hair), (hair, 1.0)):
            chain = limb((0, first, 0), (0, first, second))
            solution = solve(chain, Goals(target=np.array(((0.3, 0.5, 0.1), (0, 1, 0), (0, 0, 3), (0, 0, 0)))))
            assert_rotations(solution.rotations)


class TestEqualLimits:
    """Bend limits that leave one angle hold the hinge at it, for all lengths."""

    @pytest.mark.parametrize(
        "angle", [0.0, 5e-324, 1e-9, 1e-4, 0.7, pi / 2, 2.0, pi - 1e-9, pi, -1e-9, -0.7, -pi / 2, -pi]
    )
    @pytest.mark.parametrize("bend", ["REST", "LIMITS"])
    def test_the_reach_of_a_hinge_that_is_held_is_one_length(self, angle: float, bend: str) -> None:
        rng = np.random.default_rng(1)
        limbs = [random_limb(rng) for _ in range(50)]
        joints, axes = (np.stack([getattr(limb, name) for limb in limbs]) for name in ("joints", "hinge_axis"))
        first, second = np.array([lengths(limb) for limb in limbs]).T
        held = abs(first + second * np.exp(1j * angle))
        for unreachable in (Unreachable.CLAMP, Unreachable.STRETCH):
            options = Options(bend_min=angle, bend_max=angle, bend=bend, unreachable=unreachable)
            goals = Goals(target=rng.normal(size=(3, 50, 3)))
            solution = solve(Chain(joints=joints[None], hinge_axis=axes[None]), goals, options)
            assert_rotations(solution.rotations)
            turned = np.exp(1j * solution.hinge_angle)
            np.testing.assert_allclose(turned, np.exp(1j * angle), rtol=0, atol=1e-7)  # an arccos near full reach
            if options.unreachable == Unreachable.CLAMP:
                reach = np.linalg.norm(solution.joints[..., 2, :], axis=-1)
                np.testing.assert_allclose(reach, np.broadcast_to(held, reach.shape), atol=1e-12)
                assert (solution.reach[..., 0] == solution.reach[..., 1]).all()

    @given(st.floats(-pi, pi), st.floats(0, 1e-7), st.integers(0, 10**6), OPTIONS)
    @settings(max_examples=120, deadline=None)
    def test_limits_a_hair_apart_are_kept(self, low: float, apart: float, seed: int, options: dict) -> None:
        rng = np.random.default_rng(seed)
        high = min(low + apart, pi)
        limits = {**options, "bend_min": low, "bend_max": high, "influence": 1.0}
        chain = random_limb(rng)
        solution = solve(chain, Goals(target=rng.normal(size=(4, 3)), pole=rng.normal(size=3)), Options(**limits))
        assert_rotations(solution.rotations)
        assert_truthful(solution, chain.joints, limits)
        inside = (solution.hinge_angle > low - 1e-6) & (solution.hinge_angle < high + 1e-6)
        assert (inside | (np.abs(np.abs(solution.hinge_angle) - pi) < 1e-6)).all()


class TestWhatIsRefused:
    """In one sentence, with the value and what would do."""

    def test_half_a_target_is_not_solved(self) -> None:
        """A target of 1.5 times 2^200 was taken for one of 2^200, and told reached."""
        size = 2.0**200
        with pytest.raises(ValueError, match="joints must be from"):
            solve(limb((0, 0.9 * size, 0), (0, 1.8 * size, 0)), Goals(target=np.array((0, 1.5 * size, 0))))
        with pytest.raises(ValueError, match=r"target must be from -1e\+60 to 1e\+60, but is \["):
            planar.solve((0.9e60, 0.9e60), (1.5e60, 0))
        with pytest.raises(ValueError, match=r"lengths must be from -1e\+60 to 1e\+60, but row \[1\] is"):
            planar.angles([(1, 1), (1, 2e60)], (1.5, 0))

    @pytest.mark.parametrize("bend", [0, 3, -0.5, np.nan, np.inf])
    def test_a_bend_is_one_or_minus_one(self, bend: float) -> None:
        for function in (planar.solve, planar.angles, planar.mid):
            with pytest.raises(ValueError, match=r"bend must be 1 or -1, but is "):
                function((1, 1), (1, 1), bend)
            with pytest.raises(ValueError, match=r"bend must be 1 or -1, but row \[2\] is "):
                function((1, 1), np.ones((4, 2)), (1, -1, bend, 1))

    @pytest.mark.parametrize(
        ("call", "words"),
        [
            (lambda: planar.solve((1, 1, 1), (1, 1)), r"lengths must have the shape \(..., 2\), but has \(3,\)"),
            (lambda: planar.mid((1, 1), (1, 1, 1)), r"target must have the shape \(..., 2\), but has \(3,\)"),
            (lambda: planar.angles((1, 1), 1.0), r"target must have the shape \(..., 2\), but has \(\)"),
            (lambda: planar.oriented((1, 1), (1, 1), 0), r"lengths must have the shape \(..., 3\)"),
            (lambda: solve(LEG, Goals(target=np.ones(2))), r"target must have the shape \(..., 3\), but has \(2,\)"),
            (
                lambda: solve(LEG, Goals(target=X, pose=np.eye(3))),
                r"pose must have the shape \(..., 2, 3, 3\)",
            ),
            (
                lambda: solve(Chain(joints=X, hinge_axis=X), Goals(target=X)),
                r"joints must have the shape \(..., 3, 3\)",
            ),
        ],
    )
    def test_a_wrong_shape_is_named_with_the_right_one(self, call: object, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            call()


def test_what_is_smaller_than_any_scene_counts_as_nothing() -> None:
    solution = solve(limb((0, 1e-61, 0), (0, 1, 0)), Goals(target=np.array(((0, 0, 1.0), (1e-61, 0, 0)))))
    assert solution.degenerate.all()
    np.testing.assert_array_equal(solution.joints[0], ((0, 0, 0), (0, 0, 0), (0, 0, 1)))
    assert planar.solve((1, 1e-61), (1, 0)).degenerate


class TestDegenerate:
    """A direction is left open; whether the tip arrives is another matter, and told beside it."""

    @pytest.mark.parametrize(
        ("first", "second", "distance", "status"),
        [
            (1.0, 1.0, 0.0, Status.REACHED),
            (1.0, 0.4, 0.0, Status.TOO_CLOSE),
            (1.0, 0.0, 1.0, Status.REACHED),
            (0.0, 1.0, 3.0, Status.TOO_FAR),
            (0.0, 1.0, 0.3, Status.TOO_CLOSE),
            (0.0, 0.0, 0.0, Status.REACHED),
            (0.0, 0.0, 1.0, Status.TOO_FAR),
        ],
    )
    def test_status_says_whether_the_tip_arrives(
        self, first: float, second: float, distance: float, status: Status
    ) -> None:
        miss = max(distance - first - second, abs(first - second) - distance, 0.0)
        in_plane = planar.solve((first, second), (distance, 0))
        assert (in_plane.status, in_plane.degenerate) == (status, True)
        assert in_plane.miss == pytest.approx(miss, abs=1e-15)
        in_space = solve(limb((0, first, 0), (0, first, second)), Goals(target=np.array((distance, 0, 0))))
        assert (in_space.status, in_space.degenerate) == (status, True)
        assert np.linalg.norm(in_space.miss) == pytest.approx(miss, abs=1e-15)

    def test_elsewhere_nothing_is(self) -> None:
        target = np.random.default_rng(2).normal(size=(100, 3)) * total_length(LEG)
        assert not solve(LEG, Goals(target=target)).degenerate.any()
        assert not planar.solve((1, 0.4), target[:, :2]).degenerate.any()
