"""Options of Plant: the panel, the operator, the command line and a manifest do what the function does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.command import run
from support.empty_file import open_empty_file
from support.rigs import ARM
from support.two_bones import keyed_state
from support.walker import captured, walker

LOW = -0.0625
"""A floor so low that the hips have to move; the same number in single precision."""

FLOOR = {"use_height": True, "height": LOW}
"""The same for the operator."""

CASES: tuple[tuple[dict[str, Any], list[str], str], ...] = (
    ({"flat_feet": True}, ["--flat-feet"], "flat_feet = true"),
    ({"sideways": True}, ["--sideways"], "sideways = true"),
    ({"keep": {"ARMS"}}, ["--keep", "arms"], 'keep = "Arms"'),
)
IDS = ["flat feet", "sideways", "keep"]


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A file with a captured walk of a second, and an arm."""
    rig = walker(captured("walk", 1.0))
    bpy.ops.object.mode_set(mode="EDIT")
    names = {"spine": "chest", "upper": "upper_arm.L", "lower": "forearm.L", "hand": "hand.L"}
    for part in ARM:
        bone = rig.data.edit_bones.new(names[part.name])
        bone.head, bone.tail = part.head, part.tail
        bone.parent = rig.data.edit_bones[names.get(part.parent, "hips")]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    open_empty_file()
    return tmp_path / "walk.blend"


def opened(path: Path) -> Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["Walker"]
    bpy.context.view_layer.objects.active = rig
    return rig


def planted(path: Path, **options: object) -> list:
    rig = opened(path)
    api.plant(rig, floor=LOW, **options)
    return keyed_state(rig)


@pytest.mark.parametrize(("options", "line", "_entry"), CASES, ids=IDS)
def test_options_of_panel_and_command_are_those_of_scripts(
    shot: Path, tmp_path: Path, options: Mapping[str, Any], line: list[str], _entry: str
) -> None:
    expected = planted(shot, **options)
    assert expected != planted(shot)
    rig = opened(shot)
    bpy.ops.two_bone_ik.plant(**options, **FLOOR)
    assert keyed_state(rig) == expected
    rig = opened(shot)
    for name, value in options.items():
        setattr(rig, f"two_bone_ik_{name}", value)
    bpy.ops.two_bone_ik.plant(**FLOOR)
    assert keyed_state(rig) == expected
    assert run("plant", shot, *line, "--floor=-0.0625", "--output", tmp_path / "planted.blend") == 0
    assert keyed_state(opened(tmp_path / "planted.blend")) == expected


def test_options_are_those_of_each_shot(shot: Path, tmp_path: Path) -> None:
    tables = [
        f'[[shot]]\nfile = "walk.blend"\noutput = "{row}.blend"\nfloor = "-0.0625"\n{entry}\n'
        for row, (_, _, entry) in enumerate(CASES)
    ]
    (tmp_path / "takes.toml").write_text("".join(tables))
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 0
    for row, (options, _, _) in enumerate(CASES):
        assert keyed_state(opened(tmp_path / f"out/{row}.blend")) == planted(shot, **options)


def test_an_option_that_is_no_flag_is_refused(shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "takes.toml").write_text(f'[[shot]]\nfile = "{shot.name}"\nflat_feet = "yes"\n')
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 5
    assert "flat_feet = 'yes', but it takes true or false" in capsys.readouterr().err
