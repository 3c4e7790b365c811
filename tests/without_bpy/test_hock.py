"""Legs with a hock: three bones that turn as two, against brute force and high precision."""

from __future__ import annotations

from itertools import combinations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Bend, Chain, Goals, Options, Plane, Reference, Status, hock, solve
from solver.values import Hock
from support.limbs import LEG, random_pose
from support.oracles import angle_between, random_rotation, rotation_about

X = np.array((1.0, 0.0, 0.0))

HORSE = np.array(((0, 0, 0), (0, 1, 0.3), (0, 1.9, -0.3), (0, 2.5, -0.1)), dtype=float)
"""Thigh, shin and a third bone about parallel to the thigh."""

ROUNDING = 1e-12
"""Of sums and products of a dozen numbers near 1."""

BOTH = pytest.mark.parametrize("kind", Hock)


def sides(joints: np.ndarray, kind: Hock) -> np.ndarray:
    """(2, 3) what turns with the root bone and what with the end bone."""
    a, b, c = np.diff(joints, axis=0)
    return np.array((a + c, b) if kind == Hock.PARALLEL else (a, b + c))


def random_leg(rng: np.random.Generator, kind: Hock) -> np.ndarray:
    """(4, 3) joints of a leg that is not flat, and whose triangle is bent by 10 degrees or more."""
    while True:
        joints = np.insert(np.cumsum(rng.normal(size=(3, 3)), axis=0), 0, 0.0, axis=0)
        if np.radians(10.0) < angle_between(*sides(joints, kind)) < np.radians(170.0):
            return joints


def targets(rng: np.random.Generator, joints: np.ndarray, kind: Hock, count: int) -> np.ndarray:
    """(count, 3) in all directions, well within reach."""
    first, second = np.linalg.norm(sides(joints, kind), axis=-1)
    direction = rng.normal(size=(count, 3))
    inner, outer = abs(first - second), first + second
    distance = rng.uniform(inner + 0.01 * outer, 0.99 * outer, (count, 1))
    return direction / np.linalg.norm(direction, axis=-1, keepdims=True) * distance


def posed(joints: np.ndarray, kind: Hock, bend: float, angle: float = 0.0) -> np.ndarray:
    """(4, 3) the leg at rest, but with its end bone turned by `bend` about the hinge, and first its hock by `angle`."""
    hinge = np.cross(*sides(joints, kind))
    a, b, c = np.diff(joints, axis=0)
    turn = rotation_about(hinge, bend)
    c = rotation_about(hinge, angle) @ c
    return np.cumsum((np.zeros(3), a, turn @ b, turn @ c if kind == Hock.RIGID else c), axis=0)


def brute_force(joints: np.ndarray, kind: Hock, distance: float, angle: float) -> np.ndarray:
    """(4, 3) the leg whose tip is `distance` from the root, bent to the side of its rest pose: by bisection."""
    first, second = sides(joints, kind)
    hinge = np.cross(first, second)
    c = np.diff(joints, axis=0)[2]
    more = rotation_about(hinge, angle) @ c - c
    first, second = (first + more, second) if kind == Hock.PARALLEL else (first, second + more)
    bent = np.arctan2(hinge / np.linalg.norm(hinge) @ np.cross(first, second), first @ second)
    low, high = -bent, np.pi - bent
    for _ in range(60):
        middle = 0.5 * (low + high)
        if np.linalg.norm(posed(joints, kind, middle, angle)[3]) > distance:
            low = middle
        else:
            high = middle
    return posed(joints, kind, low, angle)


def apart(joints: np.ndarray) -> np.ndarray:
    """(..., 6) the distances of all joints from each other, which tell a pose but for where it turns as a whole."""
    return np.stack(
        [np.linalg.norm(joints[..., i, :] - joints[..., j, :], axis=-1) for i, j in combinations(range(4), 2)]
    )


@pytest.mark.once
@BOTH
@pytest.mark.parametrize("angle", [0.0, 0.4, -1.3])
def test_random_legs_are_posed_as_by_brute_force(kind: Hock, angle: float) -> None:
    """Bisection leaves nothing but rounding, which a triangle near straight or folded takes the root of: 1e-9."""
    rng = np.random.default_rng(1)
    for _ in range(15):
        joints = random_leg(rng, kind)
        leg = hock.leg(joints, X, kind, angle)
        inner, outer = abs(np.subtract(*leg.triangle.rest.lengths)), leg.triangle.rest.lengths.sum()
        direction = rng.normal(size=3)
        target = direction / np.linalg.norm(direction) * rng.uniform(inner + 0.01 * outer, 0.99 * outer)
        solution = hock.solve(leg, Goals(target=target))
        np.testing.assert_allclose(solution.joints[0, 3], target, atol=1e-12 * outer)
        expected = brute_force(joints, kind, float(np.linalg.norm(target)), angle)
        np.testing.assert_allclose(apart(solution.joints[0]), apart(expected), atol=1e-9)


