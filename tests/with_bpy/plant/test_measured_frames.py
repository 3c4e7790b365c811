"""On how many frames feet that were planted are measured, which the report says."""

from __future__ import annotations

from functools import cache

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.foot_report import headline
from bpy.types import Action, Depsgraph, Object, Scene

from support.footsteps import Capture
from support.walker import captured, shown, walker

SECONDS = 20.0


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
    print(told, left.text(), sep="\n")
    assert left.measured == right.measured < left.total == count
    for text in (told, left.text(), str(report)):
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
        print(foot.text(), least.max())
        assert foot.after[1] == pytest.approx(least.max(), abs=5e-6)  # single precision, far from the origin
    assert "measured" not in headline(report.feet)


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
    assert "measured" not in foot.text()
