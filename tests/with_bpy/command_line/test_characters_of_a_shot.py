"""All characters of a file are baked at the same time, each after those whose limbs it follows; circles are refused."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.command import run
from support.rigs import animate, arm
from support.truth import Limb, on_frame

LAST = 12


def characters(count: int) -> list[Object]:
    """Arms that follow a target each."""
    found = []
    for number in range(count):
        link = arm()
        rig = link.id_data
        rig.name, link.target.name = f"Rig {number}", f"Target {number}"
        animate(link.target, location={1: (1.2, 0.6, 1.3), LAST: (0.5 + 0.1 * number, -0.8, 1.5)})
        found.append(rig)
    bpy.context.scene.frame_end = LAST
    return found


def save(path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def baked(path: Path) -> None:
    assert run("bake", path, "--output", path.with_name("baked.blend"), "--measure", "ALL") == 0
    bpy.ops.wm.open_mainfile(filepath=str(path.with_name("baked.blend")))


def test_characters_of_a_file_take_the_scenes_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bl_ext.user_default.two_bone_ik.blender.scene import probe

    characters(5)
    shot, made, opened = save(tmp_path / "shot.blend"), [], probe.isolated_scene
    monkeypatch.setattr(probe, "isolated_scene", lambda *given: made.append(given) or opened(*given))
    baked(shot)
    assert len(made) == 1
    for number in range(5):
        assert Limb(rig=f"Rig {number}", target=f"Target {number}").misses(range(1, LAST + 1)).max() < 1e-5


def test_a_character_is_baked_after_one_that_drives_its_goal(tmp_path: Path) -> None:
    first, second = characters(2)
    target = first.two_bone_ik_chains[0].target
    target.animation_data_clear()
    for index, axis in enumerate("XYZ"):
        driver = target.driver_add("location", index).driver
        driver.type, variable = "SUM", driver.variables.new()
        variable.type = "TRANSFORMS"
        variable.targets[0].id, variable.targets[0].bone_target = second, "hand"
        variable.targets[0].transform_type = f"LOC_{axis}"
    first.location = 0.3, 0.2, 0.1
    baked(save(tmp_path / "shot.blend"))
    assert Limb(rig="Rig 0", target="Target 0").misses(range(1, LAST + 1)).max() < 1e-4


def test_a_character_is_baked_after_the_one_it_follows(tmp_path: Path) -> None:
    first, second = characters(2)
    # The first of them in the file reaches for the hand of the second.
    chain = first.two_bone_ik_chains[0]
    chain.target, chain.subtarget = second, "hand"
    first.location = 0.3, 0.2, 0.1
    baked(save(tmp_path / "shot.blend"))
    first, second = (bpy.data.objects[name] for name in ("Rig 0", "Rig 1"))
    for frame in range(1, LAST + 1):
        on_frame(frame)
        tip = first.matrix_world @ first.pose.bones["lower"].tail
        assert (tip - second.matrix_world @ second.pose.bones["hand"].head).length < 1e-5


def test_a_row_names_chains_with_their_character(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rig in characters(2):
        rig.two_bone_ik_chains[0].name = "arm"
        api.add_chain(rig, "hand", name="hand")
    animate(bpy.data.objects["Target 1"], location={LAST: (5, 0, 1)})
    save(tmp_path / "shot.blend")
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}]')
    for state in ("done         ", "done before  "):
        assert run("bake", "--manifest", tmp_path / "season.toml", "--output-dir", tmp_path / "out") == 0
        row = "targets not always reached: arm of Rig 1; left out, without a target: hand of Rig 0, hand of Rig 1"
        assert f"    1  {state}{tmp_path}/shot.blend  {row}\n" in capsys.readouterr().out


def test_bake_takes_one_character_or_many() -> None:
    rigs = characters(3)
    assert [report.rig for report in api.bake(rigs, frames=(1, LAST))] == [rig.name for rig in rigs]
    assert api.bake(rigs[0], frames=(1, LAST)).rig == rigs[0].name
    assert api.bake([], frames=(1, LAST)) == []


FRAMES = range(1, 9)


def character(name: str, after: Object | None = None) -> Object:
    """An arm that reaches for the hand of another, or for a target that moves."""
    link = arm()
    rig = link.id_data
    rig.name, link.target.name = name, f"Target {name}"
    animate(link.target, location={1: (1.2, 0.6, 1.3), 8: (0.5, -0.8, 1.5)})
    if after:
        follow(rig, after)
    return rig


def follow(rig: Object, other: Object) -> None:
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = other, "hand"


def is_keyed(name: str) -> bool:
    animation = bpy.data.objects[name].animation_data
    return bool(animation and animation.action)


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """One and Two follow each other, Three follows them; Four and Five do so as well; Free is free."""
    one, four = character("One"), character("Four")
    two, five = character("Two", one), character("Five", four)
    follow(one, two)
    follow(four, five)
    character("Three", two)
    character("Free")
    bpy.context.scene.frame_end = FRAMES[-1]
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_those_outside_of_a_circle_are_baked(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = shot.with_name("baked.blend")
    assert run("bake", shot, "--output", output, "--frames", "1:8", "--keep-going") == 3
    told = capsys.readouterr().err
    for way in ("One → Two → One", "Two → One → Two", "Three → Two → One → Two", "Four → Five → Four", "Five → Four"):
        assert f"({way}" in told
    assert "(Free" not in told
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert is_keyed("Free")
    assert not any(is_keyed(name) for name in ("One", "Two", "Three", "Four", "Five"))
    assert Limb(rig="Free", target="Target Free").misses(FRAMES).max() < 1e-5


def test_without_keep_going_a_circle_refuses_the_file(shot: Path) -> None:
    output = shot.with_name("baked.blend")
    assert run("bake", shot, "--output", output, "--frames", "1:8") == 5
    assert not output.exists()


def test_python_refuses_a_circle_before_anything(shot: Path) -> None:
    with pytest.raises(api.Refused) as refused:
        api.followed_first([bpy.data.objects[name] for name in ("Free", "One", "Two")])
    assert refused.value.kind == "ARMATURE_CYCLE"
    assert "One → Two → One" in str(refused.value)
