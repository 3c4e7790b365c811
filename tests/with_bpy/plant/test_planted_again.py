"""Pressed again for another limb, for another floor or with other thresholds: what users have said stays."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import FCurve, Object
from mathutils import Matrix, Vector

from support.footsteps import CLEARANCE
from support.held import everything, keys_of
from support.walker import captured, shown, walker

COUNT = 31
LOW = -0.08
"""A floor so far below the captured one that legs do not reach it."""

SMALL, LARGE = 0.45, 5.0
"""Metres ahead to which a mesh to stand on goes; the walk goes on for a metre and a half."""


@pytest.fixture
def rig() -> Object:
    return walker(captured("walk", 1.0))


def ground(until: float) -> Object:
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata([(-3, -5, 0), (3, -5, 0), (3, until, 0), (-3, until, 0)], [], [range(4)])
    item = bpy.data.objects.new("Ground", mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def row(rig: Object, bone: str) -> FCurve:
    return contact_keys.row(versions.curves(rig), rig.pose.bones[bone].path_from_id())


def stood(report: api.Report) -> dict[str, int]:
    return {foot.name: foot.frames for foot in report.feet}


def test_legs_planted_one_after_the_other_both_stand(rig: Object) -> None:
    source = versions.played(rig)
    before = everything(rig)
    api.plant(rig, floor=LOW)
    both = everything(rig)
    versions.play(rig, *source)
    api.plant(rig, ["Leg.L"], floor=LOW)
    report = api.plant(rig, ["Leg.R"], floor=LOW)
    stands = captured("walk", 1.0).touches[:COUNT]
    heights = np.where(stands, shown(rig, COUNT).points[..., 2] - CLEARANCE - LOW, np.inf).min(axis=-1)
    for foot, side in enumerate("LR"):
        told = np.abs(heights[:, foot][np.isfinite(heights[:, foot])])
        print(f"Leg.{side} is up to {1e3 * told.max():.1f} mm off the floor, {1e3 * np.median(told):.2f} at the median")
        assert np.median(told) < 1e-3
    assert everything(rig) == both
    assert keys_of(rig, *source) == before
    assert stood(report).keys() == {"Leg.L", "Leg.R"}
    assert any("Leg.L" in note for note in report.notes)


def test_a_leg_that_stays_planted_keeps_its_corrected_contacts(rig: Object) -> None:
    api.plant(rig, ["Leg.L"])
    row(rig, "shin.L").keyframe_points.clear()
    for frame, word in ((1, "NONE"), (8, "BALL"), (14, "NONE"), (COUNT, "NONE")):
        rig.pose.bones["shin.L"].two_bone_ik_contact = word
        rig.pose.bones["shin.L"].keyframe_insert("two_bone_ik_contact", frame=frame)
    report = api.plant(rig, ["Leg.R"], find=True)
    assert stood(report)["Leg.L"] == 6
    assert stood(api.plant(rig, ["Leg.R"]))["Leg.L"] == 6
    assert {contact.chain for contact in api.contacts(rig, ["Leg.R"])} == {"Leg.R"}


def test_a_leg_that_stays_planted_stands_on_the_same_point(rig: Object) -> None:
    offset = (0.02, 0.05, -0.01)
    api.plant(rig, ["Leg.L"], contacts=[api.Contact("Leg.L", 5, 15, "foot.L", offset)])
    api.plant(rig, ["Leg.R"])
    places = []
    for frame in range(5, 16):
        bpy.context.scene.frame_set(frame)
        places.append(tuple(rig.matrix_world @ rig.pose.bones["foot.L"].matrix @ Vector(offset)))
    slid = np.ptp(np.array(places), axis=0)[:2].max()
    print(f"the point slides by {1e3 * slid:.3f} mm")
    assert slid < 1e-5


def test_a_leg_whose_row_is_deleted_stays_planted_no_more(rig: Object) -> None:
    before = shown(rig, COUNT).points[:, 0]
    api.plant(rig, ["Leg.L"])
    versions.ensure_channelbag(rig).fcurves.remove(row(rig, "shin.L"))
    assert stood(api.plant(rig, ["Leg.R"])).keys() == {"Leg.R"}
    assert np.abs(shown(rig, COUNT).points[:, 0] - before).max() < 1e-5


def test_limbs_that_are_planted_no_more_are_told(rig: Object) -> None:
    api.add_chain(rig, "toe.L", name="Toes", root_bone="foot.L")
    api.plant(rig, ["Toes"], contacts=[api.Contact("Toes", 5, 15, "toe.L", (0.0, 0.0, 0.0))])
    report = api.plant(rig, contacts=[])
    assert stood(report).keys() == {"Leg.L", "Leg.R"}
    assert any("Toes" in alert for alert in report.as_dict()["alerts"])


def test_a_smaller_mesh_in_the_second_press_frees_feet(rig: Object) -> None:
    api.plant(rig, floor=ground(LARGE))
    small = ground(SMALL)
    report = api.plant(rig, floor=small)
    again = everything(rig)
    rig = fresh(rig)
    api.plant(rig, floor=small)
    assert everything(rig) == again
    assert any("is not below" in alert for alert in report.as_dict()["alerts"])


def fresh(rig: Object) -> Object:
    """The same armature, which plays the captured action, with toes as they were: that action does not key them."""
    action, slot = versions.played(rig)
    versions.play(rig, action.two_bone_ik_source, slot)
    for side in "LR":
        rig.pose.bones[f"toe.{side}"].matrix_basis = Matrix()
    return rig


def test_a_larger_mesh_in_the_second_press_lets_feet_stand(rig: Object) -> None:
    small = stood(api.plant(rig, floor=ground(SMALL)))
    large = stood(api.plant(rig, floor=ground(LARGE)))
    print(f"frames on the small mesh {small}, on the large one {large}")
    assert large == stood(api.plant(fresh(rig), floor=ground(LARGE)))
    assert sum(large.values()) > sum(small.values())


def test_contacts_keyed_by_hand_beside_a_mesh_are_refused(rig: Object) -> None:
    api.plant(rig)
    for frame in (COUNT - 6, COUNT):
        rig.pose.bones["shin.L"].two_bone_ik_contact = "BOTH"
        rig.pose.bones["shin.L"].keyframe_insert("two_bone_ik_contact", frame=frame)
    with pytest.raises(api.Refused) as refused:
        api.plant(rig, floor=ground(SMALL))
    assert refused.value.kind == "FLOOR_PARTLY"


def test_other_thresholds_count_in_the_second_press(rig: Object) -> None:
    strict = api.Stillness(contact=0.35)
    api.plant(rig)
    usual = everything(rig)
    api.plant(rig, stillness=strict)
    again = everything(rig)
    api.plant(fresh(rig), stillness=strict)
    assert everything(rig) == again
    assert again != usual


def test_a_press_for_some_frames_keeps_what_was_found(rig: Object) -> None:
    api.plant(rig)
    before = [row(rig, "shin.L").evaluate(frame) for frame in range(1, COUNT + 1)]
    api.plant(rig, frames=(10, 20))
    assert [row(rig, "shin.L").evaluate(frame) for frame in range(1, COUNT + 1)] == before
    strict = api.Stillness(contact=0.35)
    api.plant(rig, stillness=strict)
    again = everything(rig)
    api.plant(fresh(rig), stillness=strict)
    assert everything(rig) == again
