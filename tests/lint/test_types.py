"""What mypy says of the extension by the types of Blender, of the oldest and of the latest that it runs on."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from support.blender_types import BLENDERS, environment

CHECKOUT = Path(__file__).parents[2]

# Where the types are wrong, and not we: those of 4.2 let functions return None whose result its manual leaves out;
# those of 5.2 do not know how to read an array, what a path leads to, what a menu calls, or contexts of translations.
WRONG_TYPES = {
    "4.2": re.compile(r'"None"|"user_map" of "BlendData"'),
    "5.2": re.compile(r'"bpy_prop_array"|bpy_prop [|] Any|"_GenericUI"|^[^"]*contexts[?] has no attribute'),
}
MODULES = (
    "blender/curves/write.py",
    "api/bake.py",
    "operators/armature_operator.py",
    "ui/panel.py",
    "command_line/blend_file.py",
)

FAULTY = """
from bpy.types import PoseBone as _Bone
from two_bone_ik.blender.armatures import Rig as _Rig
def faulty(rig: "_Rig", bone: "_Bone") -> None:"""
# What is wrong in it, and in which Blenders.
FAULTS = {
    "rig.data.bonse": {"4.2", "5.2"},
    "rig.two_bone_ik_chain": {"4.2", "5.2"},
    'rig.mode == "EDTI"': {"4.2", "5.2"},
    'bone.rotation_mode = "XZY_"': {"4.2", "5.2"},
    "rig.animation_data.action.fcurves": {"5.2"},
    "rig.animation_data.action_slot": {"4.2"},
    "bone.bone.select": {"5.2"},
    "bone.select": {"4.2"},
}


@cache
def complaints(blender: str) -> list[str]:
    """The lines in which mypy finds fault with the extension by the types of this Blender.

    What is wrong stands at the end of some of its modules: a second run for that would take as long.
    """
    folder = environment(blender)
    # mypy wants a folder with the name of a package, which that of a checkout need not be.
    link = folder / "two_bone_ik"
    link.unlink(missing_ok=True)
    link.symlink_to(CHECKOUT)
    command = [sys.executable, "-m", "mypy", "--python-executable=bin/python", "--no-error-summary"]
    command += ["--config-file=two_bone_ik/pyproject.toml", *BLENDERS[blender], "--package=two_bone_ik"]
    with TemporaryDirectory() as shadows:
        for module in MODULES:
            shadow = Path(shadows, module)
            shadow.parent.mkdir(parents=True)
            faulty = [FAULTY, *(f"    {fault}" for fault in FAULTS)]
            shadow.write_text("\n".join([(CHECKOUT / module).read_text("utf-8").rstrip("\n"), *faulty]), "utf-8")
            command += ["--shadow-file", f"two_bone_ik/{module}", str(shadow)]
        run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    return [line for line in run.stdout.splitlines() if not WRONG_TYPES[blender].search(line)]


@cache
def wrong_in() -> dict[str, set[str]]:
    """By place of what is wrong, file and line as mypy writes them, the Blenders in which it is."""
    places = {}
    for module in MODULES:
        first = len((CHECKOUT / module).read_text("utf-8").splitlines()) + len(FAULTY.splitlines()) + 1
        places |= {f"two_bone_ik/{module}:{line}": blenders for line, blenders in enumerate(FAULTS.values(), first)}
    return places


@pytest.mark.parametrize("blender", BLENDERS)
def test_the_extension_uses_what_this_blender_has(blender: str) -> None:
    found = [line for line in complaints(blender) if line.split(": ")[0] not in wrong_in()]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


@pytest.mark.parametrize("blender", BLENDERS)
def test_what_this_blender_does_not_have_is_found(blender: str) -> None:
    found = {line.split(": ")[0] for line in complaints(blender)}
    assert found & wrong_in().keys() == {place for place, blenders in wrong_in().items() if blender in blenders}