@BOTH
def test_the_third_bone_turns_with_the_bone_it_should(kind: Hock) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        joints = random_leg(rng, kind)
        solution = hock.solve(hock.leg(joints, X, kind), Goals(target=targets(rng, joints, kind, 20)))
        with_bone = 0 if kind == Hock.PARALLEL else 1
        np.testing.assert_array_equal(solution.rotations[:, 2], solution.rotations[:, with_bone])
        links = np.einsum("nbij,bj->nbi", solution.rotations, np.diff(joints, axis=0))
        np.testing.assert_allclose(np.diff(solution.joints, axis=1), links, atol=ROUNDING * np.abs(joints).max())


def test_a_rigid_hock_is_the_chain_with_the_toe_as_tip() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        joints = random_leg(rng, Hock.RIGID)
        goals = Goals(target=targets(rng, joints, Hock.RIGID, 10), pole=rng.normal(size=3))
        chain = Chain(joints=joints[[0, 1, 3]], hinge_axis=X)
        expected, found = solve(chain, goals), hock.solve(hock.leg(joints, X, Hock.RIGID), goals)
        np.testing.assert_allclose(found.rotations[:, :2], expected.rotations, atol=ROUNDING)
        np.testing.assert_allclose(found.joints[:, [0, 1, 3]], expected.joints, atol=10 * ROUNDING)


@BOTH
def test_at_the_tip_of_the_rest_pose_no_bone_turns(kind: Hock) -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        joints = random_leg(rng, kind)
        solution = hock.solve(hock.leg(joints, X, kind), Goals(target=joints[3]))
        # Of a triangle bent by 10 degrees, an error of its sides comes back six times as large in its angles.
        np.testing.assert_allclose(solution.rotations[0], np.broadcast_to(np.eye(3), (3, 3, 3)), atol=1e-11)


@BOTH
def test_no_pose_of_such_a_leg_comes_closer_to_a_far_target(kind: Hock) -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        joints = random_leg(rng, kind)
        outer = np.linalg.norm(sides(joints, kind), axis=-1).sum()
        target = 1.5 * outer * np.array((0.6, 0.0, 0.8))
        solution = hock.solve(hock.leg(joints, X, kind), Goals(target=target))
        assert solution.triangle.status == Status.TOO_FAR
        miss = np.linalg.norm(solution.joints[0, 3] - target)
        with mpmath.workdps(40):
            first, second = (mpmath.norm([mpmath.mpf(float(x)) for x in side]) for side in sides(joints, kind))
            np.testing.assert_allclose(miss, float(mpmath.norm(list(map(float, target))) - first - second), rtol=1e-12)
        tips = np.einsum("nbij,bj->ni", random_pose(rng, 100), sides(joints, kind))
        assert (np.linalg.norm(tips - target, axis=-1) >= miss).all()


@BOTH
def test_a_hock_angle_turns_the_third_bone_about_the_hinge(kind: Hock) -> None:
    joints = random_leg(np.random.default_rng(6), kind)
    angle = np.linspace(-3.0, 3.0, 200)
    hinge = np.cross(*sides(joints, kind))
    solution = hock.solve(hock.leg(joints, X, kind, angle), Goals(target=np.tile(0.6 * joints[3], (200, 1))))
    with_bone = 0 if kind == Hock.PARALLEL else 1
    for row in range(200):
        turn = solution.rotations[row, with_bone] @ rotation_about(hinge, angle[row])
        np.testing.assert_allclose(solution.rotations[row, 2], turn, atol=ROUNDING)


def test_a_keyed_hock_angle_moves_the_leg_without_jumps() -> None:
    """Also where it makes the triangle straight at rest, and where the triangle would bend to the other side."""
    angle = np.linspace(0.0, 2.0 * np.pi, 2001)
    target = np.tile((0.0, 1.2, 0.2), (len(angle), 1))
    leg = hock.leg(np.vstack((HORSE[:3], (0.0, 3.2, 0.1))), X, Hock.PARALLEL, angle)
    rest = leg.links[0] + np.einsum("nij,j->ni", leg.hock_turn, leg.links[2])
    assert np.ptp(np.sign(np.cross(rest, leg.links[1])[:, 0])) == 2, "the triangle at rest changes its side"
    solution = hock.solve(leg, Goals(target=target))
    steps = np.linalg.norm(np.diff(solution.joints, axis=0), axis=-1).max()
    assert steps < 20 * (angle[1] - angle[0]), "a joint moves by a few units a radian, of a leg of 2.5 units"
    np.testing.assert_allclose(solution.joints[0], solution.joints[-1], atol=ROUNDING)


