"""Targets on one frame, what is refused by name, and that nothing else in the file changes.

Targets of limbs that reach with their tail lie at the tail, turned as the tip bone is.
"""

from __future__ import annotations

import re

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object, PropertyGroup

from support import file_data, fk, rigs
from support.cranes import CRANE, EVERY, FRAMES, assert_on_target, crane, off_target, played
from support.refused import refused
from support.rigs import ARM, Bone, animate, armature, empty
from support.truth import Limb, on_frame, posed

CLOSE = 1e-5
BONES = [bone.name for bone in CRANE]


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    """A swinging arm on frame 5.25, with a target and a pole that are keyed elsewhere, and edits without keys."""
    rig = armature((*ARM, Bone("control", (1, 1, 1), (1, 1.5, 1.2)), Bone("palm", (2, 0, 1.1), (2.2, 0, 1.1), "hand")))
    fk.swing(rig)
    fk.carry(rig)
    target, pole, other = empty("Target"), empty("Pole"), empty("Other")
    for item in (target, pole, other):
        animate(item, location={1: (0, 0, 0), 60: (1, 0, 0)}, scale={1: (1, 1, 1)})
    chain = api.add_chain(rig, "lower", target=target, pole_target=pole)
    bpy.context.scene.frame_set(5, subframe=0.25)
    rig.pose.bones["upper"].rotation_quaternion = (0.9, 0.1, 0.3, 0.2)
    target.scale = other.location = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    return chain


