"""Straight, folded, in line, on the root: where others flip, freeze or miss, the joints stay where geometry says.

Most tests are named after a way to get it wrong that was found in a system that does the same job.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.solver.values import Status
from mathutils import Vector

from support.empty_file import open_empty_file
from support.rigs import STRAIGHT, Bone, animate, arm, armature, chain
from support.truth import Limb, on_frame

CLOSE = 1e-5
EQUAL = (Bone("upper", (0, 0, 0), (0.8, 0.6, 0)), Bone("lower", (0.8, 0.6, 0), (1.6, 0, 0), "upper"))
UNEQUAL = (Bone("upper", (0, 0, 0), (1, 0, 0)), Bone("lower", (1, 0, 0), (1, 1.5, 0), "upper"))
"""Lengths 1 and 1.5."""


def baked(
    bones: Sequence[Bone], places: Sequence, *, pole=None, **fields: object
) -> tuple[api.ChainReport, np.ndarray]:
    """The report of a chain whose target goes through these places, one a frame, and (n, 3, 3) the joints it gets."""
    rig = armature(bones)
    link = chain(rig, "lower", target=places[0], pole=pole, **fields)
    animate(link.target, location=dict(enumerate(places, start=1)))
    (report,) = api.bake(rig, frames=(1, len(places))).chains
    return report, np.array([Limb().joints(on_frame(frame)) for frame in report.frames])


def steps(points: np.ndarray) -> np.ndarray:
    """(n - 1,) how far a point (n, 3) moves from frame to frame."""
    return np.linalg.norm(np.diff(points, axis=0), axis=-1)


@pytest.mark.parametrize("pole", [(0, 1, 1), (1, 0, 1), None])
@pytest.mark.parametrize("hinge_axis", ["X", "Z", "NEG_X", "NEG_Z"])
def test_a_straight_leg_along_world_up_bends(hinge_axis: str, pole) -> None:
    report, _ = baked(STRAIGHT, [(0, 0, 1.7), (0.1, 0, 1.2), (0, 0.5, 0.5)], pole=pole, hinge_axis=hinge_axis)
    assert report.reached
    assert Limb(pole="Pole" if pole else "").hits([1, 2, 3])[:, 1].max() < CLOSE if pole else True
    for frame in (1, 2, 3):
        on_frame(frame)
        turn = bpy.data.objects["Rig"].pose.bones["lower"].rotation_quaternion
        axis = Vector([-1 if "NEG" in hinge_axis else 1 if name == hinge_axis[-1] else 0 for name in "XYZ"])
        assert abs(turn.axis.dot(axis)) == pytest.approx(1, abs=CLOSE)


def test_an_elbow_beyond_the_root_is_not_clamped_to_it() -> None:
    """Lengths 1 and 1.5 at a distance of 0.8: the elbow's projection on the line to the target is negative."""
    report, joints = baked(UNEQUAL, [(0.8, 0, 0)], pole=(0, 1, 0))
    assert report.reached
    assert joints[0, 1, 0] < 0
    assert Limb(pole="Pole").misses([1]).max() < CLOSE


def test_the_inner_end_of_the_annulus_counts_as_reached() -> None:
    """Not to the length of the upper bone; and the exact fold is no miss."""
    distances = (0.1, 0.3, 0.5, 0.6)
    report, joints = baked(UNEQUAL, [(d, 0, 0) for d in distances], pole=(0, 1, 0))
    assert list(report.status) == [Status.TOO_CLOSE, Status.TOO_CLOSE, Status.REACHED, Status.REACHED]
    np.testing.assert_allclose(joints[:, 2, 0], (0.5, 0.5, 0.5, 0.6), atol=CLOSE)
    np.testing.assert_allclose(report.miss, (0.4, 0.2, 0, 0), atol=CLOSE)


def test_the_pole_counts_down_to_the_smallest_knee_angle() -> None:
    """Dropped below a knee angle of some degrees, it lets the knee pop in."""
    angles = np.radians((10, 8, 7, 5, 3, 2, 1))
    distances = np.sqrt(1 + 0.8**2 + 2 * 0.8 * np.cos(angles))
    _, joints = baked(STRAIGHT, [(0, 0, distance) for distance in distances], pole=(0.7, 0.7, 0.5))
    sideways = joints[:, 1, :2]
    np.testing.assert_allclose(sideways[:, 0], sideways[:, 1], atol=CLOSE)
    np.testing.assert_allclose(np.linalg.norm(sideways, axis=-1), 0.8 * np.sin(angles) / distances, atol=1e-4)


def test_a_target_on_the_root_leaves_no_stale_pose() -> None:
    places = [(1.2, 0.5, 0.3), (0.4, 0.2, 0.1), (0, 0, 0), (0, 0, 0), (0.4, 0.2, 0.1), (1.2, 0.5, 0.3)]
    for pole in ((0, 1, 1), None):
        report, joints = baked(EQUAL, places, pole=pole)
        assert report.reached
        assert list(report.degenerate) == [False, False, True, True, False, False]
        np.testing.assert_allclose(joints[4:], joints[1::-1], atol=CLOSE)
        np.testing.assert_allclose(joints[2:4, 2], 0, atol=CLOSE)
        assert Limb(pole="Pole" if pole else "").misses([1, 2, 5, 6]).max() < CLOSE
        open_empty_file()