@given(st.integers(0, 2**32 - 1), st.sampled_from(Hock), st.sampled_from(Plane), st.booleans())
@settings(max_examples=60, deadline=None)
def test_whatever_a_leg_is_told_its_joints_are_its_bones(seed: int, kind: Hock, plane: Plane, posed: bool) -> None:
    rng = np.random.default_rng(seed)
    joints, angle = random_leg(rng, kind), rng.choice((0.0, 1.0)) * rng.uniform(-3, 3, 8)
    size = np.abs(np.diff(joints, axis=0)).sum()
    pose = np.stack([random_pose(rng, 8)[:, 0] for _ in range(3)], axis=1) if posed else None
    goals = Goals(target=size * rng.normal(size=(8, 3)), pole=size * rng.normal(size=(8, 3)))
    options = Options(
        plane=plane,
        bend=rng.choice(list(Bend)),
        reference=rng.choice(list(Reference)),
        unreachable=rng.choice(("CLAMP", "STRETCH", "HOLD")),
        influence=float(rng.choice((0.0, 0.3, 1.0))),
    )
    leg = hock.leg(joints, X, kind, angle)
    found = hock.solve(leg, goals, options, pose)
    np.testing.assert_allclose(
        found.rotations @ np.swapaxes(found.rotations, -1, -2), np.eye(3) + np.zeros((8, 3, 3, 3)), atol=1e-9
    )
    links = np.einsum("nbij,bj->nbi", found.rotations, np.diff(joints, axis=0))
    stretched = found.triangle.stretch[:, [0, 1, 0 if kind == Hock.PARALLEL else 1], None] * links
    np.testing.assert_allclose(np.diff(found.joints, axis=1), stretched, atol=1e-12 * size)
    if options.influence == 1.0 and options.unreachable != "HOLD":
        np.testing.assert_allclose(found.joints[:, 3], found.triangle.joints[:, 2], atol=1e-9 * size)


def test_without_influence_a_leg_keeps_its_pose() -> None:
    rng = np.random.default_rng(7)
    pose = np.array([[random_rotation(rng) for _ in range(3)] for _ in range(5)])
    leg = hock.leg(HORSE, X)
    found = hock.solve(leg, Goals(target=np.array((0.3, 1.5, 0.2))), Options(influence=0.0), pose)
    np.testing.assert_allclose(found.rotations, pose, atol=ROUNDING)
    assert (found.triangle.status == Status.REACHED).all()


@pytest.mark.parametrize(
    ("third", "shown"), [((0.0, 0.6, 0.2), True), ((0.0, 0.6, 1.6), False), ((0.0, 0.0, 0.0), True)]
)
def test_a_leg_says_if_its_rest_pose_shows_no_side(third: tuple[float, float, float], shown: bool) -> None:
    """A third bone that leans far forward makes the triangle bend against the knee."""
    joints = np.concatenate((HORSE[:3], HORSE[2:3] + third))
    assert bool(hock.leg(joints, X, Hock.RIGID).shows_side) == shown


def test_a_seventh_of_random_legs_bend_against_their_knees() -> None:
    rng = np.random.default_rng(8)
    joints = np.insert(np.cumsum(rng.normal(size=(4000, 3, 3)), axis=1), 0, 0.0, axis=1)
    knee = np.cross(joints[:, 1], joints[:, 2] - joints[:, 1])
    for kind in Hock:
        a, b, c = np.moveaxis(np.diff(joints, axis=1), 1, 0)
        normal = np.cross(a + c, b) if kind == Hock.PARALLEL else np.cross(a, b + c)
        against = np.sum(normal * knee, axis=-1) < 0.0
        leg = hock.leg(joints, np.broadcast_to(X, (4000, 3)), kind)
        assert not leg.shows_side[against].any()
        # Of 4,000 legs, three and a half standard deviations.
        assert against.mean() == pytest.approx(1 / 7, abs=0.02)


def test_a_leg_without_a_third_bone_is_a_limb_of_two() -> None:
    joints = np.concatenate((LEG.joints, LEG.joints[2:]))
    goals = Goals(target=np.array(((0.2, 1.1, 0.4), (0.0, 3.0, 0.0))))
    for kind in Hock:
        found = hock.solve(hock.leg(joints, X, kind), goals)
        np.testing.assert_array_equal(found.triangle.rotations, solve(LEG, goals).rotations)


def test_what_is_no_leg_is_refused() -> None:
    with pytest.raises(ValueError, match=r"joints must have the shape \(..., 4, 3\)"):
        hock.leg(HORSE[:3], X)
    with pytest.raises(ValueError, match="the root, the first of the joints, must be the origin"):
        hock.leg(HORSE + 1.0, X)
    with pytest.raises(ValueError, match="'CAMEL' is not a valid Hock: choose from RIGID, PARALLEL"):
        hock.leg(HORSE, X, "CAMEL")
