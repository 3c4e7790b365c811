"""Targets that are bones of the armature, and what they hang on: the pose stays, and a bake from them is exact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Euler, Matrix, Quaternion, Vector

from support import file_data, rigs
from support.refused import refused
from support.rigify import metarig
from support.truth import Limb, on_frame, posed

pytestmark = pytest.mark.versions

CLOSE = 2e-6  # of the arm's length, or radians: what a few products in float32 leave
NAMES = ("upper", "lower", "hand")


def turned(rig: Object) -> Object:
    rig.pose.bones["spine"].rotation_quaternion = Euler((0.2, 0.1, 0.3)).to_quaternion()
    rig.pose.bones["upper"].rotation_quaternion = Euler((0.4, 0.2, -0.5)).to_quaternion()
    rig.pose.bones["lower"].rotation_quaternion = Quaternion((0, 0, 1), 0.5)
    return rig


def off(one: np.ndarray, other: np.ndarray) -> float:
    """The greatest difference, as part of the scale of the armature."""
    return np.abs(one - other).max() / np.linalg.norm(one[0, :3, 0])


SCALES = ((1, 1, 1), (0.01,) * 3, (-2, 2, 2), (1, 2, 3))


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
@pytest.mark.parametrize("root", ["upper", "f_index.01"])
def test_the_pose_stays_also_where_a_hand_carries(root: str, kind: str, scale: tuple) -> None:
    rig, names = turned(rigs.armature()), (root, "lower", "hand")
    rig.data.bones["upper"].name = root
    mode = "OBJECT" if scale[0] == scale[1] else "POSE"
    rig.matrix_basis = Matrix.LocRotScale(Vector((3, -2, 1)) * scale[1], Euler((0.5, 1.0, 2.0)), scale)
    bpy.ops.object.mode_set(mode=mode)
    api.add_chain(rig, "lower", tip_bone="hand", reference="POSE")
    before = posed(rig, *names)
    report = api.create_targets(rig, kind=kind)
    assert report.reached
    assert off(before, posed(rig, *names)) < 1e-9
    target = rig.two_bone_ik_chains[0].target
    assert bool(kind == "EMPTIES" and target.parent) == (kind == "EMPTIES" and root != "upper")
    tip = posed(rig, "lower Target")[0] if kind == "BONES" else np.array(target.matrix_world)
    assert off(before[2:, :3, 3:], tip[None, :3, 3:]) < CLOSE * 30
    api.solve(rig)
    assert off(before, posed(rig, *names)) < CLOSE * 3


def test_a_bake_to_target_bones_and_back_is_exact() -> None:
    rig = turned(rigs.armature())
    turns = {"upper": (0.3, 0.9, -0.2), "lower": (0, 0, 0.9), "hand": (0.7, 0.1, 0.4), "spine": (0, 0.4, 0.2)}
    for name, turn in turns.items():
        bone = rig.pose.bones[name]
        start, end = bone.rotation_quaternion.copy(), Euler(turn).to_quaternion()
        rigs.animate(bone, rotation_quaternion={1: start, 12: end, 20: start.slerp(end, 0.3)})
    frames = range(1, 21)
    before = [on_frame(frame) and posed(rig, *NAMES) for frame in frames]
    action = rig.animation_data.action
    on_frame(7)
    api.add_chain(rig, "lower", tip_bone="hand")
    api.create_targets(rig, kind="BONES")
    api.bake_targets(rig, frames=(1, 20))
    keyed = {curve.data_path for curve in versions.curves(rig)}
    assert {f'pose.bones["lower {role}"].location' for role in ("Target", "Pole")} <= keyed
    assert rig.animation_data.action == action
    assert [item.name for item in bpy.data.objects if item.animation_data and item != rig] == []
    for name in NAMES:  # nothing but the targets tells the pose
        for curve in [c for c in versions.curves(rig) if f'"{name}"' in c.data_path]:
            curve.keyframe_points.clear()
    assert api.bake(rig, frames=(1, 20)).reached
    for frame, wanted in zip(frames, before, strict=True):
        on_frame(frame)
        found = posed(rig, *NAMES)
        np.testing.assert_allclose(found[..., 3], wanted[..., 3], atol=1e-5)
        np.testing.assert_allclose(found[2], wanted[2], atol=2e-5)


def test_a_limb_follows_its_target_bone_on_every_frame() -> None:
    rig = rigs.armature()
    api.add_chain(rig, "lower", plane="AIM")
    api.create_targets(rig, kind="BONES")
    bone = rig.pose.bones["lower Target"]
    rigs.animate(bone, location={1: (0, -0.2, 0), 9: (-0.2, -0.6, -0.2), 15: (0.2, -0.4, 0.3)})
    assert api.bake(rig, frames=(1, 15)).reached
    misses = Limb(target="Rig", subtarget="lower Target").misses(range(1, 16))
    assert misses.max() < 1e-5


def test_nothing_but_the_bones_changes() -> None:
    rig, other = rigs.armature(), rigs.armature(name="Other")
    prop = rigs.empty("Prop")
    turned(rig)
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 9: (0, 1, 0, 0)})
    bpy.context.scene.frame_set(4)
    turned(rig)  # edits without a key
    api.add_chain(rig, "lower", reference="POSE")
    rig.data.use_mirror_x = True
    for item in (rig, other, prop):
        item.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["lower"]
    select(rig, "lower", "spine")
    bpy.context.view_layer.update()
    before, state = file_data.dump(), told(rig, other)
    api.create_targets(rig, kind="BONES")
    bpy.context.view_layer.update()
    assert told(rig, other) == state
    changed = {path for path in file_data.changed(before) if path in before}
    ours = ("armatures['Rig']", "objects['Rig'].two_bone_ik_chains[0]", "objects['Rig'].pose.bones")
    assert {path for path in changed if not path.startswith(ours)} == set()
    fields = {"target", "subtarget", "pole_target", "pole_subtarget", "bone_marks"}
    assert {path.rpartition(".")[2] for path in changed} <= fields
    new = {path.split("]")[0] for path in file_data.changed(before) if path not in before}
    assert {part for part in new if not part.startswith(("armatures['Rig'", "objects['Rig'"))} == {
        f"objects['Two-Bone IK {role}'" for role in ("Target", "Pole")
    }


def select(rig: Object, *names: str) -> None:
    for bone in rig.pose.bones:
        owner = bone if "select" in bone.bl_rna.properties else bone.bone
        owner.select = bone.name in names


def told(rig: Object, *others: Object) -> tuple:
    """What the user would miss if it changed: modes, selection, what is active, options, pose."""
    bones = [bone for bone in rig.pose.bones if bone.name in ("spine", *NAMES)]
    return (
        [(item.mode, item.select_get(), item.hide_get()) for item in (rig, *others)],
        bpy.context.mode,
        bpy.context.object.name,
        bpy.context.scene.name,
        rig.data.bones.active.name,
        rig.data.use_mirror_x,
        [(bone.name, getattr(bone, "select", None), getattr(bone.bone, "select", None)) for bone in bones],
        [tuple(bone.rotation_quaternion) for bone in bones],
        [item.name for item in bpy.context.selected_objects],
        len(bpy.data.scenes),
        [name for name in bpy.data.objects.keys() if name not in ("Two-Bone IK Target", "Two-Bone IK Pole")],
    )


@pytest.mark.parametrize("hide", ["eye", "viewport", "collection"])
def test_an_armature_stays_hidden_while_it_gets_bones(hide: str) -> None:
    rig = rigs.armature()
    api.add_chain(rig, "lower")
    collection = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(rig)
    collection.objects.link(rig)
    if hide == "eye":
        rig.hide_set(True)
    elif hide == "viewport":
        rig.hide_viewport = True
    else:
        bpy.context.view_layer.layer_collection.children["Hero"].hide_viewport = True
    api.create_targets(rig, kind="BONES")
    assert not rig.visible_get()
    assert {"lower Target", "lower Pole"} <= set(rig.pose.bones.keys())


def test_another_object_may_be_in_edit_mode() -> None:
    rig, other = rigs.armature(), rigs.armature(name="Other")
    api.add_chain(rig, "lower")
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    other.data.edit_bones["hand"].tail.x += 0.3
    api.create_targets(rig, kind="BONES")
    assert (rig.mode, other.mode, bpy.context.mode) == ("OBJECT", "EDIT", "EDIT_ARMATURE")
    assert other.data.edit_bones["hand"].tail.x == pytest.approx(2.3)
    assert "lower Target" in rig.pose.bones


def test_the_bones_are_controls_that_share_their_shapes() -> None:
    rig = metarig("human")
    api.add_detected(rig, ["ARMS"])
    api.create_targets(rig, kind="BONES")
    bones = [rig.data.bones[name] for name in ("Arm Target.L", "Arm Pole.L", "Arm Target.R", "Arm Pole.R")]
    (collection,) = {found for bone in bones for found in bone.collections}
    assert {bone.name for bone in collection.bones} == {bone.name for bone in bones}
    assert collection.is_visible
    assert not any(bone.hide or bone.hide_select or bone.use_deform or bone.parent for bone in bones)
    shapes = [rig.pose.bones[bone.name].custom_shape for bone in bones]
    assert shapes[0] == shapes[2] != shapes[1] == shapes[3]
    assert [shape.empty_display_type for shape in shapes[:2]] == ["CUBE", "SPHERE"]
    assert not any(shape.users_collection for shape in shapes)
    for name in ("One", "Two"):
        rig = rigs.armature(name=name)
        api.add_chain(rig, "lower")
        api.create_targets(rig, kind="BONES")
    assert sorted(shape.users for shape in bpy.data.objects if shape.type == "EMPTY") == [4, 4]


def test_cleared_targets_lead_back_to_the_rest_pose() -> None:
    rig = turned(rigs.armature())
    rest = np.array([bone.matrix_local for bone in rig.data.bones])
    api.add_chain(rig, "lower", tip_bone="hand")
    api.create_targets(rig, kind="BONES")
    for name in ("spine", "lower Target", "lower Pole"):
        rig.pose.bones[name].matrix_basis = Matrix()
    api.solve(rig)
    np.testing.assert_allclose(posed(rig, *rig.pose.bones.keys())[:4], rest, atol=2e-6)
    rig = rigs.armature(rigs.STRAIGHT)
    api.add_chain(rig, "lower")
    api.create_targets(rig, kind="BONES")
    assert rig.data.bones["lower Target"].parent is None


def test_a_live_limb_does_not_move_either() -> None:
    rig = turned(rigs.armature())
    api.add_chain(rig, "lower", tip_bone="hand", reference="POSE")
    rig.two_bone_ik_live = True
    before = posed(rig, *NAMES)
    api.create_targets(rig, kind="BONES")
    assert off(before, posed(rig, *NAMES)) < CLOSE * 3
    rig.pose.bones["lower Target"].location.x -= 0.1
    hand, target = posed(rig, "hand", "lower Target")
    assert off(before[2:], hand[None]) > 0.01
    np.testing.assert_allclose(hand[:3, 3], target[:3, 3], atol=1e-5)


def test_the_operator_creates_bones_for_all_that_are_selected() -> None:
    made = [rigs.armature(name=name) for name in ("One", "Two")]
    for rig in made:
        api.add_chain(rig, "lower")
        rig.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.two_bone_ik.create_targets(kind="BONES")
    assert [rig.two_bone_ik_chains[0].subtarget for rig in made] == ["lower Target"] * 2
    assert [rig.mode for rig in made] == ["POSE"] * 2


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_targets_of_fingers_hang_on_the_hand(kind: str) -> None:
    rig = metarig("human")
    api.add_detected(rig, ["FINGERS"])
    api.create_targets(rig, kind=kind)
    before = posed(rig, "f_index.03.L", "thumb.03.L")
    rig.pose.bones["hand.L"].rotation_quaternion = (0.8, 0.6, 0, 0)
    wanted = posed(rig, "f_index.03.L", "thumb.03.L")
    assert np.abs(wanted - before).max() > 0.01
    api.solve(rig)
    np.testing.assert_allclose(posed(rig, "f_index.03.L", "thumb.03.L"), wanted, atol=1e-5)
    parents = {
        item.parent_bone if kind == "EMPTIES" else rig.data.bones[chain.subtarget].parent.name
        for chain in rig.two_bone_ik_chains
        for item in [chain.target]
    }
    assert parents == {"hand.L", "hand.R"}


def hero(*, data: bool = True) -> tuple[Object, Object]:
    rig = rigs.armature()
    api.add_chain(rig, "lower")
    other = bpy.data.objects.new("Twin", rig.data if data else None)
    bpy.context.scene.collection.objects.link(other)
    return rig, other


def shared() -> Object:
    return hero()[0]


def nowhere() -> Object:
    rig, _ = hero(data=False)
    collection = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(rig)
    collection.objects.link(rig)
    bpy.context.view_layer.layer_collection.children["Hero"].exclude = True
    return rig


def linked() -> Object:
    rig = hero(data=False)[0]
    path = str(Path(bpy.app.tempdir, "armature.blend"))
    bpy.data.libraries.write(path, {rig.data})
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.armatures = ["Rig"]
    rig.data = wanted.armatures[0]
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("case", [shared, nowhere, linked], ids=lambda case: case.__name__)
def test_where_bones_cannot_be_empties_are_offered(case: Callable[[], Object]) -> None:
    rig = case()
    with refused(match="create empties, or "):
        api.create_targets(rig, kind="BONES")
    assert api.create_targets(rig).reached
