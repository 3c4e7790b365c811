"""What the overlay shows of planted feet is where ball and heel of the evaluated character are, frame by frame."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.foot_marks import foot_marks
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
