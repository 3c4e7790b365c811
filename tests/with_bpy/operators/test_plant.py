"""Plant for users: one press on an imported walk, and what the panel and the range of the scene say."""

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
from support.rigs import animate
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


def test_contacts_are_found_anew_where_the_options_say_so(rig: Object) -> None:
    plant()
    found = contact_row(rig, "LeftLeg").evaluate(20)
    plant_keys = [list(key.co) for key in contact_row(rig, "LeftLeg").keyframe_points]
    animate(rig.pose.bones["LeftLeg"], two_bone_ik_contact=dict.fromkeys(FRAMES, "NONE"))
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