def assert_follows(rig: bpy.types.Object) -> None:
    """The tip is on the target, and a solve moves no joint."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    before = Limb().joints(depsgraph)
    np.testing.assert_allclose(Limb().goal(depsgraph), before[2], atol=CLOSE)
    api.solve(rig)
    np.testing.assert_allclose(Limb().joints(bpy.context.evaluated_depsgraph_get()), before, atol=CLOSE)


MOVED = {f"objects['{name}'].location" for name in ("Target", "Pole")}


def test_a_snap_moves_the_targets_alone(chain: PropertyGroup) -> None:
    before = file_data.dump()
    report = api.snap_targets(chain.id_data)
    assert file_data.changed(before) == MOVED
    assert list(report.chains[0].frames) == [5.25]
    assert_follows(chain.id_data)


def test_a_snap_brings_a_turned_target_from_afar(chain: PropertyGroup) -> None:
    for item in (chain.target, chain.pole_target):
        item.animation_data_clear()
        item.location, item.rotation_euler = (1e9, -1e9, 0.0), (0.4, 1.0, -2.0)
    api.snap_targets(chain.id_data)
    assert_follows(chain.id_data)


def test_a_snap_keys_the_current_frame_with_auto_keying_only(chain: PropertyGroup) -> None:
    for auto_keying, frames in ((False, [1, 60]), (True, [1, 5.25, 60])):
        bpy.context.scene.tool_settings.use_keyframe_insert_auto = auto_keying
        bpy.ops.two_bone_ik.snap_targets(only_active=True)
        for item in (chain.target, chain.pole_target):
            keyed = [curve for curve in versions.curves(item) if curve.data_path == "location"]
            assert [key.co.x for key in keyed[0].keyframe_points] == frames
    assert tuple(chain.target.scale) == pytest.approx((0.3, 0.2, 0.1))
    assert_follows(chain.id_data)


def test_a_snap_turns_the_target_only_if_the_hand_follows_it(chain: PropertyGroup) -> None:
    api.snap_targets(chain.id_data)
    assert tuple(chain.target.rotation_euler) == (0, 0, 0)
    chain.tip_bone, chain.use_rotation = "hand", True
    api.snap_targets(chain.id_data)
    bpy.context.view_layer.update()
    hand = chain.id_data.matrix_world @ chain.id_data.pose.bones["hand"].matrix
    turned = chain.target.matrix_world.to_quaternion()
    assert abs(turned.dot(hand.to_quaternion())) == pytest.approx(1, abs=1e-6)
    assert tuple(chain.pole_target.rotation_euler) == (0, 0, 0)


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED", "SCENE"])
def test_baking_targets_changes_nothing_but_their_keys(chain: PropertyGroup, way: str) -> None:
    before = file_data.dump()
    api.bake_targets(chain.id_data, frames=(1, 10), sampling=way)
    bpy.context.view_layer.update()
    keys = re.compile(r"actions\['(Target|Pole)Action'\]")
    assert {path for path in file_data.changed(before) if not keys.match(path)} == MOVED
    for name in ("Target", "Pole"):
        curves = {
            (curve.data_path, curve.group and curve.group.name) for curve in versions.curves(bpy.data.objects[name])
        }
        assert {path for path, _ in curves} == {"location", "scale"}


def constrain_control(chain: PropertyGroup) -> None:
    chain.pole_target, chain.pole_subtarget = chain.id_data, "control"
    chain.id_data.pose.bones["control"].constraints.new("LIMIT_LOCATION")


def test_a_snap_says_where_nothing_shows_the_tip(empty_file: None) -> None:
    """A bone that inherits no scale sticks out of a limb that is scaled to a point."""
    chain = rigs.arm()
    rig = chain.id_data
    rig.data.bones["lower"].inherit_scale, rig.data.bones["lower"].use_inherit_rotation = "NONE", False
    rig.pose.bones["spine"].scale = (0, 0, 0)
    bpy.context.view_layer.update()
    assert rig.pose.bones["lower"].length > 0.1
    [note] = [note for note in api.snap_targets(rig).notes if "does not keep its pose" in note]
    assert "joints move by up to" in note


@pytest.mark.parametrize("scale", [(1.0, 1.0, 0.0), (0.0, 0.0, 0.0)])
def test_a_flat_bone_with_a_muted_constraint_is_put_in_its_place(chain: PropertyGroup, scale: tuple) -> None:
    control = chain.id_data.pose.bones["control"]
    control.constraints.new("LIMIT_LOCATION").mute = True
    control.scale = scale
    chain.target, chain.subtarget = chain.id_data, "control"
    api.snap_targets(chain.id_data)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = control.id_data.evaluated_get(depsgraph)
    place = shown.matrix_world @ shown.pose.bones["control"].head
    np.testing.assert_allclose(place, Limb().joints(depsgraph)[2], atol=CLOSE)


def connect(chain: PropertyGroup) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    control = chain.id_data.data.edit_bones["control"]
    control.parent = chain.id_data.data.edit_bones["spine"]
    control.use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    constrained = chain.id_data.two_bone_ik_chains[0]
    constrained.target, constrained.subtarget = chain.id_data, "control"


def rest(chain: PropertyGroup) -> None:
    other = armature([Bone("control", (1, 1, 1), (1, 1.5, 1.2))], "Armature")
    other.data.pose_position = "REST"
    chain.target, chain.subtarget = other, "control"


def carry_flat(chain: PropertyGroup) -> None:
    chain.target.parent = empty("Cart", (0, 0, 0))
    animate(chain.target.parent, scale={4: (1, 1, 1), 6: (1, 0, 1)})


SPOILT = {
    "shared": (lambda chain: setattr(chain, "pole_target", chain.target), "SHARED_TARGET", '"Target" of chain "lower"'),
    "constrained": (
        lambda chain: chain.target.constraints.new("LIMIT_LOCATION"),
        "CONSTRAINED_TARGET",
        '"Target" of chain "lower" is moved by constraint "Limit Location"',
    ),
    "constrained control": (constrain_control, "CONSTRAINED_TARGET", '"Rig, control" of chain "lower"'),
    "on the limb": (
        lambda chain: (setattr(chain, "target", chain.id_data), setattr(chain, "subtarget", "palm")),
        "TARGET_FOLLOWS",
        '"Rig, palm"',
    ),
    "carries the limb": (
        lambda chain: setattr(chain.id_data, "parent", chain.target),
        "TARGET_CARRIES",
        '"Target" of chain "lower" carries chain "lower"',
    ),
    "locked": (
        lambda chain: setattr(chain.pole_target, "lock_location", (False, True, False)),
        "LOCKED_TARGET",
        '"Pole" of chain "lower" has locked',
    ),
    "locked rotation": (
        lambda chain: (turn_hand(chain), setattr(chain.target, "lock_rotation", (True, False, False))),
        "LOCKED_TARGET",
        '"Target" of chain "lower" has locked',
    ),
    "connected": (connect, "CONNECTED_TARGET", '"Rig, control" of chain "lower"'),
    "animated delta": (
        lambda chain: animate(chain.target, delta_location={1: (0, 0, 0), 9: (1, 1, 1)}),
        "DELTA_ANIMATED",
        '"Target" of chain "lower"',
    ),
    "flat": (
        lambda chain: animate(chain.target, scale={4: (1, 1, 1), 6: (1, 0, 1)}),
        "FLAT_TARGET",
        'Object "Target" has a scale of 0 on frame 6',
    ),
    "on something flat": (carry_flat, "FLAT_TARGET", 'Object "Cart" has a scale of 0 on frame 6'),
    "driven": (lambda chain: chain.target.driver_add("location", 0), "CURVE_DRIVEN", 'location of "Target" is driven'),
    "locked curves": (
        lambda chain: setattr(versions.curves(chain.target)[0], "lock", True),
        "CURVE_LOCKED",
        'location of "Target" is locked',
    ),
    "at rest": (rest, "REST_POSITION", '"Armature, control" of chain "lower"'),
}


def turn_hand(chain: PropertyGroup) -> None:
    chain.tip_bone, chain.use_rotation = "hand", True


@pytest.mark.parametrize("case", SPOILT)
def test_a_target_that_cannot_be_keyed_is_refused_by_name(chain: PropertyGroup, case: str) -> None:
    rig, (spoil, kind, named) = chain.id_data, SPOILT[case]
    spoil(chain)
    bpy.context.view_layer.update()
    with refused(kind, named):
        api.bake_targets(rig, frames=(1, 10))


def test_a_linked_target_is_refused(chain: PropertyGroup, tmp_path) -> None:
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {chain.target})
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.objects = ["Target"]
    chain.target = linked.objects[0]
    with pytest.raises(api.Refused, match='"Target" of chain "lower" is linked'):
        api.snap_targets(chain.id_data)


def test_the_operator_bakes_the_scene_in_the_groups_of_blender(chain: PropertyGroup) -> None:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 3, 7
    bpy.ops.two_bone_ik.bake_targets(only_active=True)
    (curve, *_) = versions.curves(chain.target)
    assert [key.co.x for key in curve.keyframe_points] == [1, 3, 4, 5, 6, 7, 60]
    for frame in range(3, 8):
        joints, goal = Limb().joints(on_frame(frame)), Limb().goal(on_frame(frame))
        np.testing.assert_allclose(goal, joints[2], atol=CLOSE)
    chain.target = empty("New")
    chain.pole_target, chain.pole_subtarget = chain.id_data, "control"
    api.bake_targets(chain.id_data, frames=(1, 3))
    assert {curve.group.name for curve in versions.curves(chain.target)} == {"Object Transforms"}
    keyed = [curve for curve in versions.curves(chain.id_data) if '"control"' in curve.data_path]
    assert {(curve.data_path, curve.group.name) for curve in keyed} == {('pose.bones["control"].location', "control")}


def swung(scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> Object:
    """A crane whose bones are keyed, without target."""
    rig = rigs.armature(CRANE)
    rig.location, rig.rotation_euler, rig.scale = (1.0, 2.0, 0.5), (0.2, -0.3, 0.8), scale
    rng = np.random.default_rng(2)
    for name in ("boom", "jib", "hook"):
        turns = {frame: (1.0, *rng.uniform(-0.5, 0.5, 3)) for frame in (1, 5, 12)}
        rigs.animate(rig.pose.bones[name], rotation_quaternion=turns)
    api.add_chain(rig, "jib", tip_bone="hook", use_rotation=True, reach_with="TAIL", reference="POSE")
    return rig


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.5, -1.5, 1.5)], ids=str)
def test_created_targets_lie_at_the_tail_and_keep_the_pose(kind: str, scale: tuple[float, ...]) -> None:
    rig = swung(scale)
    on_frame(5)
    before = posed(rig, *BONES)
    api.create_targets(rig, kind=kind)
    chain = rig.two_bone_ik_chains[0]
    bpy.context.view_layer.update()
    off, turned = off_target(chain)
    assert off < CLOSE
    assert turned < CLOSE
    assert api.solve(rig).reached
    np.testing.assert_allclose(posed(rig, *BONES), before, atol=CLOSE)


def test_a_target_bone_lies_at_the_tail_at_rest() -> None:
    rig = rigs.armature(CRANE)
    api.add_chain(rig, "jib", tip_bone="hook", use_rotation=True, reach_with="TAIL")
    api.create_targets(rig, kind="BONES")
    bones, chain = rig.data.bones, rig.two_bone_ik_chains[0]
    np.testing.assert_allclose(bones[chain.subtarget].head_local, bones["hook"].tail_local, atol=1e-6)


@pytest.mark.parametrize("keys", ["EVERY_FRAME", "REDUCED"])
def test_baked_from_the_pose_and_back_nothing_moves(keys: str) -> None:
    rig = swung()
    on_frame(1)
    api.create_targets(rig)
    chain, before, close = rig.two_bone_ik_chains[0], played(rig), 1e-5 if keys == "EVERY_FRAME" else 3e-3
    assert api.bake_targets(rig, frames=FRAMES, keys=keys, tolerance=1e-3).reached
    for frame in EVERY:
        on_frame(frame)
        off, turned = off_target(chain)
        assert off < close
        assert turned < close
    assert api.bake(rig, frames=FRAMES).reached
    np.testing.assert_allclose(played(rig), before, atol=close)


def test_a_snapped_target_goes_to_the_tail() -> None:
    rig = swung()
    rigs.empty("Target", (5.0, 5.0, 5.0))
    chain = rig.two_bone_ik_chains[0]
    chain.target = bpy.data.objects["Target"]
    on_frame(5)
    api.snap_targets(rig)
    bpy.context.view_layer.update()
    off, turned = off_target(chain)
    assert off < CLOSE
    assert turned < CLOSE


def test_another_space_keeps_the_tail_on_its_target() -> None:
    chain = crane(3)
    carrier = rigs.empty("Carrier")
    rigs.animate(carrier, location={1: (0, 0, 0), 12: (2, 1, 0)}, rotation_euler={1: (0, 0, 0), 12: (0.5, 1.0, 0.2)})
    api.change_target_space(chain.id_data, space=carrier, frames=FRAMES)
    assert api.bake(chain.id_data, frames=FRAMES).reached
    assert_on_target(chain, close=5e-6)


def test_a_flipped_pole_goes_round_the_line_to_the_joint() -> None:
    chain = crane(4, pole_target=rigs.empty("Pole", (0.3, 2.0, 3.0)))
    rig = chain.id_data
    on_frame(3)
    api.solve(rig)
    before = posed(rig, *BONES)
    api.flip_bend(rig)
    bpy.context.view_layer.update()
    after = posed(rig, *BONES)
    assert off_target(chain)[0] < CLOSE
    root, elbow, joint = (pose[:3, 3] for pose in before[1:])
    line = (joint - root) / np.linalg.norm(joint - root)
    aside = (elbow - root) - line * (line @ (elbow - root))
    np.testing.assert_allclose(after[2, :3, 3], elbow - 2.0 * aside, atol=1e-5)
    np.testing.assert_allclose(after[3], before[3], atol=1e-5)
