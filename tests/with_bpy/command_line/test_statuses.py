"""Exit statuses of what falls short: targets missed by more than --strict allows, and keys that do not show."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from support.command import run
from support.rigs import animate, arm, empty, keys

pytestmark = pytest.mark.once


@pytest.fixture
def far(tmp_path: Path) -> Path:
    """A target that goes 0.1 beyond full reach."""
    chain = arm()
    bones = chain.id_data.data.bones
    root, length = bones["upper"].head_local, sum(bones[name].length for name in ("upper", "lower"))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 3: (root.x + length + 0.1, root.y, root.z)})
    bpy.context.scene.frame_end = 3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return tmp_path / "shot.blend"


@pytest.mark.parametrize(
    ("strict", "status"), [((), 0), (("--strict",), 3), (("--strict", "0.09"), 3), (("--strict", "0.11"), 0)]
)
def test_a_miss_is_a_failure_beyond_the_distance(far: Path, strict: tuple[str, ...], status: int) -> None:
    assert run("bake", far, *strict, "--output", far.with_name("baked.blend")) == status
    assert far.with_name("baked.blend").exists()


def test_a_run_may_be_stricter_than_the_one_before(far: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = far.with_name("season.toml")
    manifest.write_text('shot = [{file = "shot.blend"}]')
    bake = ("bake", "--manifest", manifest, "--output-dir", far.with_name("out"), "--strict")
    assert run(*bake, "0.11") == 0
    assert run(*bake, "0.09") == 3
    assert "done before" in capsys.readouterr().out


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A file with an arm whose end bone a constraint turns, over 100 frames."""
    chain = arm(name="arm.L")
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 100: (0.9, -0.3, 1.5)})
    chain.id_data.pose.bones["lower"].constraints.new("DAMPED_TRACK").target = empty("Elsewhere", (0.2, -1.5, 0.4))
    bpy.context.scene.frame_end = 100
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return tmp_path / "shot.blend"


def test_keyed_but_not_posed_so_ends_with_4(shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output, report = tmp_path / "baked.blend", tmp_path / "report.json"
    assert run("bake", shot, "--output", output, "--report", report) == 4
    assert capsys.readouterr().err.splitlines()[-1] == "two_bone_ik: keyed, but not posed so: arm.L"
    chain = json.loads(report.read_text("utf-8"))["reports"][0]["chains"][0]
    assert chain["off_bone"] == "lower"
    assert 16 <= sum(chain["measured"]) < 100
    assert max(chain["off"]) > 0.1
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert len(keys(bpy.data.objects["Rig"].pose.bones["lower"])) == 100


def test_many_shots_end_with_4_where_one_is_not_posed_so(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "season.toml"
    manifest.write_text(f'[[shot]]\nfile = "{shot.name}"\n')
    assert run("bake", "--manifest", manifest, "--output-dir", tmp_path / "out") == 4
    said = capsys.readouterr()
    assert "keyed, but not posed so: arm.L" in said.out
    assert said.err.splitlines()[-1] == "two_bone_ik: 1 of 1 shots were keyed, but are not posed so: 1"


@pytest.mark.parametrize(("frames", "count"), [("all", 100), ("NONE", 0)])
def test_the_command_says_what_to_measure(shot: Path, tmp_path: Path, frames: str, count: int) -> None:
    report = tmp_path / "report.json"
    run("bake", shot, "--in-place", "--report", report, "--measure", frames)
    assert sum(json.loads(report.read_text("utf-8"))["reports"][0]["chains"][0]["measured"]) == count
