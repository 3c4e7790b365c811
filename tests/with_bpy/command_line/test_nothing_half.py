"""Refused or interrupted means that nothing was written, and two runs on one folder do not do a shot twice."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Iterator
from io import BufferedRandom
from pathlib import Path
from threading import Event, Thread

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender.files import file_lock
from bl_ext.user_default.two_bone_ik.command_line import worker
from bl_ext.user_default.two_bone_ik.command_line.shot import Shot
from bpy.app.handlers import persistent

from support.command import bake_all, run

pytestmark = pytest.mark.once


@pytest.fixture
def season(shot: Path) -> Path:
    shot.with_name("season.toml").write_text('shot = [{file = "shot.blend"}]')
    return shot.with_name("season.toml")


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize("report", ["shot.blend/report.json", "r" * 250 + ".json"])
def test_no_output_is_written_where_the_report_cannot_be(shot: Path, report: str) -> None:
    assert run("bake", shot, "--output", shot.with_name("baked.blend"), "--report", shot.parent / report) == 5
    assert files(shot.parent) == {"shot.blend"}


def test_folders_are_tried_before_the_file_is_opened(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bake", shot, "--output", shot / "baked.blend") == 5
    said = capsys.readouterr()
    assert "Not a directory" in said.err
    assert "Read blend" not in said.out


@pytest.mark.parametrize("length", [220, 245, 300])
def test_a_name_that_is_too_long_costs_only_its_shot(
    season: Path, capsys: pytest.CaptureFixture[str], length: int
) -> None:
    tables = (f'{{file = "shot.blend", output = "{name}.blend"}}' for name in ("x" * length, "b"))
    season.write_text(f"shot = [{', '.join(tables)}]")
    assert bake_all(season) == 5
    said = capsys.readouterr()
    assert said.err == "two_bone_ik: 1 of 2 shots failed: 1\n"
    assert "File name too long" in said.out
    assert said.out.count("Read blend") <= 1
    assert {name for name in files(season.with_name("out")) if name[0] != "x"} == {"b.blend", "b.two_bone_ik.json"}


def test_a_folder_that_cannot_be_made_costs_only_its_shot(season: Path) -> None:
    season.write_text('shot = [{file = "shot.blend", output = "a/x.blend"}, {file = "shot.blend", output = "b.blend"}]')
    out = season.with_name("out")
    out.mkdir()
    (out / "a").touch()
    assert bake_all(season) == 5
    assert files(out) == {"a", "b.blend", "b.two_bone_ik.json"}


@pytest.fixture
def other_run(season: Path) -> Iterator[None]:
    """Another run holds the shot, puts its result in place a moment later, and lets the shot go."""
    out, done = season.with_name("out"), season.with_name("done")
    assert bake_all(season) == 0
    out.rename(done)
    out.mkdir()
    holds = Event()

    def finish() -> None:
        with file_lock.locked(out / "shot.two_bone_ik.json"):
            holds.set()
            Event().wait(1.0)
            for path in done.iterdir():
                shutil.copy2(path, out)

    thread = Thread(target=finish)
    thread.start()
    holds.wait()
    yield
    thread.join()


def test_a_shot_that_another_run_has_begun_is_not_done_twice(
    season: Path, other_run: None, capsys: pytest.CaptureFixture[str]
) -> None:
    out, done = season.with_name("out"), season.with_name("done")
    assert bake_all(season) == 0
    assert "done before" in capsys.readouterr().out
    assert files(out) == files(done)
    assert all((out / name).read_bytes() == (done / name).read_bytes() for name in files(done))


def test_a_lock_is_free_once_it_is_given_back(tmp_path: Path) -> None:
    with file_lock.locked(tmp_path / "x") as first:
        with file_lock.locked(tmp_path / "x", wait=False) as second:
            assert (first, second) == (True, False)
        assert files(tmp_path) == {".x.lock"}
    with file_lock.locked(tmp_path / "x", wait=False) as third:
        assert third
    assert files(tmp_path) == set()


@pytest.mark.parametrize("line", ["pass", "print('done')", "print('two_bone_ik_outcome: ')", "raise SystemExit(1)"])
def test_a_program_that_is_not_ours_never_looks_done(tmp_path: Path, line: str) -> None:
    shots = {1: Shot(command="bake", file=tmp_path / "shot.blend", outputs=(tmp_path / "baked.blend",))}
    [(_, found)] = worker.outcomes([sys.executable, "-c", line], shots, 1, 60.0)
    assert (found.status, found.state) == (6, "crashed")
    assert files(tmp_path) == set()


def test_a_second_run_on_a_folder_is_refused(season: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless it names its shot or only tells."""
    out = season.with_name("out")
    with file_lock.locked(out / "two_bone_ik"):
        assert bake_all(season) == 5
        assert f'Another run writes to "{out}"' in capsys.readouterr().err
        assert files(out) == {".two_bone_ik.lock"}
        assert bake_all(season, "--dry-run") == bake_all(season, "--shot", "1") == 0
    assert bake_all(season) == bake_all(season) == 0
    assert files(out) == {"shot.blend", "shot.two_bone_ik.json"}


SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(params=SIGNALS)
def interrupting_handler(request: pytest.FixtureRequest) -> Iterator[None]:
    """Blender prints and forgets what is raised in a handler."""

    @persistent
    def interrupt(_: object) -> None:
        signal.raise_signal(request.param)

    bpy.app.handlers.load_post.append(interrupt)
    yield
    bpy.app.handlers.load_post.remove(interrupt)


def test_an_interrupt_in_a_handler_of_blender_counts(
    shot: Path, interrupting_handler: None, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    assert run("bake", shot, "--output", shot.with_name("baked.blend")) == 7
    assert capsys.readouterr().err.splitlines()[-1] == "two_bone_ik: interrupted"
    assert list(shot.parent.iterdir()) == [shot]
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_command_that_ends_by_itself_puts_the_handlers_back(shot: Path) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    assert run("bake", shot, "--output", shot.with_name("baked.blend")) == 0
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_no_report_tells_of_an_output_that_is_not_on_the_disk(shot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file: BufferedRandom) -> None:
        if file.name.endswith(".blend"):
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("os.fsync", interrupted)
    assert run("bake", shot, "--output", shot.with_name("baked.blend"), "--report", shot.with_name("report.json")) == 7
    assert list(shot.parent.iterdir()) == [shot]
