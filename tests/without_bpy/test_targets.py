"""The way back: from a motion to target and pole, and from these to the motion."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Chain, Goals, Options, Plane, Reference, reach, solve, targets
from support.limbs import LEG, STRAIGHT, limb, random_limb, random_pose, total_length
from support.oracles import rotation_about

TIME = np.linspace(0, 1, 300)

CLOSE = 1e-5
"""Part of the chain's length: what a round trip may cost."""


def joints(chain: Chain, pose: np.ndarray) -> np.ndarray:
    """(n, 2, 3) mid and tip."""
    return np.cumsum((pose @ np.diff(chain.joints, axis=0)[..., None])[..., 0], axis=1)


def back(chain: Chain, goals: Goals, **options: object) -> np.ndarray:
    return solve(chain, Goals(target=goals.target, pole=goals.pole), Options(**options)).rotations


def swung(chain: Chain, bends: np.ndarray) -> np.ndarray:
    """(n, 2, 3, 3) a limb that swings and twists while its hinge opens to angles `bends`."""
    first, second = np.diff(chain.joints, axis=0)
    axis = np.cross(first, second)
    axis = axis if axis.any() else chain.hinge_axis
    rest = np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second)
    turns = np.linspace(0, 1, len(bends))
    roots = [rotation_about((1, 2, 0), 2 * turn) @ rotation_about(first, np.sin(5 * turn)) for turn in turns]
    return np.array([(root, root @ rotation_about(axis, b - rest)) for root, b in zip(roots, bends, strict=True)])


def test_any_pose_comes_back() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        chain = random_limb(rng)
        pose = random_pose(rng, 50)
        goals = targets.from_pose(chain, pose, 2.0)
        found = back(chain, goals)
        np.testing.assert_allclose(joints(chain, found), joints(chain, pose), atol=CLOSE * total_length(chain))


@pytest.mark.parametrize("chain", [LEG, STRAIGHT, limb((1, 0, 0), (1.2, 0.9, 0.1))])
@pytest.mark.parametrize("most", [1.5, 0.01, 1e-4, 0.0])
def test_a_motion_that_straightens_comes_back_with_its_twist(chain: Chain, most: float) -> None:
    """A straight limb tells no side, but its twist is carried by the pole all the same."""
    pose = swung(chain, most * np.maximum(0, np.sin(9 * TIME)))
    goals = targets.from_pose(chain, pose, 1.0)
    np.testing.assert_allclose(back(chain, goals), pose, atol=1e-6)
    assert np.linalg.norm(np.diff(goals.pole, axis=0), axis=-1).max() < 0.1, "and the pole goes smoothly"


def test_rounding_of_a_straight_limb_does_not_jitter_its_pole() -> None:
    rng = np.random.default_rng(2)
    bends = np.where(TIME < 0.3, 1.5 * (0.3 - TIME), 0) + 1e-6 * rng.normal(size=len(TIME))
    pose = swung(LEG, bends)
    goals = targets.from_pose(LEG, pose, 1.0)
    assert np.linalg.norm(np.diff(goals.pole, axis=0), axis=-1).max() < 0.1
    found = joints(LEG, back(LEG, goals))
    np.testing.assert_allclose(found, joints(LEG, pose), atol=CLOSE * total_length(LEG))


def test_bent_the_wrong_way_it_keeps_that_side_while_straight() -> None:
    """A knee that is keyed hyperextended does not send its pole to the other side as it straightens."""
    pose = swung(LEG, -0.5 * np.maximum(0, np.sin(9 * TIME)))
    goals = targets.from_pose(LEG, pose, 1.0)
    assert np.linalg.norm(np.diff(goals.pole, axis=0), axis=-1).max() < 0.1
    found = joints(LEG, back(LEG, goals))
    np.testing.assert_allclose(found, joints(LEG, pose), atol=CLOSE * total_length(LEG))


def test_a_looser_tolerance_steadies_the_pole_of_a_shaky_limb() -> None:
    rng = np.random.default_rng(3)
    pose = swung(LEG, 1e-3 * rng.normal(size=len(TIME)))
    steps = [
        np.linalg.norm(np.diff(targets.from_pose(LEG, pose, 1.0, tolerance=tolerance).pole, axis=0), axis=-1).max()
        for tolerance in (3e-6, 1e-2)
    ]
    assert steps[0] > 1 > 0.2 > steps[1]


@pytest.mark.parametrize("angle", [0.5, -2.0])
def test_a_pole_angle_is_taken_into_account(angle: float) -> None:
    pose = swung(LEG, 1 + 0.5 * np.sin(9 * TIME))
    goals = targets.from_pose(LEG, pose, 1.0, pole_angle=angle)
    np.testing.assert_allclose(back(LEG, goals, pole_angle=angle), pose, atol=1e-9)


def test_the_pole_stands_at_the_given_distance_from_the_line() -> None:
    pose = swung(LEG, 1 + 0.5 * np.sin(9 * TIME))
    distance = np.linspace(1, 2, len(TIME))
    goals = targets.from_pose(LEG, pose, distance)
    aim = goals.target / np.linalg.norm(goals.target, axis=-1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(np.cross(goals.pole, aim), axis=-1), distance, atol=1e-12)
    np.testing.assert_allclose(goals.target, joints(LEG, pose)[:, 1], atol=1e-12)


def test_with_the_own_pose_as_reference_nothing_moves_at_all() -> None:
    rng = np.random.default_rng(4)
    chain, pose = random_limb(rng), random_pose(rng, 50)
    solution = solve(chain, targets.from_pose(chain, pose, 1.0), Options(reference=Reference.POSE, plane=Plane.POLE))
    np.testing.assert_allclose(solution.rotations, pose, atol=1e-6)


def test_a_straight_limbs_pole_lies_where_its_hinge_bends() -> None:
    goals = targets.from_pose(STRAIGHT, np.broadcast_to(np.eye(3), (1, 2, 3, 3)), 1.0)
    np.testing.assert_allclose(goals.pole, ((0, 1, -1),), atol=1e-12)


@pytest.mark.parametrize("softness", [0.02, 0.3, 1.0])
def test_a_target_put_ahead_is_followed_to_where_the_tip_is(softness: float) -> None:
    """Up to where a target at full reach is followed to: that falls short by softness / e of it."""
    outer = 1.8
    reached = np.linspace(0.0, outer * (1 - softness / np.e), 200)
    ahead = targets.target_beyond_tip(np.multiply.outer(reached, (0.6, 0.0, 0.8)), outer, softness)
    distance = np.linalg.norm(ahead, axis=-1)
    np.testing.assert_allclose(reach.soft_reach(distance, outer, softness), reached, atol=1e-14)
    assert distance.max() <= outer + 1e-14
    beyond = targets.target_beyond_tip(np.array([(0.0, 0.0, 0.999 * outer)]), outer, softness)
    np.testing.assert_allclose(beyond, ((0, 0, outer),), atol=1e-14)


def test_a_straight_chain_stays_straight_despite_rounding() -> None:
    rng = np.random.default_rng(5)
    pose = swung(STRAIGHT, np.zeros(len(TIME)))
    goals = targets.from_pose(STRAIGHT, pose, 1.0)
    ahead = targets.target_beyond_tip(goals.target, total_length(STRAIGHT), 0.0, resolution=1e-7)
    rounded = ahead + 1e-7 / 3**0.5 * rng.uniform(-1, 1, ahead.shape)
    found = back(STRAIGHT, Goals(target=rounded, pole=goals.pole))
    np.testing.assert_allclose(joints(STRAIGHT, found), joints(STRAIGHT, pose), atol=3e-7)
