"""Rows of contacts say what the keys give on each frame, and buttons set that on the frames that are selected."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_runs
from bl_ext.user_default.two_bone_ik.blender.plant.contact_keys import KINDS
from bl_ext.user_default.two_bone_ik.blender.plant.contact_runs import Run
from bpy.types import FCurve, Object

from support.truth import on_frame
from support.walker import captured, shown, walker

FRAMES = range(1, 62)
PATH = 'pose.bones["shin.L"].two_bone_ik_contact'


@pytest.fixture
def rig() -> Object:
    found = walker(captured("walk", 2.0))
    api.plant(found)
    bpy.context.view_layer.objects.active = found
    return found


def evaluated(rig: Object, bone: str = "shin.L") -> list[str]:
    """The contact of the evaluated character on each frame."""
    name = rig.name
    return [
        bpy.data.objects[name].evaluated_get(on_frame(frame)).pose.bones[bone].two_bone_ik_contact for frame in FRAMES
    ]


def told(found: list[Run]) -> list[str]:
    """The same by runs."""
    return [run.kind for run in found for _ in range(run.start, run.end + 1)]


def test_choices_are_the_numbers_of_keys() -> None:
    items = bpy.types.PoseBone.bl_rna.properties["two_bone_ik_contact"].enum_items
    assert {item.identifier: item.value for item in items} == {kind: value for value, kind in enumerate(KINDS)}


def linear(row: FCurve) -> None:
    for key in row.keyframe_points:
        key.interpolation = "LINEAR"
    row.update()


def stepped(row: FCurve) -> None:
    modifier = row.modifiers.new("STEPPED")
    modifier.frame_step, modifier.frame_offset = 5.0, 1.0


def as_written(_row: FCurve) -> None:
    pass


@pytest.mark.parametrize(("bone", "edited"), [("shin.L", as_written), ("shin.R", linear), ("shin.L", stepped)])
def test_rows_say_what_blender_evaluates_on_each_frame(
    rig: Object, bone: str, edited: Callable[[FCurve], None]
) -> None:
    row = contact_runs.rows(rig)[bone]
    edited(row)
    truth = evaluated(rig, bone)
    assert len(set(truth)) > 2
    found = contact_runs.runs(row, FRAMES[0], FRAMES[-1])
    assert told(found) == truth
    assert all(before.kind != after.kind for before, after in pairwise(found))
    assert [contact_runs.run_at(row, frame) for frame in FRAMES] == [
        run for run in found for _ in range(run.start, run.end + 1)
    ]
    for most in (10, 25, 31, 100):
        pages = [contact_runs.page([row], frame, most) for frame in FRAMES]
        assert all(start <= frame <= end for frame, (start, end) in zip(FRAMES, pages, strict=True))
        assert [kind for page in dict.fromkeys(pages) for kind in told(contact_runs.runs(row, *page))] == truth


def test_beyond_its_keys_a_row_shows_nothing(rig: Object) -> None:
    row = contact_runs.rows(rig)["shin.L"]
    before, *_, after = contact_runs.runs(row, -10, 90)
    assert (before.start, before.kind, after.end, after.kind) == (-10, "NONE", 90, "NONE")
    assert told(contact_runs.runs(row, -10, 90))[11:72] == evaluated(rig)


@pytest.mark.parametrize("between", [{3.5: 3.0}, {3.2: 1.0, 3.8: 3.0}], ids=str)
def test_keys_between_frames_show_on_none_of_these(rig: Object, between: dict[float, float]) -> None:
    row = contact_runs.rows(rig)["shin.L"]
    row.keyframe_points.clear()
    for frame, kind in between.items():
        row.keyframe_points.insert(frame, kind).interpolation = "CONSTANT"
    assert contact_runs.whole_span([row]) == (4, 4)
    assert told(contact_runs.runs(row, *FRAMES[:: len(FRAMES) - 1])) == ["NONE"] * len(FRAMES)
    assert contact_runs.run_at(row, 4).kind == "NONE"
    bpy.ops.two_bone_ik.contact_set(bone="shin.L", contact="HEEL", frame_start=10, frame_end=11)
    shown_now = told(contact_runs.runs(contact_runs.rows(rig)["shin.L"], 1, 12))
    assert shown_now == ["NONE"] * 9 + ["HEEL"] * 2 + ["NONE"]


def test_a_button_sets_the_frames_and_no_others(rig: Object) -> None:
    pressed = [(kind, *span) for kind in ("NONE", "BOTH") for span in ((20, 30), (1, 1), (55, 61), (33, 33))]
    pressed += [("BALL", 70, 75), ("HEEL", -9, -5), ("NONE", 70, 75), ("BOTH", 1, 61), ("NONE", 1, 61)]
    wanted = dict(zip(FRAMES, evaluated(rig), strict=True))
    others = {curve.data_path: keys_of(curve) for curve in versions.curves(rig) if curve.data_path != PATH}
    for kind, start, end in pressed:
        wanted |= dict.fromkeys(range(start, end + 1), kind)
        bpy.ops.two_bone_ik.contact_set(bone="shin.L", contact=kind, frame_start=start, frame_end=end)
        row = contact_runs.rows(rig)["shin.L"]
        found = told(contact_runs.runs(row, -20, 90))
        assert found == [wanted.get(frame, "NONE") for frame in range(-20, 91)], (kind, start, end)
        assert {key.interpolation for key in row.keyframe_points} == {"CONSTANT"}
    assert {curve.data_path: keys_of(curve) for curve in versions.curves(rig) if curve.data_path != PATH} == others


def keys_of(curve: FCurve) -> list[tuple[float, float]]:
    return [tuple(key.co) for key in curve.keyframe_points]


def test_what_a_button_sets_is_planted(rig: Object) -> None:
    bpy.ops.two_bone_ik.contact_set(bone="shin.L", contact="BOTH", frame_start=28, frame_end=40)
    api.plant(rig)
    points = shown(rig, 40).points[27:, 0]
    assert np.abs(points - points[0]).max() < 1e-5


def test_a_click_selects_its_frames_and_goes_there(rig: Object) -> None:
    row = contact_runs.rows(rig)["shin.R"]
    clicked = next(found for found in contact_runs.runs(row, 1, 61) if found.kind == "BOTH" and found.start > 1)
    bpy.ops.two_bone_ik.contact_select(bone="shin.R", frame=clicked.start)
    assert bpy.context.scene.frame_current == clicked.start
    assert contact_runs.selected(rig, bpy.context.scene) == ("shin.R", clicked.start, clicked.end)
    bpy.ops.two_bone_ik.contact_set(contact="NONE")
    found = contact_runs.runs(contact_runs.rows(rig)["shin.R"], clicked.start, clicked.end)
    assert [run.kind for run in found] == ["NONE"]


def selected(rig: Object, frame: int, bone: str = "shin.L") -> Run:
    """The run with this frame, after a click on it."""
    bpy.ops.two_bone_ik.contact_select(bone=bone, frame=frame)
    return contact_runs.run_at(contact_runs.rows(rig)[bone], frame)


def moved(truth: list[str], run: Run, start: int, end: int) -> list[str]:
    """The contacts on each frame where a run goes from there to there: what was beside it fills the gap."""
    before = truth[run.start - 2] if run.start > FRAMES[0] else "NONE"
    after = truth[run.end] if run.end < FRAMES[-1] else "NONE"
    kinds = dict(zip(FRAMES, truth, strict=True))
    kinds |= dict.fromkeys(range(run.start, start), before) | dict.fromkeys(range(end + 1, run.end + 1), after)
    return [*(kinds | dict.fromkeys(range(start, end + 1), run.kind)).values()]


@pytest.mark.parametrize("row", [0, 3, 7])
def test_an_end_of_a_contact_goes_to_its_number_and_back(rig: Object, row: int) -> None:
    """As Blender drags a field: value after value, and with Esc the first one again."""
    curve = contact_runs.rows(rig)["shin.L"]
    found, truth, keys = contact_runs.runs(curve, *contact_runs.span(curve)), evaluated(rig), keys_of(curve)
    assert (len(found), found[0].kind, found[-1].kind) == (8, "BOTH", "HEEL")
    run = selected(rig, found[row].start)
    least = found[row - 1].start + 1 if row else run.start
    most = found[row + 1].end - 1 if row < 7 else run.end
    for frame in (*range(run.end, most + 3), *range(most + 3, run.start - 4, -2), run.end):
        rig.two_bone_ik_contact_end = frame
        assert rig.two_bone_ik_contact_end == max(min(frame, most), run.start)
        assert evaluated(rig) == moved(truth, run, run.start, rig.two_bone_ik_contact_end)
    assert keys_of(contact_runs.rows(rig)["shin.L"]) == keys
    for frame in (*range(run.start, least - 3, -1), *range(least - 3, run.end + 4, 2), run.start):
        rig.two_bone_ik_contact_start = frame
        assert rig.two_bone_ik_contact_start == min(max(frame, least), run.end)
        assert evaluated(rig) == moved(truth, run, rig.two_bone_ik_contact_start, run.end)
    assert keys_of(contact_runs.rows(rig)["shin.L"]) == keys


@pytest.mark.parametrize("last", ["NONE", "BALL"])
def test_the_end_of_a_row_may_become_free_and_stand_again(rig: Object, last: str) -> None:
    bpy.ops.two_bone_ik.contact_set(bone="shin.L", contact="HEEL", frame_start=50, frame_end=55)
    bpy.ops.two_bone_ik.contact_set(bone="shin.L", contact=last, frame_start=56, frame_end=61)
    truth, keys = evaluated(rig), keys_of(contact_runs.rows(rig)["shin.L"])
    run = selected(rig, 58 if last == "BALL" else 52)
    for frame in (*range(run.end, 70), *range(70, 48, -1), run.end):
        rig.two_bone_ik_contact_end = frame
        assert evaluated(rig) == moved(truth, run, run.start, max(min(frame, 61), run.start))
    assert keys_of(contact_runs.rows(rig)["shin.L"]) == keys


def test_frames_of_several_contacts_are_selected_alone(rig: Object) -> None:
    before = keys_of(contact_runs.rows(rig)["shin.L"])
    run = selected(rig, 20)
    rig.two_bone_ik_contact_frames = run.start, run.end + 9
    rig.two_bone_ik_contact_end = run.end + 7
    rig.two_bone_ik_contact_start = run.start + 1
    assert contact_runs.selected(rig, bpy.context.scene) == ("shin.L", run.start + 1, run.end + 7)
    rig.two_bone_ik_contact_end = run.start - 10
    assert rig.two_bone_ik_contact_end == run.start + 1
    assert keys_of(contact_runs.rows(rig)["shin.L"]) == before


def test_contacts_are_newer_than_the_motion_until_it_is_planted(rig: Object) -> None:
    def newer() -> bool:
        return contact_runs.are_newer(rig, contact_runs.rows(rig))

    assert not newer()
    run = selected(rig, 20)
    rig.two_bone_ik_contact_end = run.end + 1
    assert newer()
    rig.two_bone_ik_contact_end = run.end
    assert not newer()
    bpy.ops.two_bone_ik.contact_set(contact="BALL")
    assert newer()
    api.plant(rig)
    assert not newer()
    versions.curves(rig).remove(contact_runs.rows(rig)["shin.R"])
    assert newer()
    rig.animation_data.action = rig.animation_data.action.two_bone_ik_source
    assert not newer()


def test_a_limb_without_contacts_gets_a_row_by_a_button() -> None:
    rig = walker(captured("walk", 2.0))
    bpy.context.view_layer.objects.active = rig
    api.add_chain(rig, "shin.L", name="Leg.L", tip_bone="foot.L")
    rig.two_bone_ik_active = 0
    bpy.ops.two_bone_ik.contact_set(contact="BALL", frame_start=15, frame_end=24)
    assert evaluated(rig)[14:24] == ["BALL"] * 10
    assert contact_runs.rows(rig)["shin.L"].range().to_tuple() == (15.0, 24.0)
    assert api.plant(rig, ["Leg.L"]).feet[0].frames > 10


def test_nothing_can_be_set_where_no_limb_is_selected() -> None:
    rig = walker(captured("walk", 2.0))
    bpy.context.view_layer.objects.active = rig
    with pytest.raises(RuntimeError, match="click a contact"):
        bpy.ops.two_bone_ik.contact_set(contact="BALL")


def test_a_locked_row_is_not_set(rig: Object) -> None:
    row = contact_runs.rows(rig)["shin.L"]
    row.lock, before = True, keys_of(row)
    with pytest.raises(RuntimeError, match="locked"):
        bpy.ops.two_bone_ik.contact_set(bone="shin.L", contact="BALL", frame_start=3, frame_end=9)
    assert keys_of(row) == before
    run = selected(rig, 20)
    rig.two_bone_ik_contact_end = run.end + 2
    assert (keys_of(row), rig.two_bone_ik_contact_end) == (before, run.end)


def test_rows_have_the_names_of_limbs_with_chains_or_without(rig: Object) -> None:
    def names() -> dict[str, str]:
        return contact_runs.limb_names(rig, contact_runs.rows(rig))

    assert names() == {"shin.L": "Leg.L", "shin.R": "Leg.R"}
    api.add_chain(rig, "shin.L", name="Kick", tip_bone="foot.L")
    assert names() == {"shin.L": "Kick", "shin.R": "Leg.R"}
    rig.data.bones["shin.R"].name = "calf.R"
    assert names() == {"shin.L": "Kick", "calf.R": "Leg.R"}
