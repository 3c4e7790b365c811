"""Straight, folded, in line, on the root: where others flip, freeze or miss, the joints stay where geometry says.

Most tests are named after a way to get it wrong that was found in a system that does the same job. Frames that leave a
direction open, and what is too small or not a number, are told as they are and never keyed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake import markers
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
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
    return report, Limb().played(report.frames)


def steps(points: np.ndarray) -> np.ndarray:
    """(n - 1,) how far a point (n, 3) moves from frame to frame."""
    return np.linalg.norm(np.diff(points, axis=0), axis=-1)


@pytest.mark.parametrize(
    ("hinge_axis", "pole"),
    [("X", (0, 1, 1)), ("Z", (1, 0, 1)), ("NEG_X", (1, 0, 1)), ("NEG_Z", (0, 1, 1)), ("X", None), ("NEG_Z", None)],
    ids=str,
)
def test_a_straight_leg_along_world_up_bends(hinge_axis: str, pole) -> None:
    report, _ = baked(STRAIGHT, [(0, 0, 1.7), (0.1, 0, 1.2), (0, 0.5, 0.5)], pole=pole, hinge_axis=hinge_axis)
    assert report.reached
    assert not pole or Limb(pole="Pole").hits([1, 2, 3])[:, 1].max() < CLOSE
    for frame in (1, 2, 3):
        on_frame(frame)
        turn = bpy.data.objects["Rig"].pose.bones["lower"].rotation_quaternion
        axis = Vector([-1 if "NEG" in hinge_axis else 1 if name == hinge_axis[-1] else 0 for name in "XYZ"])
        assert abs(turn.axis.dot(axis)) == pytest.approx(1, abs=CLOSE)


def test_the_inner_end_of_the_annulus_counts_as_reached() -> None:
    """Not to the length of the upper bone; and the exact fold is no miss."""
    distances = (0.1, 0.3, 0.5, 0.6)
    report, joints = baked(UNEQUAL, [(d, 0, 0) for d in distances], pole=(0, 1, 0))
    assert list(report.status) == [Status.TOO_CLOSE, Status.TOO_CLOSE, Status.REACHED, Status.REACHED]
    np.testing.assert_allclose(joints[:, 2, 0], (0.5, 0.5, 0.5, 0.6), atol=CLOSE)
    np.testing.assert_allclose(report.miss, (0.4, 0.2, 0, 0), atol=CLOSE)


@pytest.mark.parametrize("aside", [0.0, 1e-4, 0.05])
def test_a_target_through_the_root_moves_no_joint_farther(aside: float) -> None:
    places = [(x, aside, 0) for x in np.linspace(0.5, -0.5, 41)]
    report, joints = baked(EQUAL, places, pole=(0, 0, 3))
    assert np.count_nonzero(report.status) <= 1
    moved = steps(np.array(places)).max()
    assert steps(joints[:, 2]).max() <= moved + CLOSE
    assert steps(joints[:, 1]).max() <= moved + CLOSE


@pytest.mark.parametrize("pole", [(3, 0.3, 0), (0, 0, 0)], ids=["in line on every frame", "on the root"])
def test_a_pole_that_never_says_anything_is_as_none(pole) -> None:
    places = [(d, 0.1 * d, 0) for d in (1.9, 1.5, 1.0, 0.5)]
    _, joints = baked(EQUAL, places, pole=pole)
    open_empty_file()
    _, without = baked(EQUAL, places)
    np.testing.assert_allclose(joints, without, atol=CLOSE)


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


PLACES = ((1.0, 0.2, 0.1), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.5, 0.2, 0.1))


def through_the_root(bones: tuple[Bone, ...] = EQUAL) -> api.Report:
    link = chain(armature(bones), "lower", target=PLACES[0])
    animate(link.target, location=dict(enumerate(PLACES, start=1)))
    return api.bake(link.id_data, frames=(1, 4))


def test_degenerate_frames_that_reach_count_as_reached() -> None:
    report = through_the_root()
    assert report.reached
    assert report.lines()[:2] == ["lower: 4 of 4 frames reached", "  degenerate on 2 frames (2-3), all reached"]
    np.testing.assert_allclose(Limb().played(range(1, 5))[:, 2], PLACES, atol=1e-5)
    (told,) = json.loads(report.to_json())["chains"]
    assert (told["status"], told["degenerate"]) == ([0, 0, 0, 0], [False, True, True, False])


def test_degenerate_frames_that_miss_count_as_missed() -> None:
    longer = (EQUAL[0], Bone("lower", (0.8, 0.6, 0), (2.4, -0.6, 0), "upper"))
    report = through_the_root(longer)
    assert not report.reached
    assert "  too close on 3 frames (2-4), by up to 1 m" in report.lines()
    assert "  degenerate on 2 frames (2-3), none reached" in report.lines()
    np.testing.assert_allclose(np.linalg.norm(Limb().played((2, 3))[:, 2], axis=-1), 1, atol=1e-5)


def test_of_an_older_report_the_miss_tells_what_reached() -> None:
    fields = json.loads(through_the_root().to_json())
    (told,) = fields["chains"]
    del told["degenerate"]
    told["status"], told["miss"] = [0, 3, 3, 1], [0.0, 0.0, 0.7, 0.2]
    (found,) = api.Report.from_dict(fields).chains
    assert list(found.status) == [Status.REACHED, Status.REACHED, Status.TOO_CLOSE, Status.TOO_FAR]
    assert list(found.degenerate) == [False, True, True, False]
    assert "  degenerate on 2 frames (2-3), 1 of them reached" in found.lines()


def test_markers_show_degenerate_frames_that_fall_short() -> None:
    link = arm(target=(0, 0, 1))
    report = api.check(link.id_data, frames=(1, 1))
    markers.replace(bpy.context.scene, report)
    assert [marker.name for marker in bpy.context.scene.timeline_markers] == ["Too Close: Rig, lower"]


def test_the_list_tells_a_folded_limb_on_the_root_reached() -> None:
    link = chain(armature(EQUAL), "lower", target=(0, 0, 0))
    bpy.context.view_layer.update()
    api.solve(link.id_data)
    bpy.context.view_layer.update()
    look = limb_states(link.id_data, bpy.context.scene, bpy.context.view_layer.depsgraph)
    assert look["lower"].state == "REACHED"


@pytest.mark.parametrize(("way", "limit"), [("bake", 0.0), ("bake", 0.7), ("solve", 1e-9), ("solve", 0.7)])
def test_equal_bend_limits_pose_limbs_of_all_lengths(way: str, limit: float) -> None:
    rng = np.random.default_rng(1)
    rig = armature([bone for index in range(16) for bone in random_arm(index, rng)])
    for index in range(16):
        bend = {"use_bend_limits": True, "bend_min": limit, "bend_max": limit}
        api.add_chain(rig, f"lower{index}", target=chain_target(), **bend)
    api.bake(rig, frames=(1, 2)) if way == "bake" else api.solve(rig)
    depsgraph = on_frame(1) if way == "bake" else bpy.context.evaluated_depsgraph_get()
    for index in range(16):
        root, mid, tip = Limb(root=f"upper{index}", end=f"lower{index}").joints(depsgraph)
        first, second = mid - root, tip - mid
        angle = np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second)
        assert angle == pytest.approx(limit, abs=1e-3)


def random_arm(index: int, rng: np.random.Generator) -> tuple[Bone, Bone]:
    root, first, second = np.array((0.0, 3.0 * index, 0.0)), *rng.normal(size=(2, 3))
    head, mid, tail = (tuple(point.tolist()) for point in (root, root + first, root + first + second))
    return Bone(f"upper{index}", head, mid), Bone(f"lower{index}", mid, tail, f"upper{index}")


def chain_target() -> bpy.types.Object:
    return bpy.data.objects.get("Target") or bpy.data.objects.new("Target", None)


def test_a_rig_scaled_to_next_to_nothing_bakes_as_one_of_no_size() -> None:
    link = arm(target=(0.5, 0.6, 1.3))
    link.id_data.scale = (1e-30,) * 3
    link.id_data.pose.bones["spine"].scale = (1e-35,) * 3
    report = api.bake(link.id_data, frames=(1, 2))
    assert report.chains[0].degenerate.all()
    assert np.isfinite(report.chains[0].miss).all()
    np.testing.assert_allclose(Limb().played((1, 2)), 0, atol=1e-20)
