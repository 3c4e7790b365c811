"""Contacts are keys on the end bone: Blender evaluates them as they are read, and what is written is read again."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.curves import write
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import FCurve, Object

from support import rigs
from support.truth import on_frame, save_and_load

BONE = 'pose.bones["lower"]'
POINTS = {"NONE": (False, False), "BALL": (True, False), "HEEL": (False, True), "BOTH": (True, True)}


def keyed(words: dict[float, str]) -> Object:
    """An armature whose end bone has these words by hand, as the dot in the panel keys them."""
    rig = rigs.armature()
    rigs.animate(rig.pose.bones["lower"], two_bone_ik_contact=words)
    return rig


def curve(rig: Object) -> FCurve:
    return next(curve for curve in versions.curves(rig) if curve.data_path.endswith("contact"))


def evaluated(rig: Object, frames: np.ndarray) -> np.ndarray:
    """(n, 2) which points stand as Blender evaluates the bone on each frame."""
    words = [rig.evaluated_get(on_frame(frame)).pose.bones["lower"].two_bone_ik_contact for frame in frames.tolist()]
    return np.array([POINTS[word] for word in words])


def read(rig: Object, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    row = contact_keys.row_of(rig, BONE)
    return contact_keys.standing(row, frames) if row else None


def written(rig: Object, frames: np.ndarray, stands: np.ndarray) -> None:
    channel = contact_keys.channel(BONE, frames, stands @ (1, 2))
    write.keys(rig, [channel], span=(frames[0], frames[-1]), style=contact_keys.STYLE)


@pytest.mark.parametrize("interpolation", ["CONSTANT", "BEZIER"])
def test_contacts_are_read_as_blender_evaluates_them(interpolation: str) -> None:
    rig = keyed({3: "BOTH", 7: "HEEL", 9.5: "BALL", 12: "NONE", 20: "BOTH"})
    for key in curve(rig).keyframe_points:
        key.interpolation = interpolation
    frames = np.arange(0.0, 25.0, 0.5)
    stands, said = read(rig, frames)
    np.testing.assert_array_equal(stands, evaluated(rig, frames))
    np.testing.assert_array_equal(said, (frames >= 3) & (frames <= 20))


@pytest.mark.parametrize("interpolation", ["CONSTANT", "BEZIER"])
@pytest.mark.parametrize("frame", [1.0, 3.0, 8.0, 9.5, 30.0])
def test_one_more_key_is_as_if_keyed_by_hand(interpolation: str, frame: float) -> None:
    rig = keyed({3: "BOTH", 7: "HEEL", 9.5: "BALL", 12: "NONE", 20: "BOTH"})
    for key in curve(rig).keyframe_points:
        key.interpolation = interpolation
    more = contact_keys.channel(BONE, np.array([frame]), np.array([2]))
    row = contact_keys.Row.of(curve(rig)).with_key(more)
    rigs.animate(rig.pose.bones["lower"], two_bone_ik_contact={frame: "HEEL"})
    frames = np.arange(0.0, 40.0)
    stands, said = contact_keys.standing(row, frames)
    np.testing.assert_array_equal(stands, evaluated(rig, frames))
    np.testing.assert_array_equal(said, (frames >= min(frame, 3.0)) & (frames <= max(frame, 20.0)))


def test_a_contact_keyed_by_hand_is_constant() -> None:
    rig = keyed({3: "BOTH", 9: "NONE"})
    frames = np.arange(3.0, 10.0, 0.25)
    np.testing.assert_array_equal(evaluated(rig, frames)[:, 0], frames < 9)


@pytest.mark.parametrize(
    ("first", "last", "mute"), [(1, 2, False), (21, 30, False), (1, 25, True)], ids=["before", "after", "muted"]
)
def test_nothing_is_said_outside_of_keys_that_play(first: int, last: int, mute: bool) -> None:
    rig = keyed({3: "BOTH", 20: "BALL"})
    curve(rig).mute = mute
    assert read(rig, np.arange(first, last + 1.0)) is None


def test_written_contacts_play_as_they_were_found() -> None:
    rig = rigs.armature()
    frames = np.arange(2.0, 40.0)
    stands = np.random.default_rng(3).random((len(frames), 2)) < np.array((0.5, 0.3))
    written(rig, frames, stands)
    save_and_load()
    rig = bpy.data.objects["Rig"]
    np.testing.assert_array_equal(evaluated(rig, frames), stands)
    found, said = read(rig, frames)
    np.testing.assert_array_equal(found, stands)
    assert said.all()
    between = np.arange(2.0, 39.0, 0.25)
    np.testing.assert_array_equal(evaluated(rig, between), stands[(between - 2).astype(int)])


def test_a_row_has_keys_where_it_changes_and_at_its_ends() -> None:
    rig = rigs.armature()
    stands = np.zeros((30, 2), dtype=bool)
    stands[10:20, 0] = True
    written(rig, np.arange(1.0, 31.0), stands)
    assert {key.co.x: key.co.y for key in curve(rig).keyframe_points} == {1: 0, 11: 1, 21: 0, 30: 0}
    assert {key.interpolation for key in curve(rig).keyframe_points} == {"CONSTANT"}
    assert curve(rig).group.name == "Contacts"
