"""The spatial solve as a whole: what holds for every limb, goal and option, and for every block of frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Chain, Goals, Options, Plane, Reference, Status, diagnostics, prepare, solve
from support.limbs import (
    LEG,
    OPTIONS,
    assert_same,
    assert_sound,
    limb,
    random_limb,
    random_pose,
    solved,
    targets_within_reach,
    total_length,
)
from support.oracles import constraint_pose, random_rotation


@given(OPTIONS, st.integers(0, 1000), st.booleans())
@settings(max_examples=200)
def test_every_combination_of_options_gives_a_sound_pose(options: dict, seed: int, posed: bool) -> None:
    rng = np.random.default_rng(seed)
    chain = random_limb(rng)
    target = 1.5 * total_length(chain) * rng.normal(size=(20, 3))
    pose = random_pose(rng, 20) if posed else None
    solution = solved(chain, target, rng.normal(size=(20, 3)), pose, **options)
    free = options["influence"] == 1.0 and not options["use_extension_limit"]
    if free and options["softness"] == 0.0 and options["plane"] != Plane.REST:
        reached = solution.status == Status.REACHED
        np.testing.assert_allclose(solution.miss[reached], 0, atol=1e-12 * total_length(chain))
    inside = (solution.hinge_angle > options["bend_min"] - 1e-6) & (solution.hinge_angle < options["bend_max"] + 1e-6)
    assert inside.all() or options["influence"] < 1.0


@given(OPTIONS, st.integers(0, 1000), st.sampled_from((1e-57, 1.0, 1e57)))
def test_a_chain_that_was_made_ready_is_solved_as_ever(options: dict, seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    chain = random_limb(rng)
    chain = replace(chain, joints=size * chain.joints)
    known = prepare(chain)
    for _ in range(2):
        goals = Goals(target=size * rng.normal(size=(4, 3)), pole=size * rng.normal(size=(4, 3)))
        assert_same(*(solve(one, goals, Options(**options)) for one in (known, chain)))


@pytest.mark.once
@given(OPTIONS, st.integers(0, 1000), st.booleans())
def test_chains_side_by_side_are_solved_as_each_alone(options: dict, seed: int, posed: bool) -> None:
    """On some frames, or on all of a chain's, target or pole leave a direction open."""
    rng = np.random.default_rng(seed)
    chains = [random_limb(rng) for _ in range(3)]
    open_frames = rng.random((6, 3)) < rng.choice((0.0, 0.4, 1.0), 3)
    pole = rng.normal(size=(6, 3, 3))
    # Not so exactly opposite that rounding would choose which way to turn.
    opposite = -np.stack([chain.joints[2] for chain in chains]) + 1e-7 * pole
    goals = Goals(
        target=np.where(open_frames[..., None], rng.choice((0.0, 1.0), (6, 3, 1)) * opposite, 2 * pole[::-1]),
        pole=np.where(rng.permuted(open_frames, axis=0)[..., None], 2 * pole[::-1], pole),
        pose=np.stack([random_pose(rng, 6) for _ in chains], axis=1) if posed else None,
    )
    joints, axes = (np.stack([getattr(one, name) for one in chains])[None] for name in ("joints", "hinge_axis"))
    together = solve(Chain(joints=joints, hinge_axis=axes), goals, Options(**options))
    for row, chain in enumerate(chains):
        own = Goals(target=goals.target[:, row], pole=goals.pole[:, row], pose=goals.pose[:, row] if posed else None)
        alone = solve(chain, own, Options(**options))
        assert_same(together, alone, 1e-9, (slice(None), row))
        np.testing.assert_array_equal(diagnostics.flips(together)[:, row], diagnostics.flips(alone))
        speeds = diagnostics.speed(together, np.arange(6))[:, row], diagnostics.speed(alone, np.arange(6))
        np.testing.assert_allclose(*speeds, atol=1e-9)


@pytest.mark.parametrize("plane", [Plane.AIM, Plane.POLE])
def test_a_thousand_limbs_meet_their_targets(plane: Plane) -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        chain = random_limb(rng)
        target = targets_within_reach(rng, chain, 10)
        solution = solved(chain, target, rng.normal(size=3), plane=plane)
        np.testing.assert_allclose(solution.joints[:, 2], target, atol=1e-12 * total_length(chain))
        assert (solution.status == Status.REACHED).all()


@pytest.mark.parametrize("reference", Reference)
def test_at_the_rest_pose_the_solution_is_the_rest_pose(reference: Reference) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        chain = random_limb(rng)
        mid, tip = chain.joints[1:]
        pole = 2 * mid - 0.3 * tip
        for options in ({"plane": Plane.AIM}, {"plane": Plane.REST}, {"pole": pole}):
            solution = solved(chain, [tip], reference=reference, **options)
            np.testing.assert_allclose(solution.joints[0], chain.joints, atol=1e-7)
            np.testing.assert_allclose(solution.rotations[0], [np.eye(3)] * 2, atol=1e-7)