@pytest.mark.parametrize("aside", [0.0, 1e-4, 0.05])
def test_a_target_through_the_root_moves_no_joint_farther(aside: float) -> None:
    places = [(x, aside, 0) for x in np.linspace(0.5, -0.5, 41)]
    report, joints = baked(EQUAL, places, pole=(0, 0, 3))
    assert np.count_nonzero(report.status) <= 1
    moved = steps(np.array(places)).max()
    assert steps(joints[:, 2]).max() <= moved + CLOSE
    assert steps(joints[:, 1]).max() <= moved + CLOSE


@pytest.mark.parametrize("pole", [(0, 0, 3), None])
def test_the_elbow_leaves_full_reach_as_the_root_of_the_way(pole) -> None:
    out = np.linspace(1.9, 2.1, 41)
    places = [(d, 0.1 * d, 0) for d in (*out, *out[::-1])]
    report, joints = baked(EQUAL, places, pole=pole)
    assert set(report.status) == {Status.REACHED, Status.TOO_FAR}
    moved = steps(np.array(places)).max()
    assert steps(joints[:, 2]).max() <= moved + CLOSE
    # By Pythagoras the elbow of bones of length 1 is √(2 ε) off the line when ε is missing to full reach.
    assert steps(joints[:, 1]).max() <= np.sqrt(2 * moved)
    np.testing.assert_allclose(joints, joints[::-1], atol=1e-3)  # as √ turns the last digit of float32 into 3e-4


@pytest.mark.parametrize("pole", [(0, 0, 3), None])
def test_a_far_target_swings_the_chain_no_farther_than_itself(pole) -> None:
    places = [(3 * np.cos(t), 3 * np.sin(t), 0.5) for t in np.linspace(0, 6.0, 61)]
    report, joints = baked(EQUAL, places, pole=pole)
    assert set(report.status) == {Status.TOO_FAR}
    moved = steps(np.array(places)).max()
    assert steps(joints[:, 2]).max() <= moved
    assert steps(joints[:, 1]).max() <= moved


def test_a_target_in_line_with_the_pole_keeps_the_plane() -> None:
    """Three answers in three builds of one library, NaN among them."""
    to_line = [(1.5 * np.sin(t), 1.5 * np.cos(t), 0) for t in np.linspace(0.5, 0, 11)]
    along = [(0, d, 0) for d in np.linspace(1.5, 0.8, 11)]
    back = [(0.8 * np.sin(t), 0.8 * np.cos(t), 0) for t in np.linspace(0, 0.5, 11)]
    report, joints = baked(EQUAL, [*to_line, *along, *back], pole=(0, 3, 0))
    assert report.reached
    moved = steps(np.array([*to_line, *along, *back])).max()
    assert steps(joints[:, 1]).max() <= 1.5 * moved
    assert np.isfinite(joints).all()


@pytest.mark.parametrize("pole", [(3, 0.3, 0), (0, 0, 0)], ids=["in line on every frame", "on the root"])
def test_a_pole_that_never_says_anything_is_as_none(pole) -> None:
    places = [(d, 0.1 * d, 0) for d in (1.9, 1.5, 1.0, 0.5)]
    _, joints = baked(EQUAL, places, pole=pole)
    open_empty_file()
    _, without = baked(EQUAL, places)
    np.testing.assert_allclose(joints, without, atol=CLOSE)


def test_a_target_behind_the_rest_pose_keeps_the_plane() -> None:
    """The shortest swing onto the opposite direction is not unique."""
    places = [(1.5 * np.cos(t), 0, 1.5 * np.sin(t)) for t in np.linspace(np.pi / 2, 3 * np.pi / 2, 41)]
    _, joints = baked(EQUAL, places)
    assert np.isfinite(joints).all()
    assert steps(joints[:, 1])[:19].max() <= 2 * steps(np.array(places)).max()


@pytest.mark.parametrize("bone", ["spine", "upper", "lower"])
def test_beside_a_bone_scaled_to_nothing_the_rest_points(bone: str) -> None:
    link = arm(target=(0.5, 0.6, 1.3), pole=(1, 3, 1))
    link.id_data.pose.bones[bone].scale = (0, 0, 0)
    (report,) = api.bake(link.id_data, frames=(1, 2)).chains
    assert report.degenerate.all()
    root, _, tip = Limb().joints(on_frame(1))
    aim = Vector((0.5, 0.6, 1.3)) - Vector(root)
    np.testing.assert_allclose(aim.cross(Vector(tip - root)), 0, atol=CLOSE)


def test_a_rig_scaled_to_nothing_is_baked_where_it_shows() -> None:
    link = arm(target=(0.5, 0.6, 1.3), pole=(1, 3, 1))
    animate(link.id_data, scale={1: (0, 0, 0), 2: (0, 0, 0), 3: (1, 1, 1)})
    (report,) = api.bake(link.id_data, frames=(1, 4)).chains
    assert list(report.degenerate) == [True, True, False, False]
    assert Limb(pole="Pole").misses([3, 4]).max() < CLOSE
