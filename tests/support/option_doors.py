"""Tells at which doors an option is: those that are made from options.toml find it there.

Usage:
    BLENDER_USER_RESOURCES=out/resources python tests/support/option_doors.py FOLDER

The extension of these resources has the options of `ADDED`, too. Prints the doors in JSON, each with whether the option
is there.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path

import bpy

MODULE = "bl_ext.user_default.two_bone_ik"

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


def doors(folder: Path) -> dict[str, bool]:
    """Each door with whether the option is there."""
    from support.rigs import arm

    parts = ("api", "blender.chains.copy_settings", "blender.settings.keyed_options", "command_line.arguments")
    api, copy_settings, keyed_options, arguments = (import_module(f"{MODULE}.{part}") for part in parts)
    manifest, plant_options = (import_module(f"{MODULE}.command_line.{part}") for part in ("manifest", "plant_options"))
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
    read = plant_options.read("here", {"stiff": True})
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
        "keyword of Plant": plant_options.keywords(read) == {"stiff": True},
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
