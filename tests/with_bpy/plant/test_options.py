"""Options of Plant: the panel, the operator, the command line and a manifest do what the function does."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.captured_walk import imported_walk, skating_walk
from support.command import run
from support.empty_file import open_empty_file
from support.held import everything
from support.rigs import ARM
from support.two_bones import keyed_state
from support.walker import captured, walker

LOW = -0.0625
"""A floor so low that the hips have to move; the same number in single precision, as all here."""

THRESHOLDS = {"contact_speed": 0.0625, "shortest_contact": 0.25}
STILLNESS = api.Stillness(speed=0.0625, contact=0.25)


class Case(NamedTuple):
    """Options of a kind: for the function, for operator and panel, for the command line and for a shot."""

    given: dict[str, Any]
    fields: dict[str, Any]
    line: list[str]
    entry: str


CASES = {
    "keep": Case({"keep": {"ARMS"}}, {"keep": {"ARMS"}}, ["--keep", "arms"], 'keep = "Arms"'),
    "stillness": Case(
        {"stillness": STILLNESS},
        THRESHOLDS,
        ["--stillness", "speed=0.0625, contact=0.25"],
        "stillness = {speed = 0.0625, contact = 0.25}",
    ),
}


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A file with a captured walk of a second, and an arm."""
    rig = walker(captured("walk", 1.0))
    bpy.ops.object.mode_set(mode="EDIT")
    names = {"spine": "chest", "upper": "upper_arm.L", "lower": "forearm.L", "hand": "hand.L"}
    for part in ARM:
        bone = rig.data.edit_bones.new(names[part.name])
        bone.head, bone.tail = part.head, part.tail
        bone.parent = rig.data.edit_bones[names.get(part.parent, "hips")]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    open_empty_file()
    return tmp_path / "walk.blend"


def opened(path: Path) -> Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["Walker"]
    bpy.context.view_layer.objects.active = rig
    return rig


def planted(path: Path, **given: Any) -> list:
    rig = opened(path)
    api.plant(rig, floor=LOW, **given)
    return keyed_state(rig)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_options_of_panel_and_command_are_those_of_scripts(shot: Path, tmp_path: Path, case: Case) -> None:
    expected = planted(shot, **case.given)
    assert expected != planted(shot)
    rig = opened(shot)
    bpy.ops.two_bone_ik.plant(use_height=True, height=LOW, **case.fields)
    assert keyed_state(rig) == expected
    rig = opened(shot)
    bpy.context.scene.two_bone_ik_use_height, bpy.context.scene.two_bone_ik_height = True, LOW
    for name, value in case.fields.items():
        setattr(rig, f"two_bone_ik_{name}", value)
    bpy.ops.two_bone_ik.plant()
    assert keyed_state(rig) == expected
    bpy.ops.two_bone_ik.plant(use_height=False)
    assert keyed_state(rig) != expected
    assert run("plant", shot, *case.line, "--floor=-0.0625", "--output", tmp_path / "planted.blend") == 0
    assert keyed_state(opened(tmp_path / "planted.blend")) == expected


def test_options_are_those_of_each_shot(shot: Path, tmp_path: Path) -> None:
    tables = [
        f'[[shot]]\nfile = "walk.blend"\noutput = "{row}.blend"\nfloor = "-0.0625"\n{case.entry}\n'
        for row, case in enumerate(CASES.values())
    ]
    (tmp_path / "takes.toml").write_text("".join(tables))
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 0
    for row, case in enumerate(CASES.values()):
        assert keyed_state(opened(tmp_path / f"out/{row}.blend")) == planted(shot, **case.given)


def test_contacts_are_found_anew_by_a_shot(shot: Path, tmp_path: Path) -> None:
    rig = opened(shot)
    api.plant(rig, contacts=[])
    bpy.ops.wm.save_mainfile()
    api.plant(rig, find=True, stillness=STILLNESS)
    wanted = everything(rig)
    entry = 'find_contacts = true\nstillness = "speed=0.0625, contact=0.25"\n'
    (tmp_path / "takes.toml").write_text(f'[[shot]]\nfile = "walk.blend"\n{entry}')
    assert run("plant", "--manifest", tmp_path / "takes.toml", "--output-dir", tmp_path / "out") == 0
    assert everything(opened(tmp_path / "out" / "walk.blend")) == wanted


def test_thresholds_of_the_panel_count_for_their_character() -> None:
    from bl_ext.user_default.two_bone_ik.blender.bake import report

    def stood(rig: Object) -> dict[str, int]:
        return {foot.name: foot.frames for foot in report.last(rig).feet}

    rig = walker(captured("walk", 1.0))
    usual = {foot.name: foot.frames for foot in api.plant(rig).feet}
    wanted = {foot.name: foot.frames for foot in api.plant(rig, stillness=STILLNESS).feet}
    for name, value in THRESHOLDS.items():
        setattr(rig, f"two_bone_ik_{name}", value)
    other = walker(captured("walk", 1.0), name="Other")
    rig.select_set(True)
    bpy.ops.two_bone_ik.plant()
    assert stood(rig) == wanted
    assert stood(other) == usual
    assert wanted != usual


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [("contact_speed", "speed", 0.01), ("contact_height", "height", 0.001), ("shortest_contact", "contact", 9.0)],
)
def test_a_foot_must_be_as_still_as_is_asked_for(tmp_path: Path, name: str, field: str, value: float) -> None:
    rig = imported_walk(tmp_path, skating_walk(seconds=1.0))
    expected, usual = api.contacts(rig, stillness=api.Stillness(**{field: value})), api.contacts(rig)
    bpy.ops.two_bone_ik.plant(**{name: value})
    assert api.contacts(rig) == expected != usual


def test_options_have_one_name_one_tooltip_and_pythons_default() -> None:
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
    of_python = {"contact_speed": "speed", "contact_height": "height", "shortest_contact": "contact"}
    for name, field in (of_python | {"shortest_gap": "gap"}).items():
        assert of_operator[name].default == pytest.approx(getattr(api.Stillness(), field), rel=1e-6)


@pytest.mark.parametrize("wrong", ["pace=1", "speed=0", "speed=fast"])
def test_a_threshold_that_makes_no_sense_is_wrong_usage(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plant", "walk.blend", "--output", "planted.blend", "--stillness", wrong) == 64
    if wrong == "pace=1":
        assert '"pace" is not one of speed, place' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('stillness = "pace=1"', '"pace" is not one of speed'),
        ('stillness = "pace=1"', 'the nearest is "place"'),
        ("stillness = {sped = 0.2}", 'has "sped", which means nothing: the nearest is "speed"'),
        ("stillness = {speed = 0}", '"0" is not a number above 0'),
        ('find_contacts = "yes"', "find_contacts = 'yes', but it takes true or false"),
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
