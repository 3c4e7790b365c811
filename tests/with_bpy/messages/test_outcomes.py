"""What has no targets is told in other words, in the report, its headline and the command line's result."""

from __future__ import annotations

import dataclasses

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.command_line import outcome

from support.body import body

pytestmark = pytest.mark.once


def told(report: api.Report) -> str:
    """What the command line tells of a shot with this report."""
    return outcome.of_summaries([report.summary()], outcome.DONE, strict=None).text


def test_feet_that_are_planted_have_no_targets() -> None:
    report = api.plant(body(), floor=-0.04)
    assert report.reached
    assert "Leg.L: where it is to be on 31 of 31 frames" in report.lines()
    assert told(report) == "all limbs where they are to be"


def test_a_plant_that_was_not_measured_says_no_more_than_that() -> None:
    report = api.plant(body(), floor=-0.04, measure="NONE")
    assert report.headline().startswith("Planted. ")
    assert told(report) == "planted"


def test_a_plant_tells_that_no_foot_stands() -> None:
    report = api.plant(body(), contacts=())
    assert report.headline().startswith("No foot or hand stands")
    assert told(report) == "no foot or hand stands"


def test_what_falls_short_when_planted_has_no_targets() -> None:
    report = api.plant(body(), floor=-0.14, keep=["SPINE"])
    assert report.headline().startswith("Limbs not always where they are to be: Spine")
    assert told(report) == "limbs not always where they are to be: Spine"
    assert "target" not in "\n".join((report.headline(), *report.lines())).lower()


@pytest.mark.parametrize(
    ("measured", "misposed", "words"),
    [
        (True, False, "all limbs stay where they were"),
        (False, False, "switched"),
        (True, True, "switched, but not all stay where they were: arm"),
    ],
    ids=["stay", "unmeasured", "moved"],
)
def test_a_switch_is_told_in_its_own_words(measured: bool, misposed: bool, words: str) -> None:
    fields = {field.name: [0.0, 0.0] for field in dataclasses.fields(api.ChainReport)}
    fields |= {"name": "arm", "frames": [1.0, 2.0], "angles": [[0.0, 0.0]] * 2, "off_bone": "hand" if misposed else ""}
    fields |= {"measured": [measured] * 2, "misposed": [misposed] * 2}
    chain = api.ChainReport.from_dict(fields)
    assert told(api.Report(rig="Rig", chains=(chain,), operation="Switch")) == words
