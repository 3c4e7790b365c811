"""The handles of limbs keep up with whatever detect reads; another file has none of them."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import bpy
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.chains import limbs
from bpy.types import Object

from support import rigs
from support.empty_file import open_empty_file

NAMES = {"spine": "spine", "upper": "upper_arm.L", "lower": "forearm.L", "hand": "hand.L"}


def named_arm(layers: Sequence[str] = ("",)) -> Object:
    """An arm that detect finds by its names, in each of these layers."""
    return rigs.armature(
        [
            bone._replace(
                name=f"{layer}{NAMES[bone.name]}", parent=f"{layer}{NAMES[bone.parent]}" if bone.parent else ""
            )
            for layer in layers
            for bone in rigs.ARM
        ]
    )


def handles(rig: Object) -> list[str]:
    return [limb.end_bone for limb in limbs.joints(rig, bpy.context.view_layer.depsgraph)]


def found(rig: Object) -> list[str]:
    return [limb.end_bone for limb in api.detect(rig)]


def set_parent(rig: Object, parent: str) -> None:
    with rigs.editing(rig) as bones:
        bones["forearm.L"].use_connect = False
        bones["forearm.L"].parent = bones.get(parent)


def test_a_bone_has_handles_while_it_has_a_parent() -> None:
    rig = named_arm()
    assert handles(rig) == found(rig) == ["forearm.L"]
    set_parent(rig, "")
    assert handles(rig) == found(rig) == []
    set_parent(rig, "upper_arm.L")
    assert handles(rig) == found(rig) == ["forearm.L"]


def test_handles_go_with_the_length_of_a_last_bone() -> None:
    rig = rigs.armature([rigs.Bone("one", (0, 0, 0), (0, 0, 1)), rigs.Bone("two", (0, 0, 1), (0, 0, 1.8), "one")])
    assert handles(rig) == found(rig) == ["two"]
    with rigs.editing(rig) as bones:
        bones["two"].tail = (0, 0, 9)
    assert handles(rig) == found(rig) == []


def test_handles_move_to_the_layer_that_no_constraint_moves() -> None:
    rig = named_arm(["", "FK-"])
    before = handles(rig)
    assert before == found(rig)
    constraint = rig.pose.bones[before[0]].constraints.new("COPY_ROTATION")
    assert handles(rig) == found(rig) != before
    constraint.mute = True
    assert handles(rig) == found(rig) == before


def test_another_file_has_no_limbs_of_this_one() -> None:
    rig = named_arm()
    rig.data.bones["forearm.L"].name = "forearm_of_the_first_file.L"
    handles(rig)
    open_empty_file()
    gc.collect()
    kept = {item.end_bone for item in gc.get_objects() if isinstance(item, api.Limb)}
    assert "forearm_of_the_first_file.L" not in kept
