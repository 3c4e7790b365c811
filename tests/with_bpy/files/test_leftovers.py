"""What killed processes have begun to write is tidied up by the next that writes there, and nothing else is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik.blender.files import atomic_write

pytestmark = pytest.mark.once

WRITER = """
import sys, time
sys.path.insert(0, {package!r})
import pathlib
from blender.files.atomic_write import atomic_write
with atomic_write(pathlib.Path({path!r})) as beside:
    beside.write_text("half")
    beside.with_name(beside.name + "@").write_text("as Blender does")
    print("begun", flush=True)
    time.sleep(60)
"""


def writer(path: Path) -> subprocess.Popen[str]:
    """A process in the middle of writing the file."""
    code = WRITER.format(package=str(Path(atomic_write.__file__).parents[2]), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "begun\n" in process.stdout  # Blender says things before
    return process


def write(path: Path) -> None:
    with atomic_write.atomic_write(path) as beside:
        beside.write_text("new")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_is_being_written_stays_until_the_writer_is_killed(tmp_path: Path) -> None:
    there, copied = tmp_path / "there", tmp_path / "copied"
    there.mkdir()
    (there / "shot.txt").write_text("old")
    process = writer(there / "shot.txt")
    try:
        begun = names(there)
        assert len(begun) == 3
        for name in ("shot.txt", "other.txt"):
            write(there / name)
        assert names(there) == begun | {"other.txt"}
    finally:
        process.kill()
        process.wait()
    assert (there / "shot.txt").read_text() == "new"
    shutil.copytree(there, copied)
    for folder, name in ((there, "shot.txt"), (copied, "other.txt")):
        write(folder / name)
        assert names(folder) == {"shot.txt", "other.txt"}


def test_what_another_machine_or_program_has_begun_stays(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    others = {f".shot.00000000-{gone.pid}-0123abcd.partial.txt", ".shot.0123abcd.partial.txt", ".shot.partial.txt"}
    for name in others:
        (tmp_path / name).write_text("theirs")
    write(tmp_path / "shot.txt")
    assert names(tmp_path) == others | {"shot.txt"}
