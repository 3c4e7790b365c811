"""What the overlay shows of planted feet is where ball and heel of the evaluated character are, frame by frame."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import foot_paths
from bl_ext.user_default.two_bone_ik.blender.status.foot_marks import FootLines, foot_lines, foot_marks
from bpy.types import Object
from mathutils import Matrix

from support.truth import on_frame, save_and_load
from support.walker import Shown, captured, shown, walker

COUNT = 61
CLOSE = 2e-6
"""Metres: single precision."""
PLACED = Matrix.Translation((3.0, -1.0, 0.5)) @ Matrix.Rotation(0.7, 4, "Z")


@pytest.fixture
def rig() -> Object:
    found = walker(captured("walk", 2.0), to_world=PLACED)
    api.plant(found)
    bpy.context.view_layer.objects.active = found
    return found


def lines(rig: Object) -> FootLines:
    return foot_lines(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def stands() -> np.ndarray:
    """(n, 2, 2) whether ball and heel of each foot stand, by the contacts that were planted."""
    found = np.zeros((COUNT, 2, 2), dtype=bool)
    for contact in api.contacts(bpy.context.object):
        rows = slice(int(contact.start) - 1, int(contact.end))
        found[rows, "LR".index(contact.chain[-1]), ("toe", "heel").index(contact.bone.partition(".")[0])] = True
    return found


def assert_marked(truth: Shown, wanted: np.ndarray) -> None:
    for frame in range(1, COUNT + 1):
        depsgraph = on_frame(frame)
        marks = foot_marks(bpy.context.object, bpy.context.scene, depsgraph)
        places = np.array([mark.place for mark in marks]).reshape(2, 2, 3)
        np.testing.assert_allclose(places, truth.points[frame - 1], atol=CLOSE)
        assert [mark.stands for mark in marks] == wanted[frame - 1].ravel().tolist()


def test_marks_are_where_ball_and_heel_are_evaluated(rig: Object) -> None:
    truth, wanted = shown(rig, COUNT), stands()
    assert 0.3 < wanted.mean() < 0.9
    assert_marked(truth, wanted)


def test_a_file_opened_again_shows_the_same_marks(rig: Object) -> None:
    truth, wanted = shown(rig, COUNT), stands()
    save_and_load()
    assert_marked(truth, wanted)
    moved = np.linalg.norm(np.diff(shown(bpy.context.object, COUNT).points, axis=0), axis=-1)
    assert moved[wanted[1:] & wanted[:-1]].max() < 1e-5, "each point that stands stays, frame by frame"


def test_a_mark_is_a_circle_that_lies_flat(rig: Object) -> None:
    mark = foot_marks(rig, bpy.context.scene, on_frame(7))[0]
    offsets = np.array(mark.line) - mark.place
    np.testing.assert_allclose(np.linalg.norm(offsets, axis=-1), mark.radius)
    np.testing.assert_allclose(offsets[:, 2], 0.0)
    assert 0.01 < mark.radius < 0.1


def test_paths_are_those_of_the_planted_and_captured_foot(rig: Object) -> None:
    assert lines(rig) == ((), (), ())
    bpy.ops.two_bone_ik.foot_paths()
    planted = shown(rig, COUNT).points
    found = lines(rig)
    bones = list(foot_paths.paths(rig).planted)
    assert bones == ["shin.L", "shin.R"]
    np.testing.assert_allclose(np.array(found.planted), np.moveaxis(planted, 0, 2).reshape(4, COUNT, 3), atol=CLOSE)
    action = versions.played(rig)[0]
    rig.animation_data.action = action.two_bone_ik_source
    assert lines(rig) == ((), (), ()), "another action plays"
    before = shown(rig, COUNT).points
    np.testing.assert_allclose(np.array(found.captured), np.moveaxis(before, 0, 2).reshape(4, COUNT, 3), atol=CLOSE)
    assert np.abs(before - planted).max() > 0.005


def test_footprints_are_where_points_stand(rig: Object) -> None:
    bpy.ops.two_bone_ik.foot_paths()
    points, wanted = shown(rig, COUNT).points, stands()
    centers = np.array([np.mean(line[:-1], axis=0) for line in lines(rig).prints])
    near = np.linalg.norm(centers[:, None] - points[wanted][None], axis=-1)
    assert near.min(axis=0).max() < 1e-5, "each point that stands has a print"
    assert near.min(axis=1).max() < 1e-5, "each print has a point that stands there"


def test_paths_go_with_the_keys_that_they_are_of(rig: Object) -> None:
    bpy.ops.two_bone_ik.foot_paths()
    for frame in range(1, COUNT + 1):
        on_frame(frame)
        assert lines(rig).planted
    hips = next(curve for curve in versions.curves(rig) if curve.data_path.endswith(".location"))
    hips.keyframe_points[8].co.y += 0.01
    hips.update()
    on_frame(9)
    assert lines(rig) == ((), (), ())


def test_a_second_press_hides_the_paths(rig: Object) -> None:
    for shows in (True, False, True):
        bpy.ops.two_bone_ik.foot_paths()
        assert bool(foot_paths.paths(rig)) is shows
    api.plant(rig)
    assert foot_paths.paths(rig) is None


def test_contacts_that_no_press_has_planted_have_no_marks() -> None:
    rig = walker(captured("walk", 2.0))
    rig.pose.bones["shin.L"].two_bone_ik_contact = "BALL"
    rig.pose.bones["shin.L"].keyframe_insert("two_bone_ik_contact", frame=1)
    assert foot_marks(rig, bpy.context.scene, on_frame(1)) == []


def test_marks_go_along_with_renamed_bones(rig: Object) -> None:
    truth, wanted = shown(rig, COUNT), stands()
    rig.data.bones["toe.L"].name = "Zeh.L"
    rig.data.bones["shin.L"].name = "Bein.L"
    on_frame(2)
    marks = foot_marks(rig, bpy.context.scene, on_frame(7))
    assert [mark.stands for mark in marks] == wanted[6].ravel().tolist()
    np.testing.assert_allclose([mark.place for mark in marks], truth.points[6].reshape(4, 3), atol=CLOSE)
