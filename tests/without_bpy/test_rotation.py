"""Rotations as quaternions, Eulers, axis and angle, without needless jumps; the pose from which they are carried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from math import pi

import numpy as np
import pytest

from solver import HingeAxis, reference_pose, rotation
from support.limbs import LEG, STRAIGHT, X, lengths, limb, random_limb, solved, total_length
from support.oracles import random_rotation, rotation_about

ORDERS = ["".join(axes) for axes in permutations("XYZ")]
TURNS = np.linspace(0, 6 * pi, 400)


def euler_matrix(angles: np.ndarray, order: str) -> np.ndarray:
    """Rotations about the fixed axes, one after the other."""
    result = np.eye(3)
    for axis in order:
        result = rotation_about(np.eye(3)["XYZ".index(axis)], angles["XYZ".index(axis)]) @ result
    return result


def quaternion_matrix(quaternion: np.ndarray) -> np.ndarray:
    w, *vector = quaternion
    angle = 2 * np.arctan2(np.linalg.norm(vector), w)
    return rotation_about(np.array(vector), angle) if np.any(vector) else np.eye(3)


def random_rotations(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([random_rotation(rng) for _ in range(count)])


def half_turns() -> np.ndarray:
    """Where a quaternion's real part is zero, and none of the others need be large."""
    axes = [*np.eye(3), *-np.eye(3), (1, 1, 0), (1, -1, 1), (1e-9, 1, 1e-3)]
    return np.array([rotation_about(np.array(axis, dtype=float), pi) for axis in axes])


def tumbling() -> np.ndarray:
    """A smooth motion of several turns about a moving axis."""
    axes = np.stack((np.sin(0.3 * TURNS), np.cos(0.2 * TURNS), 0.5 * np.ones_like(TURNS)), axis=-1)
    return np.array([rotation_about(axis, angle) for axis, angle in zip(axes, TURNS, strict=True)])


def _rounded(matrices: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """As by keys, which are in single precision."""
    noise = rng.normal(scale=1e-7, size=(len(matrices), 3))
    return np.array([rotation_about(v, np.linalg.norm(v)) @ m for v, m in zip(noise, matrices, strict=True)])


MODES = {
    "QUATERNION": (rotation.quaternions, quaternion_matrix, rotation.from_quaternions),
    "AXIS_ANGLE": (rotation.axis_angles, lambda one: rotation_about(one[1:], one[0]), rotation.from_axis_angles),
} | {
    order: (
        partial(rotation.eulers, order=order),
        partial(euler_matrix, order=order),
        partial(rotation.from_eulers, order=order),
    )
    for order in ORDERS
}


@pytest.mark.parametrize("mode", MODES)
def test_values_in_each_mode_are_the_same_rotation(mode: str) -> None:
    values_of, matrix, back = MODES[mode]
    matrices = np.concatenate((random_rotations(500), half_turns(), tumbling(), np.eye(3)[None]))
    found = values_of(matrices)
    close = {"QUATERNION": 1e-14, "AXIS_ANGLE": 1e-12}.get(mode, 1e-13)
    np.testing.assert_allclose([matrix(one) for one in found], matrices, atol=close)
    np.testing.assert_allclose(back(found), matrices, atol=close)
    if mode == "QUATERNION":
        np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1, atol=1e-15)


class TestQuaternions:
    def test_quaternions_keep_the_sign_of_the_key_before(self) -> None:
        """So that Blender's interpolation takes the short way."""
        for sign in (1, -1):
            before = sign * np.array((1.0, 0.0, 0.0, 0.0))
            found = rotation.quaternions(tumbling(), before)
            ahead = np.concatenate((before[None], found[:-1]))
            assert (np.sum(found * ahead, axis=-1) > 0.99).all()
        assert (found[:, 0] < 0).any()
        assert (found[:, 0] > 0).any()


@pytest.mark.parametrize("order", MODES)
@pytest.mark.parametrize("has_before", [False, True])
def test_bones_side_by_side_turn_as_each_alone(order: str, has_before: bool) -> None:
    values = MODES[order][0]
    still = np.broadcast_to(np.eye(3), (400, 3, 3))
    bones = np.stack((tumbling(), random_rotations(400), still, tumbling()[::-1]), axis=1)
    before = np.random.default_rng(1).normal(size=(4, 3 if order in ORDERS else 4))
    together = values(bones, before=before if has_before else None)
    for row, start in enumerate(before):
        np.testing.assert_array_equal(together[:, row], values(bones[:, row], before=start if has_before else None))


