"""Plant on the command line: the same keys as by the operator, on one file and on those of a manifest."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.captured_walk import UNIT, balls, imported_walk, skating_walk
from support.command import run
from support.empty_file import open_empty_file
from support.json_schema import faults
from support.two_bones import keyed_state

FRAMES = range(1, 32)
SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "report.schema.json"


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A file with a captured walk of a second, and a plane to stand on."""
    imported_walk(tmp_path, skating_walk(seconds=1.0))
    bpy.ops.mesh.primitive_plane_add(size=100 * UNIT, location=(0, 0, 0.05 * UNIT))
    bpy.context.object.name = "Ground"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    open_empty_file()
    return tmp_path / "walk.blend"


def opened(path: Path) -> Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.data.objects["actor"]
    bpy.context.view_layer.objects.active = rig
    return rig


def reported(path: Path) -> dict:
    record = json.loads(path.read_text("utf-8"))
    assert faults(record, json.loads(SCHEMA.read_text("utf-8"))) == []
    [report] = record["reports"]
    return report


def test_the_command_plants_as_the_operator_does(walk: Path, tmp_path: Path) -> None:
    output = tmp_path / "planted.blend"
    assert run("plant", walk, "--output", output, "--report", tmp_path / "report.json") == 0
    rig = opened(walk)
    bpy.ops.two_bone_ik.plant()
    by_operator = keyed_state(rig)
    assert keyed_state(opened(output)) == by_operator
    assert {foot["name"] for foot in reported(tmp_path / "report.json")["feet"]} == {"Leg.L", "Leg.R"}


