"""What the command line understands: commands that it refuses, its help, empty values, and the options of a farm."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.options import OPTIONS
from bl_ext.user_default.two_bone_ik.blender.settings.key_settings import Measure
from bl_ext.user_default.two_bone_ik.command_line.arguments import parser

from support.command import run
from support.empty_file import open_empty_file
from support.rigs import animate, arm

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with an arm whose target moves within its reach, a link to it, and a setup: nothing may change there."""
    folder = tmp_path_factory.mktemp("usage")
    open_empty_file()
    animate(arm().target, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    (folder / "setup.toml").write_text('chain = [{end_bone = "lower"}]')
    (folder / "link.blend").symlink_to(folder / "shot.blend")
    return folder


REFUSED = [
    ("bake {shot}", 64, "--output"),
    ("bake {shot} --output", 64, "expected one argument"),
    ("bake {shot} --in-place --output {folder}/baked.blend", 64, "not allowed"),
    ("bake {shot} --output {folder}/baked.blend --frames 1", 64, "START:END"),
    ("bake {shot} --output {folder}/baked.blend --frames 1:x", 64, "START:END"),
    ("bake {shot} --output {folder}/baked.blend --strict=-1", 64, "not a distance"),
    ("bake {shot} --output {folder}/baked.blend --strict nan", 64, '"nan" is not a distance from 0 on'),
    ("bake --strict inf {shot} --output {folder}/baked.blend", 64, '"inf" is not a distance from 0 on'),
    ("bake --strict -Infinity {shot} --output {folder}/baked.blend", 64, '"-Infinity" is not a distance from 0 on'),
    ("bake --strict -1e3 {shot} --output {folder}/baked.blend", 64, '"-1e3" is not a distance from 0 on'),
    ("bake {shot} --output {folder}/baked.blend --frames nan:3", 64, '"nan:3" is not START:END'),
    ("bake {shot} --output {folder}/baked.blend --frames 1:3:inf", 64, '"1:3:inf" is not START:END'),
    ("bake {shot} --output {folder}/baked.blend --tolerance nan", 64, '"nan" is not a distance above 0'),
    ("bake {shot} --output {folder}/baked.blend --tolerance=-1", 64, '"-1" is not a distance above 0'),
    ("bake {shot} --output {folder}/baked.blend --rig Rig --rig Rig", 64, 'armature "Rig" twice'),
    ("bake --manifest {setup} --output-dir {folder} --rig Rig --rig Rig --setup {setup}", 64, 'armature "Rig" twice'),
    ("bake {shot} --output {folder}/baked.blend --keys SOME", 64, "EVERY_FRAME, TARGET_KEYS, REDUCED"),
    ("bake {shot} --output {folder}/baked.blend --jobs 2", 64, "--manifest"),
    ("bake {shot} --output {folder}/baked.blend --shot 2", 64, "--manifest"),
    ("bake --manifest {setup} --output-dir {folder}/out --jobs=-1", 64, "not a number of Blenders"),
    ("check {shot} --output {folder}/x.blend", 64, "unrecognized arguments: --output"),
    ("bake {shot} --output {folder}/baked.blend --frame 1:2", 64, "unrecognized arguments: --frame"),
    ("bake {shot} --output {folder}/baked.blend --log-dir {folder}/logs", 64, "--manifest"),
    ("bake {shot} --output {folder}/baked.blend --python-after {folder}/none.py", 5, "No such file"),
    ("bake {shot} --output {folder}/baked.blend --python-before {setup} --report {setup}", 5, "overwritten"),
    ("bake --manifest {setup} --output-dir {folder}/out --jobs 2 --time-limit 0", 64, "above 0"),
    ("bake {shot} {shot} --output {folder}/x.blend", 64, "goes with one file"),
    ("bake {shot} {setup}", 64, "--output-dir"),
    ("bake {shot} --output-dir {folder}/out --format c3d", 64, '"c3d" is not one of blend, '),
    ("bake --output {folder}/baked.blend", 64, "Name a .blend file"),
    ("bake {shot} --output {folder}/baked.blend --progress plane", 64, "invalid choice"),
    ("detect", 64, "Name a .blend file"),
    ("bkae {shot}", 64, 'invalid choice: "bkae" (choose from bake, '),
    ("bkae {shot}", 64, 'the nearest is "bake"'),
    ("check {shot} --progress opnejd", 64, 'the nearest is "openjd"'),
    ("plant {shot} --output {folder}/x.blend --stillness sped=0.2", 64, 'the nearest is "speed"'),
    ("", 64, "required"),
    ("bake {shot} --output {shot}", 5, "overwritten"),
    ("bake {shot} --output {folder}/./shot.blend", 5, "overwritten"),
    ("bake {shot} --output {folder}/link.blend", 5, "overwritten"),
    ("bake {shot} --output {folder}/baked.blend --report {shot}", 5, "overwritten"),
    ("bake {shot} --output {folder}/baked.blend --setup {setup} --report {setup}", 5, "overwritten"),
    ("bake {shot} --output {setup}/baked.blend", 5, "cannot be written"),
    ("bake {folder}/none.blend --output {folder}/baked.blend", 5, "No such file"),
    ("bake {folder} --output {folder}/baked.blend", 5, "cannot be read"),
    ("bake {setup} --output {folder}/baked.blend", 5, "cannot be opened"),
    ("bake {shot} --output {folder}/baked.blend --setup {shot}", 5, "not in TOML"),
    ("bake {shot} --output {folder}/baked.blend --setup {folder}/none.toml", 5, "No such file"),
    ("bake {shot} --output {folder}/baked.blend --rig rgi", 5, '"Rig"'),
    ("bake {shot} --output {folder}/baked.blend --frames 9:1", 5, "holds no frame"),
    ("detect {setup}", 5, "cannot be opened"),
    ("detect {shot} --output {shot}", 5, "overwritten"),
    ("detect {shot} --rig rgi", 5, '"Rig"'),
]


@pytest.mark.parametrize(("line", "status", "words"), REFUSED, ids=[line for line, _, _ in REFUSED])
def test_all_that_a_refused_command_writes_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, status: int, words: str
) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    named = {"shot": folder / "shot.blend", "setup": folder / "setup.toml", "folder": folder}
    assert run(*line.format(**named).split()) == status
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("two_bone_ik: ")
    assert words in said
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_open_file_is_no_list_of_files(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bpy.data.filepath == str(shot)
    assert run("bake", "--output-dir", shot.with_name("out")) == 64
    (said,) = capsys.readouterr().err.splitlines()
    assert "Name a .blend file" in said


@pytest.mark.parametrize("name", ["two_bone_ik.flamenco.js", "two_bone_ik.openjd.yaml"])
def test_a_job_template_asks_for_what_there_is(name: str) -> None:
    script = Path(__file__).parents[3].joinpath("farm", name).read_text("utf-8")
    options = re.findall(r"(?<=[\"`\s])(--[a-z-]+)(?==|\"|$)", script[script.index("--manifest") :], re.MULTILINE)
    assert len(options) >= 6
    values = {"--strict": "0.01", "--keys": "REDUCED", "--progress": "openjd"}
    commands, _to = re.findall(r"(?:choices|allowedValues): \[(.*?)\]", script)
    for command in commands.replace('"', "").split(", "):
        only = {"--keys": "", "--to": "FK" if command == "switch" else ""}
        parser("two_bone_ik").parse_args(
            [command, *(f"{option}={only.get(option, values.get(option, 1))}" for option in options)]
        )
    values["--to"] = ""
    given = parser("two_bone_ik").parse_args(["bake", *(f"{option}={values.get(option, 1)}" for option in options)])
    assert (given.strict, given.keys, given.time_limit) == (0.01, "REDUCED", 1.0)


@pytest.mark.parametrize(
    ("options", "strict"),
    [("a.blend", None), ("--strict a.blend", 0.0), ("a.blend --strict", 0.0), ("--strict 0.5 a.blend", 0.5)],
)
def test_strict_may_name_a_distance(options: str, strict: float | None) -> None:
    given = parser("two_bone_ik").parse_args(["check", *options.split()])
    assert (given.strict, given.file) == (strict, [Path("a.blend")])


@pytest.mark.parametrize("file", ["010.blend", "./shot.blend", "../010/anim", ".blend", "5.blend"])
def test_a_file_behind_strict_is_no_distance(file: str) -> None:
    given = parser("two_bone_ik").parse_args(["check", "--strict", file])
    assert (given.strict, given.file) == (0.0, [Path(file)])


@pytest.mark.parametrize(
    "line", ["--help", *(f"{command} --help" for command in ("bake", "check", "snap", "plant", "detect"))]
)
def test_help_is_there(capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert run(*line.split()) == 0
    said = capsys.readouterr().out
    assert "exit status" in said
    assert max(map(len, said.splitlines())) < 130


COMMON = ("rig", "setup", "frames", "python-before", "python-after", "report", "report-detail")
COMMON = (*COMMON, "strict", "time-limit", "manifest", "shot", "path-mapping", "output-dir", "jobs", "log-dir")
TAKING_VALUES = {
    "bake": (*COMMON, "keys", "tolerance", "measure", "output"),
    "plant": (*COMMON, "limbs", "hips", "keep", "floor", "stillness", "measure", "output"),
    "switch": (*COMMON, "limb", "keys", "tolerance", "measure", "output"),
    "detect": ("rig", "output"),
}


@pytest.mark.parametrize("command", TAKING_VALUES)
def test_an_empty_value_counts_as_not_given(command: str) -> None:
    arguments = parser("two_bone_ik")
    words = [command, "a.blend", *(["--to", "FK"] if command == "switch" else [])]
    expected = arguments.parse_args(words)
    for option in TAKING_VALUES[command]:
        assert arguments.parse_args([*words, f"--{option}="]) == expected, option
        assert arguments.parse_args([*words, f"--{option}", ""]) == expected, option
        assert arguments.parse_args([command, f"--{option}", "", *words[1:]]) == expected, option


def test_an_empty_output_folder_is_not_the_current_one(
    shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "season.toml").write_text('shot = [{file = "shot.blend"}]')
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run("bake", "--manifest", tmp_path / "season.toml", "--output-dir", "") == 64
    assert "--output-dir" in capsys.readouterr().err
    assert os.listdir() == []


def test_an_empty_file_name_is_not_the_open_file(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = shot.read_bytes()
    assert run("bake", "", "--in-place") == 64
    assert "Name a .blend file" in capsys.readouterr().err
    assert shot.read_bytes() == before


HELP = tomllib.loads((Path(__file__).parents[3] / "command_line/help.toml").read_text("utf-8"))
DECLARED = [row["help"] for table in OPTIONS.values() for row in table.values() if "help" in row]


def told(capsys: pytest.CaptureFixture[str], *commands: str) -> str:
    """What --help prints for these commands, in one line."""
    for command in commands:
        assert run(*command.split(), "--help") == 0
    return " ".join(capsys.readouterr().out.split())


def test_help_tells_every_text_that_is_written_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [row["help"] for table in HELP["arguments"].values() for row in table.values()]
    texts += [HELP["description"], HELP["epilog"]]
    texts += DECLARED + [text for command in HELP["commands"].values() for text in command.values()]
    said = told(capsys, "", *HELP["commands"])
    # What argparse fills in is told in words of its own.
    pieces = [piece for text in texts for piece in re.split(r"%\(default\)g|%\(prog\)s|\{(?:takes|formats)\}", text)]
    assert [piece for piece in pieces if " ".join(piece.split()) not in said] == []


def test_help_names_all_that_stillness_takes(capsys: pytest.CaptureFixture[str]) -> None:
    help_of_plant = told(capsys, "plant")
    for field in fields(api.Stillness):
        assert f"{field.name}={field.default:g}" in help_of_plant


def test_help_names_the_frames_that_can_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{', '.join(Measure)}: on which frames" in told(capsys, "bake")
