"""How a solution moves: flips, speed, frames close to singular."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solver import diagnostics
from support.limbs import LEG, STRAIGHT, random_limb, solved
from support.oracles import rotation_angle


def with_hinge(*degrees: float) -> object:
    solution = solved(STRAIGHT, np.ones((len(degrees), 3)))
    return replace(solution, hinge_angle=np.radians(degrees))


def test_flips_are_frames_that_bend_to_the_other_side() -> None:
    assert diagnostics.flips(with_hinge(10, 20, -20, -10, 5)).tolist() == [False, False, True, False, True]


def test_a_straight_frame_between_hides_no_flip() -> None:
    assert diagnostics.flips(with_hinge(10, 0, 10)).tolist() == [False, False, False]
    assert diagnostics.flips(with_hinge(0, 10, 0, -10, 180, -180)).tolist() == [False, False, False, True, False, False]
    assert diagnostics.flips(with_hinge(0, 0)).tolist() == [False, False]


def test_frames_near_straight() -> None:
    assert diagnostics.near_straight(with_hinge(0, 4, -4, 6, 179)).tolist() == [True, True, True, False, False]


def test_speed_is_that_of_the_faster_joint_a_frame() -> None:
    rng = np.random.default_rng(1)
    solution = solved(random_limb(rng), rng.normal(size=(20, 3)))
    frames = np.cumsum(rng.uniform(0.5, 2, 20))
    found = diagnostics.speed(solution, frames)
    assert found[0] == 0
    for row in range(1, 20):
        root = rotation_angle(*solution.rotations[row - 1 : row + 1, 0])
        hinge = abs(np.angle(np.exp(1j * np.diff(solution.hinge_angle)[row - 1])))
        np.testing.assert_allclose(found[row], max(root, hinge) / (frames[row] - frames[row - 1]), rtol=1e-9)


def test_closing_through_a_full_fold_is_a_small_turn() -> None:
    np.testing.assert_allclose(diagnostics.hinge_turn(np.radians(179), np.radians(-179)), np.radians(2))
    assert diagnostics.speed(with_hinge(179, -179), np.arange(2))[1] < 0.04


def test_one_frame_has_no_speed() -> None:
    assert diagnostics.speed(solved(LEG, (0, 1, 0)), np.array((5.0,))).tolist() == [0]


def test_closeness_to_singular() -> None:
    np.testing.assert_allclose(with_hinge(0, 90, -90, 180, 30).sin_hinge, (0, 1, 1, 0, 0.5), atol=1e-15)
