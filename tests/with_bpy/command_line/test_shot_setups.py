"""Which setup goes with which armature, and what a manifest need not write twice."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.command import bake_all, run
from support.rigs import animate, armature, empty
from support.truth import Limb

pytestmark = pytest.mark.once

HERO, VILLAIN = "Hero", "Villain"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two shots with two characters each, each of which has a target and a setup of its own."""
    for x, name in enumerate((HERO, VILLAIN)):
        armature(name=name).location.x = 5 * x
        target = empty(f"{name} target")
        animate(target, location={1: (1.2 + 5 * x, 0.6, 1.3), 3: (0.5 + 5 * x, -0.8, 1.5)})
        setup = f'chain = [{{name = "arm of {name}", end_bone = "lower", target = "{name} target"}}]'
        (tmp_path / f"{name}.toml").write_text(setup)
    bpy.context.scene.frame_end = 3
    (tmp_path / "seq").mkdir()
    for name in ("sh010", "sh020"):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "seq" / f"{name}.blend"))
    return tmp_path


def assert_each_has_its_own(path: Path, *names: str) -> None:
    """In the saved file, these characters alone follow, each with its own setup, and on every frame."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    for name in (HERO, VILLAIN):
        rig = bpy.data.objects[name]
        assert rig.two_bone_ik_chains.keys() == ([f"arm of {name}"] if name in names else [])
    for name in names:
        assert Limb(rig=name, target=f"{name} target").offs((1, 2, 3)).max() < 1e-5


def bake(folder: Path, manifest: str, *argv: object) -> int:
    (folder / "season.toml").write_text(manifest)
    return bake_all(folder / "season.toml", *argv)


def test_each_rig_of_the_command_line_has_its_setup(folder: Path) -> None:
    pairs = [item for name in (HERO, VILLAIN) for item in ("--rig", name, "--setup", folder / f"{name}.toml")]
    assert run("bake", folder / "seq/sh010.blend", *pairs, "--output", folder / "baked.blend") == 0
    assert_each_has_its_own(folder / "baked.blend", HERO, VILLAIN)


UNCLEAR = [
    "--rig Hero --rig Villain --setup Hero.toml --setup Villain.toml",
    "--rig Hero --setup Hero.toml --rig Villain",
    "--rig Hero --setup Hero.toml --setup Villain.toml",
    "--setup Hero.toml --rig Hero --setup Villain.toml --rig Villain",
    "--setup Hero.toml --setup Villain.toml",
]


@pytest.mark.parametrize("line", UNCLEAR)
def test_a_setup_that_may_be_of_either_rig_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    words = [str(folder / word) if word.endswith("toml") else word for word in line.split()]
    assert run("bake", folder / "seq/sh010.blend", *words, "--output", folder / "baked.blend") == 64
    assert "which --setup goes with which --rig" in capsys.readouterr().err
    assert not (folder / "baked.blend").exists()


@pytest.mark.parametrize(
    "shot",
    [
        'rig = [{name = "Hero", setup = "Hero.toml"}, {name = "Villain", setup = "Villain.toml"}]',
        'rig = ["Hero", {name = "Villain", setup = "Villain.toml"}]\nsetup = "Hero.toml"',
        'setup = "{rig}.toml"\nrig = ["Hero", "Villain"]',
    ],
)
def test_each_rig_of_a_shot_has_its_setup(folder: Path, shot: str) -> None:
    assert bake(folder, f'[[shot]]\nfile = "seq/sh010.blend"\n{shot}') == 0
    assert_each_has_its_own(folder / "out/seq/sh010.blend", HERO, VILLAIN)


def test_a_pattern_stands_for_all_files_but_outputs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQUENCE", "seq")
    monkeypatch.setenv("TWO_BONE_IK_SETUPS", str(folder))
    manifest = """
        [defaults]
        setup = "${TWO_BONE_IK_SETUPS}/{rig}.toml"
        rig = "Villain"

        [[shot]]
        file = "**/$SEQUENCE/sh*.blend"

        [[shot]]
        file = "seq/sh010.blend"
        rig = ["Hero", "Villain"]
        output = "both.blend"
    """
    for _ in range(2):
        assert bake(folder, manifest) == 0
        assert sorted(path.relative_to(folder / "out").as_posix() for path in folder.glob("out/**/*.blend")) == [
            "both.blend",
            "seq/sh010.blend",
            "seq/sh020.blend",
        ]
    assert_each_has_its_own(folder / "out/seq/sh020.blend", VILLAIN)
    assert_each_has_its_own(folder / "out/both.blend", HERO, VILLAIN)


def test_a_setup_that_has_changed_counts(folder: Path) -> None:
    shot = 'shot = [{file = "seq/sh010.blend", rig = "Hero", setup = "Hero.toml"}]'
    assert bake(folder, shot) == 0
    (folder / "Hero.toml").write_text((folder / "Hero.toml").read_text().replace("Hero target", "Villain target"))
    assert bake(folder, shot) == 0
    bpy.ops.wm.open_mainfile(filepath=str(folder / "out/seq/sh010.blend"))
    assert bpy.data.objects[HERO].two_bone_ik_chains["arm of Hero"].target.name == "Villain target"


def test_a_setup_takes_in_no_other_file(folder: Path) -> None:
    (folder / "own.toml").write_text('extends = "Hero.toml"')
    with pytest.raises(api.Refused, match=r'own\.toml" has "extends", which means nothing'):
        api.load_setup(folder / "own.toml")


def test_what_does_not_fit_names_the_file_that_has_it(folder: Path) -> None:
    bpy.data.objects.remove(bpy.data.objects["Hero target"])
    with pytest.raises(api.Refused, match=r'Chain 1 of ".*Hero\.toml" has target'):
        api.apply_setup(bpy.data.objects[HERO], api.load_setup(folder / "Hero.toml"))


def test_a_report_names_each_rig_with_its_chains(folder: Path) -> None:
    rigs = 'rig = [{name = "Hero", setup = "Hero.toml"}]'
    assert bake(folder, f'shot = [{{file = "seq/sh010.blend", {rigs}}}]') == 0
    (report,) = (folder / "out/seq").glob("*.json")
    (rig,) = json.loads(report.read_text())["request"]["rigs"]
    assert rig["name"] == HERO
    assert rig["chains"][0]["target"] == "Hero target"
