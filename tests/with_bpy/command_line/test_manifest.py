"""Many files in one run: which shots, where their outputs go, and what a second run leaves alone."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.command_line import shot_names, worker
from bl_ext.user_default.two_bone_ik.command_line.outcome import ExitStatus, Outcome

from support.command import bake_all, run
from support.empty_file import open_empty_file
from support.rigs import animate, arm, keys

pytestmark = pytest.mark.once

Manifest = Callable[[str], Path]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three shots in two folders, with the same file name in both."""
    found = [tmp_path / name for name in ("seq/a.blend", "seq/b.blend", "pickup/a.blend")]
    animate(arm().target, location={1: (1.2, 0.6, 1.3), 5: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_end = 5
    for path in found:
        path.parent.mkdir(exist_ok=True)
        bpy.context.scene["file"] = str(path)
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    open_empty_file()
    return found


@pytest.fixture
def listed(tmp_path: Path, files: list[Path]) -> Path:
    path = tmp_path / "season.toml"
    path.write_text("".join(f'[[shot]]\nfile = "{file.relative_to(tmp_path)}"\n' for file in files))
    return path


def written(folder: Path) -> dict[str, int]:
    """The files there and when each was written."""
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_outputs_and_reports_lie_as_the_files_do(listed: Path, files: list[Path]) -> None:
    before = [path.read_bytes() for path in files]
    assert bake_all(listed) == 0
    assert [path.read_bytes() for path in files] == before
    out = listed.parent / "out"
    names = ("seq/a", "seq/b", "pickup/a")
    assert written(out).keys() == {f"{name}.{end}" for name in names for end in ("blend", "two_bone_ik.json")}
    for path in out.rglob("*.blend"):
        bpy.ops.wm.open_mainfile(filepath=str(path))
        assert list(keys(bpy.data.objects["Rig"].pose.bones["lower"])) == [1, 2, 3, 4, 5]


def test_a_shot_can_say_all_of_it(listed: Path) -> None:
    (listed.parent / "rig.toml").write_text('chain = [{name = "new", end_bone = "lower", target = "Target"}]')
    shot = '{file = "seq/a.blend", setup = "rig.toml", rig = "Rig", frames = "2:3", output = "deep/x.blend"}'
    listed.write_text(f"shot = [{shot}]")
    assert bake_all(listed) == 0
    bpy.ops.wm.open_mainfile(filepath=str(listed.parent / "out" / "deep" / "x.blend"))
    rig = bpy.data.objects["Rig"]
    assert list(keys(rig.pose.bones["lower"])) == [2, 3]
    assert rig.two_bone_ik_chains.keys() == ["lower", "new"]


def test_only_the_shots_that_are_asked_for(listed: Path) -> None:
    assert bake_all(listed, "--shot", "1,3") == 0
    assert {name for name in written(listed.parent / "out") if name.endswith("d")} == {"seq/a.blend", "pickup/a.blend"}


def test_a_second_run_does_only_what_is_left(
    listed: Path, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    out = listed.parent / "out"
    gone = files[1].read_bytes()
    files[1].unlink()
    assert bake_all(listed) == 5
    before = written(out)
    files[1].write_bytes(gone)
    capsys.readouterr()
    assert bake_all(listed) == 0
    now = written(out)
    assert {name for name in now if now[name] != before.get(name)} == {"seq/b.blend", "seq/b.two_bone_ik.json"}
    assert capsys.readouterr().out.count("done before") == 2
    assert bake_all(listed) == 0
    assert written(out) == now


@pytest.mark.parametrize("change", ["input", "setup", "frames", "keys", "output", "report", "garbage"])
def test_a_shot_is_done_again_when_something_changed(listed: Path, files: list[Path], change: str) -> None:
    out, setup = listed.parent / "out", listed.parent / "setup.toml"
    setup.write_text('chain = [{end_bone = "lower", target = "Target"}]')
    options = {"--setup": setup, "--frames": "1:5", "--keys": "EVERY_FRAME"}
    flat = lambda: [item for pair in options.items() for item in pair]  # noqa: E731
    assert bake_all(listed, *flat()) == 0
    before = written(out)
    if change == "input":
        files[0].write_bytes(files[1].read_bytes())
    elif change == "setup":
        setup.write_text('chain = [{end_bone = "lower", target = "Target", softness = 0.1}]')
    elif change == "frames":
        options["--frames"] = "1:4"
    elif change == "keys":
        options["--keys"] = "REDUCED"
    elif change == "output":
        (out / "seq/a.blend").unlink()
    elif change == "report":
        (out / "seq/a.two_bone_ik.json").unlink()
    else:
        (out / "seq/a.two_bone_ik.json").write_text("{")
    assert bake_all(listed, *flat()) == 0
    now = written(out)
    again = {name for name in now if now[name] != before.get(name)}
    assert {"seq/a.blend", "seq/a.two_bone_ik.json"} <= again
    assert len(again) == (6 if change in {"setup", "frames", "keys"} else 2)


def test_a_shot_that_fails_does_not_stop_the_others(
    listed: Path, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    files[0].write_bytes(files[0].read_bytes()[:1000])
    assert bake_all(listed) == 5
    said = capsys.readouterr()
    assert said.err == "two_bone_ik: 1 of 3 shots failed: 1\n"
    rows = [line.split()[:3] for line in said.out.splitlines() if line.strip()[:1] in "123" and ".blend" in line]
    assert rows == [["1", "refused", str(files[0])], ["2", "done", str(files[1])], ["3", "done", str(files[2])]]
    error = json.loads((listed.parent / "out" / "seq/a.two_bone_ik.json").read_text())["error"]
    assert error.keys() == {"message", "kind", "object", "bone", "value"}
    assert error["kind"] == "UNREADABLE"
    assert str(files[0]) in error["message"]


def test_out_of_reach_counts_in_later_runs_too(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed.write_text('shot = [{file = "seq/a.blend", frames = "1:200"}]')
    (listed.parent / "far.toml").write_text(
        'chain = [{end_bone = "lower", target = "Target", use_bend_limits = true, bend_max = 0.1}]'
    )
    assert bake_all(listed, "--setup", listed.parent / "far.toml") == 0
    for _ in range(2):
        assert bake_all(listed, "--setup", listed.parent / "far.toml", "--strict") == 3
        assert capsys.readouterr().err == "two_bone_ik: 1 of 1 shots did not always reach their targets: 1\n"


def test_a_check_writes_reports_only(listed: Path) -> None:
    assert run("check", "--manifest", listed) == 0
    assert not (listed.parent / "out").exists()
    assert run("check", "--manifest", listed, "--output-dir", listed.parent / "out") == 0
    assert written(listed.parent / "out").keys() == {
        "seq/a.two_bone_ik.json",
        "seq/b.two_bone_ik.json",
        "pickup/a.two_bone_ik.json",
    }


@pytest.mark.parametrize(("form", "there"), [("POSIX", "/studio/season"), ("WINDOWS", "S:\\\\season")])
def test_paths_of_another_machine_are_mapped(listed: Path, files: list[Path], form: str, there: str) -> None:
    listed.write_text(f'[[shot]]\nfile = "{there}/seq/a.blend"\n\n[[shot]]\nfile = "seq/b.blend"')
    rule = {
        "source_path_format": form,
        "source_path": there.replace("\\\\", "\\"),
        "destination_path": str(listed.parent),
    }
    rules = listed.parent / "rules.json"
    rules.write_text(json.dumps({"version": "pathmapping-1.0", "path_mapping_rules": [rule]}))
    assert bake_all(listed, "--path-mapping", rules) == 0
    assert {"seq/a.blend", "seq/b.blend"} <= written(listed.parent / "out").keys()
    rules.write_text("{}")
    assert bake_all(listed, "--path-mapping", rules) == 5
    rules.write_text("[]")
    assert bake_all(listed, "--path-mapping", rules) == 5


def test_the_folder_of_a_manifest_may_have_brackets(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed.write_text('shot = [{file = "*/a.blend"}, {file = "gone.blend"}]')
    folder = listed.parent.rename(listed.parent.with_name("show [2]"))
    assert bake_all(folder / listed.name) == 5
    assert "1 of 3 shots failed: 3" in capsys.readouterr().err
    assert {"pickup/a.blend", "seq/a.blend"} <= written(folder / "out").keys()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_manifests_and_setups_of_windows_editors_are_read(listed: Path, mark: bytes) -> None:
    setup = listed.with_name("setup.toml")
    listed.write_bytes(mark + b'[[shot]]\r\nfile = "seq/a.blend"\r\n')
    setup.write_bytes(mark + b'[[chain]]\r\nend_bone = "lower"\r\ntarget = "Target"\r\n')
    assert bake_all(listed, "--setup", setup) == 0


def test_a_range_expression_names_shots() -> None:
    assert shot_names.chosen(None, 3, {}) == [1, 2, 3]
    assert shot_names.chosen("2", 3, {}) == [2]
    assert shot_names.chosen("1-9:3", 9, {}) == [1, 4, 7]
    assert shot_names.chosen("8, 1-3,2", 9, {}) == [8, 1, 2, 3]
    assert shot_names.chosen("191-200", 195, {}) == shot_names.chosen("191-", 195, {}) == [191, 192, 193, 194, 195]
    assert shot_names.chosen("2-:3", 9, {}) == [2, 5, 8]
    assert shot_names.chosen("1-12:4,9", 10, {}) == [1, 5, 9]


@pytest.mark.parametrize("text", ["0", "4", "4-6", "4-", "", "x", "1,", "-1", "1-3:0", "3-1", "1:2"])
def test_a_range_that_names_no_shot_is_refused(text: str) -> None:
    with pytest.raises(api.Refused):
        shot_names.chosen(text, 3, {})


def test_a_farm_is_told_why_a_run_is_refused(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bake_all(listed, "--shot", "4-9", "--progress", "openjd") == 5
    said = capsys.readouterr()
    assert said.out == "openjd_fail: There is no shot 4: there are 1 to 3\n"
    assert said.err == "two_bone_ik: There is no shot 4: there are 1 to 3\n"


def test_all_shots_that_failed_are_named(
    listed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed = Outcome(status=ExitStatus.CRASHED, state="crashed", text="")
    refused = Outcome(status=ExitStatus.REFUSED, state="refused", text="")
    ends = {1: crashed, 2: Outcome(status=ExitStatus.DONE, state="done", text=""), 3: refused}
    monkeypatch.setattr(worker, "outcomes", lambda *_: iter(ends.items()))
    assert bake_all(listed, "--jobs", "2") == 6
    assert capsys.readouterr().err == "two_bone_ik: 2 of 3 shots failed: 1, 3\n"


def test_names_that_a_terminal_cannot_show_stop_nothing(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (b"\xc3\xa9.blend", b"\xff.blend"):
        (listed.parent / "seq" / os.fsdecode(name)).write_bytes((listed.parent / "seq/a.blend").read_bytes())
    listed.write_text('shot = [{file = "seq/*.blend"}]')
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert bake_all(listed) == 0
    terminal.flush()
    assert b"4 of 4 shots done" in terminal.buffer.getvalue()
    assert len([name for name in written(listed.parent / "out") if name.endswith(".blend")]) == 4


def test_what_belongs_to_one_file_does_not_go_with_many(
    listed: Path, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for extra in ((files[0],), ("--output", "x.blend"), ("--in-place",), ("--report", "x.json")):
        assert bake_all(listed, *extra) == 64
        assert "leave out --manifest" in capsys.readouterr().err
    assert run("bake", "--manifest", listed) == 64
    assert "--output-dir" in capsys.readouterr().err
