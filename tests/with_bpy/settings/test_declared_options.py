"""What is declared once, key settings and options, is the same at every door: names, words and defaults."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.settings.key_settings import DEFAULTS, Keys, Measure, Sampling
from bl_ext.user_default.two_bone_ik.command_line import run_command
from bl_ext.user_default.two_bone_ik.command_line.arguments import parser
from bl_ext.user_default.two_bone_ik.command_line.shot import Shot
from bl_ext.user_default.two_bone_ik.ui.preferences import TwoBoneIKPreferences

from support.declared_options import ADDED, faults

pytestmark = pytest.mark.once

SETTINGS = asdict(DEFAULTS)
# Blender's properties are of single precision.
EXPECTED = SETTINGS | {"tolerance": pytest.approx(DEFAULTS.tolerance, rel=1e-7)}
ON_THE_COMMAND_LINE = {"keys", "tolerance", "measure", "interpolation", "sampling", "new_action"}
CHOICES = {"keys": Keys, "sampling": Sampling, "measure": Measure}


def of_rna(rna: bpy.types.Struct) -> dict[str, object]:
    return {field.identifier: field.default for field in rna.properties if field.identifier in SETTINGS}


def of_operator(name: str) -> dict[str, object]:
    return of_rna(getattr(bpy.ops.two_bone_ik, name).get_rna_type())


def of_function(function: Callable) -> dict[str, object]:
    found = inspect.signature(function).parameters.values()
    return {field.name: field.default for field in found if field.name in SETTINGS}


def of_command(*arguments: str) -> dict[str, object]:
    return {name: value for name, value in vars(parser("").parse_args(arguments)).items() if name in SETTINGS}


def of_shot(shot: Shot) -> dict[str, object]:
    return {field.name: getattr(shot, field.name) for field in fields(shot) if field.name in SETTINGS}


def of_manifest(folder: Path) -> dict[str, object]:
    path = folder / "season.toml"
    path.write_text('[[shot]]\nfile = "shot.blend"\n', "utf-8")
    arguments = parser("").parse_args(["bake", "--manifest", str(path)])
    (shot,) = run_command._listed(run_command._shot(arguments), arguments).chosen().values()
    return of_shot(shot)


STYLE = {"keys", "tolerance", "interpolation", "key_type"}
OVER_A_RANGE = set(SETTINGS) - {"mute_constraints", "new_action"}


@pytest.mark.parametrize(
    ("found", "names"),
    [
        (lambda: of_operator("bake"), set(SETTINGS)),
        (lambda: of_operator("check"), {"sampling"}),
        (lambda: of_operator("bake_targets"), OVER_A_RANGE),
        (lambda: of_rna(TwoBoneIKPreferences.bl_rna), {*STYLE, "mute_constraints"}),
        (lambda: of_function(api.bake), set(SETTINGS)),
        (lambda: of_function(api.KeyStyle), {*STYLE, "new_action"}),
        (lambda: of_function(api.check), {"sampling"}),
        (lambda: of_function(api.bake_targets), OVER_A_RANGE),
        *((lambda command=command: of_command(command), set(SETTINGS)) for command in ("bake", "check", "snap")),
        (lambda: of_shot(Shot(command="bake", file=Path("shot.blend"))), ON_THE_COMMAND_LINE),
    ],
)
def test_at_each_door_settings_begin_as_the_list_has_them(found: Callable, names: set[str]) -> None:
    assert found() == {name: EXPECTED[name] for name in names}


def test_a_shot_of_a_manifest_is_baked_so_too(tmp_path: Path) -> None:
    assert of_manifest(tmp_path) == {name: EXPECTED[name] for name in ON_THE_COMMAND_LINE}


def test_the_help_names_the_defaults_of_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser("").parse_args(["bake", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(Keys)}; the first by default" in told
    assert f"for REDUCED; {SETTINGS['tolerance']} by default" in told
    assert [SETTINGS["keys"], SETTINGS["measure"]] == [next(iter(Keys)), next(iter(Measure))]


def test_the_manual_has_all_that_a_bake_asks_for() -> None:
    manual = (CHECKOUT / "docs/reference.md").read_text("utf-8")
    asked = [field.name for field in bpy.ops.two_bone_ik.bake.get_rna_type().properties if field.name != "RNA"]
    assert [name for name in asked if name not in manual] == []


@pytest.mark.parametrize("name", CHOICES)
def test_the_operator_offers_the_words_of_the_list(name: str) -> None:
    offered = bpy.ops.two_bone_ik.bake.get_rna_type().properties[name].enum_items.keys()
    assert offered == list(CHOICES[name])


def test_settings_are_taken_from_whatever_has_some_of_them() -> None:
    shot = Shot(command="bake", file=Path("shot.blend"), keys="REDUCED", tolerance=0.25)
    assert api.KeyStyle.of(shot) == api.KeyStyle(keys=Keys.REDUCED, tolerance=0.25)
    with pytest.raises(api.Refused, match="SOME"):
        api.KeyStyle.of(Shot(command="bake", file=Path("shot.blend"), keys="SOME"))


CHECKOUT = Path(__file__).parents[3]

EXTENSION = ("solver", "skeleton", "blender", "api", "operators", "ui", "command_line", "docs")

FILES = ("__init__.py", "__main__.py", "blender_manifest.toml")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The extension with four options more, in resources of its own."""
    folder = tmp_path / "resources/extensions/user_default/two_bone_ik"
    for name in EXTENSION:
        shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "images"))
    for name in FILES:
        shutil.copy(CHECKOUT / name, folder)
    with (folder / "blender/options.toml").open("a", encoding="utf-8") as file:
        file.write(ADDED)
    return folder


