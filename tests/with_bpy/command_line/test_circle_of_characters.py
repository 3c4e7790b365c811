"""Characters that follow each other in a circle are refused by name; with --keep-going the others are baked."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.command import run
from support.rigs import animate, arm
from support.truth import Limb

FRAMES = range(1, 9)


def character(name: str, after: Object | None = None) -> Object:
    """An arm that reaches for the hand of another, or for a target that moves."""
    link = arm()
    rig = link.id_data
    rig.name, link.target.name = name, f"Target {name}"
    animate(link.target, location={1: (1.2, 0.6, 1.3), 8: (0.5, -0.8, 1.5)})
    if after:
        follow(rig, after)
    return rig


def follow(rig: Object, other: Object) -> None:
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = other, "hand"


def is_keyed(name: str) -> bool:
    animation = bpy.data.objects[name].animation_data
    return bool(animation and animation.action)


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """One and Two follow each other, Three follows them; Four and Five do so as well; Free is free."""
    one, four = character("One"), character("Four")
    two, five = character("Two", one), character("Five", four)
    follow(one, two)
    follow(four, five)
    character("Three", two)
    character("Free")
    bpy.context.scene.frame_end = FRAMES[-1]
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_those_outside_of_a_circle_are_baked(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = shot.with_name("baked.blend")
    assert run("bake", shot, "--output", output, "--frames", "1:8", "--keep-going") == 3
    told = capsys.readouterr().err
    for way in ("One → Two → One", "Two → One → Two", "Three → Two → One → Two", "Four → Five → Four", "Five → Four"):
        assert f"({way}" in told
    assert "(Free" not in told
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert is_keyed("Free")
    assert not any(is_keyed(name) for name in ("One", "Two", "Three", "Four", "Five"))
    assert Limb(rig="Free", target="Target Free").misses(FRAMES).max() < 1e-5


def test_without_keep_going_a_circle_refuses_the_file(shot: Path) -> None:
    output = shot.with_name("baked.blend")
    assert run("bake", shot, "--output", output, "--frames", "1:8") == 5
    assert not output.exists()


def test_python_refuses_a_circle_before_anything(shot: Path) -> None:
    with pytest.raises(api.Refused) as refused:
        api.followed_first([bpy.data.objects[name] for name in ("Free", "One", "Two")])
    assert refused.value.kind == "ARMATURE_CYCLE"
    assert "One → Two → One" in str(refused.value)
