"""Whatever comes in: once or for each frame, of any size, and what is refused."""

from __future__ import annotations

import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Bend, Chain, Goals, Options, Solution, Status, Unreachable, solve
from support.limbs import LEG, OPTIONS, X, limb, random_limb, random_pose, solved


class TestFrames:
    """A row a frame; what is given once holds for all of them."""

    def test_a_single_pose_is_a_batch_of_one(self) -> None:
        solution = solved(LEG, (0.0, 1.0, 0.5))
        assert solution.rotations.shape == (1, 2, 3, 3)
        assert solution.joints.shape == (1, 3, 3)
        assert solution.reach.shape == solution.stretch.shape == (1, 2)
        for name in ("hinge", "target", "miss"):
            assert getattr(solution, name).shape == (1, 3)
        for name in ("hinge_angle", "status", "shortfall", "sin_hinge"):
            assert getattr(solution, name).shape == (1,)
        assert solution.status.dtype == np.uint8

    def test_whatever_is_given_once_is_spread_over_all_frames(self) -> None:
        rng = np.random.default_rng(6)
        target, pole, pose = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), random_pose(rng, 3)
        joints = np.stack([random_limb(rng).joints for _ in range(3)])
        for shapes in np.ndindex(2, 2, 2, 2):
            parts = [part if many else part[0] for part, many in zip((target, pole, pose, joints), shapes, strict=True)]
            goals = Goals(target=parts[0], pole=parts[1], pose=parts[2])
            solution = solve(replace(LEG, joints=parts[3]), goals, Options(bend=Bend.NEAREST, influence=0.5))
            assert len(solution.joints) == (3 if any(shapes) else 1)

    def test_no_frames_give_no_poses(self) -> None:
        for bend in Bend:
            solution = solve(LEG, Goals(target=np.empty((0, 3))), Options(bend=bend))
            assert solution.rotations.shape == (0, 2, 3, 3)

    def test_what_comes_in_is_left_as_it_was(self) -> None:
        goals = Goals(target=np.ones((3, 3)), pole=np.ones((3, 3)), pose=random_pose(np.random.default_rng(0), 3))
        before = [array.copy() for array in (goals.target, goals.pole, goals.pose, LEG.joints)]
        solve(LEG, goals, Options(influence=0.5, unreachable=Unreachable.HOLD))
        for array, copy in zip((goals.target, goals.pole, goals.pose, LEG.joints), before, strict=True):
            np.testing.assert_array_equal(array, copy)


FINITE, SMALL = "be finite", r"be from -1e\+60 to 1e\+60"
NAMES = ("target", "pole", "joints", "hinge_axis")


@pytest.mark.parametrize(
    ("name", "bad", "words"),
    [
        *(
            (name, bad, FINITE)
            for name in ("target", "pole", "pose", "joints", "hinge_axis")
            for bad in (np.nan, np.inf)
        ),
        *((name, -(2.0**200), SMALL) for name in NAMES),
    ],
)
def test_numbers_beyond_any_scene_are_refused_by_name_and_row(name: str, bad: float, words: str) -> None:
    values = {"target": np.ones((4, 3)), "pole": np.ones((4, 3)), "pose": random_pose(np.random.default_rng(0), 4)}
    chain = {"joints": np.stack([LEG.joints] * 4), "hinge_axis": np.stack([X] * 4)}
    {**values, **chain}[name][2, ..., 0] = bad
    with pytest.raises(ValueError, match=rf"{name} must {words}, but row \[2\b.*\] is"):
        solve(Chain(**chain), Goals(**values))


ANY = st.floats(-1e60, 1e60)
EXTREME = st.sampled_from((0.0, 5e-324, 1e-308, 1e-160, 1e-60, 1e-30, 1.0, 1e30, 1e60))
POINT = st.tuples(*[ANY | EXTREME | EXTREME.map(lambda value: -value)] * 3)


@given(st.lists(POINT, min_size=1, max_size=4), POINT, POINT, POINT, POINT, OPTIONS)
@settings(max_examples=200)
def test_no_input_up_to_the_limit_gives_nan_or_a_warning(
    target: list[tuple[float, ...]], pole: tuple, mid: tuple, tip: tuple, axis: tuple, options: dict
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        goals = Goals(target=np.array(target), pole=np.array(pole))
        solution = solve(limb(mid, tip, axis), goals, Options(**options))
        values = [getattr(solution, field.name) for field in fields(Solution)] + [solution.miss]
    assert not any(np.isnan(value).any() for value in values)
    assert np.isfinite(solution.rotations).all()


def test_a_limb_of_any_size_is_solved_alike() -> None:
    expected = solve(LEG, Goals(target=np.array(((0.3, 1.0, 0.2), (9.0, 0.0, 0.0)))), Options(softness=0.1))
    for exponent in (-190, -100, 100, 195):
        scale = 2.0**exponent
        goals = Goals(target=scale * np.array(((0.3, 1.0, 0.2), (9.0, 0.0, 0.0))))
        solution = solve(replace(LEG, joints=scale * LEG.joints), goals, Options(softness=0.1))
        np.testing.assert_allclose(solution.rotations, expected.rotations, atol=1e-15)
        for name in ("joints", "miss", "reach", "shortfall"):
            np.testing.assert_allclose(getattr(solution, name) / scale, getattr(expected, name), atol=1e-15)


@pytest.mark.parametrize("bone", [0, 1])
def test_a_bone_without_length_leaves_the_other_to_point(bone: int) -> None:
    chain = limb(*(((0, 0, 0), (0, 1, 0)) if bone == 0 else ((0, 1, 0), (0, 1, 0))))
    target = np.array(((0, 0.5, 0), (2, 0, 0), (0, 0, -1), (0, 0, 0)), dtype=float)
    solution = solve(chain, Goals(target=target))
    np.testing.assert_allclose(solution.joints[:3, 2], ((0, 1, 0), (1, 0, 0), (0, 0, -1)), atol=1e-15)
    np.testing.assert_allclose(solution.joints[3, 2], solution.joints[2, 2], atol=1e-15)
    assert solution.degenerate.all()
    length = np.linalg.norm(target, axis=-1)
    np.testing.assert_allclose(solution.shortfall, np.abs(length - 1), atol=1e-15)
    assert solution.status.tolist() == [Status.TOO_CLOSE, Status.TOO_FAR, Status.REACHED, Status.TOO_CLOSE]
    np.testing.assert_allclose(np.linalg.det(solution.rotations), 1, atol=1e-14)
    assert (np.abs(solution.hinge_angle) < 1e-15).all(), "nothing decides this angle, so it stays"


def test_a_chain_without_any_length_stays_where_it_is() -> None:
    chain = limb((0, 0, 0), (0, 0, 0))
    solution = solve(chain, Goals(target=np.array(((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)))))
    assert (solution.joints == 0).all()
    np.testing.assert_allclose(np.linalg.det(solution.rotations), 1, atol=1e-14)
