"""What a planted action remembers: what users have said of contacts, what was found, and the names of bones."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bpy.types import Object

from support.body import body
from support.held import everything, keys_of
from support.walker import captured, file_of, walker

COUNT = 31
STRICT = api.Stillness(contact=0.35)
"""With it feet stand on fewer frames of the walk."""


@pytest.fixture
def rig() -> Object:
    return walker(captured("walk", 1.0))


def fresh(rig: Object) -> Object:
    """The same armature, which plays the captured action."""
    action, slot = versions.played(rig)
    versions.play(rig, action.two_bone_ik_source, slot)
    return rig


def key(rig: Object, **words: int) -> None:
    """Key these contacts of the left foot on these frames."""
    shin = rig.pose.bones["shin.L"]
    for word, frame in words.items():
        shin.two_bone_ik_contact = word
        shin.keyframe_insert("two_bone_ik_contact", frame=frame)


def row(rig: Object) -> list[float]:
    """The contacts of the left foot, frame by frame."""
    curve = contact_keys.row(versions.curves(rig), rig.pose.bones["shin.L"].path_from_id())
    return [curve.evaluate(frame) for frame in range(1, COUNT + 1)]


def stood(report: api.Report) -> dict[str, int]:
    return {foot.name: foot.frames for foot in report.feet}


def alerts(report: api.Report) -> str:
    return ". ".join(report.as_dict()["alerts"])


def test_contacts_found_are_found_anew_after_others_were() -> None:
    rig = body()
    api.plant(rig)
    api.plant(rig, limbs=["ARMS"])
    again = stood(api.plant(rig, stillness=STRICT))
    anew = stood(api.plant(fresh(rig), stillness=STRICT))
    print(f"legs, arms, legs {again}, at once {anew}")
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
    told = row(rig)
    rig = walker(captured("walk", 1.0), name="Other")
    key(rig, NONE=1, BOTH=3)
    anew = stood(api.plant(rig, stillness=STRICT))
    print(f"usual, then strict {again}, strict at once {anew}")
    assert again == anew
    assert told == row(rig)


def test_what_was_keyed_in_part_stays_in_all_presses(rig: Object) -> None:
    key(rig, NONE=3, BALL=6)
    for _ in range(3):
        api.plant(rig)
        assert row(rig)[2:6] == [0, 0, 0, 1]


def test_a_press_for_some_frames_tells_which_contacts_stay(rig: Object) -> None:
    api.plant(rig)
    before = row(rig)
    report = api.plant(rig, frames=(2, 30), stillness=STRICT)
    assert row(rig) == before
    told = [note for note in report.notes if "Leg.L" in note and "Find Contacts" in note]
    assert len(told) == 1
    report = api.plant(rig, frames=(2, 30), stillness=STRICT, find=True)
    assert row(rig) != before
    assert not any("Find Contacts" in note for note in report.notes)


def rename(rig: Object, **names: str) -> None:
    """Rename bones of the left leg, and let Blender evaluate it as a window does."""
    for before, after in names.items():
        rig.data.bones[f"{before}.L"].name = f"{after}.L"
    bpy.context.view_layer.update()


def test_bones_renamed_since_planting_are_planted_again(rig: Object) -> None:
    key(rig, NONE=1, BOTH=3)
    before = stood(api.plant(rig)), row(rig)
    source = versions.played(rig)[0].two_bone_ik_source
    keyed = keys_of(rig, source, "OBWalker")
    rename(rig, shin="calf", thigh="hip", toe="toes", foot="sole")
    report = api.plant(rig)
    played = versions.played(rig)[0]
    assert stood(report) == before[0]
    assert not any(name in alerts(report) for name in ("toe", "shin", "keys"))
    curve = contact_keys.row(versions.curves(rig), rig.pose.bones["calf.L"].path_from_id())
    assert [curve.evaluate(frame) for frame in range(1, COUNT + 1)] == before[1]
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
        with pytest.raises(api.Refused, match=r"shin\.L") as refused:
            api.plant(rig, chosen)
        assert refused.value.kind == "BONES_RENAMED"
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
    print(report)
    assert stood(report) == before
    assert "toe.L" in alerts(report)
    assert "toe.L" not in alerts(api.plant(rig))


def test_feet_of_which_none_stands_are_told(rig: Object) -> None:
    report = api.plant(rig, stillness=api.Stillness(contact=5.0))
    print(report.headline())
    assert not any(stood(report).values())
    assert "slide" not in report.headline()
    assert "Contact Speed" in report.headline()
    assert alerts(report).count("Contact Speed") == 1
    assert "Contact Speed" not in alerts(api.plant(rig, contacts=[]))
