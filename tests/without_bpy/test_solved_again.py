"""A limb that is right already stays as it is, whatever it is solved for; what is a hair off changes little."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from two_bone_ik.skeleton.solve import solve_groups
from two_bone_ik.skeleton.values import Point

from solver import Bend, Chain, Goals, Options, Plane, Reference, Unreachable, rotation, solve
from support.limbs import X, lengths, limb, random_limb, random_pose, solved, targets_within_reach, total_length
from support.plain_rig import arm, basis, before, channels, plan

PLANES = [(Plane.POLE, True), (Plane.AIM, False), (Plane.REST, True), (Plane.REST, False)]
LIMITS = [(-pi, pi), (-2.5, -0.3), (-2.0, 0.0), (0.0, 2.0), (0.2, 2.5), (-1.0, 2.0)]


def as_keyed(rotations: np.ndarray) -> np.ndarray:
    """The rotations as quaternions in the precision of Blender's keys hold them."""
    keyed = rotation.quaternions(rotations).astype(np.float32).astype(np.float64)
    return rotation.from_quaternions(keyed / np.linalg.norm(keyed, axis=-1, keepdims=True))


def far_and_near(rng: np.random.Generator, chain: Chain) -> np.ndarray:
    """(9, 3) targets; out of reach in the middle and at the end, and all but out of reach beside them."""
    targets = targets_within_reach(rng, chain, 9)
    parts = np.array((0.8, 0.999999, 1.5, 1.0 - 5e-10, 0.99999999, 0.9, 0.7, 1.01, 2.0))[:, None]
    far = parts * total_length(chain) * targets / np.linalg.norm(targets, axis=-1, keepdims=True)
    return np.where(np.arange(9)[:, None] == 6, targets, far)


@pytest.mark.once
@pytest.mark.parametrize("pinned", [0.0, 1.0])
@pytest.mark.parametrize("still", [True, False])
def test_solved_again_a_limb_stays_as_it_is(still: bool, pinned: float) -> None:
    """Limbs side by side, each within limits of its own."""
    rng = np.random.default_rng(47)
    low, high = np.array(LIMITS).T[:, None]
    for reference, (plane, has_pole), bend in product(Reference, PLANES, Bend):
        chains, frames = [random_limb(rng) for _ in LIMITS], 1 if still else 9
        joints, axes = (np.stack([getattr(one, name) for one in chains])[None] for name in ("joints", "hinge_axis"))
        limbs = Chain(joints=joints, hinge_axis=axes)
        targets = np.stack([far_and_near(rng, chain) for chain in chains], axis=1)
        pole = np.stack([rng.normal(size=(9, 3)) * lengths(chain).max() for chain in chains], axis=1)
        choices = {"plane": plane, "reference": reference, "bend": bend}
        options = Options(**choices, bend_min=low, bend_max=high, pole_pin=pinned, tolerance=1e-6)
        pose = np.stack([np.broadcast_to(as_keyed(random_pose(rng, frames)), (9, 2, 3, 3)) for _ in chains], axis=1)
        goals = Goals(target=targets, pole=pole if has_pole else None, pose=pose)
        first = solve(limbs, goals, options)
        again = solve(limbs, replace(goals, pose=as_keyed(first.rotations)), options)
        np.testing.assert_allclose(again.rotations, first.rotations, atol=1e-6, err_msg=str(choices))


@given(
    st.sampled_from(PLANES),
    st.sampled_from((Unreachable.CLAMP, Unreachable.STRETCH, Unreachable.HOLD)),
    st.sampled_from(LIMITS),
    st.integers(0, 10**6),
    st.sampled_from(("anywhere", "in a plane", "to and fro")),
    st.booleans(),
)
@settings(max_examples=400)
def test_nearest_solved_again_takes_the_same_sides(
    plane: tuple[Plane, bool], far: Unreachable, limits: tuple[float, float], seed: int, path: str, still: bool
) -> None:
    """From a pose, towards targets within reach and out of it, on paths on which other sides move as little, too."""
    rng = np.random.default_rng(seed)
    chain, count = random_limb(rng), int(rng.integers(2, 12))
    if far == Unreachable.HOLD and limits[0] < 0.0 < limits[1]:
        limits = -pi, pi  # a held pose may reach what a pose that bends to the other side could not
    parts = rng.choice((0.05, 0.4, 0.7, 0.8, 0.999999, 1.0 - 5e-10, 1.01, 1.5, 2.0), count)[:, None]
    axes = {"anywhere": np.eye(3), "in a plane": np.diag((1.0, 1.0, 0.0)), "to and fro": np.diag((1.0, 0.0, 0.0))}[path]
    ways = rng.normal(size=(count, 3)) @ axes
    target = parts * total_length(chain) * ways / np.linalg.norm(ways, axis=-1, keepdims=True)
    pole = rng.normal(size=(1 if still else count, 3)) * lengths(chain).max()
    pose = np.broadcast_to(as_keyed(random_pose(rng, 1 if still else count)), (count, 2, 3, 3))
    low, high = limits
    options = Options(
        plane=plane[0],
        reference=Reference.POSE,
        bend=Bend.NEAREST,
        unreachable=far,
        bend_min=low,
        bend_max=high,
        tolerance=1e-6,
    )
    goals = Goals(target=target, pole=pole if plane[1] else None, pose=pose)
    first = solve(chain, goals, options)
    again = solve(chain, replace(goals, pose=as_keyed(first.rotations)), options)
    np.testing.assert_allclose(again.rotations, first.rotations, atol=1e-6)


