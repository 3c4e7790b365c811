"""A file is there whole or not at all; nobody else may read it meanwhile; what killed processes leave is tidied up."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender.files import atomic_write
from bl_ext.user_default.two_bone_ik.blender.messages.refused import Refused
from bpy.app.handlers import persistent

from support.command import run
from support.rigs import keys

pytestmark = pytest.mark.once


def test_what_was_written_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "new" / "shot.txt"
    for text in ("old", "new"):
        with atomic_write.atomic_write(path) as beside:
            beside.write_text(text)
        assert path.read_text() == text
    assert list(path.parent.iterdir()) == [path]


def test_an_error_leaves_nothing_but_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "shot.txt"
    path.write_text("old")

    def give_up(beside: Path) -> None:
        beside.write_text("half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), atomic_write.atomic_write(path) as beside:
        give_up(beside)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_link_leads_to_is_replaced_behind_it(tmp_path: Path) -> None:
    path, link, first = tmp_path / "there" / "v2.txt", tmp_path / "latest.txt", tmp_path / "first.txt"
    link.symlink_to(first)
    first.symlink_to(path)
    for text in ("new", "newer"):
        with atomic_write.atomic_write(link) as beside:
            beside.write_text(text)
            assert set(path.parent.iterdir()) - {path} == {beside}
            assert beside.match(".v2.*.partial.txt")
        assert path.read_text() == link.read_text() == text
    assert link.is_symlink()
    assert first.is_symlink()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_who_may_read_and_write_it_stays(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "shot.txt"
    path.write_text("old")
    path.chmod(mode)
    with atomic_write.atomic_write(path, force=True) as beside:
        beside.write_text("new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    path = tmp_path / "file" / "shot.txt"
    with pytest.raises(Refused, match="cannot be written"), atomic_write.atomic_write(path):
        pass
    assert [item.name for item in tmp_path.iterdir()] == ["file"]


@pytest.fixture
def modes(tmp_path: Path) -> dict[str, int]:
    """By the suffix of unfinished files, the permissions that they have when Blender has written them."""
    found: dict[str, int] = {}

    @persistent
    def look(*_: object) -> None:
        found.update({path.suffix: path.stat().st_mode & 0o777 for path in tmp_path.glob(".*.partial.*")})

    bpy.app.handlers.save_post.append(look)
    yield found
    bpy.app.handlers.save_post.remove(look)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400])
def test_an_unfinished_file_is_as_private_as_its_place(
    shot: Path, tmp_path: Path, modes: dict[str, int], mode: int
) -> None:
    before = os.umask(0o022)
    try:
        shot.chmod(mode)
        assert run("bake", shot, "--in-place", "--force", "--report", tmp_path / "report.json") == 0
        assert modes[".blend"] == mode | 0o600 & ~0o022
        assert shot.stat().st_mode & 0o777 == mode
        bpy.ops.wm.open_mainfile(filepath=str(shot))
        assert list(keys(bpy.data.objects["Rig"].pose.bones["lower"])) == [1, 2, 3]
        # What is new has the permissions that files have.
        assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o644
        assert json.loads((tmp_path / "report.json").read_text())["state"] == "done"
        modes.clear()
        assert run("bake", shot, "--output", tmp_path / "new.blend") == 0
        assert modes[".blend"] == 0o644
    finally:
        assert os.umask(before) == 0o022


def test_an_unfinished_text_is_as_private_as_its_place(shot: Path, tmp_path: Path) -> None:
    place = tmp_path / "private.json"
    place.write_text("old")
    place.chmod(0o600)
    with atomic_write.atomic_write(place) as beside, atomic_write.as_private_as(place):
        beside.write_text("new")
        assert beside.stat().st_mode & 0o777 == 0o600
    assert place.read_text() == "new"


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
