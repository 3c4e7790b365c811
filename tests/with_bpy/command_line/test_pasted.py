"""Every block of README and manual runs as pasted, in a file as the text says."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.command_line.arguments import parser

from support import rigify, rigs
from support.captured_walk import imported_walk, skating_walk, text
from support.command import run
from support.empty_file import open_empty_file
from support.hero import hero
from support.manual import CHECKOUT, blocks
from support.rigs import animate, empty

pytestmark = pytest.mark.once

PAGE = "docs/command_line_and_python.md"
OTHER_SHELL = ("blender --command extension", "pip install", "openjd run", "deadlinecommand", "rmanpy", "#")
"""What lines of a shell do that are no commands of ours; tests/installed tries what they are for."""

BLOCKS = {path: re.findall(r"^```(\w+)$", path.read_text("utf-8"), re.MULTILINE) for path in CHECKOUT.glob("docs/*.md")}
PASTED = {
    "command_line_and_python.md": ["python"] * 4 + ["toml", "sh", "toml", "sh"],
    "build.md": ["python"],
    "farm.md": ["sh"] * 6 + ["python"] * 2,
    "library.md": ["sh", "toml", "sh", "python"],
    "first_bake.md": ["python"],
    "rigs.md": ["python", "sh", "python", "python", "toml"],
    "solver.md": ["python"] * 5,
}
"""What the tests here paste, and those of the manual, of farms and of the solver as a library."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def paste(page: str, number: int = 0) -> None:
    exec(blocks(page, "python")[number], {})


def lines(page: str, number: int) -> list[list[str]]:
    """The arguments of each of our commands in a shell block; a file before the command is the first of them."""
    found = []
    for line in blocks(page, "sh")[number].replace("\\\n", " ").splitlines():
        if line.startswith(OTHER_SHELL):
            continue
        before, ours, arguments = line.partition("--command two_bone_ik ")
        assert ours, line
        command, *rest = shlex.split(os.path.expandvars(arguments))
        found.append([command, *(file for file in shlex.split(before) if file.endswith(".blend")), *rest])
    return found


def keyed(rig: bpy.types.Object, bone: str) -> tuple[float, float]:
    frames = {
        key.co.x for curve in versions.curves(rig) if f'"{bone}"' in curve.data_path for key in curve.keyframe_points
    }
    return min(frames), max(frames)


def save(name: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(name).resolve()))
    open_empty_file()


def test_limbs_are_built_and_removed_as_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    rig = rigs.arm().id_data
    rig.name, bones = "Hero", [*rig.data.bones.keys()]
    paste("docs/build.md")
    assert capsys.readouterr().out.splitlines()[-1] == "1 limb was taken out of the rig"
    assert [*rig.data.bones.keys()] == bones


def test_no_block_of_the_manual_is_left_out() -> None:
    assert {path.name: languages for path, languages in BLOCKS.items() if languages} == PASTED


def test_the_script_of_the_readme_bakes_an_arm() -> None:
    rig = hero()
    animate(empty("Hand"), location={1: (0.6, -0.1, 1.4), 250: (0.6, 0.1, 1.6)})
    paste("README.md")
    assert keyed(rig, "forearm.L") == (1, 250)


def test_the_script_of_the_first_bake_bakes_four_limbs() -> None:
    rig = rigify.metarig("human")
    rig.name = "metarig"
    paste("docs/first_bake.md")
    assert len(rig.two_bone_ik_chains) == 4
    assert tuple(rig.animation_data.action.frame_range) == (1, 48)


def test_setup_and_script_bake_arms_and_legs() -> None:
    rig = hero()
    Path("hero.toml").write_text(blocks(PAGE, "toml")[0], "utf-8")
    paste(PAGE)
    assert [chain.name for chain in rig.two_bone_ik_chains] == ["arm.L", "arm.R", "leg.L", "leg.R"]
    assert api.Report.from_json(Path("report.json").read_text("utf-8")).reached


def test_contacts_that_a_script_has_chosen_are_planted(tmp_path: Path) -> None:
    rig = imported_walk(tmp_path, skating_walk(seconds=1.0))
    rig.name, captured = "Hero", rig.animation_data.action
    paste(PAGE, 1)
    assert rig.animation_data.action.two_bone_ik_source == captured


def test_a_script_sets_what_the_extension_gives_objects() -> None:
    rig = hero()
    api.add_detected(rig)
    paste(PAGE, 2)
    assert rig.two_bone_ik_live
    assert {round(chain.softness, 6) for chain in rig.two_bone_ik_chains} == {0.05}


