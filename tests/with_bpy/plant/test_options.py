"""Options of Plant: the panel, the operator, the command line and a manifest do what the function does."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

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

KEPT = {"ARMS"}


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


def planted(path: Path, keep: Collection[str] = ()) -> list:
    rig = opened(path)
    api.plant(rig, floor=LOW, keep=keep)
    return keyed_state(rig)


def test_options_of_panel_and_command_are_those_of_scripts(shot: Path, tmp_path: Path) -> None:
    expected = planted(shot, KEPT)
    assert expected != planted(shot)
    rig = opened(shot)
    bpy.ops.two_bone_ik.plant(keep=KEPT, **FLOOR)
    assert keyed_state(rig) == expected
    rig = opened(shot)
    rig.two_bone_ik_keep = KEPT
    bpy.ops.two_bone_ik.plant(**FLOOR)
    assert keyed_state(rig) == expected
    line = ("plant", shot, "--keep", "arms", "--floor=-0.0625", "--output", tmp_path / "planted.blend")
    assert run(*line) == 0
    assert keyed_state(opened(tmp_path / "planted.blend")) == expected


def test_options_are_those_of_each_shot(shot: Path, tmp_path: Path) -> None:
    entries = {"kept.blend": 'keep = "Arms"', "free.blend": ""}
    tables = (
        f'[[shot]]\nfile = "walk.blend"\noutput = "{name}"\nfloor = "-0.0625"\n{entry}\n'
        for name, entry in entries.items()
    )
    (tmp_path / "takes.toml").write_text("".join(tables))
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 0
    for name, keep in zip(entries, (KEPT, ()), strict=True):
        assert keyed_state(opened(tmp_path / "out" / name)) == planted(shot, keep)


def test_an_option_that_is_no_flag_is_refused(shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "takes.toml").write_text(f'[[shot]]\nfile = "{shot.name}"\nfind_contacts = "yes"\n')
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 5
    assert "find_contacts = 'yes', but it takes true or false" in capsys.readouterr().err
