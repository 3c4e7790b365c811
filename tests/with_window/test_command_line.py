"""The command line as Blender itself has it, with the package installed and enabled as users do it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

MAKE_SHOTS = Path(__file__).with_name("make_shots.py")


def test_blender_bakes_by_its_command_line(installed: Callable, tmp_path: Path) -> None:
    made = installed("--background", "--python-exit-code", "1", "--python", MAKE_SHOTS, "--", tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    setup = ("--setup", tmp_path / "setup.toml")

    one = installed(
        tmp_path / "1.blend", "--command", "two_bone_ik", "bake", *setup, "--output", tmp_path / "baked.blend"
    )
    assert one.returncode == 0, one.stdout + one.stderr
    assert "lower: 8 of 8 frames reached" in one.stdout
    check = installed(
        "--command", "two_bone_ik", "check", tmp_path / "baked.blend", "--report", tmp_path / "check.json"
    )
    assert check.returncode == 0, check.stdout + check.stderr
    assert len(json.loads((tmp_path / "check.json").read_text())["reports"]) == 1

    many = ("bake", "--manifest", tmp_path / "season.toml", *setup, "--output-dir", tmp_path / "out", "--jobs", "2")
    pool = installed("--command", "two_bone_ik", *many)
    assert pool.returncode == 5, pool.stdout + pool.stderr
    assert "two_bone_ik: 1 of 3 shots failed: 2" in pool.stderr.splitlines()
    assert {path.name for path in (tmp_path / "out").glob("*.blend")} == {"1.blend", "3.blend"}

    without = ("--factory-startup", "--command", "two_bone_ik", "bake", tmp_path / "1.blend", *setup)
    unknown = installed(*without, "--output", tmp_path / "unknown.blend")
    assert unknown.returncode == 1, unknown.stdout + unknown.stderr
    assert not (tmp_path / "unknown.blend").exists()

    refused = installed("--command", "two_bone_ik", "bake", tmp_path / "none.blend", "--in-place")
    assert refused.returncode == 5
    assert any("none.blend" in line and line.startswith("two_bone_ik: ") for line in refused.stderr.splitlines())