def test_an_added_option_is_at_every_door(copy: Path, tmp_path: Path) -> None:
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path / "resources")}
    command = [sys.executable, CHECKOUT / "tests/support/declared_options.py", tmp_path]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    doors = json.loads(run.stdout.splitlines()[-1])
    assert [door for door, is_there in doors.items() if not is_there] == []


def test_where_an_added_option_has_to_be_written_is_told(copy: Path) -> None:
    assert sorted(faults(copy)) == [
        "api/bake.py: bake lacks ghost",
        "api/options.py: BakeOptions lacks ghost",
        "api/options.py: ChainOptions lacks sway",
        "api/options.py: ChainOptions lacks twin_bone",
        "api/plant.py: plant lacks stiff",
        "blender/armatures.py: Chain lacks sway",
        "blender/armatures.py: Chain lacks twin_bone",
        "blender/settings/key_settings.py: KeySettings lacks ghost",
        "command_line/shot.py: Shot lacks ghost",
        "docs/command_line_and_python.md lacks stiff",
        "docs/reference.md lacks ghost",
        "docs/reference.md lacks sway",
        "docs/reference.md lacks twin_bone",
        "ui lacks sway",
        "ui lacks twin_bone",
        "ui lacks two_bone_ik_stiff",
    ]


WRITTEN_OTHERWISE = [
    (
        "api/options.py",
        "    softness: float\n",
        "    softness: int\n    old: float\n",
        "softness of ChainOptions is int, not float",
    ),
    ("api/options.py", "", "", "ChainOptions has old"),
    ("api/options.py", '"AIM", ', "", "plane of ChainOptions is Literal['AUTO', 'POLE', 'REST'], not"),
    ("solver/feet/contacts.py", "speed: float = 0.15", "speed: float = 0.2", "default of speed is 0.2, not 0.15"),
    ("blender/settings/key_settings.py", '= "BEZIER"', '= "LINEAR"', "default of interpolation is 'LINEAR'"),
]


def test_what_is_written_otherwise_is_told(copy: Path) -> None:
    shutil.copy(CHECKOUT / "blender/options.toml", copy / "blender/options.toml")
    assert faults(copy) == []
    for file, before, after, _ in WRITTEN_OTHERWISE:
        text = (copy / file).read_text("utf-8")
        (copy / file).write_text(text.replace(before, after) if before else text, "utf-8")
    told = faults(copy)
    for *_, fault in WRITTEN_OTHERWISE:
        assert any(fault in line for line in told), fault
    assert all(any(fault in line for *_, fault in WRITTEN_OTHERWISE) for line in told), told
