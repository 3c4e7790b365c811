"""One call builds the limbs of many characters into their rigs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import bpy
import pytest

from support.waiting import SECONDS

pytestmark = pytest.mark.usefixtures("enabled")


def test_a_manifest_builds_each_of_its_files(program: list[str], tmp_path: Path) -> None:
    from support import season

    for number in (1, 2):
        season.make_shot(tmp_path / f"{number}.blend", number=number)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    (tmp_path / "season.toml").write_text('[[shot]]\nfile = "1.blend"\n[[shot]]\nfile = "2.blend"\n')
    files = [
        "--manifest",
        tmp_path / "season.toml",
        "--setup",
        tmp_path / "setup.toml",
        "--output-dir",
        tmp_path / "out",
    ]
    command = [*program, "build", *files, "--jobs", "2"]
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=SECONDS)
    assert run.returncode == 0, run.stderr
    for number in (1, 2):
        season.assert_baked(tmp_path / "out" / f"{number}.blend")
        assert bpy.data.objects["Rig"].pose.bones["lower"]["IK"] == 1.0
