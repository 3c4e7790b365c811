"""Selection or list, whichever changed last, decides which limb is in hand; operators act on that one."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.status.in_hand import rig_in_hand
from bpy.types import Object

from support import truth
from support.characters import SIDES, character, in_hand, select, select_bones
from support.empty_file import open_empty_file
from support.rigs import empty

pytestmark = pytest.mark.versions


def handles(rigs: list[Object]) -> list[tuple[str, Callable[[], None], tuple[str, str]]]:
    """What can be selected or clicked: a name, the act, and the armature and chain then in hand ("" as before)."""
    found: list[tuple[str, Callable[[], None], tuple[str, str]]] = []
    for rig in rigs:
        for index, side in enumerate(SIDES):
            for kind in ("target", "pole"):
                name = f"{rig.name} {kind}.{side}"
                found.append((name, lambda name=name: select(bpy.data.objects[name]), (rig.name, side)))
            limb, bones = (rig.name, side), (f"hand.{side}", f"twist.{side}")
            found.append((f"{rig.name} bones.{side}", lambda rig=rig, bones=bones: select_bones(rig, *bones), limb))
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
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    open_empty_file()
    with bpy.data.libraries.load(path, link=True) as (_, linked):
        linked.objects = ["Rig"]
    (rig,) = linked.objects
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    assert in_hand() == ("Rig", "L")
