"""How a solution stands and moves: angles of the joints, flips, speed, frames close to singular."""

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


def placed(turns: np.ndarray, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 3, 3) joints of a limb of 1.3 and 0.8, by turns (n, 2) about the last axis of a frame from its first one."""
    sums = np.cumsum(turns, axis=-1)
    links = np.stack((np.cos(sums), np.sin(sums)), axis=-1) @ frame[:2] * np.array((1.3, 0.8))[:, None]
    joints = np.concatenate((np.zeros((len(turns), 1, 3)), np.cumsum(links, axis=1)), axis=1)
    return joints, np.broadcast_to(frame[2], (len(turns), 3))


def test_joint_angles_in_a_plane_are_the_turns_that_posed_it() -> None:
    rng = np.random.default_rng(2)
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    frame[2] = np.cross(frame[0], frame[1])
    turns = np.concatenate((rng.uniform(-3.1, 3.1, (200, 2)), [(0.0, 0.0), (1.0, 0.0), (-1.0, 3.0)]))
    joints, hinge = placed(turns, frame)
    found = diagnostics.joint_angles(2.0 * frame[0], joints, hinge, in_plane=True)
    # Half of the digits are left of a straight limb's angles, whose cosine does not change.
    np.testing.assert_allclose(found, turns, atol=1e-7)
    # Side by side, and beyond a third joint, they are the same.
    pairs = np.concatenate((joints[:, None].repeat(2, axis=1), rng.normal(size=(len(turns), 2, 1, 3))), axis=2)
    both = diagnostics.joint_angles(2.0 * frame[0], pairs, hinge[:, None].repeat(2, axis=1), in_plane=True)
    np.testing.assert_allclose(both, found[:, None].repeat(2, axis=1), atol=1e-9)


def test_the_roots_angle_in_space_is_that_between_directions() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        rest, (first, second) = rng.normal(size=3), rng.normal(size=(2, 3))
        joints = np.cumsum((np.zeros(3), first, second), axis=0)
        hinge = np.cross(first, second) / np.linalg.norm(np.cross(first, second))
        for side in (1.0, -1.0):
            root, turn = diagnostics.joint_angles(rest, joints, side * hinge, in_plane=False)
            directions = [each / np.linalg.norm(each) for each in (rest, first, second)]
            np.testing.assert_allclose(np.cos(root), directions[0] @ directions[1], atol=1e-12)
            np.testing.assert_allclose(np.cos(turn), directions[1] @ directions[2], atol=1e-12)
            assert np.sign(turn) == side
            assert root >= 0.0
