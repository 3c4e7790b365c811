"""The pose from which orientations are carried, and the axis about which a chain bends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solver import HingeAxis
from solver import reference as reference_pose
from support.limbs import LEG, STRAIGHT, X, lengths, limb, random_limb, solved, total_length


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
