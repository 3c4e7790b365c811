"""A live limb follows the limb of another armature, by whichever door that one is posed, in the same step."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import State, limb_states
from bpy.types import Object
from mathutils import Quaternion

from support import rigs
from support.live import CLOSE
from support.truth import Limb

PLACES = ((1.2, 0.6, 1.3), (0.9, -0.5, 1.8))
FOLLOWER = Limb(rig="Two", target="Fol")


@pytest.fixture(params=[False, True], ids=["leader off", "leader live"])
def leader(request: pytest.FixtureRequest, empty_file: None) -> Object:
    """An arm, and a live one that reaches for what the forearm of the first carries."""
    one, two = rigs.armature(name="One"), rigs.armature(name="Two")
    rigs.chain(one, "lower", target=PLACES[0])
    carried = rigs.empty("Fol", (0.1, -0.2, 0.2))
    carried.parent, carried.parent_type, carried.parent_bone = one, "BONE", "lower"
    two.location = (0.0, 0.4, 0.2)
    rigs.chain(two, "lower", target=carried)
    two.two_bone_ik_live = True
    one.two_bone_ik_live = request.param
    bpy.context.view_layer.update()
    return one


def solve(one: Object) -> None:
    api.solve(one)


def flip(one: Object) -> None:
    api.flip_bend(one)


def pull(one: Object) -> None:
    drag = api.Drag(one, "lower", bpy.context.scene, insert_keys=False)
    for place in ((0.8, 0.4, 1.1), PLACES[1]):
        drag.to(place)
        bpy.context.view_layer.update()
        follows()
    drag.finish()


def bake(one: Object) -> None:
    api.bake(one, frames=(1, 5))


def key(one: Object) -> None:
    api.solve(one, insert_keys=True)


def turn(one: Object) -> None:
    one.pose.bones["spine"].rotation_quaternion = Quaternion((0, 1, 0), 0.3)


def undo(one: Object) -> None:
    bpy.ops.ed.undo_push(message="Before")
    api.flip_bend(one)
    bpy.ops.ed.undo_push(message="Flip")
    bpy.context.view_layer.update()
    follows()
    bpy.ops.ed.undo()


def redo(one: Object) -> None:
    undo(one)
    follows()
    bpy.ops.ed.redo()


def place() -> np.ndarray:
    return FOLLOWER.goal(bpy.context.evaluated_depsgraph_get())


def follows() -> None:
    """The tip is on the target, in the pose and as Blender evaluates it, and the list says so."""
    graph = bpy.context.evaluated_depsgraph_get()
    np.testing.assert_allclose(FOLLOWER.joints(graph)[2], FOLLOWER.goal(graph), atol=CLOSE)
    states = limb_states(bpy.data.objects["Two"], bpy.context.scene, graph)
    assert {each.state for each in states.values()} == {State.REACHED}


@pytest.mark.parametrize("door", [solve, flip, pull, bake, key, turn, undo, redo])
def test_a_limb_follows_one_of_another_armature(leader: Object, door: Callable[[Object], None]) -> None:
    follows()
    before = place()
    bpy.data.objects["Target"].location = PLACES[1]
    door(leader)
    follows()
    assert door is undo or np.linalg.norm(place() - before) > 0.1
    for where in PLACES:
        bpy.data.objects["Target"].location = where
        bpy.context.view_layer.update()
        api.solve(bpy.data.objects["One"])
        follows()


def test_a_target_bone_that_a_limb_of_another_drives_is_followed(leader: Object) -> None:
    """Drivers of armatures count as well: without, the limb showed where its target was before."""
    two = bpy.data.objects["Two"]
    with rigs.editing(two) as bones:
        goal = bones.new("goal")
        goal.head, goal.tail = (1.1, 0.3, 1.2), (1.1, 0.3, 1.4)
    two.two_bone_ik_chains[0].target, two.two_bone_ik_chains[0].subtarget = two, "goal"
    driver = two.pose.bones["goal"].driver_add("location", 0).driver
    driver.expression = "0.3 * turn"
    turn = driver.variables.new()
    turn.name, turn.type = "turn", "TRANSFORMS"
    turn.targets[0].id, turn.targets[0].bone_target, turn.targets[0].transform_type = leader, "lower", "ROT_X"
    places = []
    for where in PLACES * 2:
        bpy.data.objects["Target"].location = where
        bpy.context.view_layer.update()
        api.solve(leader)
        driven = Limb(rig="Two", target="Two", subtarget="goal")
        graph = bpy.context.evaluated_depsgraph_get()
        places.append(driven.goal(graph))
        np.testing.assert_allclose(driven.joints(graph)[2], places[-1], atol=CLOSE)
    assert np.linalg.norm(places[1] - places[0]) > 0.05


def test_limbs_that_follow_limbs_of_each_other_stay_and_are_told(empty_file: None) -> None:
    """Though none follows itself; a limb beside them is posed."""
    one, two = (rigs.armature([*rigs.ARM, *rigs.LEFT], name=name) for name in ("One", "Two"))
    two.location = (0.2, 0.3, 0.1)
    rigs.chain(one, "lower", target=two, subtarget="hand")
    rigs.chain(two, "lower.L", target=one, subtarget="hand")
    rigs.chain(two, "lower", target=PLACES[0])
    one.two_bone_ik_live = two.two_bone_ik_live = True
    for place in PLACES:
        bpy.data.objects["Target"].location = place
        bpy.context.view_layer.update()
        graph = bpy.context.evaluated_depsgraph_get()
        found = {
            (rig.name, name): each.refusal.kind if each.refusal else each.state.name
            for rig in (one, two)
            for name, each in limb_states(rig, bpy.context.scene, graph).items()
        }
        circling = {("One", "lower"), ("Two", "lower.L")}
        assert {limb for limb, kind in found.items() if kind == "LIVE_CIRCLE"} == circling
        free = Limb(rig="Two")
        np.testing.assert_allclose(free.joints(graph)[2], place, atol=CLOSE)
