"""Which files `detect --output` replaces: those that detect has written, and with --force others."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.command import run
from support.hero import hero

pytestmark = pytest.mark.once


@pytest.fixture
def rig_file(empty_file: None, tmp_path: Path) -> Path:
    hero()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    return tmp_path / "hero.blend"


@pytest.mark.parametrize("text", ["chain = []\n", '# mine\n[[chain]]\nend_bone = "shin.L"\n', "# Two-Bone", "\ufeff\n"])
def test_detect_keeps_a_file_that_people_have_written(
    rig_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    setup = tmp_path / "hero.toml"
    setup.write_text(text, "utf-8")
    assert run("detect", rig_file, "--output", setup) == 5
    said = capsys.readouterr().err
    assert str(setup) in said
    assert "--force" in said
    assert setup.read_text("utf-8") == text
    assert run("detect", rig_file, "--output", setup, "--force") == 0
    assert len(api.load_setup(setup).chains) == 4


def test_detect_replaces_its_own_file_and_an_empty_one(rig_file: Path, tmp_path: Path) -> None:
    setup = tmp_path / "hero.toml"
    setup.touch()
    assert run("detect", rig_file, "--output", setup) == 0
    first = setup.read_text()
    setup.write_text(first + "\n# of an older build\n")
    assert run("detect", rig_file, "--output", setup) == 0
    assert setup.read_text() == first


def test_detect_replaces_a_read_only_file_with_force(rig_file: Path, tmp_path: Path) -> None:
    setup = tmp_path / "hero.toml"
    assert run("detect", rig_file, "--output", setup) == 0
    setup.chmod(0o444)
    assert run("detect", rig_file, "--output", setup) == 5
    assert run("detect", rig_file, "--output", setup, "--force") == 0
    assert setup.stat().st_mode & 0o777 == 0o444
