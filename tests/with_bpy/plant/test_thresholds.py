"""What counts as standing, and the height of the floor, are options of the panel and of each shot as well."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.command import run
from support.empty_file import open_empty_file
from support.held import everything
from support.two_bones import keyed_state
from support.walker import captured, walker

THRESHOLDS = {"contact_speed": 0.0625, "shortest_contact": 0.25}
"""The same numbers in single precision."""

STILLNESS = api.Stillness(speed=0.0625, contact=0.25)
LOW = -0.0625


@pytest.fixture
def rig() -> Object:
    return walker(captured("walk", 1.0))


def stood(rig: Object) -> dict[str, int]:
    from bl_ext.user_default.two_bone_ik.blender.bake import report

    return {foot.name: foot.frames for foot in report.last(rig).feet}


def test_thresholds_of_the_panel_count_for_their_character(rig: Object) -> None:
    usual = {foot.name: foot.frames for foot in api.plant(rig).feet}
    wanted = {foot.name: foot.frames for foot in api.plant(rig, stillness=STILLNESS).feet}
    for name, value in THRESHOLDS.items():
        setattr(rig, f"two_bone_ik_{name}", value)
    other = walker(captured("walk", 1.0), name="Other")
    rig.select_set(True)
    bpy.ops.two_bone_ik.plant()
    print(f"as usual {usual}, with thresholds {stood(rig)}, the other {stood(other)}")
    assert stood(rig) == wanted
    assert stood(other) == usual
    assert wanted != usual


def test_the_floor_height_of_the_panel_is_stood_on(rig: Object) -> None:
    scene = bpy.context.scene
    api.plant(rig, floor=LOW)
    wanted = keyed_state(rig)
    scene.two_bone_ik_use_height, scene.two_bone_ik_height = True, LOW
    bpy.ops.two_bone_ik.plant()
    assert keyed_state(rig) == wanted
    bpy.ops.two_bone_ik.plant(use_height=False)
    assert keyed_state(rig) != wanted


def test_options_have_one_name_and_one_tooltip() -> None:
    of_operator = bpy.ops.two_bone_ik.plant.get_rna_type().properties
    shared = 0
    for owner in (bpy.types.Object, bpy.types.Scene):
        for prop in owner.bl_rna.properties:
            name = prop.identifier.removeprefix("two_bone_ik_")
            if name != prop.identifier and name in of_operator:
                shared += 1
                told = (prop.name, prop.description)
                assert told == (of_operator[name].name, of_operator[name].description)
    assert shared == 10


@pytest.mark.parametrize("stillness", ['"speed=0.0625, contact=0.25"', "{speed = 0.0625, contact = 0.25}"])
def test_a_shot_tells_all_options_of_plant(rig: Object, tmp_path: Path, stillness: str) -> None:
    api.plant(rig, contacts=[])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    api.plant(rig, find=True, stillness=STILLNESS)
    wanted = everything(rig)
    open_empty_file()
    entry = f"find_contacts = true\nleave_targets = true\nstillness = {stillness}\n"
    (tmp_path / "takes.toml").write_text(f'[[shot]]\nfile = "walk.blend"\n{entry}')
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "walk.blend"))
    rig = bpy.data.objects["Walker"]
    assert everything(rig) == wanted
    assert all(chain.target for chain in rig.two_bone_ik_chains)
    assert len(rig.two_bone_ik_chains) == 2


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('stillness = "pace=1"', '"pace" is not one of speed'),
        ('stillness = "pace=1"', 'the nearest is "place"'),
        ("stillness = {sped = 0.2}", 'has "sped", which means nothing: the nearest is "speed"'),
        ("stillness = {speed = 0}", '"0" is not a number above 0'),
        ('find_contacts = "yes"', "it takes true or false"),
        ("floor = true", "floor = True, but it takes a number, or the name of an object in quotes"),
        ("floor = [1]", "it takes a number, or the name of an object in quotes"),
    ],
)
def test_options_of_a_shot_that_make_no_sense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], entry: str, words: str
) -> None:
    (tmp_path / "takes.toml").write_text(f'[[shot]]\nfile = "walk.blend"\n{entry}\n')
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 5
    assert words in capsys.readouterr().err