class TestEulers:
    @pytest.mark.parametrize("order", ORDERS)
    def test_they_are_the_rotation_in_gimbal_lock_too(self, order: str) -> None:
        rng = np.random.default_rng(1)
        angles = rng.uniform(-pi, pi, (50, 3))
        angles[:, "XYZ".index(order[1])] = pi / 2 * np.where(np.arange(50) % 2, 1, -1)
        angles[:, "XYZ".index(order[1])] += np.tile((0, 1e-9, 1e-5, 0, -1e-12), 10)
        matrices = np.array([euler_matrix(one, order) for one in angles])
        found = rotation.eulers(matrices, order)
        # Below 1e-7 the outer angles are taken for one.
        np.testing.assert_allclose([euler_matrix(one, order) for one in found], matrices, atol=3e-7)

    @pytest.mark.parametrize("order", ORDERS)
    def test_a_smooth_motion_has_smooth_angles(self, order: str) -> None:
        """Through several turns, wound on without limit, as long as it keeps away from gimbal lock."""
        middle = "XYZ".index(order[1])
        angles = np.stack((TURNS, -1.3 * TURNS, 0.7 * TURNS + 2), axis=-1)
        angles[:, middle] = 1.2 * np.sin(TURNS)
        matrices = np.array([euler_matrix(one, order) for one in angles])
        np.testing.assert_allclose(rotation.eulers(matrices, order, before=angles[0]), angles, atol=1e-9)

    @pytest.mark.parametrize("order", ORDERS)
    def test_rounding_does_not_choose_the_way_of_half_a_turn(self, order: str) -> None:
        """From rest about the axes, and from any rotation about any axis, and back."""
        rng = np.random.default_rng(2)
        cases = [(np.eye(3), axis) for axis in (*np.eye(3), *-np.eye(3))]
        for still, axis in (*cases, *((random_rotation(rng), rng.normal(size=3)) for _ in range(8))):
            turn = rotation_about(axis, pi) @ still
            found = [rotation.eulers(_rounded((turn, still, turn, still), rng), order) for _ in range(30)]
            np.testing.assert_allclose(found, [found[0]] * 30, atol=1e-5)

    def test_they_go_on_from_the_key_before(self) -> None:
        angles = np.array(((0.1, 0.2, 0.3), (0.2, 0.2, 0.3)))
        for before in (angles[0] + (0, 2 * pi, -4 * pi), (0.1 + pi, pi - 0.2, 0.3 - pi)):
            found = rotation.eulers(np.array([euler_matrix(one, "XYZ") for one in angles]), "XYZ", np.array(before))
            np.testing.assert_allclose(found[0], before, atol=1e-12)
            assert np.abs(np.diff(found, axis=0)).max() < 0.1001

    def test_through_gimbal_lock_they_do_not_turn_about(self) -> None:
        """The outer two angles jump by half a turn each if the middle one is kept from going on past a right angle."""
        angles = np.stack((0.3 + 0 * TURNS, TURNS, 0.5 + 0 * TURNS), axis=-1)
        matrices = np.array([euler_matrix(one, "XYZ") for one in angles])
        np.testing.assert_allclose(rotation.eulers(matrices, "XYZ", before=angles[0]), angles, atol=1e-6)


class TestAxisAngles:
    def test_a_wheel_turns_on_about_one_axis(self) -> None:
        matrices = np.array([rotation_about((0, 0.6, 0.8), angle) for angle in TURNS])
        for sign in (1, -1):
            before = np.array((0, 0, 0.6 * sign, 0.8 * sign))
            found = rotation.axis_angles(matrices, before)
            np.testing.assert_allclose(found[:, 0], sign * TURNS, atol=1e-9)
            np.testing.assert_allclose(found[:, 1:], np.broadcast_to(before[1:], (400, 3)), atol=1e-7)

    def test_no_rotation_keeps_the_axis(self) -> None:
        matrices = np.array([np.eye(3), rotation_about((1, 0, 0), 0.5), np.eye(3)])
        found = rotation.axis_angles(matrices, np.array((0.0, 0.0, 0.0, 0.0)))
        np.testing.assert_allclose(found, ((0, 1, 0, 0), (0.5, 1, 0, 0), (0, 1, 0, 0)), atol=1e-15)
        np.testing.assert_allclose(rotation.axis_angles(np.eye(3)[None]), ((0, 0, 1, 0),))

    def test_an_axis_of_any_length_is_one(self) -> None:
        values = np.array(((0.5, 0, 3, 0), (0.5, 0, 0, 0)))
        found = rotation.from_axis_angles(values)
        np.testing.assert_allclose(found, [rotation_about((0, 1, 0), 0.5), np.eye(3)], atol=1e-15)


