"""Live characters side by side: one call of the solver for all, each by its own last solution, one by another."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.skeleton import chain_group
from bpy.types import Object
from mathutils import Vector

from support import rigify, rigs
from support.live import CLOSE, WITHIN_REACH
from support.truth import Limb

PLACES = [Vector(place) for place in WITHIN_REACH.values()]


def live_arms(*fields: dict[str, object]) -> list[tuple[Object, Object]]:
    """Arms side by side with these fields of their chains, all live, and their targets."""
    found = []
    for number, chosen in enumerate(fields):
        rig, target = rigs.armature(name=f"Rig {number}"), rigs.empty(f"Target {number}")
        rig.location.x = 5.0 * number
        target.location = rig.location + PLACES[0]
        api.add_chain(rig, "lower", target=target, **chosen)
        rig.two_bone_ik_live = True
        found.append((rig, target))
    bpy.context.view_layer.update()
    return found


def tip(rig: Object) -> np.ndarray:
    bpy.context.view_layer.update()
    return Limb(rig=rig.name).joints()[2]


def assert_reached(arms: list[tuple[Object, Object]], frame: int | None = None) -> None:
    for rig, target in arms:
        assert Limb(rig=rig.name, target=target.name).off() < CLOSE, (rig.name, frame)


def move_all(arms: list[tuple[Object, Object]], place: Vector) -> None:
    for rig, target in arms:
        target.location = rig.location + place
    bpy.context.view_layer.update()


def test_limbs_of_all_characters_are_solved_in_one_call(monkeypatch) -> None:
    arms, calls, solve = live_arms({}, {}, {}), [], chain_group.solve
    monkeypatch.setattr(chain_group, "solve", lambda *args: calls.append(args) or solve(*args))
    for count, place in enumerate(PLACES, start=1):
        move_all(arms, place + Vector((0.0, 0.0, 0.05)))
        assert len(calls) == count
        assert_reached(arms)


def test_each_character_goes_by_its_own_choices() -> None:
    arms = live_arms({"bend": "NEGATIVE"}, {"unreachable": "SKIP"}, {"unreachable": "STRETCH"}, {"reference": "POSE"})
    arms[1][0].pose.bones["lower"].rotation_mode = "XYZ"
    arms[2][0].data.bones["lower"].inherit_scale = "NONE"
    arms[3][0].scale = (1.0, 1.2, 0.8)
    for place in PLACES:
        move_all(arms, place)
        assert_reached(arms)
    before = tip(arms[1][0])
    move_all(arms, Vector((2.2, 0.5, 1.0)))
    np.testing.assert_allclose(tip(arms[1][0]), before, atol=CLOSE)
    assert_reached(arms[2:3])


def test_one_character_that_moves_leaves_the_others() -> None:
    """A pose by hand beside it brings back no old solution."""
    arms = live_arms({}, {})
    (_, target), (second, _) = arms
    before = tip(second)
    for place in PLACES:
        target.location = place
        assert_reached(arms[:1])
    np.testing.assert_allclose(tip(second), before, atol=0.0)
    move_all(arms, PLACES[1])
    assert_reached(arms)
    target.location = PLACES[2]
    second.pose.bones["lower"].rotation_quaternion = (0.7, 0.5, 0.3, -0.4)
    bpy.context.view_layer.update()
    assert_reached(arms)


@pytest.mark.parametrize("event", ["depsgraph_update_post", "frame_change_post"])
def test_bones_that_a_handler_changes_count_from_then_on(event: str) -> None:
    [(rig, target)] = live_arms({})
    rig.pose.bones["spine"].scale = (1.5, 1.2, 0.9)
    step: dict[str, Callable[[], None]] = {
        "depsgraph_update_post": bpy.context.view_layer.update,
        "frame_change_post": lambda: bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1),
    }

    def change(*_: object) -> None:
        for name in ("upper", "lower"):
            if rig.data.bones[name].inherit_scale != "NONE":
                rig.data.bones[name].inherit_scale = "NONE"

    move_all([(rig, target)], PLACES[1])
    getattr(bpy.app.handlers, event).append(change)
    try:
        for place in PLACES:
            target.location = place
            step[event]()
        target.location = PLACES[0]
        step[event]()
        assert_reached([(rig, target)])
    finally:
        getattr(bpy.app.handlers, event).remove(change)


def test_a_keyed_pose_beside_brings_back_no_old_solution() -> None:
    arms = live_arms({}, {})
    turns = {1: (1, 0, 0, 0), 10: (0.7, 0.5, 0.3, -0.4)}
    rigs.animate(arms[1][0].pose.bones["upper"], rotation_quaternion=turns)
    rigs.animate(arms[0][1], location=WITHIN_REACH)
    move_all(arms, PLACES[2])
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        assert_reached(arms, frame)


def test_a_limb_follows_another_character_by_drivers() -> None:
    """The first target goes where the second character's hand goes."""
    arms = live_arms({}, {})
    (first, driven), (second, target) = arms
    first.location = second.location + Vector((0.4, 0.2, 0.0))
    rigs.animate(target, location={frame: second.location + Vector(place) for frame, place in WITHIN_REACH.items()})
    for index, axis in enumerate("XYZ"):
        driver = driven.driver_add("location", index).driver
        driver.type, variable = "SUM", driver.variables.new()
        bpy.context.view_layer.update()  # a driver is there before it has a target
        variable.type, hand = "TRANSFORMS", variable.targets[0]
        hand.id, hand.bone_target, hand.transform_type = second, "hand", f"LOC_{axis}"
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        assert_reached(arms, frame)


