"""Python inside a file runs when the command was told so, whatever Blender's preferences allow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from support.waiting import SECONDS

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("enabled")]

TRUSTING = """
import os, sys
import bpy, two_bone_ik
from two_bone_ik.command_line import main
bpy.context.preferences.filepaths.use_scripts_auto_execute = True
bpy.context.preferences.addons.new().module = "two_bone_ik"
two_bone_ik.register()
status = main.main(sys.argv[1:], [sys.executable, __file__], "two_bone_ik")
sys.stdout.flush()
os._exit(status)
"""
"""As the package's own start, with the preference Auto Run Python Scripts on."""


@pytest.fixture
def trusting(program: list[str], tmp_path: Path) -> list[str]:
    (tmp_path / "trusting.py").write_text(TRUSTING)
    return [sys.executable, str(tmp_path / "trusting.py")]


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A file that leaves marks where its Python runs: a registered text, and a driver."""
    from support import season

    path = tmp_path / "shot.blend"
    season.make_shot(path)
    text = bpy.data.texts.new("startup.py")
    text.use_module = True
    text.write(f"open({str(tmp_path / 'text_ran')!r}, 'w').close()")
    driver = bpy.data.objects["Target"].driver_add("location", 2).driver
    driver.expression = f"open({str(tmp_path / 'driver_ran')!r}, 'w').close() or 1.4"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    forget(tmp_path)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    (tmp_path / "season.toml").write_text('[defaults]\nsetup = "setup.toml"\n[[shot]]\nfile = "shot.blend"\n')
    return path


def marks(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*_ran")}


def forget(folder: Path) -> None:
    for path in folder.glob("*_ran"):
        path.unlink()


SUBCOMMANDS = [
    "bake {shot} --setup {folder}/setup.toml --output {folder}/baked.blend",
    "detect {shot}",
    "bake --manifest {folder}/season.toml --output-dir {folder}/out",
    "bake --manifest {folder}/season.toml --output-dir {folder}/out --jobs 1",
]


@pytest.mark.parametrize("line", SUBCOMMANDS)
def test_scripts_run_only_where_the_command_says_so(trusting: list[str], shot: Path, tmp_path: Path, line: str) -> None:
    found = []
    for option in ([], ["--enable-autoexec"]):
        words = [*trusting, *line.format(shot=shot, folder=tmp_path).split(), *option]
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
        assert "Traceback (most" not in done.stderr
        found.append(marks(tmp_path))
        forget(tmp_path)
    assert found == [set(), {"text_ran", "driver_ran"}]
