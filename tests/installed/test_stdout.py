"""What a run does where nobody takes what it tells: its shots, its exit status and the reason for that."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.waiting import SECONDS

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("enabled")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two shots, of which the second is out of reach, and a manifest of both."""
    from support import season

    season.make_shot(tmp_path / "near.blend")
    season.make_shot(tmp_path / "far.blend", kind=season.FAR)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    shots = "".join(f'[[shot]]\nfile = "{name}.blend"\nsetup = "setup.toml"\n' for name in ("near", "far"))
    (tmp_path / "season.toml").write_text(shots)
    return tmp_path


def call(folder: Path, mode: str) -> list[str]:
    if mode == "single":
        outputs = ["--output", folder / "out" / "far.blend", "--report", folder / "out" / "far.two_bone_ik.json"]
        line = ["bake", folder / "far.blend", "--setup", folder / "setup.toml", *outputs]
    else:
        jobs = ["--jobs", "1"] if mode == "pool" else []
        line = ["bake", "--manifest", folder / "season.toml", "--output-dir", folder / "out", *jobs]
    return [*map(str, line), "--strict"]


@contextmanager
def refusing(kind: str) -> Iterator[int | None]:
    """A stdout that takes nothing; None stands for a closed one."""
    if kind == "closed":
        yield None
        return
    if kind == "full":
        with open("/dev/full", "wb") as full:
            yield full.fileno()
        return
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("full", "single"), ("broken", "many"), ("broken", "pool"), ("closed", "single")],
)
def test_shots_go_on_where_stdout_takes_nothing(program: list[str], folder: Path, kind: str, mode: str) -> None:
    line = [*program, *call(folder, mode)]
    if kind == "closed":
        line = ["bash", "-c", 'exec "$@" >&-', "bash", *line]
    with refusing(kind) as stdout:
        done = subprocess.run(line, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=SECONDS)
    assert done.returncode == 3, done.stderr
    written = {"far"} if mode == "single" else {"near", "far"}
    names = {f"{name}.{end}" for name in written for end in ("blend", "two_bone_ik.json")}
    assert {path.name for path in (folder / "out").iterdir()} == names
    ours = [line for line in done.stderr.splitlines() if line.startswith("two_bone_ik: ")]
    [reason] = ours
    assert "reach" in reason
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("mode", ["single", "pool"])
def test_the_status_is_the_shots_without_any_stream(program: list[str], folder: Path, mode: str) -> None:
    line = ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash", *program, *call(folder, mode)]
    assert subprocess.run(line, timeout=SECONDS).returncode == 3
    assert (folder / "out" / "far.blend").exists()


@pytest.mark.parametrize(("kind", "status"), [("broken", 5), ("closed", 3)])
def test_a_script_that_prints_there_fails_as_any_does(program: list[str], folder: Path, kind: str, status: int) -> None:
    (folder / "print.py").write_text("print('x' * 100_000, flush=True)")
    line = [*program, *call(folder, "single"), "--python-before", str(folder / "print.py")]
    if kind == "closed":  # there, `print` does nothing
        line = ["bash", "-c", 'exec "$@" >&-', "bash", *line]
    with refusing(kind) as stdout:
        done = subprocess.run(line, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=SECONDS)
    assert done.returncode == status, done.stderr
    assert ("BrokenPipeError" in done.stderr.splitlines()[-1]) == (status == 5)


def test_what_a_script_leaves_in_the_buffer_is_printed(program: list[str], folder: Path) -> None:
    (folder / "print.py").write_text("print('from the script')")
    line = [*program, *call(folder, "single"), "--python-after", str(folder / "print.py"), "--progress", "none"]
    assert "from the script\n" in subprocess.run(line, capture_output=True, text=True, timeout=SECONDS).stdout
