"""The command line on one file: what it writes, what it says, and what it leaves alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.command import run
from support.empty_file import open_empty_file
from support.hero import hero
from support.rigs import animate, arm, armature, empty, keys
from support.truth import Limb
from support.two_bones import keyed_state

pytestmark = pytest.mark.versions

OUT_OF_REACH = (5, 0, 1)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    def make(name: str = "shot.blend", end: tuple[float, float, float] = (0.5, -0.8, 1.5), **options: object) -> Path:
        open_empty_file()
        chain = arm(name="arm.L")
        animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: end})
        bpy.context.scene.frame_end = 10
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / name), **options)
        return tmp_path / name

    return make


@pytest.fixture
def shot(make: Callable[..., Path]) -> Path:
    """A file with an arm whose target moves within its reach from frame 1 to 10."""
    return make()


def rig_of(path: Path) -> Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.objects["Rig"]


def test_command_line_operator_and_api_write_the_same_keys(shot: Path, tmp_path: Path) -> None:
    rig = rig_of(shot)
    bpy.ops.two_bone_ik.bake()
    by_operator = keyed_state(rig)
    rig = rig_of(shot)
    api.bake(rig)
    by_api = keyed_state(rig)
    assert run("bake", shot, "--output", tmp_path / "named.blend") == 0
    rig_of(shot)
    assert run("bake", "--output", tmp_path / "open.blend") == 0
    assert by_operator == by_api == keyed_state(rig_of(tmp_path / "named.blend"))
    assert by_api == keyed_state(rig_of(tmp_path / "open.blend"))


def test_nothing_but_the_output_is_written(shot: Path, tmp_path: Path) -> None:
    before = shot.read_bytes()
    assert run("bake", shot, "--output", tmp_path / "new" / "baked.blend", "--report", tmp_path / "report.json") == 0
    assert run("check", shot) == 0
    assert shot.read_bytes() == before
    assert {path.name for path in tmp_path.rglob("*")} == {"shot.blend", "new", "baked.blend", "report.json"}


def test_in_place_the_file_itself_is_written(shot: Path, tmp_path: Path) -> None:
    assert run("bake", shot, "--in-place") == 0
    assert list(keys(rig_of(shot).pose.bones["lower"])) == list(range(1, 11))
    assert list(tmp_path.iterdir()) == [shot]


def test_frames_keys_and_tolerance_are_those_of_the_api(shot: Path, tmp_path: Path) -> None:
    rig = rig_of(shot)
    api.bake(rig, frames=(2, 8, 0.5), keys="REDUCED", tolerance=0.01)
    expected = keyed_state(rig)
    options = ("--frames", "2:8:0.5", "--keys", "reduced", "--tolerance", 0.01)
    assert run("bake", shot, *options, "--output", tmp_path / "baked.blend") == 0
    assert keyed_state(rig_of(tmp_path / "baked.blend")) == expected


def test_a_setup_goes_to_the_rig_that_is_named(shot: Path, tmp_path: Path) -> None:
    rig_of(shot)
    armature(name="Other")
    bpy.ops.wm.save_mainfile()
    (tmp_path / "setup.toml").write_text('chain = [{name = "new", end_bone = "lower", target = "Target"}]')
    options = ("--setup", tmp_path / "setup.toml", "--output", tmp_path / "baked.blend")
    assert run("bake", shot, *options) == 5
    assert run("bake", shot, "--rig", "Rig", *options) == 0
    assert rig_of(tmp_path / "baked.blend").two_bone_ik_chains.keys() == ["arm.L", "new"]


@pytest.mark.parametrize("compress", [True, False])
def test_the_output_is_compressed_where_the_input_is(make: Callable[..., Path], tmp_path: Path, compress: bool) -> None:
    shot = make(compress=compress)
    assert run("bake", shot, "--output", tmp_path / "baked.blend") == 0
    for path in (shot, tmp_path / "baked.blend"):
        assert (path.read_bytes()[:7] == b"BLENDER") != compress


def test_relative_paths_hold_in_another_folder(shot: Path, tmp_path: Path) -> None:
    rig_of(shot)
    bpy.data.libraries.write(str(tmp_path / "props.blend"), {empty("Prop")})
    bpy.data.objects.remove(bpy.data.objects["Prop"])
    with bpy.data.libraries.load(str(tmp_path / "props.blend"), link=True, relative=True) as (_, wanted):
        wanted.objects = ["Prop"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    bpy.ops.wm.save_mainfile()
    assert run("bake", shot, "--output", tmp_path / "deep" / "er" / "baked.blend") == 0
    rig_of(tmp_path / "deep" / "er" / "baked.blend")
    assert bpy.data.objects["Prop"].library.filepath == "//../../props.blend"
    assert not bpy.data.objects["Prop"].is_missing


def test_in_place_keeps_a_symbolic_link(shot: Path, tmp_path: Path) -> None:
    rig_of(shot)
    image = bpy.data.images.new("Plate", 4, 4)
    image.source, image.filepath, image.use_fake_user = "FILE", "//plate.png", True
    bpy.ops.wm.save_mainfile()
    link, there = shot, tmp_path / "deep" / "store" / "v2.blend"
    there.parent.mkdir(parents=True)
    shot.rename(there)
    link.symlink_to(there)
    assert run("bake", link, "--in-place") == 0
    assert link.is_symlink()
    assert list(keys(rig_of(link).pose.bones["lower"])) == list(range(1, 11))
    assert bpy.data.images["Plate"].filepath == "//plate.png"


def test_the_report_is_that_of_the_api(make: Callable[..., Path], tmp_path: Path) -> None:
    shot = make(end=OUT_OF_REACH)
    expected = api.check(rig_of(shot))
    assert not expected.reached
    assert run("check", shot, "--report", tmp_path / "report.json") == 0
    (found,) = json.loads((tmp_path / "report.json").read_text())["reports"]
    assert str(api.Report.from_dict(found)) == str(expected)
    assert np.array_equal(api.Report.from_dict(found).chains[0].miss, expected.chains[0].miss)


def test_out_of_reach_is_a_failure_only_where_it_is_strict(
    make: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shot = make(end=OUT_OF_REACH)
    assert run("bake", shot, "--output", tmp_path / "baked.blend") == 0
    assert capsys.readouterr().err == ""
    assert run("bake", shot, "--strict", "--output", tmp_path / "strict.blend") == 3
    said = capsys.readouterr()
    assert said.err == "two_bone_ik: targets not always reached: arm.L\n"
    assert "too far on" in said.out
    assert keyed_state(rig_of(tmp_path / "strict.blend")) == keyed_state(rig_of(tmp_path / "baked.blend"))
    assert run("bake", make(), "--strict", "--output", tmp_path / "baked.blend") == 0


def test_snapped_targets_give_the_motion_back(shot: Path, tmp_path: Path) -> None:
    assert run("bake", shot, "--output", tmp_path / "baked.blend") == 0
    rig = rig_of(tmp_path / "baked.blend")
    moved = [tuple(curve) for curve in keyed_state(rig)[2]]
    target = bpy.data.objects["Target"]
    target.animation_data_clear()
    target.location = (0, 0, 0)
    bpy.ops.wm.save_mainfile()
    assert run("snap", tmp_path / "baked.blend", "--output", tmp_path / "snapped.blend") == 0
    rig = rig_of(tmp_path / "snapped.blend")
    assert api.check(rig).reached
    assert [tuple(curve) for curve in keyed_state(rig)[2]] == moved
    assert bpy.data.objects["Target"].animation_data


def test_a_farm_hears_how_far_it_is_and_why_it_failed(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", shot, "--progress", "openjd") == 0
    assert "openjd_progress: 100\n" in capsys.readouterr().out
    assert run("check", shot.with_name("none.blend"), "--progress", "openjd") == 5
    said = capsys.readouterr()
    assert "openjd_fail: " in said.out
    assert "openjd_progress" not in said.out
    assert said.out.split("openjd_fail: ")[1] == said.err.removeprefix("two_bone_ik: ")
    assert run("check", shot, "--progress", "none") == 0
    assert "%" not in capsys.readouterr().out


def test_python_in_a_file_runs_only_when_it_is_asked_for(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = rig_of(shot) and bpy.data.objects["Target"]
    target.animation_data_clear()
    driver = target.driver_add("location", 2).driver
    driver.expression = "[frame for _ in range(1)][0]"
    target.location = (1.2, 0.6, 1.3)
    bpy.ops.wm.save_mainfile()
    assert run("check", shot, "--strict", "--frames", "3:9") == 0
    assert "Python was not run (Driver" in capsys.readouterr().out
    assert run("check", shot, "--strict", "--frames", "3:9", "--enable-autoexec") == 3
    assert "Python was not run" not in capsys.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(shot), use_scripts=False)  # Blender keeps it for the next file


def test_detected_limbs_make_a_setup_file_that_bakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limbs = [Limb(rig="Hero", root=f"upper_arm.{side}", end=f"forearm.{side}", tip=f"hand.{side}") for side in "LR"]
    rig = hero(frame_end=5)
    animate(rig.pose.bones["forearm.L"], rotation_quaternion={1: (1, 0, 0, 0), 5: (0.9, 0.1, 0.2, 0.4)})
    shot, setup = tmp_path / "hero.blend", tmp_path / "hero.toml"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    wrists, before = [limb.played(range(1, 6))[:, 2] for limb in limbs], shot.read_bytes()
    assert run("detect", shot) == 0
    assert run("detect", shot, "--output", setup) == 0
    assert "forearm.L" in capsys.readouterr().out
    assert shot.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    rig = bpy.data.objects["Hero"]
    api.apply_setup(rig, api.load_setup(setup))
    ends = {(f"{end}.{side}", f"{tip}.{side}") for end, tip in (("forearm", "hand"), ("shin", "foot")) for side in "LR"}
    assert {(chain.end_bone, chain.tip_bone) for chain in rig.two_bone_ik_chains} == ends
    assert run("bake", shot, "--setup", setup, "--output", tmp_path / "baked.blend", "--strict") == 0
    assert run("snap", shot, "--setup", setup, "--output", tmp_path / "snapped.blend") == 0
    assert run("bake", tmp_path / "snapped.blend", "--output", tmp_path / "again.blend", "--strict") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "again.blend"))
    np.testing.assert_allclose([limb.played(range(1, 6))[:, 2] for limb in limbs], wrists, atol=1e-5)


def test_a_crash_has_an_exit_status_of_its_own(
    shot: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(bpy.types.Object, "two_bone_ik_chains")
    assert run("check", shot) == 6
    assert "AttributeError" in capsys.readouterr().err
