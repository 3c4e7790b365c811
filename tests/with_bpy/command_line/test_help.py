"""Every text of help.toml and of options.toml is told by --help of some command, and every command tells one."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.options import OPTIONS
from bl_ext.user_default.two_bone_ik.blender.settings.key_settings import Measure

from support.command import run

pytestmark = pytest.mark.once

HELP = tomllib.loads((Path(__file__).parents[3] / "command_line/help.toml").read_text("utf-8"))
DECLARED = [row["help"] for table in OPTIONS.values() for row in table.values() if "help" in row]


def told(capsys: pytest.CaptureFixture[str], *commands: str) -> str:
    """What --help prints for these commands, in one line."""
    for command in commands:
        assert run(*command.split(), "--help") == 0
    return " ".join(capsys.readouterr().out.split())


def test_help_tells_every_text_that_is_written_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [*HELP["arguments"].values(), *HELP["arguments_of_detect"].values(), HELP["description"], HELP["epilog"]]
    texts += DECLARED + [text for command in HELP["commands"].values() for text in command.values()]
    said = told(capsys, "", *HELP["commands"])
    # What argparse fills in is told in words of its own.
    pieces = [piece for text in texts for piece in re.split(r"%\(default\)g|%\(prog\)s|\{(?:takes|formats)\}", text)]
    assert [piece for piece in pieces if " ".join(piece.split()) not in said] == []


def test_help_names_all_that_stillness_takes(capsys: pytest.CaptureFixture[str]) -> None:
    help_of_plant = told(capsys, "plant")
    for field in fields(api.Stillness):
        assert f"{field.name}={field.default:g}" in help_of_plant


def test_help_names_the_frames_that_can_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{', '.join(Measure)}: on which frames" in told(capsys, "bake")
