"""A long range is posed in blocks of frames; no frame may tell where one ends."""

from dataclasses import fields

import numpy as np
import pytest

from solver import Chain, Goals, Options, Reference, Solution, solve

RNG = np.random.default_rng(5)
COUNT = 25_345
CHAIN = Chain(joints=np.array(((0, 0, 0), (0, 1.0, 0.1), (0, 1.8, 0))), hinge_axis=np.array((1.0, 0.0, 0.0)))


def assert_same(one: Solution, other: Solution) -> None:
    for field in fields(Solution):
        np.testing.assert_allclose(getattr(one, field.name), getattr(other, field.name), rtol=0, atol=1e-14)


@pytest.mark.parametrize("limbs", [(), (3,)])
def test_a_long_range_is_solved_as_its_frames_are(limbs) -> None:
    target, pole = RNG.normal(size=(2, COUNT, *limbs, 3))
    whole = solve(CHAIN, Goals(target=target, pole=pole))
    for first in range(0, COUNT, 617):
        rows = slice(first, first + 617)
        part = Solution(**{field.name: getattr(whole, field.name)[rows] for field in fields(Solution)})
        assert_same(part, solve(CHAIN, Goals(target=target[rows], pole=pole[rows])))


@pytest.mark.parametrize("poses", [1, COUNT])
def test_a_long_range_starts_from_its_own_poses(poses) -> None:
    target = RNG.normal(size=(COUNT, 3))
    turns = np.linalg.qr(RNG.normal(size=(poses, 2, 3, 3)))[0]
    turns *= np.linalg.det(turns)[..., None, None]
    options = Options(reference=Reference.POSE)
    whole = solve(CHAIN, Goals(target=target, pose=turns), options)
    for row in (0, 11_999, 12_000, 12_001, COUNT - 1):
        own = turns[row : row + 1] if poses > 1 else turns
        one = solve(CHAIN, Goals(target=target[row : row + 1], pose=own), options)
        np.testing.assert_allclose(whole.rotations[row], one.rotations[0], rtol=0, atol=1e-14)
