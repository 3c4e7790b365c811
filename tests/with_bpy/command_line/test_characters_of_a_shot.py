"""All characters of a file are baked at the same time, each after those whose limbs it follows; circles are refused."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.scene import probe
from bpy.types import Object

from support.command import bake_all, run
from support.rigs import animate, arm
from support.truth import Limb

FRAMES = range(1, 13)


def character(name: str, after: Object | None = None) -> Object:
    """An arm that reaches for the hand of another, or for a target that moves."""
    link = arm()
    rig = link.id_data
    rig.name, link.target.name = name, f"Target {name}"
    animate(link.target, location={1: (1.2, 0.6, 1.3), 12: (0.5 + 0.1 * len(bpy.data.objects), -0.8, 1.5)})
    if after:
        follow(rig, after)
    return rig


def follow(rig: Object, other: Object) -> None:
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = other, "hand"


def save(folder: Path) -> Path:
    bpy.context.scene.frame_end = FRAMES[-1]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    return folder / "shot.blend"


def baked(shot: Path) -> None:
    assert run("bake", shot, "--output", shot.with_name("baked.blend"), "--measure", "ALL") == 0
    bpy.ops.wm.open_mainfile(filepath=str(shot.with_name("baked.blend")))


def test_characters_of_a_file_take_the_scenes_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abcde":
        character(name)
    shot, made, opened = save(tmp_path), [], probe.isolated_scene
    monkeypatch.setattr(probe, "isolated_scene", lambda *given: made.append(given) or opened(*given))
    baked(shot)
    assert len(made) == 1
    assert max(Limb(rig=name, target=f"Target {name}").misses(FRAMES).max() for name in "abcde") < 1e-5


def test_a_character_is_baked_after_one_that_drives_its_goal(tmp_path: Path) -> None:
    first, second = character("First"), character("Second")
    target = first.two_bone_ik_chains[0].target
    target.animation_data_clear()
    for index, axis in enumerate("XYZ"):
        driver = target.driver_add("location", index).driver
        driver.type, variable = "SUM", driver.variables.new()
        variable.type = "TRANSFORMS"
        variable.targets[0].id, variable.targets[0].bone_target = second, "hand"
        variable.targets[0].transform_type = f"LOC_{axis}"
    first.location = 0.3, 0.2, 0.1
    baked(save(tmp_path))
    assert Limb(rig="First", target="Target First").misses(FRAMES).max() < 1e-4


def test_a_row_names_chains_with_their_character(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("First", "Second"):
        rig = character(name)
        rig.two_bone_ik_chains[0].name = "arm"
        api.add_chain(rig, "hand", name="hand")
    animate(bpy.data.objects["Target Second"], location={12: (5, 0, 1)})
    save(tmp_path)
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}]')
    for state in ("done         ", "done before  "):
        assert bake_all(tmp_path / "season.toml") == 0
        row = "targets not always reached: arm of Second; left out, without a target: hand of First, hand of Second"
        assert f"    1  {state}{tmp_path}/shot.blend  {row}\n" in capsys.readouterr().out


def is_keyed(name: str) -> bool:
    animation = bpy.data.objects[name].animation_data
    return bool(animation and animation.action)


def test_those_outside_of_a_circle_are_baked_to_keep_going(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One and Two follow each other, Three follows them; Four and Five do so as well; Free is free."""
    one, four = character("One"), character("Four")
    two, five = character("Two", one), character("Five", four)
    follow(one, two)
    follow(four, five)
    character("Three", two)
    character("Free")
    shot, output = save(tmp_path), tmp_path / "baked.blend"
    assert run("bake", shot, "--output", output) == 5
    assert not output.exists()
    assert run("bake", shot, "--output", output, "--keep-going") == 3
    told = capsys.readouterr().err
    for way in ("One → Two → One", "Two → One → Two", "Three → Two → One → Two", "Four → Five → Four", "Five → Four"):
        assert f"({way}" in told
    assert "(Free" not in told
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert is_keyed("Free")
    assert not any(is_keyed(name) for name in ("One", "Two", "Three", "Four", "Five"))
    assert Limb(rig="Free", target="Target Free").misses(FRAMES).max() < 1e-5
