"""Options of blender/options.toml: which are missing where they are written out, and at which doors one is.

`faults` reads types, signatures, panel and manual, and needs no Blender. As a program, in resources whose extension has
the options of `ADDED` too, this prints the doors that are made from the rows, each with whether the option is there:

    BLENDER_USER_RESOURCES=out/resources python tests/support/declared_options.py FOLDER
"""

from __future__ import annotations

import ast
import json
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy

MODULE = "bl_ext.user_default.two_bone_ik"

Rows = Mapping[str, Mapping[str, Any]]
Field = tuple[str, ast.expr | None]
"""The type as it is written, and the default."""

TYPES = {"bool": "bool", "float": "float", "text": "str", "bone": "str", "object": "Object | None", "word": "str"}


ADDED = """
[chain.sway]
type = "float"
name = "Sway"
description = "How far it sways"
default = 0.25
min = 0.0
max = 1.0
section = "REACH"
keyed = true

[chain.twin_bone]
type = "bone"
name = "Twin Bone"
description = "The bone beside it"
section = "BONES"

[keys.ghost]
type = "bool"
name = "Ghost"
description = "Key a ghost"
owner = "bake"
commands = ["bake"]
help = "key a ghost"

[plant.stiff]
type = "bool"
name = "Stiff"
description = "Feet are stiff"
owner = "rig"
commands = ["plant"]
help = "feet are stiff"
"""

SETUP = """
[[chain]]
end_bone = "low??"
target = "Target"
twin_bone = "upp??"
sway = 0.5

[plant]
stiff = true
"""


def faults(checkout: Path) -> list[str]:
    """One line for each place and option that do not fit."""
    options = tomllib.loads((checkout / "blender/options.toml").read_text("utf-8"))
    chain, plant = options["chain"], options["plant"]
    keys = {name: row for name, row in options["keys"].items() if row["owner"] != "command line"}
    on_command_line = {name: row for name, row in options["keys"].items() if "commands" in row}
    style = {name: row for name, row in keys.items() if row["owner"] == "style" or name == "new_action"}
    thresholds = {row["stillness"]: row for row in plant.values() if "stillness" in row}
    of_plant = [
        row.get("keyword", name)
        for name, row in plant.items()
        if "commands" in row or (row["owner"] in ("rig", "operator") and "stillness" not in row)
    ]
    in_panel = [*chain, *(f"two_bone_ik_{name}" for name, row in plant.items() if row["owner"] in ("rig", "scene"))]
    own = {name: row for name, row in chain.items() if name != "end_bone"}
    places = [
        ("api/options.py", "ChainOptions", _typed(own, literal=True), set()),
        ("blender/armatures.py", "Chain", _typed(chain), {"id_data"}),
        ("api/options.py", "BakeOptions", _typed(keys, literal=True), {"scene", "beside"}),
        ("api/bake.py", "bake", dict.fromkeys(keys), {"scene", "beside"}),
        ("blender/settings/key_settings.py", "KeyStyle", dict.fromkeys(style), set()),
        ("blender/settings/key_settings.py", "KeySettings", dict.fromkeys(keys.keys() - style.keys()), set()),
        ("command_line/shot.py", "Shot", dict.fromkeys(on_command_line), None),
        ("api/plant.py", "plant", dict.fromkeys(of_plant), None),
        ("solver/feet/contacts.py", "Stillness", dict.fromkeys(thresholds), None),
    ]
    found = [fault for file, name, wanted, more in places for fault in _unlike(checkout, file, name, wanted, more)]
    found += _other_defaults(checkout, "blender/settings/key_settings.py", ("KeyStyle", "KeySettings"), keys)
    found += _other_defaults(checkout, "solver/feet/contacts.py", ("Stillness",), thresholds)
    return [*found, *_not_drawn(checkout, in_panel), *_not_in_manual(checkout, chain | keys, plant)]


def _typed(rows: Rows, *, literal: bool = False) -> dict[str, str | None]:
    """The type that each option has to have; None for one of Blender's own words."""
    types = {name: TYPES.get(row["type"]) for name, row in rows.items()}
    if literal:
        words = {name: [word for word, *_ in row["items"]] for name, row in rows.items() if row["type"] == "word"}
        types |= {name: f"Literal{words_of_one!r}" for name, words_of_one in words.items()}
    return types


