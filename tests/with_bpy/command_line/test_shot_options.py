"""Shots of a manifest have options of their own; what they leave out, [defaults] and the command line give."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions

from support.bvh import bvh, walk
from support.command import bake_all, run

pytestmark = pytest.mark.once


def bake(folder: Path, shots: str, *options: object) -> int:
    (folder / "season.toml").write_text(shots)
    return bake_all(folder / "season.toml", *options)


def request(folder: Path, name: str = "shot") -> dict:
    return json.loads((folder / "out" / f"{name}.two_bone_ik.json").read_text())["request"]


def keyed() -> tuple[int, set[str]]:
    """How many keys the lower bone's rotation has, and their interpolations."""
    curves = [curve for curve in versions.curves(bpy.data.objects["Rig"]) if '"lower"' in curve.data_path]
    return len(curves[0].keyframe_points), {key.interpolation for curve in curves for key in curve.keyframe_points}


def test_a_shot_keys_as_it_says_itself(shot: Path, tmp_path: Path) -> None:
    (tmp_path / "before.py").write_text("import bpy\nbpy.context.scene['before'] = 1\n")
    shots = """
        [defaults]
        keys = "REDUCED"
        interpolation = "CONSTANT"
        measure = "none"

        [[shot]]
        file = "shot.blend"
        keys = "EVERY_FRAME"
        interpolation = "LINEAR"
        tolerance = 0.5
        measure = "ALL"
        strict = 0.1
        sampling = "SCENE"
        new_action = true
        python_before = "before.py"
        enable_autoexec = true
    """
    assert bake(tmp_path, shots, "--interpolation", "bezier", "--frames", "1:3", "--allow-scripts") == 0
    asked = request(tmp_path)
    given = {"keys": "EVERY_FRAME", "interpolation": "LINEAR", "tolerance": 0.5, "measure": "ALL", "sampling": "SCENE"}
    given |= {"new_action": True, "enable_autoexec": True}
    assert {name: asked[name] for name in given} == given
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "shot.blend"))
    assert keyed() == (3, {"LINEAR"})
    assert bpy.context.scene["before"] == 1


def test_the_command_line_gives_what_a_shot_leaves_out(shot: Path, tmp_path: Path) -> None:
    assert bake(tmp_path, '[[shot]]\nfile = "shot.blend"\n', "--interpolation", "linear", "--sampling", "scene") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "shot.blend"))
    assert keyed() == (3, {"LINEAR"})
    assert request(tmp_path)["sampling"] == "SCENE"


@pytest.mark.parametrize("strict", ["true", "0", '"0"'])
def test_a_shot_can_be_strict(shot: Path, tmp_path: Path, strict: str) -> None:
    bpy.data.objects["Target"].animation_data_clear()
    bpy.data.objects["Target"].location = (9, 0, 0)
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    assert bake(tmp_path, f'[[shot]]\nfile = "shot.blend"\nstrict = {strict}\n') == 3
    assert bake(tmp_path, '[[shot]]\nfile = "shot.blend"\nstrict = false\n', "--strict") == 0


@pytest.mark.parametrize(
    ("default", "own"),
    [
        ("", 'keep = "ARMS"\n[shot.plant]\nfloor = 0.25'),
        ('keep = "SPINE"', 'floor = 0.25\n[shot.plant]\nkeep = "ARMS"'),
    ],
)
def test_plant_has_a_table_of_its_own_or_flat_keys(tmp_path: Path, default: str, own: str) -> None:
    (tmp_path / "walk.bvh").write_text(bvh(motion=walk(12), places=[(0, 17, i / 3) for i in range(12)]))
    (tmp_path / "takes.toml").write_text(f"""
        [defaults]
        {default}
        [defaults.plant]
        floor = 0.5
        find_contacts = true

        [[shot]]
        file = "walk.bvh"
        import_fps = 60
        import_scale = 0.5
        import_up = "Y"
        {own}
    """)
    line = ("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out")
    assert run(*line) == 0
    asked = request(tmp_path, "walk")
    assert asked["plant"] == {"floor": 0.25, "find_contacts": True, "keep": ["ARMS"]}
    assert [asked[f"import_{name}"] for name in ("fps", "scale", "up", "height", "take")] == [60.0, 0.5, "Y", None, ""]


IN_SHOT, IN_DEFAULTS = "[[shot]]\nfile = 'shot.blend'\n{}", "[defaults]\n{}\n[[shot]]\nfile = 'shot.blend'"


@pytest.mark.parametrize(
    ("place", "row"),
    [
        (IN_SHOT, 'python_before = "s.py"'),
        (IN_SHOT, "enable_autoexec = true"),
        (IN_DEFAULTS, 'python_after = "s.py"'),
        (IN_DEFAULTS, "enable_autoexec = true"),
    ],
)
def test_a_manifest_runs_python_only_where_that_is_allowed(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str, row: str
) -> None:
    (tmp_path / "s.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    assert bake(tmp_path, place.format(row)) == 5
    said = capsys.readouterr().err
    assert f'Shot 1 of "{tmp_path / "season.toml"}" has {row.split()[0]}, which runs Python' in said
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "out").exists()
    assert bake(tmp_path, place.format(row), "--allow-scripts") == 0
    assert (tmp_path / "ran").exists() == ("python" in row)
    assert bake(tmp_path, place.format("enable_autoexec = false")) == 0, "it runs no Python"


def test_a_shot_says_what_to_switch_to(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "season.toml").write_text(
        '[[shot]]\nfile = "shot.blend"\n[shot.switch]\nto = "fk"\nlimbs = ["Arm.L"]\n'
    )
    line = ("switch", "--manifest", tmp_path / "season.toml", "--output-dir", tmp_path / "out")
    # The arm is no known rig, and that is what is refused.
    assert run(*line) == 5
    assert "no rig of a kind that is known" in capsys.readouterr().out
    asked = request(tmp_path)
    assert (asked["to"], asked["switched"]) == ("FK", ["Arm.L"])
    (tmp_path / "season.toml").write_text('[[shot]]\nfile = "shot.blend"\n')
    assert run(*line, "--force") == 5
    assert "what limbs are to show" in capsys.readouterr().out
    assert run("switch", shot, "--output", tmp_path / "x.blend") == 64
    assert "--to" in capsys.readouterr().err


def test_only_switch_does_what_the_table_switch_says(shot: Path, tmp_path: Path) -> None:
    assert bake(tmp_path, '[[shot]]\nfile = "shot.blend"\n[shot.switch]\nto = "FK"\n') == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "shot.blend"))
    assert keyed()[0] == 3
