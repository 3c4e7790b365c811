"""What a user does with chains: the operators act on the active armature, and say what is missing when they cannot."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.auto_keying import auto_keying
from support.library import linked, overridden
from support.rigs import Bone, animate, armature, empty, keys
from support.truth import save_and_load

pytestmark = pytest.mark.versions

BONES = (
    Bone("upper_arm", (0, 0, 0), (1, 0.2, 0)),
    Bone("forearm", (1, 0.2, 0), (2, 0, 0), "upper_arm"),
    Bone("hand", (2, 0, 0), (2.4, 0, 0), "forearm"),
)


@pytest.fixture
def rig() -> bpy.types.Object:
    """An arm of three bones along X, slightly bent, as the active object; its forearm is the active bone."""
    rig = armature(BONES, "rig")
    rig.data.bones.active = rig.data.bones["forearm"]
    return rig


@pytest.fixture
def arm(rig: bpy.types.Object) -> bpy.types.PropertyGroup:
    """The rig's one chain, with a target within its reach, animated from frame 1 to 20."""
    bpy.ops.two_bone_ik.chain_add()
    (chain,) = rig.two_bone_ik_chains
    chain.target = empty("target")
    animate(chain.target, location={1: (1, 1, 0), 20: (0.5, -1, 0.5)})
    return chain


def keyed_frames(rig: bpy.types.Object) -> list[float]:
    """The frames of the upper arm's keys."""
    return list(keys(rig.pose.bones["upper_arm"]))


def refusal(operator: object, *arguments: object, **options: object) -> str:
    """What the operator says instead of running."""
    with pytest.raises(RuntimeError) as refused:
        operator(*arguments, **options)
    return str(refused.value)


def test_a_chain_added_to_the_active_bone_becomes_active(rig: bpy.types.Object) -> None:
    bpy.ops.two_bone_ik.chain_add()
    rig.data.bones.active = rig.data.bones["hand"]
    bpy.ops.two_bone_ik.chain_add()
    assert [chain.end_bone for chain in rig.two_bone_ik_chains] == ["forearm", "hand"]
    assert rig.two_bone_ik_active == 1