def _fields(checkout: Path, file: str, name: str) -> dict[str, Field]:
    """The fields of a class, or the keyword arguments of a function."""
    for node in ast.walk(ast.parse((checkout / file).read_text("utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == name:
            lines = [line for line in node.body if isinstance(line, ast.AnnAssign)]
            return {ast.unparse(line.target): (ast.unparse(line.annotation), line.value) for line in lines}
        if isinstance(node, ast.FunctionDef) and node.name == name:
            arguments = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            return {one.arg: (ast.unparse(one.annotation), default) for one, default in arguments if one.annotation}
    raise LookupError(f"{file} has no {name}")


def _unlike(
    checkout: Path, file: str, name: str, wanted: Mapping[str, str | None], more: set[str] | None
) -> Iterator[str]:
    """more : what may be there beside the options; None for anything"""
    fields = _fields(checkout, file, name)
    for option, kind in wanted.items():
        if option not in fields:
            yield f"{file}: {name} lacks {option}"
        elif kind is not None and fields[option][0] != kind:
            yield f"{file}: {option} of {name} is {fields[option][0]}, not {kind}"
    if more is not None:
        yield from (f"{file}: {name} has {option}" for option in fields.keys() - wanted.keys() - more)


def _other_defaults(checkout: Path, file: str, classes: tuple[str, ...], rows: Rows) -> Iterator[str]:
    fields = {option: field for name in classes for option, field in _fields(checkout, file, name).items()}
    for option, row in rows.items():
        wanted = row.get("default", row["items"][0][0] if "items" in row else False)
        default = fields[option][1] if option in fields else None
        if default is not None and wanted != _value(default):
            yield f"{file}: the default of {option} is {ast.unparse(default)}, not {wanted}"


def _value(default: ast.expr) -> object:
    """A number or text, or the word of an enumeration."""
    return default.attr if isinstance(default, ast.Attribute) else ast.literal_eval(default)


def _not_drawn(checkout: Path, fields: list[str]) -> Iterator[str]:
    trees = [ast.parse(path.read_text("utf-8")) for path in (checkout / "ui").glob("*.py")]
    texts = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    # Thresholds of Plant are drawn in a loop over their names.
    yield from (f"ui lacks {field}" for field in fields if not {field, field.removeprefix("two_bone_ik_")} & texts)


def _not_in_manual(checkout: Path, in_reference: Rows, plant: Rows) -> Iterator[str]:
    reference = (checkout / "docs/reference.md").read_text("utf-8")
    for name, row in in_reference.items():
        if f"| {row['name']} | `{name}` |" not in reference:
            yield f"docs/reference.md lacks {name}"
    commands = (checkout / "docs/command_line_and_python.md").read_text("utf-8")
    for name, row in plant.items():
        argument = row.get("argument", row.get("keyword", name))
        if "commands" in row and not (f"`{argument}`" in commands and f"`--{argument.replace('_', '-')}" in commands):
            yield f"docs/command_line_and_python.md lacks {argument}"


def doors(folder: Path) -> dict[str, bool]:
    """Each door with whether the option is there."""
    from support.rigs import arm

    parts = ("api", "blender.chains.copy_settings", "blender.settings.keyed_options", "command_line.arguments")
    api, copy_settings, keyed_options, arguments = (import_module(f"{MODULE}.{part}") for part in parts)
    manifest, shot_options = (import_module(f"{MODULE}.command_line.{part}") for part in ("manifest", "shot_options"))
    preferences = import_module(f"{MODULE}.ui.preferences").TwoBoneIKPreferences
    bake, plant = (getattr(bpy.ops.two_bone_ik, name).get_rna_type().properties for name in ("bake", "plant"))
    parser = arguments.parser("")

    chain = arm()
    rig = chain.id_data
    setup, saved = folder / "setup.toml", folder / "saved.toml"
    setup.write_text(SETUP, "utf-8")
    (name,) = api.apply_setup(rig, api.load_setup(setup))
    chain = rig.two_bone_ik_chains[name]
    end = rig.pose.bones[chain.end_bone]
    named = {"twin_bone": chain.twin_bone, "sway": end.two_bone_ik_sway}
    api.save_setup(rig, saved)
    rig.pose.bones["upper"].name = "renamed"
    api.solve(rig)
    read = shot_options.read_plant("here", {"stiff": True})
    return {
        "chain": chain.bl_rna.properties["sway"].description == "How far it sways",
        "pose bone": end.bl_rna.properties["two_bone_ik_sway"].default == 0.25,
        "animated": end.keyframe_insert(keyed_options.bone_field("sway")) and "sway" in keyed_options.NAMES,
        "setup file": named == {"twin_bone": "upper", "sway": 0.5},
        "saved setup file": "sway = 0.5\n" in saved.read_text("utf-8"),
        "copied section": "sway" in copy_settings.SECTIONS["REACH"],
        "renamed bone": chain.twin_bone == "renamed",
        "operator of a bake": bake["ghost"].name == "Ghost",
        "preferences": preferences.bl_rna.properties["ghost"].name == "Ghost",
        "argument of a bake": parser.parse_args(["bake", "--ghost"]).ghost is True,
        "armature": rig.bl_rna.properties["two_bone_ik_stiff"].name == "Stiff",
        "operator of Plant": plant["stiff"].is_skip_save,
        "argument of Plant": parser.parse_args(["plant", "--stiff"]).stiff is True,
        "key of a manifest": "stiff" in manifest._KEYS,
        "keyword of Plant": shot_options.plant_keywords(read) == {"stiff": True},
        "[plant] of a setup file": api.load_setup(setup).plant == {"stiff": True},
    }


def main() -> int:
    """The exit status."""
    import addon_utils  # once there is bpy

    sys.path.insert(0, str(Path(__file__).parents[1]))
    if not addon_utils.enable(MODULE, default_set=True):
        return 1
    print(json.dumps(doors(Path(sys.argv[1]))))
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
