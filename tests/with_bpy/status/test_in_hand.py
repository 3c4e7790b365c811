"""The limb in hand is that of what is selected, or of the list, whichever changed last; operators act on that one."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.status.in_hand import chain_in_hand, rig_in_hand
from bpy.types import Object

from support import rigs, truth
from support.characters import GOAL, SIDES, SPINE, character, in_hand, select, select_bones
from support.library import linked
from support.rigs import armature, empty

pytestmark = pytest.mark.versions


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
            found = chain_in_hand(bpy.context)
        assert found == rig.two_bone_ik_chains[layers.index(layer)]


def handles(rigs: list[Object]) -> list[tuple[str, Callable[[], None], tuple[str, str]]]:
    """What can be selected or clicked: a name, the act, and the armature and chain then in hand ("" as before)."""
    found: list[tuple[str, Callable[[], None], tuple[str, str]]] = []
    for rig in rigs:
        for index, side in enumerate(SIDES):
            for kind in ("target", "pole"):
                name = f"{rig.name} {kind}.{side}"
                found.append((name, lambda name=name: select(bpy.data.objects[name]), (rig.name, side)))
            bones = {f"{name}.{side}": side for name in ("upper", "twist", "lower", "hand")}
            for bone, limb in (bones | {f"finger.{side}": ""}).items():
                found.append(
                    (f"{rig.name} {bone}", lambda rig=rig, bone=bone: select_bones(rig, bone), (rig.name, limb))
                )
            click = lambda index=index: setattr(rig_in_hand(bpy.context), "two_bone_ik_active", index)  # noqa: E731
            found.append((f"row {side}", click, ("", side)))
        found.append((f"{rig.name} spine", lambda rig=rig: select_bones(rig, "spine"), (rig.name, "")))
        found.append((rig.name, lambda rig=rig: select(rig), (rig.name, "")))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_selection_or_list_whichever_changed_last_decides(seed: int) -> None:
    rigs = [character("First"), character("Second")]
    select(rigs[0])
    rows = dict.fromkeys(("First", "Second"), "L")  # the active chain of each armature
    now = "First"
    rng = random.Random(seed)
    acts = handles(rigs)
    before, done = "", []
    for _ in range(30):
        name, act, (rig, side) = rng.choice(acts)
        if name == before:
            continue  # to select once more what is selected is no change
        act()
        done.append(name)
        now = rig or now
        rows[now] = side or rows[now]
        before = name if rig else before
        assert in_hand() == (now, rows[now]), done
        bpy.context.view_layer.update()
        assert bpy.data.objects[now].two_bone_ik_active == SIDES.index(rows[now]), done
        assert in_hand() == (now, rows[now]), done


def test_a_file_opened_again_has_the_same_limb_in_hand() -> None:
    rigs = [character("First"), character("Second")]
    shared = empty("Shared")
    for rig in rigs:
        rig.two_bone_ik_chains["R"].target = shared
    select(rigs[1])
    bpy.context.view_layer.update()
    select(shared)
    bpy.context.view_layer.update()
    truth.save_and_load()
    assert in_hand() == ("Second", "R")
    bpy.data.objects["Second"].two_bone_ik_active = 0
    truth.save_and_load()
    assert in_hand() == ("Second", "L")


def test_flip_with_the_target_selected_flips_its_limb() -> None:
    rig = character()
    before = {bone.name: bone.matrix.copy() for bone in rig.pose.bones}
    for chain in rig.two_bone_ik_chains:
        chain.pole_target = None
    select(bpy.data.objects["Rig target.R"])
    bpy.ops.two_bone_ik.flip_bend()
    bpy.context.view_layer.update()
    assert {bone.name for bone in rig.pose.bones if bone.matrix != before[bone.name]} == {
        f"{name}.R" for name in ("upper", "twist", "lower", "hand", "finger")
    }
    assert rig.two_bone_ik_active == 1


def test_drag_and_snap_act_on_the_limb_in_hand() -> None:
    rig = character()
    bpy.context.view_layer.update()
    places = {name: bpy.data.objects[name].location.copy() for name in ("Rig target.L", "Rig target.R")}
    select_bones(rig, "hand.R")
    bpy.ops.two_bone_ik.drag(offset=(0, 0, -0.2))
    bpy.ops.two_bone_ik.snap_targets(only_active=True)
    bpy.context.view_layer.update()
    assert bpy.data.objects["Rig target.L"].location == places["Rig target.L"]
    tip = rig.pose.bones["hand.R"].head
    assert (bpy.data.objects["Rig target.R"].location - tip).length < 1e-5
    assert abs(tip.z - 0.8) < 1e-5


def test_a_bake_with_a_target_selected_keys_its_armature() -> None:
    rigs = [character("First"), character("Second")]
    select(bpy.data.objects["First target.R"])
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=3, only_active=True)
    assert [rig.name for rig in rigs if rig.animation_data] == ["First"]
    keyed = {path.split('"')[1] for path in versions.animated_paths(rigs[0])}
    assert keyed == {"upper.R", "lower.R"}


def test_a_script_that_names_an_armature_has_it_in_hand() -> None:
    rig = character()
    character("Other")
    select(bpy.data.objects["Other target.R"])
    with bpy.context.temp_override(object=rig, active_object=rig):
        assert in_hand() == ("Rig", "L")


def test_following_the_selection_leaves_unkeyed_edits() -> None:
    rig = character()
    bone = rig.pose.bones["spine"]
    bone.keyframe_insert("rotation_quaternion", frame=1)
    bpy.context.view_layer.update()
    bone.rotation_quaternion = (0.8, 0.6, 0, 0)
    edited = bone.rotation_quaternion.copy()
    select(bpy.data.objects["Rig target.R"])
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    assert rig.two_bone_ik_active == 1
    assert bone.rotation_quaternion == edited


def test_a_linked_armature_keeps_the_chain_of_its_library(tmp_path: Path) -> None:
    character()
    rig = linked(tmp_path)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    assert in_hand() == ("Rig", "L")