def test_at_its_own_pose_the_chain_does_not_move() -> None:
    """Reference POSE keeps what is keyed, twist and all."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        chain, pose = random_limb(rng), random_pose(rng, 1)
        tip = (pose @ np.diff(chain.joints, axis=0)[:, :, None])[..., 0].sum(axis=1)
        solution = solved(chain, tip, pose=pose, plane=Plane.AIM, reference=Reference.POSE)
        np.testing.assert_allclose(solution.rotations, pose, atol=1e-7)


def test_the_end_bone_turns_about_its_hinge_only() -> None:
    """So no roll drifts, whatever the target does."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        chain = random_limb(rng)
        solution = solved(chain, targets_within_reach(rng, chain, 20), rng.normal(size=3))
        first, second = np.diff(chain.joints, axis=0)
        hinge = np.cross(first, second)
        on_root = np.swapaxes(solution.rotations[:, 0], -1, -2) @ solution.rotations[:, 1]
        np.testing.assert_allclose(on_root @ hinge, np.broadcast_to(hinge, (20, 3)), atol=1e-13 * total_length(chain))


def test_reference_pose_poses_as_blenders_constraint_does() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        chain, pose = random_limb(rng), random_pose(rng, 1)
        links = (pose[0] @ np.diff(chain.joints, axis=0)[..., None])[..., 0]
        joints = np.array((np.zeros(3), links[0], links.sum(axis=0)))
        target, pole = targets_within_reach(rng, chain, 1), rng.normal(size=3)
        expected, turns = constraint_pose(joints, links[0], target[0], pole)
        solution = solved(chain, target, pole, pose, reference=Reference.POSE)
        np.testing.assert_allclose(solution.joints[0], expected, atol=1e-12 * total_length(chain))
        # The direction of the mid joint beside the line to the target is known to 1e-16 / sin of the hinge angle.
        np.testing.assert_allclose(solution.rotations[0], turns @ pose[0], atol=1e-9)


def with_every_vector(turn: np.ndarray, chain: Chain, goals: Goals, axial: float = 1.0) -> tuple[Chain, Goals]:
    """Everything turned, mirrored or scaled by a matrix; `axial` is -1 where a mirror turns axes around."""
    pose = None if goals.pose is None else turn @ goals.pose @ np.linalg.inv(turn)
    moved = replace(chain, joints=chain.joints @ turn.T, hinge_axis=axial * chain.hinge_axis @ turn.T)
    return moved, Goals(target=goals.target @ turn.T, pole=goals.pole @ turn.T, pose=pose)


@given(OPTIONS, st.integers(0, 1000), st.sampled_from(("turned", "scaled", "mirrored")))
@settings(max_examples=130)
def test_a_limb_turned_scaled_or_mirrored_is_solved_alike(options: dict, seed: int, change: str) -> None:
    """Lengths and handedness are read in one space only; Godot had this wrong for years."""
    rng = np.random.default_rng(seed)
    chain = random_limb(rng)
    size = total_length(chain)
    goals = Goals(target=size * rng.normal(size=(5, 3)), pole=size * rng.normal(size=(5, 3)), pose=random_pose(rng, 5))
    mirror = np.diag((-1.0, 1.0, 1.0)) @ random_rotation(rng)
    matrix = {"turned": random_rotation(rng), "scaled": 0.01 * np.eye(3), "mirrored": mirror}[change]
    axial = -1.0 if change == "mirrored" else 1.0
    expected = solve(chain, goals, Options(**options))
    # A mirrored elbow is turned towards the other side.
    options["pole_angle"] *= axial
    solution = solve(*with_every_vector(matrix, chain, goals, axial), Options(**options))
    close = {"rtol": 0, "atol": 1e-7}
    np.testing.assert_allclose(solution.joints, expected.joints @ matrix.T, **close)
    np.testing.assert_allclose(solution.rotations, matrix @ expected.rotations @ np.linalg.inv(matrix), **close)
    np.testing.assert_allclose(np.abs(solution.hinge_angle), np.abs(expected.hinge_angle), **close)
    assert (solution.status == expected.status).all()


def test_the_status_says_on_which_side_the_target_lies() -> None:
    chain = limb((0, 2, 0), (0, 3, 0))
    solution = solved(chain, [(0, 0, 4), (0, 0, 2), (0, 0, 0.5), (0, 0, 0), (0, 0, 3), (0, 0, 1)])
    assert solution.status.tolist() == [
        Status.TOO_FAR,
        Status.REACHED,
        Status.TOO_CLOSE,
        Status.TOO_CLOSE,
        Status.REACHED,
        Status.REACHED,
    ]
    assert solution.degenerate.tolist() == [False, False, False, True, False, False]
    np.testing.assert_allclose(solution.shortfall, (1, 0, 0.5, 1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(solution.miss, axis=-1), (1, 0, 0.5, 1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(solution.reach, np.broadcast_to((1, 3), (6, 2)), atol=1e-15)


def test_a_solution_is_sound_when_seen_again() -> None:
    """The check of soundness itself can fail."""
    solution = solved(LEG, (0, 1, 0.5))
    with pytest.raises(AssertionError):
        assert_sound(replace(solution, joints=solution.joints + 1e-9), LEG)


RNG = np.random.default_rng(5)
COUNT = 25_345
CHAIN = Chain(joints=np.array(((0, 0, 0), (0, 1.0, 0.1), (0, 1.8, 0))), hinge_axis=np.array((1.0, 0.0, 0.0)))


@pytest.mark.parametrize("limbs", [(), (3,)])
def test_a_long_range_is_solved_as_its_frames_are(limbs) -> None:
    target, pole = RNG.normal(size=(2, COUNT, *limbs, 3))
    whole = solve(CHAIN, Goals(target=target, pole=pole))
    for first in range(0, COUNT, 617):
        rows = slice(first, first + 617)
        assert_same(whole, solve(CHAIN, Goals(target=target[rows], pole=pole[rows])), 1e-14, rows)


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
