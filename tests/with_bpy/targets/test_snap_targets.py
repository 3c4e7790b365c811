"""Targets on one frame, what is refused by name, and that nothing else in the file changes."""

from __future__ import annotations

import re
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.settings.key_settings import KeySettings
from bl_ext.user_default.two_bone_ik.blender.targets import targets_from_pose
from bpy.types import PropertyGroup

from support import file_data, fk
from support.rigs import ARM, Bone, animate, armature, empty
from support.truth import Limb, on_frame

CLOSE = 1e-5


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
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    before = Limb().joints(depsgraph)
    np.testing.assert_allclose(Limb().goal(depsgraph), before[2], atol=CLOSE)
    api.solve(rig)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(Limb().joints(bpy.context.evaluated_depsgraph_get()), before, atol=CLOSE)


MOVED = {f"objects['{name}'].location" for name in ("Target", "Pole")}


def test_a_snap_moves_the_targets_alone(chain: PropertyGroup) -> None:
    before = file_data.dump()
    report = api.snap_targets(chain.id_data)
    assert file_data.changed(before) == MOVED
    assert list(report.chains[0].frames) == [5.25]
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


def test_new_curves_are_in_the_groups_that_blender_itself_makes(chain: PropertyGroup) -> None:
    chain.target = empty("New")
    chain.pole_target, chain.pole_subtarget = chain.id_data, "control"
    api.bake_targets(chain.id_data, frames=(1, 3))
    assert {curve.group.name for curve in versions.curves(chain.target)} == {"Object Transforms"}
    keyed = [curve for curve in versions.curves(chain.id_data) if '"control"' in curve.data_path]
    assert {(curve.data_path, curve.group.name) for curve in keyed} == {('pose.bones["control"].location', "control")}


@pytest.mark.parametrize("way", ["ISOLATED", "SCENE"])
def test_a_bake_given_up_halfway_leaves_no_trace(chain: PropertyGroup, way: str) -> None:
    before = file_data.dump()
    bake = targets_from_pose.bake_targets(chain.id_data, None, (1, 10), None, KeySettings(sampling=way))
    assert [next(bake) for _ in range(6)][-1] == 0.5
    bake.close()
    bpy.context.view_layer.update()
    assert not file_data.changed(before)


def share(chain: PropertyGroup) -> None:
    chain.pole_target = chain.target


def constrain(chain: PropertyGroup) -> None:
    chain.target.constraints.new("LIMIT_LOCATION")


def constrain_control(chain: PropertyGroup) -> None:
    chain.pole_target, chain.pole_subtarget = chain.id_data, "control"
    chain.id_data.pose.bones["control"].constraints.new("LIMIT_LOCATION")


def hang_on_the_limb(chain: PropertyGroup) -> None:
    chain.target, chain.subtarget = chain.id_data, "palm"


def hang_the_limb_on_it(chain: PropertyGroup) -> None:
    chain.id_data.parent = chain.target


def lock(chain: PropertyGroup) -> None:
    chain.pole_target.lock_location[1] = True


def lock_rotation(chain: PropertyGroup) -> None:
    chain.tip_bone, chain.use_rotation = "hand", True
    chain.target.lock_rotation[0] = True


def connect(chain: PropertyGroup) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    control = chain.id_data.data.edit_bones["control"]
    control.parent = chain.id_data.data.edit_bones["spine"]
    control.use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    constrained = chain.id_data.two_bone_ik_chains[0]
    constrained.target, constrained.subtarget = chain.id_data, "control"


def animate_delta(chain: PropertyGroup) -> None:
    animate(chain.target, delta_location={1: (0, 0, 0), 9: (1, 1, 1)})


def drive(chain: PropertyGroup) -> None:
    chain.target.driver_add("location", 0)


def lock_curves(chain: PropertyGroup) -> None:
    versions.curves(chain.target)[0].lock = True


def rest(chain: PropertyGroup) -> None:
    other = armature([Bone("control", (1, 1, 1), (1, 1.5, 1.2))], "Armature")
    other.data.pose_position = "REST"
    chain.target, chain.subtarget = other, "control"


@pytest.mark.parametrize(
    ("spoil", "kind", "named"),
    [
        (share, "SHARED_TARGET", '"Target" of chain "lower"'),
        (constrain, "CONSTRAINED_TARGET", '"Target" of chain "lower" is moved by constraint "Limit Location"'),
        (constrain_control, "CONSTRAINED_TARGET", '"Rig, control" of chain "lower"'),
        (hang_on_the_limb, "TARGET_FOLLOWS", '"Rig, palm"'),
        (hang_the_limb_on_it, "TARGET_CARRIES", '"Target" of chain "lower" carries chain "lower"'),
        (lock, "LOCKED_TARGET", '"Pole" of chain "lower" has locked'),
        (lock_rotation, "LOCKED_TARGET", '"Target" of chain "lower" has locked'),
        (connect, "CONNECTED_TARGET", '"Rig, control" of chain "lower"'),
        (animate_delta, "DELTA_ANIMATED", '"Target" of chain "lower"'),
        (drive, "CURVE_DRIVEN", 'location of "Target" is driven'),
        (lock_curves, "CURVE_LOCKED", 'location of "Target" is locked'),
        (rest, "REST_POSITION", '"Armature, control" of chain "lower"'),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_a_target_that_cannot_be_keyed_is_refused_by_name(
    chain: PropertyGroup, spoil: Callable[[PropertyGroup], None], kind: str, named: str
) -> None:
    rig = chain.id_data
    spoil(chain)
    bpy.context.view_layer.update()
    before = file_data.dump()
    with pytest.raises(api.Refused, match=re.escape(named)) as refused:
        api.bake_targets(rig, frames=(1, 10))
    assert refused.value.kind == kind
    assert not file_data.changed(before)


def test_a_linked_target_is_refused(chain: PropertyGroup, tmp_path) -> None:
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {chain.target})
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.objects = ["Target"]
    chain.target = linked.objects[0]
    with pytest.raises(api.Refused, match='"Target" of chain "lower" is linked'):
        api.snap_targets(chain.id_data)


def test_the_operator_bakes_the_range_of_the_scene(chain: PropertyGroup) -> None:
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 3, 7
    bpy.ops.two_bone_ik.bake_targets(only_active=True)
    (curve, *_) = versions.curves(chain.target)
    assert [key.co.x for key in curve.keyframe_points] == [1, 3, 4, 5, 6, 7, 60]
    for frame in range(3, 8):
        joints, goal = Limb().joints(on_frame(frame)), Limb().goal(on_frame(frame))
        np.testing.assert_allclose(goal, joints[2], atol=CLOSE)
