"""What a run leaves for other programs: a line for each shot, a report for each shot, as the schemas say."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.command_line import worker
from bl_ext.user_default.two_bone_ik.command_line.shot import Shot
from bl_ext.user_default.two_bone_ik.command_line.summary import Summary

from support.command import run
from support.json_schema import faults
from support.release import version
from support.rigs import animate, arm

pytestmark = pytest.mark.once

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
REPORT, LINE = (json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")) for name in ("report", "summary"))


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A shot that reaches its targets, one that does not, and one that is not there."""
    target = arm().target
    bpy.context.scene.frame_end = 3
    for name, end in (("near", (0.5, -0.8, 1.5)), ("far", (5, 0, 1))):
        target.animation_data_clear()
        animate(target, location={1: (1.2, 0.6, 1.3), 3: end})
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / f"{name}.blend"))
    names = ("near", "far", "missing")
    (tmp_path / "season.toml").write_text("".join(f'[[shot]]\nfile = "{name}.blend"\n' for name in names))
    return tmp_path / "season.toml"


def bake(season: Path, *argv: object) -> list[dict]:
    """The lines of the summary after a run."""
    summary = season.with_name("season.jsonl")
    run("bake", "--manifest", season, "--output-dir", season.with_name("out"), "--summary", summary, *argv)
    return [json.loads(line) for line in summary.read_text("utf-8").splitlines()]


def report(season: Path, name: str) -> dict:
    return json.loads((season.with_name("out") / f"{name}.two_bone_ik.json").read_text("utf-8"))


def test_each_shot_has_a_line_that_tells_how_it_ended(season: Path) -> None:
    near, far, missing = bake(season)
    assert [(line["shot"], line["state"], line["status"]) for line in (near, far, missing)] == [
        (1, "done", 0),
        (2, "done", 0),
        (3, "refused", 5),
    ]
    assert (near["frames"], far["frames"], missing["frames"]) == (3, 3, 0)
    assert near["worst_miss"] < 1e-6
    bpy.context.scene.frame_set(3)
    rig = bpy.data.objects["Rig"]
    lengths = sum(rig.data.bones[name].length for name in ("upper", "lower"))
    distance = (bpy.data.objects["Target"].matrix_world.translation - rig.data.bones["upper"].head_local).length
    assert far["worst_miss"] == pytest.approx(distance - lengths, abs=1e-5)
    assert "missing.blend" in missing["reason"]
    assert missing["worst_miss"] is None
    assert near["file"] == str(season.with_name("near.blend"))
    assert Path(*near["outputs"]).is_file()
    assert Path(near["report"]).is_file()
    assert abs((datetime.now(UTC) - datetime.fromisoformat(near["started"])).total_seconds()) < 600
    assert 0 < near["seconds"] < 600


def test_a_later_run_adds_its_lines(season: Path) -> None:
    bake(season)
    lines = bake(season, "--shot", "1-2", "--strict")
    assert [(line["shot"], line["state"], line["status"]) for line in lines[3:]] == [
        (1, "done before", 0),
        (2, "done before", 3),
    ]
    assert lines[4]["worst_miss"] == lines[1]["worst_miss"]


@pytest.mark.parametrize("detail", ["FULL", "SUMMARY"])
def test_lines_and_reports_are_as_the_schemas_say(season: Path, detail: str) -> None:
    for line in bake(season, "--report-detail", detail):
        assert faults(line, LINE) == []
        found = report(season, Path(line["file"]).stem)
        assert faults(found, REPORT) == []
        assert (found["shot"], found["file"], found["started"]) == (line["shot"], line["file"], line["started"])
        assert found["versions"] == {"two_bone_ik": version(), "blender": bpy.app.version_string}
        assert ("reports" in found) == (detail == "FULL" and found["state"] == "done")
    assert {line["state"] for line in bake(season, "--report-detail", detail)[3:]} == {"done before", "refused"}


def test_a_summary_counts_what_the_full_report_tells(season: Path) -> None:
    bake(season)
    found = report(season, "far")
    (whole,), (short,) = found["reports"][0]["chains"], found["summary"][0]["chains"]
    assert short["reached"] == whole["status"].count(0)
    assert short["too_far"] == whole["status"].count(1) > 0
    assert short["worst_miss"] == max(whole["miss"])
    assert short["frames"] == {"start": 1.0, "end": 3.0, "count": 3}


