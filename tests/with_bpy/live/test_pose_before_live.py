"""A live limb that starts from its own pose starts from that alone, never from what was written last."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support import rigs
from support.live import CLOSE, WITHIN_REACH, live_arm, move_target, pose, pose_of, tip
from support.truth import on_frame, save_and_load
from support.twisted import LINE


@pytest.mark.parametrize("fields", [{"influence": 0.5}, {"reference": "POSE"}, {"use_extension_limit": True}])
@pytest.mark.parametrize("turn", [(1.0, 0.0, 0.0, 0.0), (0.9, 0.1, 0.3, -0.2)], ids=["rest", "turned"])
def test_a_chain_that_starts_from_its_own_pose_does_not_creep(
    fields: dict[str, object], turn: tuple[float, ...]
) -> None:
    """Nor does it when the file is loaded meanwhile."""
    rigs.arm(**fields)
    rig = bpy.data.objects["Rig"]
    rig.pose.bones["upper"].rotation_quaternion = turn
    rig.two_bone_ik_live = True
    move_target(WITHIN_REACH[1])
    once = pose()
    for place in (*WITHIN_REACH.values(), WITHIN_REACH[1]):
        move_target(place)
        bpy.context.view_layer.update()
    np.testing.assert_allclose(pose(), once, atol=CLOSE)
    move_target(WITHIN_REACH[5])
    save_and_load()
    move_target(WITHIN_REACH[1])
    np.testing.assert_allclose(pose(), once, atol=CLOSE)


def test_nor_does_it_when_steps_are_undone() -> None:
    live_arm(influence=0.5)
    bpy.ops.ed.undo_push(message="Live")
    poses = []
    for place in WITHIN_REACH.values():
        move_target(place)
        bpy.ops.ed.undo_push(message="Move")
        poses.append(pose())
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    np.testing.assert_allclose(pose(), poses[0], atol=CLOSE)
    move_target(WITHIN_REACH[5])
    np.testing.assert_allclose(pose(), poses[1], atol=CLOSE)


def test_a_pose_set_by_hand_while_it_was_off_is_its_own() -> None:
    rig = live_arm(influence=0.5)
    move_target(WITHIN_REACH[1])
    rig.two_bone_ik_live = False
    rig.pose.bones["upper"].rotation_quaternion = (0.9, 0.1, 0.3, -0.2)
    save_and_load()
    rig = bpy.data.objects["Rig"]
    standing = pose()
    rig.two_bone_ik_chains[0].influence = 0.0
    rig.two_bone_ik_live = True
    move_target(WITHIN_REACH[5])
    np.testing.assert_allclose(pose(), standing, atol=CLOSE)


def test_a_rig_that_gets_another_name_does_not_creep() -> None:
    rig = live_arm(influence=0.5)
    target = bpy.data.objects["Target"]
    place = tuple(target.location)
    before = pose_of(rig)
    rig.name = "Hero"
    for there in ((1.0, 0.5, 1.2), place):
        move_target(there)
    np.testing.assert_allclose(pose_of(rig), before, atol=CLOSE)


_FAR = (1.4, 0.9, 2.2)
_SET_NO_MORE = {
    "twist": ({"root_bone": "upper", "use_twist": True}, WITHIN_REACH[5], {"use_twist": False}),
    "stretch": ({"unreachable": "STRETCH", "max_stretch": 3.0, "reference": "POSE"}, _FAR, {"unreachable": "CLAMP"}),
    "pin": ({"pole_pin": 1.0, "reference": "POSE"}, _FAR, {"pole_pin": 0.0}),
}


@pytest.mark.parametrize(("fields", "first", "edit"), _SET_NO_MORE.values(), ids=_SET_NO_MORE)
def test_what_live_set_and_sets_no_more_counts_as_it_stands(
    fields: dict[str, object], first: tuple[float, float, float], edit: dict[str, object]
) -> None:
    """Twist bones stay turned and bones stay stretched, and the limb is solved with them."""
    rig = rigs.armature(LINE if "use_twist" in fields else rigs.ARM[:3])
    chain = rigs.chain(rig, "lower", target=WITHIN_REACH[1], pole=(0.8, 1.5, 2.0), **fields)
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    rig.two_bone_ik_live = True
    move_target(first)
    np.testing.assert_allclose(tip(), first, atol=CLOSE)
    for name, value in edit.items():
        setattr(chain, name, value)
    for place in WITHIN_REACH.values():
        move_target(place)
        np.testing.assert_allclose(tip(), place, atol=CLOSE)
    api.bake(rig, frames=(1, 2))
    np.testing.assert_allclose(tip(), place, atol=CLOSE)


def test_an_option_off_and_on_again_leaves_the_pose() -> None:
    rig = rigs.armature(LINE)
    chain = rigs.chain(rig, "lower", target=WITHIN_REACH[1], root_bone="upper", use_twist=True, influence=0.5)
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    before = [np.array(bone.matrix) for bone in rig.pose.bones]
    for on in (False, True):
        chain.use_twist = on
        bpy.context.view_layer.update()
    np.testing.assert_allclose([np.array(bone.matrix) for bone in rig.pose.bones], before, atol=CLOSE)


@pytest.mark.parametrize("fields", [{}, {"pole": (0.5, -2.0, 1.0), "pole_pin": 1.0}], ids=["turned", "scaled"])
def test_keys_of_a_bake_count_where_they_are_what_live_showed(fields: dict[str, object]) -> None:
    rig = live_arm(influence=0.5, **fields)
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    move_target(WITHIN_REACH[1])
    api.bake(rig, frames=(1, 3))
    baked = pose()
    on_frame(2)
    shown = pose()
    rig.two_bone_ik_live = False
    on_frame(2)
    np.testing.assert_allclose(pose(), baked, atol=CLOSE)
    api.solve(rig)
    np.testing.assert_allclose(shown, pose(), atol=CLOSE)
    assert np.abs(shown - baked).max() > 0.01
