"""Plant for users: one press on an imported walk, what the panel holds, and contacts corrected by keys."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import Action, FCurve, Object

from support.captured_walk import UNIT, balls, imported_walk, skating_walk
from support.rigs import armature
from support.two_bones import key_attribute

TAKE = skating_walk()
FRAMES = range(1, len(TAKE.hips) + 1)
STANDS = TAKE.touches[1:, :, 0] & TAKE.touches[:-1, :, 0]
"""(n - 1, 2) where a ball stands on a frame and on the one before, by the footsteps that the walk is made from."""


@pytest.fixture
def rig(tmp_path: Path) -> Object:
    return imported_walk(tmp_path, TAKE)


def plant(**options: object) -> None:
    assert bpy.ops.two_bone_ik.plant(**options) == {"FINISHED"}


def slides(rig: Object) -> np.ndarray:
    """(k,) millimetres a frame by which balls slide along the ground while they are known to stand."""
    return 1e3 * np.linalg.norm(np.diff(balls(rig, FRAMES)[..., :2], axis=0), axis=-1)[STANDS]


def keys_of(action: Action) -> list[tuple[str, int, list]]:
    """All points of all keys of an action with one slot."""
    slot = action.slots[0].identifier if hasattr(action, "slots") else ""
    found = versions.slot_curves(action, slot)
    return [(curve.data_path, curve.array_index, key_attribute(curve, "co").tolist()) for curve in found]


def contact_row(rig: Object, bone: str) -> FCurve:
    path = contact_keys.keyed_options.path(rig.pose.bones[bone].path_from_id(), contact_keys.NAME)
    return next(curve for curve in versions.curves(rig) if curve.data_path == path)


def key_contacts(rig: Object, bone: str, words: dict[int, str]) -> None:
    """As the dot in the panel does."""
    for frame, word in words.items():
        rig.pose.bones[bone].two_bone_ik_contact = word
        rig.pose.bones[bone].keyframe_insert("two_bone_ik_contact", frame=frame)


def farthest(places: np.ndarray) -> float:
    """Millimetres along the ground from the first of these places."""
    return 1e3 * np.linalg.norm((places - places[0])[..., :2], axis=-1).max()


@pytest.mark.parametrize("detect", [True, False], ids=["with chains", "without"])
def test_one_press_lets_captured_feet_stand(rig: Object, detect: bool) -> None:
    captured = rig.animation_data.action
    before, keys = slides(rig), keys_of(captured)
    if detect:
        bpy.ops.two_bone_ik.chains_detect()
    plant()
    assert np.median(before) > 0.5
    assert np.median(slides(rig)) < 0.02
    assert rig.animation_data.action != captured
    assert keys_of(captured) == keys
    assert report.last(rig).operation == "Plant"


def test_a_contact_that_is_corrected_counts_in_the_next_press(rig: Object) -> None:
    plant()
    row = contact_row(rig, "LeftLeg")
    lifted = next(key for key in row.keyframe_points if key.co.y == 0 and key.co.x > 10)
    until = int(lifted.co.x) + 6
    lifted.co.x = until
    row.update()
    first, last = int(lifted.co.x) - 6, until - 1
    before = farthest(balls(rig, range(first - 1, last + 1))[:, 0])
    plant()
    assert before > 50.0
    assert farthest(balls(rig, range(first - 1, last + 1))[:, 0]) < 1.0
    assert contact_row(rig, "LeftLeg").evaluate(last) != 0


def test_contacts_keyed_before_the_first_press_are_taken(rig: Object) -> None:
    captured = rig.animation_data.action
    key_contacts(rig, "LeftLeg", {1: "NONE", 20: "BALL", 40: "NONE", FRAMES[-1]: "NONE"})
    plant()
    assert captured != rig.animation_data.action
    assert [key.co.y for key in contact_row(rig, "LeftLeg").keyframe_points] == [0, 1, 0, 0]
    assert farthest(balls(rig, range(20, 40))[:, 0]) < 1.0


def test_contacts_outside_of_the_range_stay(rig: Object) -> None:
    plant(plants={"LEGS", "ARMS"})
    rows = {bone: contact_row(rig, bone) for bone in ("LeftLeg", "RightForeArm")}
    before = {bone: [row.evaluate(frame) for frame in FRAMES] for bone, row in rows.items()}
    plant(frame_start=30, frame_end=50)
    after = {bone: [contact_row(rig, bone).evaluate(frame) for frame in FRAMES] for bone in rows}
    assert len(set(before["LeftLeg"])) > 1
    assert after == before


def test_contacts_are_found_anew_where_the_options_say_so(rig: Object) -> None:
    plant()
    found = contact_row(rig, "LeftLeg").evaluate(20)
    plant_keys = [list(key.co) for key in contact_row(rig, "LeftLeg").keyframe_points]
    key_contacts(rig, "LeftLeg", dict.fromkeys(FRAMES, "NONE"))
    plant(find=True)
    assert contact_row(rig, "LeftLeg").evaluate(20) == found
    assert [list(key.co) for key in contact_row(rig, "LeftLeg").keyframe_points] == plant_keys


def test_the_range_goes_from_the_first_key_to_the_last(rig: Object) -> None:
    bpy.context.scene.frame_end = 20
    plant()
    assert tuple(contact_row(rig, "LeftLeg").range()) == (1, FRAMES[-1])


def test_a_preview_range_is_taken_instead(rig: Object) -> None:
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 10, 40
    assert contact_keys.usual_frames(rig, scene) == (10, 40)
    plant()
    assert tuple(contact_row(rig, "LeftLeg").range()) == (10, 40)


def test_the_floor_of_the_panel_is_stood_on(rig: Object) -> None:
    height = 0.05
    bpy.ops.mesh.primitive_plane_add(size=100 * UNIT, location=(0, 0, height * UNIT))
    bpy.context.scene.two_bone_ik_floor = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    plant()
    on_plane = balls(rig, FRAMES)
    bpy.context.scene.two_bone_ik_floor = None
    plant(use_height=True, height=height * UNIT)
    np.testing.assert_allclose(balls(rig, FRAMES), on_plane, atol=1e-5)
    stood = on_plane[1:][STANDS][:, 2]
    assert np.median(np.abs(stood - height)) < 1e-3
    # The captured ground is lower.
    assert np.median(TAKE.points[1:, :, 0, 2][STANDS]) < height - 0.015


def test_a_floor_that_is_not_there_is_refused(rig: Object) -> None:
    with pytest.raises(RuntimeError, match='There is no object "Grund" to stand on'):
        plant(floor="Grund")
    assert versions.played(rig)[0].two_bone_ik_source is None


def test_the_hips_of_the_panel_are_taken(rig: Object) -> None:
    rig.two_bone_ik_hips = "Head"
    with pytest.raises(RuntimeError, match='"Head"'):
        plant()
    plant(hips="Hips")


def test_arms_are_planted_where_they_are_asked_for(rig: Object) -> None:
    rig.two_bone_ik_plants = {"LEGS", "ARMS"}
    plant()
    stands = {foot.name: foot.frames for foot in report.last(rig).feet}
    assert stands.keys() == {"Leg.L", "Leg.R", "Arm.L", "Arm.R"}
    assert stands["Leg.L"] > 0
    assert stands["Arm.L"] == 0, "they hang at ease"
    plant(plants={"LEGS"})
    assert {foot.name for foot in report.last(rig).feet} == {"Leg.L", "Leg.R"}


def test_only_the_active_chain_is_planted_on_request(rig: Object) -> None:
    bpy.ops.two_bone_ik.chains_detect()
    rig.two_bone_ik_active = rig.two_bone_ik_chains.find("Leg.R")
    plant(only_active=True)
    assert [foot.name for foot in report.last(rig).feet] == ["Leg.R"]


def test_all_selected_armatures_are_planted(rig: Object, tmp_path: Path) -> None:
    other = imported_walk(tmp_path, TAKE)
    rig.select_set(True)
    plant()
    for each in (rig, other):
        assert versions.played(each)[0].two_bone_ik_source is not None


def test_targets_are_left_on_request(rig: Object) -> None:
    plant(leave_targets=True)
    targets = [chain.target for chain in rig.two_bone_ik_chains]
    assert len(targets) == 2
    assert all(len(next(iter(versions.curves(target))).keyframe_points) == len(FRAMES) for target in targets)


def test_an_armature_without_keys_is_refused() -> None:
    armature()
    with pytest.raises(RuntimeError, match=r"No legs|no keys"):
        plant()
