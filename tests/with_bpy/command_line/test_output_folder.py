"""Outputs of a manifest never leave the folder for outputs, wherever the shots lie."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import pytest

from support.command import run
from support.rigs import animate, arm

pytestmark = pytest.mark.once


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A manifest in a folder of its own, beside the folder of its shot; "out/linked" leads out of the outputs."""
    animate(arm().target, location={1: (1.2, 0.6, 1.3), 3: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_end = 3
    for folder in ("shots", "manifests", "out", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "out" / "linked").symlink_to(tmp_path / "elsewhere" / "deep", target_is_directory=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shots" / "x.blend"))
    return tmp_path / "manifests" / "season.toml"


def bake(season: Path, shot: str) -> tuple[int, set[str]]:
    """The exit status, and the new files."""
    before = set(season.parents[1].rglob("*"))
    season.write_text(f"shot = [{{{shot}}}]")
    status = run("bake", "--manifest", season, "--output-dir", season.parents[1] / "out")
    new = {path for path in season.parents[1].rglob("*") if path.is_file()} - before - {season}
    return status, {path.relative_to(season.parents[1]).as_posix() for path in new}


@pytest.mark.parametrize("text", ["../shots/x.blend", "../manifests/.././shots/x.blend"])
def test_a_shot_outside_goes_below_the_output_folder(season: Path, text: str) -> None:
    status, new = bake(season, f'file = "{text}"')
    assert status == 0
    assert "out/shots/x.blend" in new
    assert all(name.startswith("out/shots/") for name in new)


@pytest.mark.parametrize("output", ["", ".", "a/.."])
@pytest.mark.parametrize("option", ["--output-dir", "--log-dir"])
def test_the_output_folder_itself_is_no_output(season: Path, output: str, option: str) -> None:
    season.write_text(f'shot = [{{file = "../shots/x.blend", output = "{output}"}}]')
    before = set(season.parents[1].rglob("*"))
    assert run("check", "--manifest", season, option, season.parents[1] / "new") == 5
    assert set(season.parents[1].rglob("*")) == before


@pytest.mark.parametrize("output", ["../x.blend", "a/../../x.blend", "{folder}/x.blend", "..", "linked/../../x.blend"])
def test_an_output_outside_of_the_folder_is_refused(
    season: Path, capsys: pytest.CaptureFixture[str], output: str
) -> None:
    output = output.format(folder=season.parents[1])
    assert bake(season, f'file = "../shots/x.blend", output = "{output}"') == (5, set())
    assert f'has output "{output}", which leaves' in capsys.readouterr().err


def test_two_dots_lead_back_also_behind_a_link(season: Path) -> None:
    os.makedirs(season.parents[1] / "elsewhere" / "deep")
    status, new = bake(season, 'file = "../shots/x.blend", output = "linked/../x.blend"')
    assert status == 0
    assert "out/x.blend" in new
    assert all(name.startswith("out/") for name in new)
