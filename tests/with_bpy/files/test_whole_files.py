"""A file is there whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik.blender.files import atomic_write
from bl_ext.user_default.two_bone_ik.blender.messages.refused import Refused

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
