"""Of a long take those frames are measured on which planted limbs are likely to be off, and the report says how many.

Feet slide where they stand, so those frames are among them; and some from all parts of the take.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.foot_report import headline
from bl_ext.user_default.two_bone_ik.blender.plant import contact_runs
from bpy.types import Action, Depsgraph, Object, Scene

from support.footsteps import Capture
from support.rigs import empty
from support.walker import Shown, captured, shown, walker

SECONDS = 16.0


@cache
def take() -> Capture:
    return captured("walk", SECONDS)


@pytest.fixture
def rig() -> Object:
    return walker(take())


def test_the_headline_says_that_slides_are_of_some_frames(rig: Object) -> None:
    report = api.plant(rig)
    [left, right] = report.feet
    count = len(take().hips)
    told = headline(report.feet)  # the report's own begins with legs that fell short
    assert left.measured == right.measured < left.total == count
    for text in (told, str(report)):
        assert f"Slides were measured on {left.measured} of {count} frames" in text
    assert report.as_dict()["feet"][0]["measured"] == left.measured


def test_slides_of_all_frames_are_told_on_request(rig: Object) -> None:
    report = api.plant(rig, measure="ALL")
    stands = np.zeros((len(take().hips), 2), dtype=bool)
    for contact in api.contacts(rig):
        stands[int(contact.start) - 1 : int(contact.end), "LR".index(contact.chain[-1])] = True
    points = shown(rig, len(stands)).points
    for side, foot in enumerate(report.feet):
        assert foot.measured == foot.total == len(stands)
        both = stands[1:, side] & stands[:-1, side]
        least = np.linalg.norm(np.diff(points[:, side, :, :2], axis=0), axis=-1).min(axis=-1)[both]
        assert foot.after[1] == pytest.approx(least.max(), abs=5e-6)  # single precision, far from the origin
    assert "measured" not in headline(report.feet)


def test_the_report_is_a_table_of_what_blender_shows() -> None:
    short = captured("walk", 2.0)
    rig, count = walker(short), len(short.hips)
    report = api.plant(rig)
    titles, *rows = table = report.table()
    assert titles == ("Foot", "Stands on", "Slides before", "After", "Turns")
    points = shown(rig, count).points
    for side, (name, told, before, after, turns) in enumerate(rows):
        row = contact_runs.rows(rig)[f"shin.{'LR'[side]}"]
        kinds = np.array([int(row.evaluate(frame)) for frame in range(1, count + 1)])
        stands = (kinds[:, None] & (1, 2)) > 0
        slides = np.linalg.norm(np.diff(points[:, side], axis=0), axis=-1)[stands[1:] & stands[:-1]]
        assert (name, told) == (f"Leg.{'LR'[side]}", f"{np.count_nonzero(kinds)} frames")
        assert millimetres(after) == pytest.approx(1e3 * slides.max(), abs=5e-3)  # the points are of single precision
        assert millimetres(before) > 100.0 * slides.max() * 1e3 > 0.0
        assert turns == "less than 0.001°" or float(turns.removesuffix("°")) < 0.01
    lines = report.lines()[: len(table)]
    starts = [[line.index(cell) for cell in row] for line, row in zip(lines, table, strict=True)]
    assert starts == [starts[0]] * len(table)
    assert api.Report.from_json(report.to_json()).table() == table


def millimetres(cell: str) -> float:
    return float(cell.removeprefix("less than ").removesuffix(" mm"))


def test_the_capture_is_not_evaluated_while_it_is_measured(rig: Object) -> None:
    planted, seen = [], set()

    def look(_scene: Scene, depsgraph: Depsgraph) -> None:
        if rig.animation_data.action.name != "Captured":
            planted.append(rig.animation_data.action)
            seen.update(each.name for each in depsgraph.ids if isinstance(each, Action))

    bpy.app.handlers.frame_change_post.append(look)
    try:
        report = api.plant(rig)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    assert len(planted) >= report.feet[0].measured
    assert seen == {"Captured Planted"}
    assert rig.animation_data.action.two_bone_ik_source == bpy.data.actions["Captured"]


def test_what_older_reports_do_not_have_is_none() -> None:
    fields = {"name": "Leg.L", "contacts": 2, "frames": 9, "before": [1, 2], "after": [0, 0]}
    foot = api.FootReport.from_dict({**fields, "moved": 0.1, "short": 0.0, "millimetres": 0.0})
    assert "measured" not in headline([foot])


def test_few_frames_on_which_feet_stand_are_all_measured(rig: Object) -> None:
    found = [[each for each in api.contacts(rig) if each.chain == name][6:10] for name in ("Leg.L", "Leg.R")]
    standing = np.unique([frame for both in found for each in both for frame in np.arange(each.start, each.end + 1)])
    measured, every = (
        api.plant(rig, contacts=[each for both in found for each in both], measure=measure).feet
        for measure in ("AUTO", "ALL")
    )
    for some, all_of_them in zip(measured, every, strict=True):
        assert len(standing) <= some.measured < some.total
        assert some.after == pytest.approx(all_of_them.after, abs=1e-9)


def disturb(rig: Object, first: float, last: float) -> None:
    """Let the left shin turn aside from frame to frame, by what a driver reads from another object."""
    other = empty("Elsewhere", (3.0, 1.0, 2.0))
    other["push"] = 0.0
    bpy.context.preferences.edit.keyframe_new_interpolation_type = "CONSTANT"
    for frame, push in ((first - 1, 0.0), (first, 1.0), (last + 1, 0.0)):
        other["push"] = push
        other.keyframe_insert('["push"]', frame=frame)
    bpy.context.preferences.edit.keyframe_new_interpolation_type = "BEZIER"
    constraint = rig.pose.bones["shin.L"].constraints.new("DAMPED_TRACK")
    constraint.target = other
    driver = constraint.driver_add("influence").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = other, '["push"]'
    driver.expression = variable.name


def misposed(report: api.Report) -> list[float]:
    [left] = [chain for chain in report.chains if chain.name == "Leg.L"]
    return left.frames[left.misposed].tolist()


@pytest.mark.parametrize("part", [0.05, 0.55, 0.74])
def test_a_shin_pushed_over_a_quarter_of_the_range_is_told(rig: Object, part: float) -> None:
    count = len(take().hips)
    first, last = round(part * count), round((part + 0.25) * count)
    disturb(rig, first, last)
    bpy.context.scene.frame_set(1)  # nothing pushes there yet, so the rig is not refused
    report = api.plant(rig)
    found = misposed(report)
    assert len(found) >= 5
    assert first <= found[0] < found[-1] <= last
    assert "Leg.L" in str(report)


def bend(now: Shown) -> np.ndarray:
    """(n,) cosine of the angle at the left knee, from straight on."""
    upper, lower = (
        each[:, 0] / np.linalg.norm(each[:, 0], axis=-1, keepdims=True)
        for each in (now.knees - now.hips, now.ankles - now.knees)
    )
    return np.sum(upper * lower, axis=-1)


def step(now: Shown) -> np.ndarray:
    """(n,) how far the left ankle goes from the frame before."""
    return np.linalg.norm(np.diff(now.ankles[:, 0], axis=0, prepend=now.ankles[:1, 0]), axis=-1)


@pytest.mark.parametrize(
    "worst",
    [lambda now: bend(now).argmax(), lambda now: bend(now).argmin(), lambda now: step(now).argmax()],
    ids=["straightest", "bent most", "fastest"],
)
def test_a_leg_that_is_off_only_where_it_is_extreme_is_told(rig: Object, worst: Callable[[Shown], np.intp]) -> None:
    count = len(take().hips)
    api.plant(rig, measure="NONE")
    frame = 1.0 + float(worst(shown(rig, count)))
    request = api.plant.request(rig)
    for _ in request.prepare():
        pass
    disturb(rig, frame, frame)
    report = request.write()
    assert report.feet[0].measured < count / 5
    assert misposed(report) == [frame]
