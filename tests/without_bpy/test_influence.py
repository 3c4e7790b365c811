"""Between the chain's own pose and the solution; each bone turns on its parent, as its keys do."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Bend, Unreachable
from support.limbs import STRAIGHT, random_limb, random_pose, solved
from support.oracles import rotation_about


def test_influence_goes_from_the_input_pose_to_the_solution() -> None:
    rng = np.random.default_rng(7)
    chain, pose, target = random_limb(rng), random_pose(rng, 5), rng.normal(size=(5, 3))
    own = solved(chain, target, pose=pose, influence=0.0)
    np.testing.assert_allclose(own.rotations, pose, atol=1e-14)
    np.testing.assert_allclose(
        solved(chain, target, pose=pose, influence=1 - 1e-12).rotations,
        solved(chain, target, pose=pose).rotations,
        atol=1e-11,
    )


@pytest.mark.parametrize("factor", [0.25, 0.5, 0.9])
def test_influence_turns_each_bone_about_a_fixed_axis(factor: float) -> None:
    rng = np.random.default_rng(8)
    chain, pose, target = random_limb(rng), random_pose(rng, 20), rng.normal(size=(20, 3))
    whole, part = solved(chain, target, pose=pose), solved(chain, target, pose=pose, influence=factor)
    for row in range(20):
        for start, end, found in zip(
            *(on_parents(rotations[row]) for rotations in (pose, whole.rotations, part.rotations)), strict=True
        ):
            axis, angle = axis_and_angle(start.T @ end)
            np.testing.assert_allclose(start.T @ found, rotation_about(axis, factor * angle), atol=1e-12)


@pytest.mark.parametrize("bend", [Bend.POSITIVE, Bend.NEGATIVE])
def test_a_part_of_a_fold_bends_to_the_side_of_the_whole(bend: Bend) -> None:
    """The end bone turns by half a turn there, which both sides are as near to."""
    time = np.linspace(0.0, 1.0, 60)
    for seed in range(20):
        target = 0.1 * np.column_stack((np.cos(time + seed), np.sin(2.0 * time), np.sin(3.0 * time + seed)))
        whole, part = (solved(STRAIGHT, target, bend=bend, influence=factor) for factor in (1.0, 0.6))
        assert (np.abs(whole.hinge_angle) > np.pi - 1e-9).all()
        np.testing.assert_allclose(part.hinge_angle, 0.6 * whole.hinge_angle, atol=1e-9)


def test_stretch_is_blended_too() -> None:
    options = {"unreachable": Unreachable.STRETCH, "max_stretch": 2.0}
    solution = solved(STRAIGHT, (0, 2.7, 0), influence=0.5, **options)
    np.testing.assert_allclose(solution.stretch, 1.25)
    np.testing.assert_allclose(solution.joints[0, 2], (0, 1.8 * 1.25, 0), atol=1e-15)


def on_parents(rotations: np.ndarray) -> list[np.ndarray]:
    return [rotations[0], rotations[0].T @ rotations[1]]


def axis_and_angle(turn: np.ndarray) -> tuple[np.ndarray, float]:
    values, vectors = np.linalg.eig(turn)
    axis = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    angle = np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
    skew = np.array((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]))
    return (axis if axis @ skew >= 0 else -axis), angle
