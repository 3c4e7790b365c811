"""A chest that the spine is too short to keep in its place: the report tells how far it goes, and the head with it."""

from __future__ import annotations

import pytest
from bl_ext.user_default.two_bone_ik import api

from support.body import body, off, shown
from support.told import told_length


def test_how_far_chest_and_head_leave_their_place_is_told() -> None:
    rig, names = body(), ("chest", "head")
    before = shown(rig, *names)
    report = api.plant(rig, floor=-0.14, keep=["SPINE"])
    moved = off(shown(rig, *names), before)
    told = [alert for alert in report.as_dict()["alerts"] if alert.startswith("Spine ")]
    print(f"chest and head move by {moved}; told: {told}")
    assert moved.max() > 0.05
    assert told_length(told[0], "by up to") == pytest.approx(moved.max(), rel=0.01)
    assert told[0] in report.headline()


def test_a_chest_that_keeps_its_place_is_not_told() -> None:
    rig = body()
    assert not api.plant(rig, floor=-0.04, keep=["SPINE"]).as_dict()["alerts"]
