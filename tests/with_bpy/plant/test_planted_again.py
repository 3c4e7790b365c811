"""Pressed again for another limb, for another floor or with other thresholds, or after bones were renamed.

What users have said stays, and what was found is remembered or found anew.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_runs
from bpy.types import FCurve, Object
from mathutils import Matrix

from support.body import body
from support.footsteps import CLEARANCE
from support.held import everything, keys_of
from support.refused import refused
from support.truth import on_frame, worlds
from support.walker import captured, file_of, ground, shown, strip, walker

COUNT = 31
LOW = -0.08
"""A floor so far below the captured one that legs do not reach it."""

STRICT = api.Stillness(contact=0.35)
"""With it feet stand on fewer frames of the walk."""
SMALL, LARGE = 0.45, 5.0
"""Metres ahead to which a mesh to stand on goes; the walk goes on for a metre and a half."""


@pytest.fixture
def rig() -> Object:
    return walker(captured("walk", 1.0))


def key(rig: Object, **words: int) -> None:
    """Key these contacts of the left foot on these frames."""
    shin = rig.pose.bones["shin.L"]
    for word, frame in words.items():
        shin.two_bone_ik_contact = word
        shin.keyframe_insert("two_bone_ik_contact", frame=frame)


def row(rig: Object, bone: str) -> FCurve:
    return contact_runs.rows(rig)[bone]


def contacts(rig: Object, bone: str = "shin.L") -> list[float]:
    """Those of the left foot, frame by frame."""
    return [row(rig, bone).evaluate(frame) for frame in range(1, COUNT + 1)]


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
    for foot in (0, 1):
        told = np.abs(heights[:, foot][np.isfinite(heights[:, foot])])
        assert np.median(told) < 1e-3
    assert everything(rig) == both
    assert keys_of(rig, *source) == before
    assert stood(report).keys() == {"Leg.L", "Leg.R"}
    assert any("Leg.L" in note for note in report.notes)


def test_a_leg_that_stays_planted_keeps_its_corrected_contacts(rig: Object) -> None:
    api.plant(rig, ["Leg.L"])
    row(rig, "shin.L").keyframe_points.clear()
    for frame, word in ((1, "NONE"), (8, "BALL"), (14, "NONE"), (COUNT, "NONE")):
        key(rig, **{word: frame})
    report = api.plant(rig, ["Leg.R"], find=True)
    assert stood(report)["Leg.L"] == 6
    assert stood(api.plant(rig, ["Leg.R"]))["Leg.L"] == 6
    assert {contact.chain for contact in api.contacts(rig, ["Leg.R"])} == {"Leg.R"}


def test_a_leg_that_stays_planted_stands_on_the_same_point(rig: Object) -> None:
    offset = (0.02, 0.05, -0.01)
    api.plant(rig, ["Leg.L"], contacts=[api.Contact("Leg.L", 5, 15, "foot.L", offset)])
    api.plant(rig, ["Leg.R"])
    slid = np.ptp(worlds(rig, range(5, 16), "foot.L")[:, 0] @ (*offset, 1.0), axis=0)[:2].max()
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
    api.plant(rig, floor=ground(strip(-5.0, LARGE)))
    small = ground(strip(-5.0, SMALL))
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
    small = stood(api.plant(rig, floor=ground(strip(-5.0, SMALL))))
    large = stood(api.plant(rig, floor=ground(strip(-5.0, LARGE))))
    assert large == stood(api.plant(fresh(rig), floor=ground(strip(-5.0, LARGE))))
    assert sum(large.values()) > sum(small.values())


def test_contacts_keyed_by_hand_beside_a_mesh_are_refused(rig: Object) -> None:
    api.plant(rig)
    for frame in (COUNT - 6, COUNT):
        key(rig, BOTH=frame)
    floor = ground(strip(-5.0, SMALL))
    on_frame(1)
    with refused("FLOOR_PARTLY"):
        api.plant(rig, floor=floor)


def test_other_thresholds_count_in_the_second_press(rig: Object) -> None:
    api.plant(rig)
    usual, before = everything(rig), contacts(rig)
    api.plant(rig, frames=(10, 20))
    assert contacts(rig) == before, "a press for some frames keeps what was found"
    api.plant(rig, stillness=STRICT)
    again = everything(rig)
    api.plant(fresh(rig), stillness=STRICT)
    assert everything(rig) == again
    assert again != usual


def alerts(report: api.Report) -> str:
    return ". ".join(report.as_dict()["alerts"])


def test_contacts_found_are_found_anew_after_others_were() -> None:
    rig = body()
    api.plant(rig)
    api.plant(rig, limbs=["ARMS"])
    again = stood(api.plant(rig, stillness=STRICT))
    anew = stood(api.plant(fresh(rig), stillness=STRICT))
    assert again == anew


def test_legs_planted_two_presses_ago_stay_as_captured() -> None:
    rig = body()
    api.plant(rig)
    api.plant(rig, limbs=["ARMS"])
    report = api.plant(rig, ["Arm.L"])
    assert stood(report).keys() == {"Arm.L", "Arm.R"}
    assert "Leg.L" not in alerts(report)


def test_what_is_found_beside_keys_is_found_anew(rig: Object) -> None:
    key(rig, NONE=1, BOTH=3)
    api.plant(rig)
    again = stood(api.plant(rig, stillness=STRICT))
    told = contacts(rig)
    rig = walker(captured("walk", 1.0), name="Other")
    key(rig, NONE=1, BOTH=3)
    anew = stood(api.plant(rig, stillness=STRICT))
    assert again == anew
    assert told == contacts(rig)


def test_what_was_keyed_in_part_stays_in_all_presses(rig: Object) -> None:
    key(rig, NONE=3, BALL=6)
    for _ in range(3):
        api.plant(rig)
        assert contacts(rig)[2:6] == [0, 0, 0, 1]


def test_a_press_for_some_frames_tells_which_contacts_stay(rig: Object) -> None:
    api.plant(rig)
    before = contacts(rig)
    report = api.plant(rig, frames=(2, 30), stillness=STRICT)
    assert contacts(rig) == before
    told = [note for note in report.notes if "Leg.L" in note and "Find Contacts" in note]
    assert len(told) == 1
    report = api.plant(rig, frames=(2, 30), stillness=STRICT, find=True)
    assert contacts(rig) != before
    assert not any("Find Contacts" in note for note in report.notes)


def rename(rig: Object, **names: str) -> None:
    """Rename bones of the left leg, and let Blender evaluate it as a window does."""
    for before, after in names.items():
        rig.data.bones[f"{before}.L"].name = f"{after}.L"
    bpy.context.view_layer.update()


def test_bones_renamed_since_planting_are_planted_again(rig: Object) -> None:
    key(rig, NONE=1, BOTH=3)
    before = stood(api.plant(rig)), contacts(rig)
    source = versions.played(rig)[0].two_bone_ik_source
    keyed = keys_of(rig, source, "OBWalker")
    rename(rig, shin="calf", thigh="hip", toe="toes", foot="sole")
    report = api.plant(rig)
    played = versions.played(rig)[0]
    assert stood(report) == before[0]
    assert not any(name in alerts(report) for name in ("toe", "shin", "keys"))
    assert contacts(rig, "calf.L") == before[1]
    assert keys_of(rig, source, "OBWalker") == keyed, "what was captured stays as it is"
    bones = {curve.data_path.split('"')[1] for curve in versions.slot_curves(played.two_bone_ik_source, "OBWalker")}
    assert {"calf.L", "hip.L", "sole.L"} <= bones
    assert "shin.L" not in bones


def test_without_marks_bones_renamed_since_planting_are_refused(rig: Object) -> None:
    api.plant(rig, ["Leg.L"])
    for bone in rig.pose.bones:  # as in a file of an earlier version that somebody renames without the extension
        bone.property_unset("two_bone_ik_mark")
    before = everything(rig)
    rig.data.bones["shin.L"].name = "calf.L"
    file = file_of(rig)
    for chosen in (None, ["Leg.R"]):
        with pytest.raises(api.Refused, match=r"shin\.L") as found:
            api.plant(rig, chosen)
        assert found.value.kind == "BONES_RENAMED"
    assert file_of(rig) == file
    rig.data.bones["calf.L"].name = "shin.L"
    assert everything(rig) == before
    assert stood(api.plant(rig, ["Leg.R"])).keys() == {"Leg.L", "Leg.R"}


def test_bones_renamed_under_the_captured_action_are_planted(rig: Object) -> None:
    frames = stood(api.plant(rig))
    fresh(rig).data.bones["shin.L"].name = "calf.L"
    assert stood(api.plant(rig)) == frames


def test_points_of_bones_that_are_gone_are_told(rig: Object) -> None:
    api.plant(rig)
    key(rig, BALL=20)
    before = stood(api.plant(rig))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["toe.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    report = api.plant(rig)
    assert stood(report) == before
    assert "toe.L" in alerts(report)
    assert "toe.L" not in alerts(api.plant(rig))


def test_feet_of_which_none_stands_are_told(rig: Object) -> None:
    report = api.plant(rig, stillness=api.Stillness(contact=5.0))
    assert not any(stood(report).values())
    assert "slide" not in report.headline()
    assert "Contact Speed" in report.headline()
    assert alerts(report).count("Contact Speed") == 1
    assert "Contact Speed" not in alerts(api.plant(rig, contacts=[]))
