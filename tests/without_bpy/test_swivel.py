"""Pole smoothing: the elbow goes over smoothly where the pole says little, and is exactly on its pole elsewhere."""

from __future__ import annotations

from math import cos, pi, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Goals, Options, Plane, Solution, Status, solve
from support.limbs import LEG, OPTIONS, X, assert_same, assert_sound, limb, random_pose
from support.oracles import angle_between, rotation_about

RATE = 24.0
WELL = radians(30.0)
SMOOTHING = st.floats(0.05, 1.0)


def smoothed(target: object, pole: object, smoothing: float = 1.0, rate: float = RATE, **options: object) -> Solution:
    target = np.asarray(target, dtype=float)
    goals = Goals(target=target, pole=np.asarray(pole, dtype=float), seconds=np.arange(len(target)) / rate)
    solution = solve(LEG, goals, Options(pole_smoothing=smoothing, **options))
    assert_sound(solution, LEG)
    return solution


def swing(
    step: float, aside: float, count: int = 121, *, reach: float = 1.5, tilt: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """A target that swings past a pole, `step` radians a frame, and the pole, `aside` radians beside its way."""
    angle = step * (np.arange(count) - count // 2)
    target = reach * np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=-1)
    turn = rotation_about((1, 2, 3), tilt)
    return target @ turn.T, turn @ np.array((0.0, 3 * cos(aside), 3 * sin(aside)))


def random_walk(seed: int, count: int) -> np.ndarray:
    """(count, 3) a smooth way in all directions, within the limb's reach."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 1, count)[:, None]
    waves = sum(rng.normal(size=3) * np.sin(2 * pi * (k * time + rng.random(3))) / k for k in (1, 2, 3))
    return 0.4 * waves + rng.normal(size=3)


def off_line(target: np.ndarray, pole: np.ndarray) -> np.ndarray:
    """(n,) angle between pole and line, radians, 0 to a right angle."""
    angle = angle_between(np.broadcast_to(pole, target.shape), target)
    return np.minimum(angle, pi - angle)


def steps(solution: Solution) -> np.ndarray:
    """(n - 1,) by how much the elbow swivels from frame to frame, once the shortest turn of the line is undone."""
    aims = solution.joints[:, 2] / np.linalg.norm(solution.joints[:, 2], axis=-1, keepdims=True)
    beside = np.cross(np.cross(aims, solution.joints[:, 1]), aims)
    last, now, ahead = beside[:-1], beside[1:], aims[1:]
    # By Rodrigues' formula, of the sine times the axis and of the cosine.
    axis, cosine = np.cross(aims[:-1], ahead), np.sum(aims[:-1] * ahead, axis=-1, keepdims=True)
    once = np.cross(axis, last)
    carried = last + once + np.cross(axis, once) / (1.0 + cosine)
    return np.arctan2(np.sum(np.cross(carried, now) * ahead, axis=-1), np.sum(carried * now, axis=-1))


def acceleration(solution: Solution) -> float:
    """Greatest change of the swivel's speed, degrees a frame squared."""
    change = np.diff(steps(solution))
    return float(np.degrees(np.abs((change + pi) % (2 * pi) - pi)).max())


def flips(solution: Solution) -> int:
    """Frames on which the elbow goes more than a quarter of the way around."""
    return int((np.abs(steps(solution)) > pi / 2).sum())


class TestWellPlaced:
    @given(seed=st.integers(0, 10_000), smoothing=SMOOTHING)
    @settings(deadline=None, max_examples=60)
    def test_frames_with_a_good_pole_are_left_alone_exactly(self, seed: int, smoothing: float) -> None:
        """Whatever the frames beside them are."""
        target = random_walk(seed, 80)
        pole = random_walk(seed + 1, 80)
        good = off_line(target, pole) > WELL
        off, on = (smoothed(target, pole, value, plane=Plane.POLE) for value in (0.0, smoothing))
        assert_same(off, on, row=good, of=good)
        assert (on.swivel[good] == 0.0).all()

    def test_a_range_with_good_poles_alone_is_left_alone(self) -> None:
        target, _ = swing(0.02, 0.0)
        pole = np.array((0.0, 0.1, 3.0))
        assert off_line(target, pole).min() > WELL
        assert_same(smoothed(target, pole, 0.0), smoothed(target, pole, 1.0))

    def test_no_influence_of_the_pole_leaves_no_smoothing(self) -> None:
        target, pole = swing(0.05, 0.01)
        influence = np.where(np.arange(len(target)) < 60, 0.0, 1.0)
        off, on = (smoothed(target, pole, value, pole_influence=influence) for value in (0.0, 1.0))
        assert_same(off, on, row=slice(60), of=slice(60))
        assert np.abs(on.swivel[60:]).max() > 0.1


class TestBadlyPlaced:
    @pytest.mark.once
    @given(step=st.floats(0.01, 0.1), aside=st.floats(-0.06, 0.06), tilt=st.floats(-3, 3), smoothing=st.floats(0.3, 1))
    @settings(deadline=None, max_examples=40)
    def test_an_elbow_does_not_whip_round_past_its_pole(
        self, step: float, aside: float, tilt: float, smoothing: float
    ) -> None:
        target, pole = swing(step, aside, tilt=tilt)
        on = smoothed(target, pole, smoothing)
        # Half round in n frames, evenly faster and then slower, takes 4 * 180 / n**2; what is soft at the ends takes
        # more. It has the frames on which the pole is near the line, and of these as many as the smoothing spreads:
        # there its two sums weigh the same.
        spread = (0.5 * (0.25 * RATE * smoothing) ** 2 / step) ** (1 / 3)
        frames = min(2 * WELL / step, 6 * spread)
        assert acceleration(on) < 3.5 * 4 * 180 / frames**2 + 0.5
        assert flips(on) == 0

    @pytest.mark.once
    @given(seed=st.integers(0, 10_000), smoothing=st.floats(0.2, 1))
    @settings(deadline=None, max_examples=40)
    def test_a_pole_that_trembles_on_the_line_turns_nothing(self, seed: int, smoothing: float) -> None:
        rng = np.random.default_rng(seed)
        count = 100
        pole = np.array((0.0, 3.0, 0.0)) + 0.05 * rng.normal(size=(count, 3))
        pole[:10], pole[-10:] = (0.0, 1.0, 3.0), (0.5, 1.0, 3.0)
        target = np.broadcast_to((0.0, 1.5, 0.0), (count, 3))
        off, on = (smoothed(target, pole, value) for value in (0.0, smoothing))
        assert flips(off) > 5
        assert flips(on) == 0
        assert acceleration(on) < 0.2 * acceleration(off)

    def test_turns_round_a_trembling_pole_are_left_out(self) -> None:
        turns = np.linspace(0, 20 * pi, 161)
        tremble = 0.02 * np.stack((np.sin(turns), 0 * turns, np.cos(turns)), axis=-1)
        pole = np.array((0.0, 3.0, 0.0)) + tremble
        pole[:20], pole[-20:] = (0.0, 1.0, 3.0), (0.0, 1.0, 3.0)
        on = smoothed(np.broadcast_to((0.0, 1.5, 0.0), (161, 3)), pole)
        assert np.degrees(np.abs(np.cumsum(steps(on)))).max() < 90

    def test_a_pole_that_circles_slowly_is_followed(self) -> None:
        """Ten degrees off the line, once round in ten seconds."""
        turns = np.linspace(0, 2 * pi, 241)
        pole = np.stack((np.sin(turns), 5.67 + 0 * turns, np.cos(turns)), axis=-1)
        on = smoothed(np.broadcast_to((0.0, 1.5, 0.0), (241, 3)), pole)
        assert abs(np.degrees(steps(on).sum())) > 300
        assert np.degrees(np.abs(on.swivel)).max() < 15

    def test_it_makes_least_the_sum_that_the_solver_names(self) -> None:
        """Against the sum itself, with steps that are measured by other formulas."""
        target, pole = swing(0.03, 0.02, 61, tilt=0.7)
        seconds = np.cumsum(np.random.default_rng(1).uniform(0.02, 0.06, 61))
        goals = Goals(target=target, pole=pole, seconds=seconds)
        off, on = (solve(LEG, goals, Options(pole_smoothing=value)) for value in (0.0, 0.6))
        certain = np.minimum(np.sin(off_line(target, pole)) / 0.5, 1.0)
        span, step = np.diff(seconds), steps(off)
        own = 0.5 * (np.append(span, 0.0) + np.append(0.0, span))
        bad = certain < 1.0

        def cost(turns: np.ndarray) -> float:
            data = (turns**2 * certain * own)[bad] / (1 - certain[bad] ** 2) ** 2
            return data.sum() + 0.15**2 * ((step + np.diff(turns)) ** 2 / span).sum()

        assert np.abs(on.swivel).max() > 0.3
        least = cost(on.swivel)
        for direction in np.random.default_rng(2).normal(size=(200, 61)):
            assert cost(on.swivel + 1e-3 * bad * direction) > least


class TestTime:
    @given(step=st.floats(0.01, 0.05), aside=st.floats(0.005, 0.3), smoothing=SMOOTHING)
    @settings(deadline=None, max_examples=30)
    def test_rate_and_step_change_no_more_than_the_grid(self, step: float, aside: float, smoothing: float) -> None:
        coarse, fine = (
            smoothed(*swing(step / finer, aside, 120 * finer + 1), smoothing, RATE * finer) for finer in (4, 8)
        )
        apart = angle_between(coarse.hinge[::4], fine.hinge[::8])
        # What is left is that of steps of a quarter and an eighth of a frame, up to a twelfth of a whole one's.
        assert np.degrees(apart.max()) < 3.0

    def test_twice_as_fast_is_smoothed_over_twice_the_frames(self) -> None:
        target, pole = swing(0.01, 0.02)
        slow, fast = (smoothed(target, pole, 0.5, rate) for rate in (24.0, 48.0))
        twice = smoothed(target, pole, 1.0, 24.0)
        np.testing.assert_allclose(fast.hinge, twice.hinge, atol=1e-12)
        assert acceleration(fast) < acceleration(slow)

    def test_one_frame_needs_no_time_and_is_left_alone(self) -> None:
        goals = Goals(target=np.array(((0.0, 1.5, 0.0),)), pole=np.array((0.01, 3.0, 0.0)))
        assert_same(solve(LEG, goals), solve(LEG, goals, Options(pole_smoothing=1.0)))

    @pytest.mark.parametrize(
        ("seconds", "what"), [(None, "have no time"), ((0.0, 0.0), "must rise"), ((0.0, np.nan), "finite")]
    )
    def test_frames_without_rising_time_are_refused(self, seconds: object, what: str) -> None:
        seconds = None if seconds is None else np.array(seconds)
        goals = Goals(target=np.array(((0, 1.5, 0), (0, 1.4, 0.1))), pole=np.array((0.01, 3.0, 0.0)), seconds=seconds)
        with pytest.raises(ValueError, match=what):
            solve(LEG, goals, Options(pole_smoothing=1.0))


class TestDegenerate:
    def test_a_pole_always_on_the_line_bends_as_without_a_pole(self) -> None:
        target = random_walk(3, 50)
        with_pole = smoothed(target, 2 * target)
        without = solve(LEG, Goals(target=target))
        np.testing.assert_allclose(with_pole.joints, without.joints, atol=1e-12)

    def test_a_pole_exactly_through_the_line_gives_one_even_turn(self) -> None:
        on = smoothed(*swing(0.05, 0.0))
        assert flips(on) == 0
        turned = steps(on)
        assert (np.sign(turned[np.abs(turned) > 1e-6]) == np.sign(turned.sum())).all()
        assert abs(turned.sum()) == pytest.approx(pi)

    def test_a_target_on_the_root_is_no_harm(self) -> None:
        target, pole = swing(0.05, 0.02)
        target[55:66] = 0.0
        on = smoothed(target, pole)
        assert (on.status == Status.REACHED).sum() >= 110
        assert flips(on) <= flips(smoothed(target, pole, 0.0))

    def test_chains_side_by_side_are_each_as_if_alone(self) -> None:
        ways = [swing(0.03 * k, 0.02, 61) for k in (1, 2, 3)]
        target = np.stack([way for way, _ in ways], axis=1)
        pole = np.stack([place for _, place in ways])
        seconds = np.broadcast_to(np.arange(61)[:, None] / RATE, (61, 3))
        together = solve(LEG, Goals(target=target, pole=pole, seconds=seconds), Options(pole_smoothing=0.7))
        for row, (way, place) in enumerate(ways):
            np.testing.assert_allclose(together.joints[:, row], smoothed(way, place, 0.7).joints, atol=1e-12)

    @given(options=OPTIONS, seed=st.integers(0, 10_000), smoothing=SMOOTHING)
    @settings(deadline=None, max_examples=100)
    def test_with_every_other_option_the_tip_stays(self, options: dict, seed: int, smoothing: float) -> None:
        rng = np.random.default_rng(seed)
        if options["bend_min"] > options["bend_max"]:
            options = options | {"bend_min": -np.pi}
        target, pole = swing(0.08, 0.03 * rng.normal(), 30, reach=rng.uniform(0.5, 2.2))
        pose = random_pose(rng, 1).repeat(30, axis=0)
        chain = limb((0, 1, 0.1), (0, 1.9, -0.1), X, use_hinge_axis=bool(seed % 2))
        goals = Goals(target=target, pole=pole, pose=pose, seconds=np.arange(30) / RATE)
        off, on = (solve(chain, goals, Options(**options, pole_smoothing=value)) for value in (0.0, smoothing))
        assert np.isfinite(on.rotations).all()
        np.testing.assert_array_equal(on.status, off.status)
        if options["influence"] == 1.0:
            assert_sound(on, chain)
            np.testing.assert_allclose(on.joints[:, 2], off.joints[:, 2], atol=1e-12)
        good = off_line(target, pole) > WELL
        if options["bend"] != "NEAREST" and options["unreachable"] != "HOLD":
            assert_same(off, on, row=good, of=good)
