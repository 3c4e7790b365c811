"""No name of a file, rig or chain breaks a row of what a run tells, or begins a line that a farm takes for its own."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from support.command import run
from support.rigs import animate, arm

pytestmark = pytest.mark.once

FORGED = "x\nopenjd_fail: forged\r\x1b[2J\u2028y"
ESCAPED = r"x\nopenjd_fail: forged\r\x1b[2J\u2028y"


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A file of such a name, in a folder of such a name, with such names in it; its target is out of reach."""
    link = arm(name=FORGED)
    link.id_data.name = link.target.name = FORGED
    animate(link.target, location={1: (1.2, 0.6, 1.3), 3: (5, 0, 1)})
    bpy.context.scene.frame_end = 3
    path = tmp_path / FORGED / f"{FORGED}.blend"
    path.parent.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def assert_no_line_is_forged(said: str) -> None:
    assert said
    for line in said.split("\n"):
        assert not line.startswith("openjd_fail: forged")
        assert not set(line) & set("\r\x1b\u2028")


def told(found: str) -> str:
    """What the command itself has told: Blender prints names as they are."""
    return "\n".join(line for line in found.split("\n") if "two_bone_ik: " in line or line.startswith("    1  "))


@pytest.mark.parametrize("command", ["bake", "check"])
def test_a_newline_in_a_name_forges_no_line(shot: Path, capfd: pytest.CaptureFixture[str], command: str) -> None:
    output = ("--output", shot.with_name(f"out {FORGED}.blend")) if command == "bake" else ()
    capfd.readouterr()
    assert run(command, shot, *output, "--strict", "--progress", "openjd") == 3
    said, error = capfd.readouterr()
    assert not any(line.startswith("openjd_fail: forged") for line in said.split("\n"))
    assert f"openjd_fail: targets not always reached: {ESCAPED}\n" in said
    assert told(error) == f"two_bone_ik: targets not always reached: {ESCAPED}"


def test_a_newline_in_a_name_breaks_no_row(shot: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    manifest = tmp_path / "season.toml"
    manifest.write_text('[[shot]]\nfile = "*/*.blend"\n')
    capfd.readouterr()
    assert run("bake", "--manifest", manifest, "--output-dir", tmp_path / "out", "--progress", "openjd") == 0
    said, _ = capfd.readouterr()
    (row,) = [line for line in said.split("\n") if line.startswith("    1  ")]
    assert row == f"    1  done         {tmp_path / ESCAPED / ESCAPED}.blend  targets not always reached: {ESCAPED}"
    assert not any(line.startswith("openjd_fail") for line in said.split("\n"))


def test_a_newline_in_a_refusal_forges_no_line(shot: Path, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    assert run("check", shot, "--rig", f"no {FORGED}", "--progress", "openjd") == 5
    said, error = capfd.readouterr()
    assert [line for line in said.split("\n") if line.startswith("openjd_fail")] == [
        f'openjd_fail: There is no armature object "no {ESCAPED}": the nearest is "{ESCAPED}"'
    ]
    assert told(error).count("\n") == 0
    assert_no_line_is_forged(told(error))


def test_a_newline_in_a_limb_forges_no_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    link = arm()
    link.id_data.data.bones["lower"].name = f"forearm {FORGED}"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    capfd.readouterr()
    run("detect", tmp_path / "rig.blend")
    said, error = capfd.readouterr()
    assert not any(line.startswith("openjd_") for line in (said + error).split("\n"))