def test_the_commands_run_one_after_another(tmp_path: Path) -> None:
    hero(frame_end=12)
    Path("hero.toml").write_text(blocks(PAGE, "toml")[0], "utf-8")
    save("shot.blend")
    hero()
    save("hero.blend")
    imported_walk(tmp_path, skating_walk(seconds=1.0))
    save("walk.blend")
    bake, detect, check, *others = lines(PAGE, 0)
    assert run(*bake) == 0
    assert json.loads(Path("report.json").read_text("utf-8"))["state"] == "done"
    Path("hero.toml").unlink()  # written by hand, which detect leaves alone
    assert run(*detect) == 0
    # A file of its own for what needs chains in it.
    Path("baked.blend").rename("shot.blend")
    assert run(*check) == 0
    Path("shot.blend").rename("baked.blend")
    assert [run(*command) for command in others] == [0, 0, 0]
    assert {path.name for path in tmp_path.glob("*.blend")} >= {"with_targets.blend", "planted.blend"}


def test_the_manifest_bakes_two_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOW", str(tmp_path))
    setup, manifest = blocks(PAGE, "toml")
    for path in (Path("setups/Hero.toml"), Path("villain.toml")):
        path.parent.mkdir(exist_ok=True)
        path.write_text(setup, "utf-8")
    Path("season.toml").write_text(manifest, "utf-8")
    hero(frame_end=3)
    save("seq1/sh010.blend")
    hero(frame_end=120)
    hero("Villain", frame_end=120)
    save("seq2/sh020.blend")
    (command,) = lines(PAGE, 1)
    # In this process, which is no Blender that could be started again.
    assert run(*command, "--jobs", 0) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "baked/sh020_baked.blend"))
    assert [keyed(bpy.data.objects[name], "forearm.R") for name in ("Hero", "Villain")] == [(1, 120)] * 2


@pytest.mark.parametrize("number", range(6))
def test_the_commands_for_farms_are_understood(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "7")
    for command in lines("docs/farm.md", number):
        assert parser("").parse_args(command).manifest == Path("season.toml")


def test_a_library_is_planted_as_the_manual_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = "docs/library.md"
    for path in ("walks/walk_017", "stairs/stair_004", "props/crate"):
        Path("takes", path).parent.mkdir(parents=True)
        Path("takes", path).with_suffix(".bvh").write_text(text(skating_walk(seconds=1.5)))
    Path("takes.toml").write_text(blocks(page, "toml")[0])
    # In this process, which is no Blender that could be started again.
    ((first, *line),) = lines(page, 0)
    assert run(first, *line, "0") == 0
    planted = {path.suffixes[-1] for path in Path("planted/takes").rglob("walk_017.*")}
    assert planted == {".blend", ".fbx", ".npz", ".json"}
    (everything, *others) = lines(page, 1)
    assert run(*everything, "0") == 0
    assert [run(*command) for command in others] == [0, 0]
    out = capsys.readouterr().out
    assert out.count("done before") == 1 + 1
    assert "3 to compare" in out
    names: dict[str, np.ndarray] = {}
    exec(blocks(page, "python")[0], names)
    assert names["heads"].shape[::2] == (46, 3)
    assert names["contacts"].any(axis=0).all()


def test_the_examples_for_rigify_run(tmp_path: Path) -> None:
    page = "docs/rigs.md"
    animate(rigify.generated("human").pose.bones["hand_ik.R"], location={20: (0, 0, 0), 60: (0, 0.1, 0)})
    save("shot.blend")
    (command,) = lines(page, 0)
    assert run(*command) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    rig = bpy.context.object
    rig.name = "RIG-metarig"
    paste(page)
    assert keyed(rig, "upper_arm_fk.R") == (20, 60)
    for limb in api.known_limbs(rig):
        empty(f"{limb.name} Target", tuple(rig.matrix_world @ rig.pose.bones[limb.fk[2]].head))
    paste(page, 1)
    assert {keyed(rig, f"{bone}_fk.R") for bone in ("upper_arm", "thigh")} == {(1, 60)}


def test_a_kind_of_rig_of_a_users_own_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    page = "docs/rigs.md"
    paste(page, 2)
    folder = Path(capsys.readouterr().out.splitlines()[-1])
    rig = rigify.generated("human")
    file = folder / "mine.toml"
    try:
        # Its own name tells it from the one that the extension has.
        file.write_text(blocks(page, "toml")[0].replace('"Arm.?"', '"Wing.?"'), "utf-8")
        assert {"Wing.L", "Wing.R"} < {limb.name for limb in api.known_limbs(rig)}
    finally:
        file.unlink()