def test_limbs_and_frames_are_those_that_are_asked_for(walk: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    line = ("--limbs", "legs,arms", "--frames", "5:25")
    assert run("plant", walk, *line, "--output", tmp_path / "planted.blend", "--report", report) == 0
    feet = reported(report)["feet"]
    assert {foot["name"] for foot in feet} == {"Leg.L", "Leg.R", "Arm.L", "Arm.R"}
    assert reported(report)["chains"][0]["frames"] == list(range(5, 26))


@pytest.mark.parametrize(
    ("option", "value", "status", "words"),
    [
        ("--floor", "Grond", 5, 'no object "Grond" to stand on, and it is not a height: the nearest is "Ground"'),
        ("--hips", "Hipps", 5, '"Hipps"'),
        ("--limbs", "tails", 64, '"tails" is not LEGS, ARMS or LEGS,ARMS'),
    ],
)
def test_what_is_not_there_is_refused(
    walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, status: int, words: str
) -> None:
    assert run("plant", walk, option, value, "--output", tmp_path / "planted.blend") == status
    assert words in capsys.readouterr().err
    assert not (tmp_path / "planted.blend").exists()


def test_a_manifest_says_what_to_plant_in_each_shot(walk: Path, tmp_path: Path) -> None:
    shots = tmp_path / "takes.toml"
    shots.write_text(
        '[[shot]]\nfile = "walk.blend"\noutput = "legs.blend"\n'
        '[[shot]]\nfile = "walk.blend"\noutput = "arms.blend"\nlimbs = "ARMS"\nfloor = "0.5"\nhips = "Hips"\n'
    )
    assert run("plant", "--manifest", shots, "--output-dir", tmp_path / "out") == 0
    reports = [reported(tmp_path / f"out/{name}.two_bone_ik.json") for name in ("legs", "arms")]
    names = [{foot["name"] for foot in report["feet"]} for report in reports]
    assert names == [{"Leg.L", "Leg.R"}, {"Arm.L", "Arm.R"}]


def planted(walk: Path, setup: str, *line: object) -> tuple[int, set[str]]:
    """Exit status, and limbs that were planted, with this setup file."""
    report = walk.with_name("report.json")
    walk.with_name("actor.toml").write_text(setup)
    report.unlink(missing_ok=True)
    files = ("--setup", walk.with_name("actor.toml"), "--output", walk.with_name("planted.blend"), "--report", report)
    status = run("plant", walk, *files, *line)
    return status, {foot["name"] for foot in reported(report)["feet"]} if status == 0 else set()


LEGS, ARMS = {"Leg.L", "Leg.R"}, {"Arm.L", "Arm.R"}


def test_a_setup_says_what_to_plant_as_far_as_nobody_else_does(walk: Path) -> None:
    arms = '[plant]\nlimbs = "ARMS"'
    assert planted(walk, arms) == (0, ARMS)
    assert planted(walk, arms, "--limbs", "LEGS") == (0, LEGS)
    end = next(limb.end_bone for limb in api.detect(opened(walk)) if limb.name == "Arm.L")
    chain = f'[[chain]]\nname = "Arm.L"\nend_bone = "{end}"\nmute = true\n'
    assert planted(walk, chain + arms) == (0, ARMS)


def test_a_floor_is_a_height_or_an_object_wherever_it_is_given(walk: Path) -> None:
    rig = opened(walk)
    bpy.ops.two_bone_ik.plant(use_height=True, height=5.0, hips="Hips")
    expected = balls(rig, FRAMES)
    output, manifest, out = (walk.with_name(name) for name in ("planted.blend", "takes.toml", "out"))
    for floor in (5.0, "Ground"):
        assert run("plant", walk, "--floor", floor, "--hips", "Hips", "--output", output) == 0
        np.testing.assert_allclose(balls(opened(output), FRAMES), expected, atol=1e-5)
    for height in ("5", '"5.0"'):
        assert planted(walk, f'[plant]\nfloor = {height}\nhips = "Hips"') == (0, LEGS)
        np.testing.assert_allclose(balls(opened(output), FRAMES), expected, atol=1e-5)
        manifest.write_text(f'[[shot]]\nfile = "walk.blend"\nfloor = {height}\nhips = "Hips"\n')
        assert run("plant", "--manifest", manifest, "--output-dir", out) == 0
        np.testing.assert_allclose(balls(opened(out / "walk.blend"), FRAMES), expected, atol=1e-5)


def test_a_height_that_is_a_number_names_no_object(walk: Path) -> None:
    opened(walk)
    bpy.data.objects["Ground"].name = "5.0"
    bpy.data.objects["5.0"].location.z = 2.0
    bpy.ops.wm.save_mainfile()
    assert planted(walk, '[plant]\nfloor = "5.0"') == (0, LEGS)
    on_object = balls(opened(walk.with_name("planted.blend")), FRAMES)
    assert planted(walk, "[plant]\nfloor = 5.0") == (0, LEGS)
    assert np.abs(balls(opened(walk.with_name("planted.blend")), FRAMES) - on_object).max() > 1.0 / UNIT


def test_a_shot_comes_before_its_setup_and_a_change_there_counts(walk: Path) -> None:
    manifest, setup, out = (walk.with_name(name) for name in ("takes.toml", "actor.toml", "out"))
    manifest.write_text(
        '[defaults]\nsetup = "actor.toml"\n[[shot]]\nfile = "walk.blend"\noutput = "a.blend"\n'
        '[[shot]]\nfile = "walk.blend"\noutput = "b.blend"\nlimbs = "LEGS"\n'
    )
    for limbs, expected in (("ARMS", ARMS), ("LEGS,ARMS", LEGS | ARMS)):
        setup.write_text(f'[plant]\nlimbs = "{limbs}"')
        assert run("plant", "--manifest", manifest, "--output-dir", out) == 0
        names = [{foot["name"] for foot in reported(out / f"{name}.two_bone_ik.json")["feet"]} for name in "ab"]
        assert names == [expected, LEGS]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('flor = "Ground"', '"flor", which means nothing: the nearest is "floor"'),
        ('limbs = "tails"', 'has limbs with a value that is not understood: "tails" is not LEGS, ARMS'),
        ("floor = true", "has floor = True, but it takes a number, or the name of an object in quotes"),
        ("floor = nan", '"nan" is not a height'),
        (f"floor = {'9' * 400}", '9" is not a height'),
        ("find_contacts = 1", "has find_contacts = 1, but it takes true or false"),
        ('floor = "Grond"', 'the nearest is "Ground"'),
        ('plant = "ARMS"', "write [plant]"),
    ],
)
def test_a_setup_with_a_wrong_option_is_refused(
    walk: Path, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    """By the name of the file that has it."""
    wrong = line if line.startswith("plant =") else f"[plant]\n{line}"
    assert planted(walk, wrong) == (5, set())
    err = capsys.readouterr().err
    assert words in err
    assert (str(walk.with_name("actor.toml")) in err) == ("Grond" not in line)
    assert not walk.with_name("planted.blend").exists()


def test_a_setup_without_chains_leaves_a_bake_its_own(walk: Path) -> None:
    rig = opened(walk)
    api.add_detected(rig, ["LEGS"])
    api.create_targets(rig)
    bpy.ops.wm.save_mainfile()
    assert planted(walk, '[plant]\nlimbs = "LEGS"') == (0, LEGS)
    baked = walk.with_name("baked.blend")
    line = ("--setup", walk.with_name("actor.toml"), "--frames", "1:5", "--output", baked)
    assert run("bake", walk.with_name("planted.blend"), *line) == 0
    assert len(opened(baked).two_bone_ik_chains) == 2
