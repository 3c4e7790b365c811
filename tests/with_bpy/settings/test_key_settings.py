"""One list of key settings: whoever asks for a bake has the same names, words and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
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
    (shot,) = run_command._chosen(run_command._shot(arguments), arguments).values()
    return of_shot(shot)


def assert_same(found: Mapping[str, object], names: set[str]) -> None:
    assert found == {name: EXPECTED[name] for name in names}


def test_the_operator_bakes_as_the_list_has_it() -> None:
    assert_same(of_operator("bake"), set(SETTINGS))


def test_other_operators_over_a_range_do_as_well() -> None:
    assert_same(of_operator("check"), {"sampling"})
    assert_same(of_operator("bake_targets"), set(SETTINGS) - {"mute_constraints", "new_action"})


def test_the_preferences_begin_as_the_list_has_it() -> None:
    offered = {"keys", "tolerance", "interpolation", "key_type", "mute_constraints"}
    assert_same(of_rna(TwoBoneIKPreferences.bl_rna), offered)


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (api.bake, set(SETTINGS)),
        (api.KeyStyle, {"keys", "tolerance", "interpolation", "key_type", "new_action"}),
        (api.check, {"sampling"}),
        (api.bake_targets, set(SETTINGS) - {"mute_constraints", "new_action"}),
    ],
    ids=["bake", "KeyStyle", "check", "bake_targets"],
)
def test_a_function_bakes_as_the_list_has_it(function: Callable, names: set[str]) -> None:
    assert_same(of_function(function), names)


@pytest.mark.parametrize("command", ["bake", "check", "snap"])
def test_a_command_bakes_as_the_list_has_it(command: str) -> None:
    assert_same(of_command(command), set(SETTINGS))


def test_a_shot_is_baked_as_the_list_has_it() -> None:
    assert_same(of_shot(Shot(command="bake", file=Path("shot.blend"))), ON_THE_COMMAND_LINE)


def test_a_shot_of_a_manifest_is_baked_so_too(tmp_path: Path) -> None:
    assert_same(of_manifest(tmp_path), ON_THE_COMMAND_LINE)


def test_the_help_names_the_defaults_of_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser("").parse_args(["bake", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(Keys)}; the first by default" in told
    assert f"for REDUCED; {SETTINGS['tolerance']} by default" in told
    assert [SETTINGS["keys"], SETTINGS["measure"]] == [next(iter(Keys)), next(iter(Measure))]


@pytest.mark.parametrize("name", CHOICES)
def test_the_operator_offers_the_words_of_the_list(name: str) -> None:
    offered = bpy.ops.two_bone_ik.bake.get_rna_type().properties[name].enum_items.keys()
    assert offered == list(CHOICES[name])


def test_settings_are_taken_from_whatever_has_some_of_them() -> None:
    shot = Shot(command="bake", file=Path("shot.blend"), keys="REDUCED", tolerance=0.25)
    assert api.KeyStyle.of(shot) == api.KeyStyle(keys=Keys.REDUCED, tolerance=0.25)


def test_a_word_that_is_no_choice_is_not_taken() -> None:
    with pytest.raises(api.Refused, match="SOME"):
        api.KeyStyle.of(Shot(command="bake", file=Path("shot.blend"), keys="SOME"))
