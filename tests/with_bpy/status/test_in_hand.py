"""The limb in hand is the one whose target, pole target or bone is selected."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender.status.in_hand import limb_in_hand, rig_in_hand

from support import rigs
from support.characters import GOAL, SIDES, SPINE, character, in_hand, select, select_bones
from support.rigs import armature, empty

pytestmark = pytest.mark.versions


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kind", ["target", "pole"])
def test_a_selected_target_has_its_limb_in_hand(side: str, kind: str) -> None:
    character("Other")
    character()
    select(bpy.data.objects[f"Rig {kind}.{side}"])
    assert in_hand() == ("Rig", side)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["upper", "twist", "lower", "hand"])
def test_a_selected_bone_of_a_limb_has_it_in_hand(side: str, name: str) -> None:
    select_bones(character(), f"{name}.{side}")
    assert in_hand() == ("Rig", side)


@pytest.mark.parametrize("name", ["spine", "finger.R"])
def test_a_bone_of_no_limb_leaves_the_active_chain(name: str) -> None:
    rig = character()
    for index, side in enumerate(SIDES):
        rig.two_bone_ik_active = index
        select_bones(rig, name)
        assert in_hand() == ("Rig", side)


@pytest.mark.parametrize("owner", ["Rig", "Prop"])
@pytest.mark.parametrize("field", ["target", "pole_target"])
def test_a_bone_that_is_a_target_has_its_limb_in_hand(owner: str, field: str) -> None:
    rig = character()
    armature((SPINE, GOAL), "Prop")
    chain = rig.two_bone_ik_chains["R"]
    setattr(chain, field, bpy.data.objects[owner])
    setattr(chain, field.replace("target", "subtarget"), "goal")
    select_bones(bpy.data.objects[owner], "goal")
    assert in_hand() == ("Rig", "R")
    select_bones(bpy.data.objects[owner], "spine")
    assert in_hand() == (("Rig", "R") if owner == "Rig" else None)
    assert rig_in_hand(bpy.context).name == owner


def test_an_armature_that_is_a_target_has_the_limb_in_hand() -> None:
    rig = character()
    prop = armature((SPINE, GOAL), "Prop")
    rig.two_bone_ik_chains["R"].target = prop
    select(prop)
    assert in_hand() == ("Rig", "R")


def test_a_target_selected_with_its_armature_has_its_limb() -> None:
    rig, other = character(), character("Other")
    select(rig, bpy.data.objects["Rig target.R"])
    assert in_hand() == ("Rig", "R")
    select(other, bpy.data.objects["Rig target.R"])
    assert in_hand() == ("Other", "L")


def test_what_is_selected_counts_before_what_is_only_active() -> None:
    rig = character()
    character("Other")
    mesh = empty("Something else")
    select(bpy.data.objects["Other target.R"], active=rig)
    assert in_hand() == ("Other", "R")
    select(mesh, bpy.data.objects["Rig target.R"])
    assert in_hand() == ("Rig", "R")
    select(active=bpy.data.objects["Rig target.L"])
    assert in_hand() == ("Rig", "L")


def test_a_bone_selected_beside_the_active_one_counts() -> None:
    rig = character()
    select_bones(rig, "hand.L", "hand.R")
    bone = rig.pose.bones["hand.L"]
    (bone if hasattr(bone, "select") else bone.bone).select = False
    assert in_hand() == ("Rig", "R")


def test_where_nothing_fits_nothing_is_in_hand() -> None:
    character()
    for items in ((), (empty("Something else"),)):
        select(*items)
        assert rig_in_hand(bpy.context) is None
        with pytest.raises(RuntimeError, match="Select an armature or a target"):
            bpy.ops.two_bone_ik.flip_bend()


def test_edit_mode_says_to_leave_it() -> None:
    select(character())
    bpy.ops.object.mode_set(mode="EDIT")
    assert rig_in_hand(bpy.context) is None
    with pytest.raises(RuntimeError, match="Leave Edit Mode"):
        bpy.ops.two_bone_ik.bake()


def test_of_two_armatures_the_one_that_was_last_is_in_hand() -> None:
    rigs = [character("First"), character("Second"), character("Third")]
    shared = empty("Shared")
    for rig in rigs[:2]:
        rig.two_bone_ik_chains["R"].target = shared
    for rig in (*rigs[:2], *reversed(rigs[:2])):
        for item in (rig, rigs[2]):
            select(item)
            bpy.context.view_layer.update()
        select(shared)
        assert in_hand() == (rig.name, "R")


def test_of_two_armatures_the_active_one_is_in_hand() -> None:
    rigs = [character("First"), character("Second")]
    shared = empty("Shared")
    for rig in rigs:
        rig.two_bone_ik_chains["R"].target = shared
    for rig in rigs:
        select(shared, active=rig)
        assert in_hand() == (rig.name, "R")
        select(rig, shared)
        assert in_hand() == (rig.name, "R")


def test_of_limbs_with_one_target_the_active_is_in_hand() -> None:
    rig = character()
    shared = rig.two_bone_ik_chains["R"].target = rig.two_bone_ik_chains["L"].target
    for index, side in enumerate(SIDES):
        rig.two_bone_ik_active = index
        select(empty("Something else"))
        select(shared)
        assert in_hand() == ("Rig", side)


def test_each_view_layer_has_its_own_limb_in_hand() -> None:
    rig = rigs.armature()
    targets = [rigs.empty(name) for name in ("First", "Second")]
    for name, target in zip(("upper", "lower"), targets, strict=True):
        rigs.chain(rig, name, target=target)
    layers = [bpy.context.view_layer, bpy.context.scene.view_layers.new("Other")]
    for layer, target in zip(layers, targets, strict=True):
        for item in layer.objects:
            item.select_set(item == target, view_layer=layer)
        layer.objects.active = target
        layer.update()
    for layer in (*layers, *layers):
        layer.update()
        with bpy.context.temp_override(view_layer=layer, object=layer.objects.active):
            found = limb_in_hand(bpy.context)
        assert found == (rig, layers.index(layer))