class TestBlend:
    @pytest.mark.parametrize("factor", [0.0, 0.2, 0.5, 1.0])
    def test_it_turns_by_part_of_the_angle_about_the_axis_between(self, factor: float) -> None:
        rng = np.random.default_rng(2)
        for angle in (0.0, 1e-13, 1e-6, 1.0, 3.0, pi - 1e-9):
            start, axis = random_rotation(rng), rng.normal(size=3)
            end = start @ rotation_about(axis, angle)
            found = rotation.blend(start, end, factor)
            np.testing.assert_allclose(found, start @ rotation_about(axis, factor * angle), atol=1e-8)

    def test_it_broadcasts(self) -> None:
        many = random_rotations(4).reshape(2, 2, 3, 3)
        assert rotation.blend(np.eye(3), many, 0.5).shape == (2, 2, 3, 3)
        assert rotation.blend(many, many[0], 0.5).shape == (2, 2, 3, 3)


@pytest.mark.parametrize("rounding", [-1e-8, 1e-8])
def test_after_half_a_turn_rounding_does_not_choose_the_sign(rounding: float) -> None:
    """Keys that are read back in single precision are off by as much, and a second bake would turn the other way."""
    still = np.array((0.6, 0.0, 0.8, 0.0))
    half = rotation.quaternions(rotation_about(np.array((0.0, 0.6, 0.8)), pi)[None])[0]
    across = still - still @ half * half
    before = across / np.linalg.norm(across) + rounding * half
    after = rotation.quaternions(rotation_about(np.array((0.0, 0.6, 0.8)), pi)[None], before)[0]
    np.testing.assert_array_equal(after, half)


class TestHingeAxis:
    def test_a_straight_rest_chain_bends(self) -> None:
        """Unity's leg along world up stays straight; so does one under Blender's constraint."""
        for direction in (X, -X, *np.eye(3)[1:], -np.eye(3)[2], np.array((1.0, 2.0, 3.0))):
            chain = limb(direction, 1.8 * direction, np.roll(direction, 1) + 0.1)
            solution = solved(chain, 1.2 * direction)
            assert solution.hinge_angle[0] > 1
            np.testing.assert_allclose(solution.miss, 0, atol=1e-14 * total_length(chain))

    def test_a_straight_chain_bends_about_the_axis_given(self) -> None:
        solution = solved(STRAIGHT, (0, 1, 0))
        np.testing.assert_allclose(solution.hinge, [X], atol=1e-15)
        np.testing.assert_allclose(np.sign(solution.joints[0, 1]), (0, 1, -1), atol=1e-12)

    def test_a_bent_chain_keeps_its_plane_unless_an_axis_is_given(self) -> None:
        for use, hinge in ((False, X), (True, (0, 0, 1))):
            chain = replace(LEG, hinge_axis=np.array((0.0, 0.0, 1.0)), use_hinge_axis=use)
            solution = solved(chain, chain.joints[2] * 0.8)
            np.testing.assert_allclose(np.abs(solution.hinge @ hinge), 1, atol=1e-2)

    def test_an_axis_along_the_chain_is_replaced(self) -> None:
        for axis in ((0, 1, 0), (0, 0, 0)):
            solution = solved(replace(STRAIGHT, hinge_axis=np.array(axis, dtype=float)), (0, 1, 0))
            np.testing.assert_allclose(solution.miss, 0, atol=1e-14)

    def test_its_words_are_those_of_the_chains_property(self) -> None:
        assert [*HingeAxis] == ["AUTO", "X", "Z", "NEG_X", "NEG_Z"]


def test_a_folded_rest_chain_is_aimed_by_its_root_bone() -> None:
    """Rounding decides where its tip lies seen from the root; that must not decide how it bends."""
    for noise in (0, 1e-12 * X, -1e-9 * np.ones(3)):
        solution = solved(limb((0, 1, 0), np.zeros(3) + noise), (0, 1.2, 0))
        np.testing.assert_allclose(np.abs(solution.hinge), [X], atol=1e-6)


def test_the_reference_pose_tells_its_reach_and_its_angle() -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        chain = random_limb(rng)
        rest = reference_pose.rest(chain)
        np.testing.assert_allclose(rest.joints, chain.joints, atol=1e-14)
        np.testing.assert_allclose(rest.reach, np.linalg.norm(chain.joints[2]), atol=1e-14)
        first, second = lengths(chain)
        cosine = (rest.reach**2 - first**2 - second**2) / (2 * first * second)
        np.testing.assert_allclose(rest.hinge_angle, np.arccos(cosine), atol=1e-9)