def test_a_chain_is_added_in_pose_mode(rig: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.two_bone_ik.chain_add()
    assert [chain.end_bone for chain in rig.two_bone_ik_chains] == ["forearm"]


def test_a_bone_without_parent_is_no_chain(rig: bpy.types.Object) -> None:
    rig.data.bones.active = rig.data.bones["upper_arm"]
    assert "upper_arm" in refusal(bpy.ops.two_bone_ik.chain_add)
    assert not rig.two_bone_ik_chains


def test_a_chain_moves_in_the_list(rig: bpy.types.Object) -> None:
    for name in "abc":
        rig.two_bone_ik_chains.add().name = name
    rig.two_bone_ik_active = 2
    for _ in range(3):
        bpy.ops.two_bone_ik.chain_move(direction="UP")
    assert ([chain.name for chain in rig.two_bone_ik_chains], rig.two_bone_ik_active) == (["c", "a", "b"], 0)
    bpy.ops.two_bone_ik.chain_move(direction="DOWN")
    assert ([chain.name for chain in rig.two_bone_ik_chains], rig.two_bone_ik_active) == (["a", "c", "b"], 1)


def test_a_removed_chain_leaves_the_one_above_active(rig: bpy.types.Object) -> None:
    for name in "acb":
        rig.two_bone_ik_chains.add().name = name
    rig.two_bone_ik_active = 2
    bpy.ops.two_bone_ik.chain_remove()
    assert ([chain.name for chain in rig.two_bone_ik_chains], rig.two_bone_ik_active) == (["a", "c"], 1)
    bpy.ops.two_bone_ik.chain_remove()
    bpy.ops.two_bone_ik.chain_remove()
    assert (len(rig.two_bone_ik_chains), rig.two_bone_ik_active) == (0, 0)


def test_operators_say_what_is_missing(rig: bpy.types.Object) -> None:
    ops = bpy.ops.two_bone_ik
    assert "Add a chain, or detect limbs" in refusal(ops.bake)
    assert "Add a chain, or detect limbs" in refusal(ops.chain_remove)
    rig.data.bones.active = None
    assert "Select the end bone of a limb, such as a forearm, in Pose Mode" in refusal(ops.chain_add)
    rig.two_bone_ik_chains.add()
    rig.two_bone_ik_active = 5
    assert "Select a chain" in refusal(ops.chain_move)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Go to Object Mode or Pose Mode" in refusal(ops.solve)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = None
    assert "Select an armature" in refusal(ops.bake)
    bpy.context.view_layer.objects.active = empty("empty")
    assert "Select an armature" in refusal(ops.bake)


def test_only_the_active_chain_is_baked_where_asked(rig: bpy.types.Object, arm: bpy.types.PropertyGroup) -> None:
    other = rig.two_bone_ik_chains.add()
    other.name, other.end_bone = "without target", "hand"
    rig.two_bone_ik_active = 1
    assert "without target" in refusal(bpy.ops.two_bone_ik.bake, only_active=True)
    assert rig.animation_data is None
    rig.two_bone_ik_active = 0
    bpy.ops.two_bone_ik.bake(only_active=True, frame_start=1, frame_end=3)
    assert keyed_frames(rig) == [1, 2, 3]
    rig.two_bone_ik_active = 2
    assert "no active chain" in refusal(bpy.ops.two_bone_ik.bake, only_active=True)


def test_solve_keys_the_frame_with_auto_keying_only(rig: bpy.types.Object, arm: bpy.types.PropertyGroup) -> None:
    bpy.context.scene.frame_set(1)
    bpy.ops.two_bone_ik.solve()
    bpy.context.view_layer.update()
    tip = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["forearm"].tail
    np.testing.assert_allclose(tip, arm.target.location, atol=1e-5)  # float32 matrices over a reach of 2
    assert rig.animation_data is None
    auto_keying()
    bpy.ops.two_bone_ik.solve()
    assert keyed_frames(rig) == [1]


def test_a_linked_armature_asks_for_an_override(
    rig: bpy.types.Object, arm: bpy.types.PropertyGroup, tmp_path: Path
) -> None:
    rig = linked(tmp_path, "rig")
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    assert "library override" in refusal(bpy.ops.two_bone_ik.bake)
    assert "library override" in refusal(bpy.ops.two_bone_ik.chain_add)


def test_an_override_adds_chains_beside_those_of_its_library(
    rig: bpy.types.Object, arm: bpy.types.PropertyGroup, tmp_path: Path
) -> None:
    rig = overridden(linked(tmp_path, "rig"))
    (from_library,) = rig.two_bone_ik_chains
    assert "mute it instead" in refusal(bpy.ops.two_bone_ik.chain_remove)
    assert "mute it instead" in refusal(bpy.ops.two_bone_ik.chain_move, direction="DOWN")
    from_library.mute = True
    from_library.target = empty("target of the shot")
    rig.data.bones.active = rig.data.bones["hand"]
    bpy.ops.two_bone_ik.chain_add()
    rig.two_bone_ik_chains[1].plane = "AIM"
    save_and_load()
    (rig,) = (block for block in bpy.data.objects if block.override_library)
    first, second = rig.two_bone_ik_chains
    assert (first.end_bone, first.mute, first.target.name) == ("forearm", True, "target of the shot")
    assert (second.end_bone, second.plane, rig.two_bone_ik_active) == ("hand", "AIM", 1)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.two_bone_ik.chain_remove()
    assert [chain.end_bone for chain in rig.two_bone_ik_chains] == ["forearm"]


def test_a_refused_armature_does_not_stop_the_others(arm: bpy.types.PropertyGroup) -> None:
    rig = arm.id_data
    *good, bad = others = [rig.copy() for _ in range(3)]
    for other in others:
        other.animation_data_clear()
        bpy.context.collection.objects.link(other)
    bad.two_bone_ik_chains[0].target = None
    for item in (*good, bad):
        item.select_set(True)
    good[1].select_set(False)
    assert "no target" in refusal(bpy.ops.two_bone_ik.bake, frame_start=1, frame_end=5)
    assert keyed_frames(rig) == keyed_frames(good[0]) == [1, 2, 3, 4, 5]
    assert bad.animation_data is good[1].animation_data is None


def test_an_armature_is_baked_after_the_one_it_follows(arm: bpy.types.PropertyGroup) -> None:
    rig = arm.id_data
    other = rig.copy()
    bpy.context.collection.objects.link(other)
    other.location = (0.2, 0.1, 0.0)
    chain = other.two_bone_ik_chains[0]
    chain.target, chain.subtarget = rig, arm.end_bone
    other.select_set(True)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = other  # and so it would be the first
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=5)
    assert keyed_frames(rig) == keyed_frames(other) == [1, 2, 3, 4, 5]
    for frame in range(1, 6):
        bpy.context.scene.frame_set(frame)
        tip = other.matrix_world @ other.pose.bones[chain.end_bone].tail
        goal = rig.matrix_world @ rig.pose.bones[arm.end_bone].head
        assert (tip - goal).length < 1e-5, frame


@pytest.mark.parametrize("sampling", ["ISOLATED", "SCENE"])
def test_several_armatures_leave_the_current_frame(arm: bpy.types.PropertyGroup, sampling: str) -> None:
    rig = arm.id_data
    other = rig.copy()
    other.animation_data_clear()
    bpy.context.collection.objects.link(other)
    other.select_set(True)
    bpy.context.scene.frame_set(3)
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=5, sampling=sampling)
    assert keyed_frames(rig) == keyed_frames(other) == [1, 2, 3, 4, 5]
    assert bpy.context.scene.frame_current == 3