@pytest.mark.parametrize(
    ("line", "limit", "state", "reason"),
    [("raise SystemExit(3)", 60.0, "crashed", "exit status 3"), ("input()\ninput()", 1.0, "timed out", "1 seconds")],
)
def test_a_shot_that_crashes_leaves_no_report_of_an_earlier_run(
    season: Path, line: str, limit: float, state: str, reason: str
) -> None:
    bake(season)
    assert report(season, "near")["state"] == "done"
    out = season.with_name("out")
    shot = Shot(
        command="bake",
        number=1,
        file=season.with_name("near.blend"),
        outputs=(out / "near.blend",),
        report=out / "near.two_bone_ik.json",
    )
    [(_, found)] = worker.outcomes([sys.executable, "-c", line], {1: shot}, 1, limit)
    Summary(season.with_name("season.jsonl")).add(shot, found)
    last = json.loads(season.with_name("season.jsonl").read_text().splitlines()[-1])
    assert (last["state"], last["status"]) == (state, 6)
    assert last["seconds"] > 0
    assert faults(last, LINE) == faults(report(season, "near"), REPORT) == []
    assert report(season, "near")["state"] == state
    assert reason in report(season, "near")["error"]["message"]
    assert bake(season, "--shot", "1")[-1]["state"] == "done"


def test_lines_that_cannot_be_written_cost_no_shot(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    season.write_text('shot = [{file = "near.blend"}, {file = "far.blend"}]')
    summary, script, out = season.with_name("late.jsonl"), season.with_name("before.py"), season.with_name("out")
    script.write_text(f"import os\nos.makedirs({str(summary)!r}, exist_ok=True)")
    bake = ("bake", "--manifest", season, "--output-dir", out, "--python-before", script)
    assert run(*bake, "--summary", summary, "--progress", "openjd") == 5
    assert {"near.blend", "far.blend"} <= {path.name for path in out.iterdir()}
    said = capsys.readouterr()
    assert "2 of 2 shots done" in said.out
    assert "openjd_fail: " in said.out
    assert said.err.startswith(f'two_bone_ik: "{summary}" cannot be written: ')


def test_one_file_has_a_line_too_but_for_a_dry_run(season: Path) -> None:
    summary, shot = season.with_name("one.jsonl"), season.with_name("near.blend")
    missing = season.with_name("missing.blend")
    for file, status in ((shot, 0), (missing, 5)):
        assert run("bake", file, "--output", season.with_name("new.blend"), "--dry-run", "--summary", summary) == status
        assert not summary.exists()
    assert run("check", shot, "--summary", summary) == 0
    (line,) = summary.read_text().splitlines()
    assert faults(json.loads(line), LINE) == []
    assert (json.loads(line)["shot"], json.loads(line)["outputs"]) == (None, [])


def test_half_a_line_is_removed_on_resume(season: Path) -> None:
    path = season.with_name("season.jsonl")
    bake(season, "--shot", "1")
    halves, line_before = ('{"schema": 1, "sho', '{"sch', "{", '{"schema": 1, "reason": "\u00e4'), path.read_bytes()
    for half, before in product(halves, (b"", line_before)):
        path.write_bytes(before + half.encode()[: len(half)])
        assert run("check", season.with_name("near.blend"), "--summary", path) == 0
        found = path.read_bytes()
        assert found.startswith(before), half
        (line,) = found[len(before) :].decode().splitlines()
        assert faults(json.loads(line), LINE) == [], half
        assert not list(path.parent.glob(".*.lock")), half


def test_a_whole_line_without_its_end_is_kept(season: Path) -> None:
    path = season.with_name("season.jsonl")
    bake(season, "--shot", "1")
    before = path.read_text()
    path.write_text(before.rstrip("\n"))
    assert run("check", season.with_name("near.blend"), "--summary", path) == 0
    assert path.read_text().startswith(before)
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("text", ["[]", "takes", '{"takes": 1}\n', "\xff"])
def test_no_lines_are_added_to_a_file_of_another_program(
    season: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = season.with_name("takes.jsonl")
    path.write_text(text)
    assert run("check", season.with_name("near.blend"), "--summary", path) == 5
    assert "no report of Two-Bone IK" in capsys.readouterr().err
    assert run("check", season.with_name("near.blend"), "--summary", season.with_name("near.blend")) == 5
    assert path.read_text() == text


def test_the_schemas_refuse_what_is_missing_or_unknown(season: Path) -> None:
    line = bake(season, "--shot", "1")[0]
    found = report(season, "near")
    for value, schema in ((line, LINE), (found, REPORT), (found["summary"][0], REPORT["$defs"]["summary"])):
        assert faults(value | {"more": 1}, schema, REPORT)
        for name in schema["required"]:
            assert faults({key: item for key, item in value.items() if key != name}, schema, REPORT)
            assert faults(value | {name: {"wrong": []}}, schema, REPORT) or name == "request"
