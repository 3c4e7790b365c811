"""A report goes out as JSON and comes back the same."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.rigs import animate, arm


def test_json_gives_back_every_number_to_the_last_digit() -> None:
    chain = arm(pole=(0, 3, 1), unreachable="STRETCH", max_stretch=1.1)
    chain.id_data.data.bones["lower"].inherit_scale = "NONE"
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (5, -0.8, 1.5)})
    report = api.bake(chain.id_data, frames=(1, 10, 0.3))
    assert report.notes == ()
    assert not report.reached
    back = api.Report.from_json(report.to_json())
    assert str(back) == str(report)
    assert (back.rig, back.notes) == (report.rig, report.notes)
    (found,), (expected,) = back.chains, report.chains
    for field in dataclasses.fields(expected):
        was, now = getattr(expected, field.name), getattr(found, field.name)
        assert type(now) is type(was)
        assert np.array_equal(now, was), field.name
        assert getattr(now, "dtype", None) == getattr(was, "dtype", None), field.name


def test_json_is_plain_enough_for_any_program() -> None:
    report = json.loads(api.check(arm().id_data, frames=(1, 3)).to_json())
    assert report["chains"][0]["status"] == [0, 0, 0]
    assert report["chains"][0]["frames"] == [1, 2, 3]


def test_a_report_without_frames_keeps_its_types() -> None:
    arrays = {field.name: [] for field in dataclasses.fields(api.ChainReport) if field.name != "name"}
    chain = api.ChainReport.from_dict({"name": "arm", **arrays})
    assert chain.status.dtype == np.uint8
    assert chain.lines() == ["arm: 0 of 0 frames reached"]


def test_a_foot_of_an_older_report_is_told_without_turn() -> None:
    older = {"name": "Leg.L", "contacts": 1, "frames": 9, "before": [0.0, 0.2], "after": [0.0, 0.1]}
    foot = api.FootReport.from_dict({**older, "moved": 0.3, "short": 0.0, "millimetres": 1000.0})
    assert (foot.before, foot.after) == ((0.0, 0.2), (0.0, 0.1))
    assert foot.turn_before == foot.turn_after == foot.turn_planted == foot.planted == (0.0, 0.0)
    assert (foot.measured, foot.total) == (0, 0)


def test_late_and_fractional_frames_are_told_as_users_know_them() -> None:
    rig = arm(target=(9, 0, 1)).id_data
    assert "on 2 frames (1000000-1000001)" in str(api.check(rig, frames=(1_000_000, 1_000_001)))
    assert "on 2 frames (86401.25-86402.25)" in str(api.check(rig, frames=(86401.25, 86402.25)))
    with pytest.raises(api.Refused, match="range 1000001 to 1000000 "):
        api.check(rig, frames=(1_000_001, 1_000_000))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", 'a Report must have the field "rig", but has none'),
        ('{"rig": "Hero"}', 'a Report must have the field "chains", but has rig'),
        ('{"rig": "Hero", "chains": [{}]}', 'a ChainReport must have the field "name", but has none'),
        ('{"rig": "Hero", "chains": [{"name": "arm.L"}]}', 'a ChainReport must have the field "frames", but has name'),
        ('{"rig": "Hero", "chains": [], "feet": [{}]}', 'a FootReport must have the field "name", but has none'),
        (
            '{"rig": "Hero", "chains": [], "worst": 1}',
            'a Report has no field "worst": a later version may have written',
        ),
        ("[]", r"a Report must be an object with its fields, but is \[\]"),
        ("null", "a Report must be an object with its fields, but is None"),
        ("nothing", "Expecting value"),
    ],
)
def test_json_of_something_else_is_refused_by_its_field(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{told}"):
        api.Report.from_json(text)


def test_a_report_without_notes_is_read() -> None:
    assert api.Report.from_json('{"rig": "Hero", "chains": []}').notes == ()
