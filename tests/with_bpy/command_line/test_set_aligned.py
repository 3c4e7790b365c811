"""Chains that stretch bones with Inherit Scale Full: refused, and mended by one request."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.command import run
from support.hero import hero
from support.truth import Limb

pytestmark = pytest.mark.once

ARMS = ("forearm.L", "forearm.R")
END = 5


@pytest.fixture
def rig(empty_file: None) -> Object:
    """Two arms with targets, of which the left one stretches, and a leg without a target."""
    rig = hero(frame_end=END)
    for name in ARMS:
        api.add_chain(rig, name, target=bpy.data.objects[f"hand target.{name[-1]}"])
    api.add_chain(rig, "shin.L")
    rig.two_bone_ik_chains["forearm.L"].unreachable = "STRETCH"
    return rig


@pytest.fixture
def shot(rig: Object, tmp_path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return tmp_path / "shot.blend"


def misses(path: Path, side: str) -> float:
    """By how much an arm misses its target on the worst frame, as Blender evaluates the file."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    names = {"root": f"upper_arm.{side}", "end": f"forearm.{side}", "tip": f"hand.{side}"}
    return Limb(rig="Hero", target=f"hand target.{side}", **names).misses(range(1, END + 1)).max()


def test_a_character_with_a_chain_that_would_shear_is_refused(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in ((), ("--keep-going",)):
        assert run("bake", shot, "--output", tmp_path / "baked.blend", *options) == 5
        assert 'Stretch would shear bone "forearm.L" of "Hero"' in capsys.readouterr().err
        assert not (tmp_path / "baked.blend").exists()


def test_a_script_before_lets_the_stretched_chain_bake(shot: Path, tmp_path: Path) -> None:
    baked, script = tmp_path / "baked.blend", tmp_path / "before.py"
    script.write_text(f"import bpy\nfrom {api.__name__} import set_aligned\nset_aligned(bpy.data.objects['Hero'])\n")
    assert run("bake", shot, "--output", baked, "--python-before", script) == 0
    assert misses(baked, "L") < 1e-5
    assert misses(baked, "R") < 1e-5
    bones = bpy.data.objects["Hero"].data.bones
    assert [bone.name for bone in bones if bone.inherit_scale == "ALIGNED"] == ["forearm.L"]


def test_a_button_sets_the_bones_of_the_active_chain(rig: Object) -> None:
    rig.two_bone_ik_active = 1
    assert bpy.ops.two_bone_ik.set_aligned() == {"FINISHED"}
    assert all(bone.inherit_scale == "FULL" for bone in rig.data.bones)
    rig.two_bone_ik_active = 0
    assert bpy.ops.two_bone_ik.set_aligned() == {"FINISHED"}
    assert rig.data.bones["forearm.L"].inherit_scale == "ALIGNED"
    assert api.bake(rig).reached


def test_bones_of_a_library_stay_as_they_are(rig: Object, tmp_path: Path) -> None:
    bpy.data.libraries.write(str(tmp_path / "bones.blend"), {rig.data})
    with bpy.data.libraries.load(str(tmp_path / "bones.blend"), link=True) as (_, wanted):
        wanted.armatures = [rig.data.name]
    rig.data = wanted.armatures[0]
    bpy.context.view_layer.update()
    with pytest.raises(api.Refused, match=r'has bone "forearm.L" from a library: set its Inherit Scale to Aligned'):
        api.set_aligned(rig)
