"""A rest pose that is all but straight tells no side against a hinge axis that was chosen."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Bend, Reference
from support.limbs import X, limb, solved

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
