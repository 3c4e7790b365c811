"""An empty value, as of a variable that is not set, counts as not given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik.command_line.arguments import parser

from support.command import run

pytestmark = pytest.mark.once

COMMON = ("rig", "setup", "frames", "python-before", "python-after", "report", "report-detail", "summary")
COMMON = (*COMMON, "strict", "time-limit", "manifest", "shot", "path-mapping", "output-dir", "jobs", "log-dir")
OPTIONS = {
    "bake": (*COMMON, "keys", "tolerance", "measure", "output"),
    "plant": (*COMMON, "limbs", "hips", "keep", "floor", "stillness", "measure", "output"),
    "switch": (*COMMON, "limb", "keys", "tolerance", "measure", "output"),
    "detect": ("rig", "output"),
}


def given(*words: str) -> dict[str, object]:
    return vars(parser("two_bone_ik").parse_args(words))


@pytest.mark.parametrize(("command", "option"), [(name, option) for name in OPTIONS for option in OPTIONS[name]])
def test_an_empty_value_counts_as_not_given(command: str, option: str) -> None:
    words = [command, "a.blend", *(["--to", "FK"] if command == "switch" else [])]
    expected = given(*words)
    assert given(*words, f"--{option}=") == expected
    assert given(*words, f"--{option}", "") == expected
    assert given(command, f"--{option}", "", *words[1:]) == expected


def test_an_option_at_the_end_still_lacks_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bake", "a.blend", "--output") == 64
    assert "expected one argument" in capsys.readouterr().err


def test_an_empty_output_folder_is_not_the_current_one(
    shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}]')
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run("bake", "--manifest", tmp_path / "season.toml", "--output-dir", "") == 64
    assert "--output-dir" in capsys.readouterr().err
    assert os.listdir() == []


def test_an_empty_file_name_is_not_the_open_file(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = shot.read_bytes()
    assert run("bake", "", "--in-place") == 64
    assert "Name a .blend file" in capsys.readouterr().err
    assert shot.read_bytes() == before
