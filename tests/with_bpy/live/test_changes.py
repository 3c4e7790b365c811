"""What is changed about a limb while it is live counts from then on.

Live solves where Blender has evaluated something that limbs depend on, by whatever way, and only there.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender.live import state
from bl_ext.user_default.two_bone_ik.skeleton import chain_group
from bpy.types import Object

from support import rigs
from support.live import CLOSE, WITHIN_REACH, live_arm, move_target, pose, tip


def test_a_choice_shows_at_once() -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[5])
    before = pose()
    rig.two_bone_ik_chains[0].bend = "NEGATIVE"
    bpy.context.view_layer.update()
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)
    assert np.abs(pose() - before).max() > 0.1


def test_a_choice_that_is_unset_counts_when_live_poses_next() -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[5])
    usual, chain = pose(), rig.two_bone_ik_chains[0]
    chain.bend = "NEGATIVE"
    bpy.context.view_layer.update()
    assert np.abs(pose() - usual).max() > 0.1
    chain.property_unset("bend")
    move_target(WITHIN_REACH[1])
    move_target(WITHIN_REACH[5])
    np.testing.assert_allclose(pose(), usual, atol=CLOSE)


@pytest.mark.parametrize("chosen", [False, True], ids=["alone", "with a choice"])
def test_live_follows_bones_that_were_edited_meanwhile(chosen: bool) -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[1])
    if chosen:  # from then on no limb is known, until Live reads it again
        rig.two_bone_ik_chains[0].bend = "NEGATIVE"
    with rigs.editing(rig) as bones:
        bones["lower"].tail.z += 0.5
    for frame in (5, 10, 1):
        bpy.context.scene.frame_set(frame)
        move_target(WITHIN_REACH[frame])
        np.testing.assert_allclose(tip(), WITHIN_REACH[frame], atol=CLOSE)


def refused_now() -> dict[str, str]:
    rig = bpy.data.objects["Rig"]
    found = state.update(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get()).refused
    return {name: refusal.kind for name, refusal in found.items()}


def test_a_target_that_is_deleted_leaves_the_limb_where_it_is() -> None:
    live_arm()
    move_target(WITHIN_REACH[1])
    before = pose()
    bpy.data.objects.remove(bpy.data.objects["Target"])
    bpy.context.view_layer.update()
    assert (pose() == before).all()
    assert refused_now() == {"lower": "NO_TARGET"}


def test_live_follows_a_target_freed_from_its_own_limb() -> None:
    rig = live_arm()
    move_target(WITHIN_REACH[1])
    target = bpy.data.objects["Target"]
    constraint = target.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = rig, "lower"
    bpy.context.view_layer.update()
    assert refused_now() == {"lower": "TARGET_FOLLOWS"}
    constraint.mute = True
    move_target(WITHIN_REACH[5])
    assert not refused_now()
    np.testing.assert_allclose(tip(), WITHIN_REACH[5], atol=CLOSE)


def test_a_bone_that_is_a_target_may_go() -> None:
    chain = rigs.arm()
    other = rigs.armature([rigs.Bone("handle", (1.0, 0.5, 1.0), (1.0, 0.5, 1.4))], "Other")
    chain.target, chain.subtarget = other, "handle"
    chain.id_data.two_bone_ik_live = True
    bpy.context.view_layer.update()
    assert not refused_now()
    with rigs.editing(other) as bones:
        bones.remove(bones["handle"])
    bpy.context.view_layer.update()
    assert refused_now() == {"lower": "NO_SUBTARGET"}


def by_parent(target: Object, leader: Object) -> None:
    target.parent = leader


def by_constraint(target: Object, leader: Object) -> None:
    constraint = target.constraints.new("CHILD_OF")
    constraint.target = leader


def by_driver(target: Object, leader: Object) -> None:
    driver = target.driver_add("location", 1).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = leader, "location.y"
    driver.expression = "var + 0.6"


@pytest.mark.parametrize("carried", [by_parent, by_constraint, by_driver])
def test_a_target_that_follows_something_else_is_followed(carried) -> None:
    live_arm()
    leader, target = rigs.empty("Leader"), bpy.data.objects["Target"]
    carried(target, leader)
    for place in (-0.3, 0.2, -0.1):
        leader.location.y = place
        bpy.context.view_layer.update()
        np.testing.assert_allclose(tip(), target.matrix_world.translation, atol=CLOSE)


def test_an_object_that_nothing_depends_on_is_not_looked_at(monkeypatch) -> None:
    live_arm()
    other, looked, update = rigs.empty("Other"), [], state.update_all
    for _ in range(2):
        bpy.context.view_layer.update()
    monkeypatch.setattr(state, "update_all", lambda *args: looked.append(args) or update(*args))
    other.location.z = 2.0
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(7)
    assert not looked
    bpy.data.objects["Target"].location.z += 0.1
    bpy.context.view_layer.update()
    assert looked


def test_a_frame_that_leaves_targets_in_place_is_not_solved(monkeypatch) -> None:
    live_arm()
    scene, target = bpy.context.scene, bpy.data.objects["Target"]
    rigs.animate(target, location={1: (1.2, 0.6, 1.3), 20: (1.2, 0.6, 1.3), 30: (0.5, -0.8, 1.5)})
    scene.frame_set(1)
    solved, solve = [], chain_group.solve
    monkeypatch.setattr(chain_group, "solve", lambda *args: solved.append(args) or solve(*args))
    for frame in range(2, 31):
        scene.frame_set(frame)
        assert bool(solved) == (frame > 20)
        np.testing.assert_allclose(tip(), target.matrix_world.translation, atol=CLOSE)


def test_a_target_that_creeps_beside_a_moving_pole_is_followed() -> None:
    rig = live_arm()
    target, pole = bpy.data.objects["Target"], rigs.empty("Pole", (0.0, -3.0, 1.0))
    rig.two_bone_ik_chains[0].pole_target = pole
    # By one digit of single precision at a time, which Blender's own comparison of matrices does not see.
    for step in range(150):
        target.location.y = np.nextafter(np.float32(target.location.y), np.float32(9.0))
        pole.location.x = 0.1 * (step % 2)
        bpy.context.view_layer.update()
    np.testing.assert_allclose(tip(), target.matrix_world.translation, atol=CLOSE)
