"""Files without write permission and files of other programs stay as they are."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.command import run

pytestmark = pytest.mark.once


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The permissions and contents of every file there."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): (path.stat().st_mode, path.read_bytes()) for path in files}


def read_only(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    path.chmod(0o444)
    return path


@pytest.mark.parametrize("protected", ["baked.blend", "report.json", "shot.blend"])
def test_a_file_without_write_permission_is_left_alone(
    shot: Path, capsys: pytest.CaptureFixture[str], protected: str
) -> None:
    path = read_only(shot.with_name(protected))
    where = ("--in-place",) if path == shot else ("--output", shot.with_name("baked.blend"))
    before = state(shot.parent)
    assert run("bake", shot, *where, "--report", shot.with_name("report.json")) == 5
    assert f'"{path}" is read-only' in capsys.readouterr().err
    assert {name: value for name, value in state(shot.parent).items() if name != "report.json"} == {
        name: value for name, value in before.items() if name != "report.json"
    }
    assert state(shot.parent).get(protected) == before[protected]


@pytest.mark.parametrize("protected", ["a.blend", "a.two_bone_ik.json"])
def test_a_read_only_output_costs_only_its_own_shot(shot: Path, protected: str) -> None:
    out, manifest = shot.with_name("out"), shot.with_name("season.toml")
    manifest.write_text(f'shot = [{", ".join(f"""{{file = "shot.blend", output = "{n}.blend"}}""" for n in "ab")}]')
    read_only(out / protected)
    before = state(out)
    assert run("bake", "--manifest", manifest, "--output-dir", out) == 5
    after = state(out)
    assert after[protected] == before[protected]
    assert ("a.blend" in after) == (protected == "a.blend")
    assert {"b.blend", "b.two_bone_ik.json"} <= after.keys()


def test_a_file_of_another_program_beside_it_is_left_alone(shot: Path) -> None:
    out, manifest = shot.with_name("out"), shot.with_name("season.toml")
    manifest.write_text('shot = [{file = "shot.blend"}]')
    out.mkdir()
    (out / "shot.json").write_text("{}")
    assert run("bake", "--manifest", manifest, "--output-dir", out) == 0
    assert (out / "shot.json").read_text() == "{}"


@pytest.mark.parametrize("text", ['{"takes": [1, 2]}', '{"request": "notes"}', "Take 2: hand on the rail", "\xff\0"])
def test_what_is_no_report_is_no_place_for_one(shot: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    notes = shot.with_name("notes.txt")
    notes.write_bytes(text.encode("latin-1"))
    for line in (("check", shot), ("bake", shot, "--output", shot.with_name("baked.blend"), "--force")):
        assert run(*line, "--report", notes) == 5
        assert f'"{notes}" is no report' in capsys.readouterr().err
    assert state(shot.parent).keys() == {"shot.blend", "notes.txt"}
    assert notes.read_bytes() == text.encode("latin-1")


def test_a_report_takes_the_place_of_a_report_or_of_nothing(shot: Path) -> None:
    report = shot.with_name("report.json")
    report.touch()  # as mktemp leaves it
    for _ in range(2):
        assert run("check", shot, "--report", report) == 0
        assert json.loads(report.read_text("utf-8"))["state"] == "done"


def test_scripts_do_not_replace_what_is_read_only_either(shot: Path) -> None:
    path = read_only(shot.with_name("setup.toml"))
    with pytest.raises(api.Refused, match="read-only") as refused:
        api.save_setup(bpy.data.objects["Rig"], path)
    assert "--force" not in str(refused.value)
    assert path.read_bytes() == b""


def test_force_is_recommended_where_it_helps(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = read_only(shot.with_name("kept"))
    assert run("detect", shot, "--output", path) == 5
    said = capsys.readouterr().err
    assert "read-only" in said
    assert "--force" in said
    assert path.read_bytes() == b""
