"""A bone that is renamed takes its chains along, as Blender takes its own constraints along."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions

from support.renamed import evaluate, in_edit_mode, named, sides, swap
from support.rigs import ARM, armature, chain


def test_a_chain_goes_along_with_each_of_its_bones() -> None:
    rig = sides()
    for bone, name in (("lower.L", "forearm.L"), ("upper.L", "arm.L"), ("hand.L", "palm.L")):
        rig.data.bones[bone].name = name
    evaluate()
    assert named(rig.two_bone_ik_chains["Arm.L"]) == ("forearm.L", "arm.L", "palm.L")
    assert named(rig.two_bone_ik_chains["Arm.R"]) == ("lower.R", "upper.R", "hand.R")


def test_a_request_follows_a_rename_that_nobody_evaluated() -> None:
    rig = sides()
    rig.data.bones["lower.L"].name = "forearm.L"
    report = api.bake(rig, frames=(1, 2))
    assert [one.name for one in report.chains] == ["Arm.L", "Arm.R"]
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "forearm.L"


@pytest.mark.parametrize("evaluated", [True, False])
def test_bones_that_swap_names_take_their_chains_along(evaluated: bool) -> None:
    rig = sides()
    for name in ("lower", "upper", "hand"):
        swap(rig, f"{name}.L", f"{name}.R")
    if evaluated:
        evaluate()
    else:
        api.check(rig, frames=(1, 1))
    assert named(rig.two_bone_ik_chains["Arm.L"]) == ("lower.R", "upper.R", "hand.R")
    assert named(rig.two_bone_ik_chains["Arm.R"]) == ("lower.L", "upper.L", "hand.L")


def test_names_flipped_in_edit_mode_take_their_chains_along() -> None:
    rig = sides()
    in_edit_mode(rig, lambda: bpy.ops.armature.flip_names())
    evaluate()
    assert named(rig.two_bone_ik_chains["Arm.L"]) == ("lower.R", "upper.R", "hand.R")
    assert named(rig.two_bone_ik_chains["Arm.R"]) == ("lower.L", "upper.L", "hand.L")


def test_names_flipped_in_pose_mode_take_their_chains_along() -> None:
    rig = sides()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in versions.selectable_bones(rig):
        bone.select = True
    bpy.ops.pose.flip_names()
    evaluate()
    assert named(rig.two_bone_ik_chains["Arm.L"]) == ("lower.R", "upper.R", "hand.R")
    rig.two_bone_ik_chains["Arm.R"].mute = True
    assert api.solve(rig).reached
    hand = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["hand.R"]
    assert np.linalg.norm(np.array(hand.head) - (1.2, 0.6, 1.3)) < 1e-5


def test_of_a_bone_and_its_copy_the_old_name_keeps_the_chain() -> None:
    rig = sides()
    in_edit_mode(rig, lambda: bpy.ops.armature.duplicate())
    assert "lower.L.001" in rig.data.bones
    rig.data.bones["lower.L.001"].name = "copy"
    evaluate()
    assert named(rig.two_bone_ik_chains["Arm.L"]) == ("lower.L", "upper.L", "hand.L")
    rig.data.bones["lower.L"].name = "forearm.L"
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "forearm.L"


def test_a_chain_does_not_move_to_the_copy_of_a_deleted_bone() -> None:
    rig = sides()

    def copy_and_delete() -> None:
        bpy.ops.armature.duplicate()
        rig.data.edit_bones.remove(rig.data.edit_bones["lower.L"])

    in_edit_mode(rig, copy_and_delete)
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "lower.L"


def test_symmetrized_bones_leave_the_chain_where_it_is() -> None:
    rig = sides()

    def symmetrize() -> None:
        for bone in rig.data.edit_bones:
            bone.select = bone.select_head = bone.select_tail = bone.name.endswith(".L")
        bpy.ops.armature.symmetrize()

    in_edit_mode(rig, symmetrize)
    evaluate()
    assert named(rig.two_bone_ik_chains["Arm.L"]) == ("lower.L", "upper.L", "hand.L")
    assert named(rig.two_bone_ik_chains["Arm.R"]) == ("lower.R", "upper.R", "hand.R")
    rig.data.bones["lower.R"].name = "forearm.R"
    evaluate()
    assert [one.end_bone for one in rig.two_bone_ik_chains] == ["lower.L", "forearm.R"]


def test_a_new_bone_under_the_old_name_gets_the_chain() -> None:
    rig = sides()

    def replace() -> None:
        bones = rig.data.edit_bones
        bones.remove(bones["hand.L"])
        new = bones.new("hand.L")
        new.head, new.tail, new.parent = (1.8, 0.1, 1.1), (2.1, 0.1, 1.1), bones["lower.L"]

    in_edit_mode(rig, replace)
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].tip_bone == "hand.L"
    rig.data.bones["hand.L"].name = "palm.L"
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].tip_bone == "palm.L"


def test_a_rename_undone_in_edit_mode_leaves_the_chain() -> None:
    rig = sides()

    def there_and_back() -> None:
        rig.data.edit_bones["lower.L"].name = "forearm.L"
        evaluate()
        rig.data.edit_bones["forearm.L"].name = "lower.L"

    in_edit_mode(rig, there_and_back)
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "lower.L"


def test_another_rig_follows_the_renamed_control_bone() -> None:
    control, other = sides("Control"), armature(ARM, "Other")
    found = chain(other, "lower", target=control, subtarget="hand.L")
    found.pole_target, found.pole_subtarget = control, "hand.R"
    swap(control, "hand.L", "hand.R")
    evaluate()
    assert named(found, ("subtarget", "pole_subtarget")) == ("hand.R", "hand.L")


def test_equal_marks_of_a_copied_character_stay_apart() -> None:
    rig = sides()
    copy = rig.copy()
    copy.data = rig.data.copy()
    bpy.context.scene.collection.objects.link(copy)
    evaluate()
    copy.data.bones["lower.L"].name = "forearm.L"
    evaluate()
    assert rig.two_bone_ik_chains["Arm.L"].end_bone == "lower.L"
    assert copy.two_bone_ik_chains["Arm.L"].end_bone == "forearm.L"


def test_all_objects_that_share_an_armature_go_along() -> None:
    rig = sides()
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    evaluate()
    rig.data.bones["lower.L"].name = "forearm.L"
    evaluate()
    assert [item.two_bone_ik_chains["Arm.L"].end_bone for item in (rig, twin)] == ["forearm.L"] * 2
