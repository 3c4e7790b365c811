"""While a file is replaced, what is being written may be read by nobody who may not read the file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import bpy
import pytest
from bpy.app.handlers import persistent

from support.command import run

pytestmark = pytest.mark.once


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
        # What is new has the permissions that files have.
        assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o644
        assert json.loads((tmp_path / "report.json").read_text())["state"] == "done"
        modes.clear()
        assert run("bake", shot, "--output", tmp_path / "new.blend") == 0
        assert modes[".blend"] == 0o644
    finally:
        assert os.umask(before) == 0o022


def test_an_unfinished_text_is_as_private_as_its_place(shot: Path, tmp_path: Path) -> None:
    from bl_ext.user_default.two_bone_ik.blender.files import atomic_write

    place = tmp_path / "private.json"
    place.write_text("old")
    place.chmod(0o600)
    with atomic_write.atomic_write(place) as beside, atomic_write.as_private_as(place):
        beside.write_text("new")
        assert beside.stat().st_mode & 0o777 == 0o600
    assert place.read_text() == "new"
