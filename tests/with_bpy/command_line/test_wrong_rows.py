"""Manifests and rows that are wrong are refused before anything is done, in one line that names what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import bake_all

pytestmark = pytest.mark.once

ROWS = [
    ('frame = "1:2"', 'nearest is "frames"'),
    ("frames = [1, 2]", "text in quotes"),
    ('frames = "1-2"', "START:END"),
    ('frames = "nan:3"', 'has frames with a value that is not understood: "nan:3"'),
    ('frames = "1:inf"', 'has frames with a value that is not understood: "1:inf"'),
    ('rig = ["Rig", 1]', "text in quotes"),
    ('rig = ["Hero", "Hero"]', 'names armature "Hero" twice'),
    ('rig = [{setup = "Hero.toml"}]', "rig without a name"),
    ('rig = [{name = "Hero", setip = "Hero.toml"}]', 'nearest is "setup"'),
    ('setup = "{rig}.toml"', "say which with --rig"),
    (r'setup = "\u0000.toml"', "NUL"),
    (r'output = "\u0000.blend"', "NUL"),
    ('output = "../seq/b.blend"', "which leaves"),
    ('output = "x.c3d"', '"x.c3d" has the suffix of no format'),
    ('output = "x"', '"x" has the suffix of no format'),
    ('formats = ["c3d"]', 'formats with a value that is not understood: "c3d" is not one of blend, bvh'),
    ("formats = [1]", "text in quotes"),
    ('formats = "npz,fbx"\noutput = "x"\nframes = "10:1"', "hold no frame"),
    ('key = "REDUCED"', 'has "key", which means nothing: the nearest is "keys"'),
    ('keys = "REDUCE"', 'the nearest is "REDUCED"'),
    ('interpolation = "BEZER"', 'the nearest is "BEZIER"'),
    ("interpolation = 1", "CONSTANT"),
    ("tolerance = 0", '"0" is not a distance above 0'),
    ('new_action = "yes"', "new_action"),
    ("strict = -1", "not a distance from 0 on"),
    ("plant = 1", "[shot.plant]"),
    ('keep = "ARMS"\nplant = {keep = "SPINE"}', "has keep twice"),
    ('plant = {keeps = "SPINE"}', 'the nearest is "keep"'),
    ('switch = {limb = "Arm.L"}', 'the nearest is "limbs"'),
    ('switch = {to = "FKK"}', 'the nearest is "FK"'),
]
SHOT = '[[shot]]\nfile = "shot.blend"\n'
MANIFESTS = [
    ("", "[[shot]]"),
    ("shot = [{}]", "names no file"),
    ('shot = [{file = ""}]', "names no file"),
    (r'shot = [{file = "seq/\u0000.blend"}]', "NUL"),
    (r'shot = [{file = "seq\u0000/*.blend"}]', "NUL"),
    ('shot = [{file = "sh01[23].blend"}]', "no file has such a name"),
    ('shot = [{file = "$NO_SUCH_VARIABLE_HERE/sh010.blend"}]', "no environment variable $NO_SUCH_VARIABLE_HERE"),
    (SHOT * 2, "same output as shot 1"),
    ('shot = [{file = "shot.blend", output = "one.blend"}, {file = "sh*.blend", output = "one.blend"}]', "same output"),
    (f"defaults = 3\n{SHOT}", "defaults"),
    (f'[defaults]\nfile = "shot.blend"\n{SHOT}', "defaults"),
]


@pytest.mark.parametrize(("text", "words"), [*((SHOT + row, words) for row, words in ROWS), *MANIFESTS])
def test_a_wrong_manifest_is_refused_before_anything_is_done(
    shot: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    manifest = shot.with_name("season.toml")
    manifest.write_text(text)
    assert bake_all(manifest) == 5
    (said,) = capsys.readouterr().err.splitlines()
    assert words in said
    assert {path.name for path in shot.parent.rglob("*")} == {"shot.blend", "season.toml"}


def test_a_script_that_is_missing_refuses_its_shot(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shot.with_name("season.toml").write_text(f'{SHOT}python_before = "none.py"')
    assert bake_all(shot.with_name("season.toml"), "--allow-scripts") == 5
    assert "No such file" in capsys.readouterr().out
