"""What a bake needs many times it asks Blender for once: rigs have hundreds of bones, files thousands of objects."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.rigs import known_limbs
from bl_ext.user_default.two_bone_ik.blender.scene import dependencies
from bl_ext.user_default.two_bone_ik.blender.settings import keyed_options
from bpy.types import Object

from support.rigs import ARM, Bone, armature, empty

OTHER_ARM = (
    Bone("upper.R", (0, 0, 1), (-1, 0.2, 1), "spine"),
    Bone("lower.R", (-1, 0.2, 1), (-1.8, 0, 1.1), "upper.R"),
)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """An armature with two arms, each with a chain."""
    rig = armature((*ARM, *OTHER_ARM))
    for bone, x in (("lower", 1.2), ("lower.R", -1.2)):
        api.add_chain(rig, bone, target=empty(f"Target {bone}", (x, 0.6, 1.3)))
    return rig


def calls(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[object]:
    """What the function of this name is called with from now on."""
    found, function = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given: found.append(given) or function(*given))
    return found


def test_a_bake_asks_once_for_limbs_of_known_rigs(rig: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.pose.bones["spine"].constraints.new("LIMIT_SCALE")  # a rig without constraints is not asked at all
    asked = calls(monkeypatch, known_limbs, "limbs_of")
    assert api.bake(rig, frames=(1, 3)).reached
    assert asked == [(rig,)]


def test_each_chain_looks_for_its_end_bone_once(rig: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, keyed_options, "end_bone")
    assert api.bake(rig, frames=(1, 3)).reached
    assert [chain.name for (chain,) in asked] == [chain.name for chain in rig.two_bone_ik_chains]


def test_who_is_baked_alone_is_not_searched_for(rig: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, dependencies, "_also_driven")
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.two_bone_ik.bake("EXEC_DEFAULT", frame_start=1, frame_end=3) == {"FINISHED"}
    assert asked == []
