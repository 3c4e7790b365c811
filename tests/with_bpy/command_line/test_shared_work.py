"""One run to a folder: a second one is refused while the first lives, and tasks that name their shots share it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik.blender.files import file_lock

from support.command import run

pytestmark = pytest.mark.once


@pytest.fixture
def taken(shot: Path, tmp_path: Path) -> Iterator[tuple[object, ...]]:
    """The line of a run whose folder another run has."""
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}]')
    with file_lock.locked(tmp_path / "out" / "two_bone_ik"):
        yield ("bake", "--manifest", tmp_path / "season.toml", "--output-dir", tmp_path / "out")


def test_a_second_run_on_a_folder_is_refused(
    taken: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*taken) == 5
    assert f'Another run writes to "{tmp_path / "out"}"' in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".two_bone_ik.lock"]


@pytest.mark.parametrize("option", [("--shot", "1"), ("--dry-run",)])
def test_what_names_its_shot_or_only_tells_is_not_refused(taken: tuple[object, ...], option: tuple[str, ...]) -> None:
    assert run(*taken, *option) == 0


def test_the_folder_is_free_once_a_run_has_ended(taken: tuple[object, ...], tmp_path: Path) -> None:
    other = (*taken[:-1], tmp_path / "other")
    assert run(*other) == run(*other) == 0
    assert {path.name for path in (tmp_path / "other").iterdir()} == {"shot.blend", "shot.two_bone_ik.json"}