def test_characters_follow_each_other_with_other_limbs() -> None:
    (first, _), (second, target) = live_arms({}, {})
    chain = first.two_bone_ik_chains[0]
    chain.target, chain.subtarget = second, "hand"
    first.location = second.location + Vector((0.4, 0.2, 0.0))
    follows = target.constraints.new("COPY_ROTATION")
    follows.target, follows.subtarget = first, "spine"
    for place in PLACES:
        target.location = second.location + place
        bpy.context.view_layer.update()
        assert Limb(rig=first.name, target=second.name, subtarget="hand").off() < CLOSE
        assert_reached([(second, target)])


@pytest.mark.versions
def test_a_target_that_is_deleted_does_not_stop_the_other() -> None:
    arms = live_arms(*({"tip_bone": "hand", "use_rotation": True},) * 2)
    for place in PLACES:
        move_all(arms, place)
    rig, target = arms[1]
    bpy.data.objects.remove(arms[0][1])
    for turn in (0.1, 0.2):
        rig.pose.bones["lower"].rotation_quaternion = (1.0, turn, 0.0, 0.0)
        np.testing.assert_allclose(tip(rig), target.location, atol=CLOSE)


def test_a_follower_survives_a_graph_that_is_built_anew() -> None:
    """Blender 4.2 crashed on the evaluation after it."""
    (leader, target), (follower, _) = live_arms({}, {})
    follower.location = (0.0, 0.0, 0.0)
    chain = follower.two_bone_ik_chains[0]
    chain.target, chain.subtarget = leader, "hand"
    for place in PLACES:
        rigs.empty("Other").driver_add("location", 0)
        move_all([(leader, target)], place)
        chain.bend = "NEGATIVE" if chain.bend == "REST" else "REST"
        bpy.context.view_layer.update()
        assert_reached([(leader, target), (follower, target)])


def test_a_target_that_stays_may_come_to_follow_another_limb() -> None:
    (leader, target), (follower, held) = live_arms({}, {})
    follower.location, held.location = leader.location, target.location
    limit = held.constraints.new("LIMIT_DISTANCE")
    limit.target, limit.subtarget, limit.head_tail = leader, "lower", 1.0
    limit.distance, limit.mute = 0.5, True
    bpy.context.view_layer.update()
    before = held.matrix_world.copy()
    limit.mute = False
    bpy.context.view_layer.update()
    assert held.matrix_world == before
    for place in PLACES:
        target.location = place
        assert_reached([(leader, target), (follower, held)])


def test_a_rigify_rig_is_evaluated_once_more_at_most() -> None:
    rig, seen = rigify.generated("basic_human"), []
    target, witness = rigs.empty("Target"), rigs.empty("Witness")
    target.location = rig.pose.bones["forearm_fk.L"].tail
    rigs.animate(target, location={1: target.location, 9: target.location + Vector((0.0, -0.1, 0.1))})
    api.add_chain(rig, "forearm_fk.L", target=target)
    # Evaluated after the pose, as often as that is.
    driver = witness.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = rig, "forearm_fk.L"
    bpy.app.driver_namespace["count_evaluation"] = lambda value: seen.append(value) or value
    driver.expression = "count_evaluation(var)"

    def evaluations(live: bool) -> list[int]:
        rig.two_bone_ik_live = live
        counts = []
        for frame in range(1, 10):
            bpy.context.scene.frame_set(frame)
            seen.clear()
            bpy.context.scene.frame_set(frame + 1)
            counts.append(len(seen))
        return counts

    without, with_live = evaluations(live=False), evaluations(live=True)
    assert min(with_live) > 0
    assert all(more <= count + 1 for more, count in zip(with_live, without, strict=True)), (without, with_live)