@pytest.mark.parametrize(("low", "high"), LIMITS)
@pytest.mark.parametrize("bend", [Bend.REST, Bend.POSITIVE, Bend.LIMITS])
def test_a_posed_limb_at_its_pole_stays(bend: Bend, low: float, high: float) -> None:
    """A capture, too, that bends against the rest pose, where no limits forbid that."""
    rng = np.random.default_rng(48)
    options = Options(reference=Reference.POSE, bend=bend, bend_min=low, bend_max=high)
    for _ in range(20):
        chain, pose = random_limb(rng), random_pose(rng, 1)
        links = (pose @ np.diff(chain.joints, axis=0)[:, :, None])[..., 0]
        hinge = pose[0, 1] @ np.cross(*np.diff(chain.joints, axis=0))
        first, second = links[0] / np.linalg.norm(links[0], axis=-1, keepdims=True)
        angle = np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second)
        angle *= np.sign(np.cross(first, second) @ hinge)
        own, other = (min(each - low, high - each) for each in (angle, -angle))
        if own < 0.0 or (bend == Bend.LIMITS and own < other):
            continue  # it is not right yet
        goals = Goals(target=links.sum(axis=1), pole=2.0 * links[:, 0] - links.sum(axis=1) / 2.0, pose=pose)
        np.testing.assert_allclose(solve(chain, goals, options).rotations, pose, atol=1e-6)


COUNT = 40
RNG = np.random.default_rng(8)
LENGTH = 1.8


@pytest.mark.parametrize("seed", range(5))
def test_scale_that_rounding_leaves_is_solved_as_none(seed: int) -> None:
    ways = RNG.normal(size=(COUNT, 3))
    rig = arm(ways * RNG.uniform(0.3, 1.7, (COUNT, 1)) / np.linalg.norm(ways, axis=-1, keepdims=True))
    for name, scale in zip(("upper", "lower"), np.random.default_rng(seed).uniform(-7e-6, 7e-6, (2, 3)), strict=True):
        rig.basis[name] = basis(scale=tuple(1.0 + scale))
    whole = plan((rig.chain("upper", "lower", target=Point("Target")),), count=COUNT)
    solved = solve_groups(whole, rig.samples(COUNT))
    assert all(group.group.kinematics.rigid for group in solved)
    for keys in channels(whole, solved, before(whole)):
        rig.play(keys)
    tips = np.array([rig.to_world("lower", row) @ (*rig.bones["lower"].tail, 1.0) for row in range(COUNT)])[:, :3]
    off = np.linalg.norm(tips - rig.objects["Target"][:, :3, 3], axis=-1)
    assert off.max() < 1e-5 * LENGTH


WRONG = [0.4, 1.2, 2.9]
TARGET = [(0.0, 1.2, 0.4)]


def slight(degrees: float) -> object:
    """A limb along y with a chosen hinge about x, bent at rest by so many degrees about -x."""
    angle = np.radians(degrees)
    return limb((0, 1, 0), (0, 1 + np.cos(angle), -np.sin(angle)), X, use_hinge_axis=True)


@pytest.mark.parametrize("degrees", WRONG)
def test_no_bone_turns_over_towards_a_pole(degrees: float) -> None:
    """The pole is on the positive side of the axis, so that all turns are about x."""
    solution = solved(slight(degrees), TARGET, pole=[(0, 1, -3)], bend=Bend.POSITIVE)
    np.testing.assert_allclose(solution.rotations[0] @ X, [X, X], atol=1e-12)
    assert solution.joints[0, 1] @ (0, 0, 1) < 0 < solution.hinge_angle[0]


@pytest.mark.parametrize("degrees", WRONG)
def test_positive_bends_to_the_chosen_side_without_a_pole(degrees: float) -> None:
    solution = solved(slight(degrees), TARGET, bend=Bend.POSITIVE)
    np.testing.assert_allclose(solution.hinge, [X], atol=1e-12)
    assert solution.hinge_angle[0] > 0


@pytest.mark.parametrize("degrees", WRONG)
def test_bend_rest_keeps_the_side_of_the_rest_pose(degrees: float) -> None:
    """As files have it in which nobody has chosen a side."""
    assert solved(slight(degrees), TARGET, bend=Bend.REST).hinge_angle[0] < 0


@pytest.mark.parametrize("degrees", [3.1, 40.0])
def test_a_rest_pose_that_is_bent_keeps_its_side_towards_a_pole(degrees: float) -> None:
    solution = solved(slight(degrees), TARGET, pole=[(0, 1, -3)], bend=Bend.POSITIVE)
    np.testing.assert_allclose(solution.rotations[0] @ X, [-X, -X], atol=1e-12)


def test_a_pose_bent_about_another_axis_is_its_own_solution() -> None:
    """With the target where its tip is, and the pole beside its mid joint."""
    chain = slight(1.0)
    turn = np.array([[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]]], dtype=float)
    lower = turn[1] @ (chain.joints[2] - chain.joints[1])
    mid, tip = chain.joints[1], chain.joints[1] + lower
    solution = solved(chain, [tip], pole=[3 * mid - tip], pose=turn[None], reference=Reference.POSE)
    np.testing.assert_allclose(solution.rotations, [turn], atol=1e-9)
