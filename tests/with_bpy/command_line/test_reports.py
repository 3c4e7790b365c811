"""What a run leaves for other programs: a report for each shot, as the schema says."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.command_line import worker
from bl_ext.user_default.two_bone_ik.command_line.shot import Shot

from support.command import run
from support.json_schema import faults
from support.release import version
from support.rigs import animate, arm

pytestmark = pytest.mark.once

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "schemas" / "report.schema.json").read_text("utf-8"))


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
    """The reports after a run, in the order of the shots."""
    out = season.with_name("out")
    run("bake", "--manifest", season, "--output-dir", out, *argv)
    reports = [json.loads(path.read_text("utf-8")) for path in out.glob("*.two_bone_ik.json")]
    return sorted(reports, key=lambda report: report["shot"])


def test_each_shot_has_a_report_that_tells_how_it_ended(season: Path) -> None:
    near, far, missing = bake(season)
    states = [(report["shot"], report["state"]) for report in (near, far, missing)]
    assert states == [(1, "done"), (2, "done"), (3, "refused")]
    ((near_chain,), (far_chain,)) = (report["summary"][0]["chains"] for report in (near, far))
    assert (near_chain["frames"]["count"], far_chain["frames"]["count"]) == (3, 3)
    assert near_chain["worst_miss"] < 1e-6
    bpy.context.scene.frame_set(3)
    rig = bpy.data.objects["Rig"]
    lengths = sum(rig.data.bones[name].length for name in ("upper", "lower"))
    distance = (bpy.data.objects["Target"].matrix_world.translation - rig.data.bones["upper"].head_local).length
    assert far_chain["worst_miss"] == pytest.approx(distance - lengths, abs=1e-5)
    assert "missing.blend" in missing["error"]["message"]
    assert near["file"] == str(season.with_name("near.blend"))
    assert Path(*near["outputs"]).is_file()
    assert abs((datetime.now(UTC) - datetime.fromisoformat(near["started"])).total_seconds()) < 600
    assert 0 < near["seconds"] < 600


@pytest.mark.parametrize("detail", ["FULL", "SUMMARY"])
def test_reports_are_as_the_schema_says(season: Path, detail: str) -> None:
    for found in bake(season, "--report-detail", detail):
        assert faults(found, SCHEMA) == []
        assert found["versions"] == {"two_bone_ik": version(), "blender": bpy.app.version_string}
        assert ("reports" in found) == (detail == "FULL" and found["state"] == "done")


def test_a_summary_counts_what_the_full_report_tells(season: Path) -> None:
    _, found, _ = bake(season)
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
    assert bake(season, "--shot", "1")[0]["state"] == "done"
    out = season.with_name("out")
    shot = Shot(
        command="bake",
        number=1,
        file=season.with_name("near.blend"),
        outputs=(out / "near.blend",),
        report=out / "near.two_bone_ik.json",
    )
    [(_, ended)] = worker.outcomes([sys.executable, "-c", line], {1: shot}, 1, limit)
    assert (ended.state, ended.status) == (state, 6)
    found = json.loads((out / "near.two_bone_ik.json").read_text("utf-8"))
    assert faults(found, SCHEMA) == []
    assert found["state"] == state
    assert found["seconds"] > 0
    assert reason in found["error"]["message"]
    assert bake(season, "--shot", "1")[0]["state"] == "done"


def test_the_schema_refuses_what_is_missing_or_unknown(season: Path) -> None:
    (found,) = bake(season, "--shot", "1")
    for value, schema in ((found, SCHEMA), (found["summary"][0], SCHEMA["$defs"]["summary"])):
        assert faults(value | {"more": 1}, schema, SCHEMA)
        for name in schema["required"]:
            assert faults({key: item for key, item in value.items() if key != name}, schema, SCHEMA)
            assert faults(value | {name: {"wrong": []}}, schema, SCHEMA) or name == "request"
