"""The command line works on all actions of an armature, or on those that a pattern fits."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions

from support.command import run
from support.shelf import keys, play, shelf

pytestmark = pytest.mark.versions


@pytest.fixture
def file(empty_file: None, tmp_path: Path) -> Path:
    rig, _ = shelf()
    play(rig, "Run")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shelf.blend"))
    return tmp_path / "shelf.blend"


def test_all_actions_of_a_file_are_baked(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output, report = tmp_path / "baked.blend", tmp_path / "report.json"
    assert run("bake", file, "--actions", "*", "--output", output, "--report", report) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line for line in told if line.startswith("Rig")] == ["Rig, Idle", "Rig, Walk", "Rig, Run"]
    bpy.ops.wm.open_mainfile(filepath=str(output))
    baked = keys()
    assert bpy.data.objects["Rig"].animation_data.action.name == "Run"
    bpy.ops.wm.open_mainfile(filepath=str(file))
    api.bake(bpy.data.objects["Rig"], actions="*")
    assert keys() == baked
    content = json.loads(report.read_text("utf-8"))
    assert [each["action"] for each in content["reports"]] == ["Idle", "Walk", "Run"]
    assert content["request"]["actions"] == "*"


def test_a_manifest_names_actions(file: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "season.toml"
    manifest.write_text('[[shot]]\nfile = "shelf.blend"\nactions = "W*"\n', "utf-8")
    before = keys()
    assert run("bake", "--manifest", manifest, "--output-dir", tmp_path / "out") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "shelf.blend"))
    assert {name for name, found in keys().items() if found != before[name]} == {"Walk"}


def test_what_falls_short_is_named_with_its_action(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bpy.data.objects["Rig"].scale = (0.5, 0.5, 0.5)
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    assert run("bake", file, "--actions", "*", "--output", tmp_path / "baked.blend", "--strict") == 3
    assert "lower of Rig in " in capsys.readouterr().err


def test_other_formats_hold_one_action(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bake", file, "--actions", "*", "--output", tmp_path / "baked.glb") == 5
    assert "holds one action: leave out --actions" in capsys.readouterr().err


def test_one_that_is_refused_is_left_out_to_keep_going(file: Path, tmp_path: Path) -> None:
    api.bake(bpy.data.objects["Rig"], actions="Walk")
    action = bpy.data.actions["Walk"]
    for curve in versions.slot_curves(action, versions.slots(action)[0]):
        curve.lock = True
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    before = keys()
    output = tmp_path / "baked.blend"
    assert run("bake", file, "--actions", "*", "--output", output) == 5
    assert run("bake", file, "--actions", "*", "--output", output, "--keep-going") == 3
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert {name for name, found in keys().items() if found != before[name]} == {"Idle", "Run"}
