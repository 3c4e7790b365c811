"""Chains that move each other are solved in their order; where there is none, it is said which ones are in the way.

A chain that hangs on another reaches from where that one plays, also on frames on which it gets no key.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.build_plan import build_plan
from bpy.types import Object

from support import file_data
from support.refused import refused
from support.rigs import ARM, LEFT, Bone, animate, armature, empty, keys
from support.truth import Limb, on_frame, save_and_load

WAYS = ["AUTO", "ISOLATED", "SCENE"]
FRAMES = range(1, 13)
CLOSE = 1e-5

FINGER = (
    Bone("palm", (2, 0, 1.1), (2.2, 0, 1.1), "hand"),
    Bone("near", (2.2, 0, 1.1), (2.4, 0.05, 1.1), "palm"),
    Bone("far", (2.4, 0.05, 1.1), (2.6, 0, 1.1), "near"),
)
RIGHT_ARM = Limb(pole="Pole")
LEFT_ARM = Limb(root="upper.L", end="lower.L", pole="Pole.L")


def two_arms(*bones: Bone) -> Object:
    """A rig of two arms, its spine animated, with a chain for the right one that follows an animated target."""
    rig = armature((*ARM, *LEFT, *bones))
    animate(rig.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 12: (1, 0.1, 0.1, 0.2)})
    target, pole = empty("Target"), empty("Pole", (1, 3, 1))
    animate(target, location={1: (1.2, 0.6, 1.3), 6: (0.3, 0.7, 1.2), 12: (0.5, -0.8, 1.5)})
    empty("Pole.L", (-1, 3, 1))
    api.add_chain(rig, "lower", target=target, pole_target=pole)
    return rig


def follow_with(rig: Object, end_bone: str, target: Object, *, first: bool = True, **fields: object) -> None:
    """Add a chain that is to follow the right arm, and list it first or last."""
    api.add_chain(rig, end_bone, target=target, **fields)
    if first:
        rig.two_bone_ik_chains.move(len(rig.two_bone_ik_chains) - 1, 0)


def assert_met(*limbs: Limb) -> None:
    """By these limbs and by the right arm, on every frame of the saved file."""
    save_and_load()
    assert max(max(limb._miss(now)) for now in map(on_frame, FRAMES) for limb in (RIGHT_ARM, *limbs)) < CLOSE


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", [True, False], ids=["listed first", "listed last"])
def test_a_finger_hangs_on_an_arm(way: str, first: bool) -> None:
    rig = two_arms(*FINGER)
    thing = empty("Thing")
    thing.parent = bpy.data.objects["Target"]
    thing.location = (0.3, 0.1, 0.1)
    follow_with(rig, "far", thing, first=first, pole_target=bpy.data.objects["Pole.L"])
    bpy.data.objects["Pole.L"].location = (3, 3, 3)
    api.bake(rig, frames=(1, 12), sampling=way)
    assert_met(Limb(root="near", end="far", target="Thing", pole="Pole.L"))


@pytest.mark.parametrize(
    ("way", "inherit", "turns"),
    [
        *(("AUTO", "FULL", True), ("AUTO", "NONE", False), ("ISOLATED", "FULL", False)),
        *(("ISOLATED", "NONE", True), ("SCENE", "NONE", True), ("SCENE", "FULL", False)),
    ],
)
def test_what_lies_between_two_chains_is_carried_as_it_inherits(way: str, inherit: str, turns: bool) -> None:
    rig = two_arms(*FINGER)
    rig.data.bones["hand"].use_inherit_rotation, rig.data.bones["hand"].inherit_scale = turns, inherit
    animate(
        rig.pose.bones["hand"],
        rotation_quaternion={1: (1, 0, 0, 0), 12: (1, 0.5, 0, 0)},
        scale={1: (1, 1, 1), 12: (2, 1, 1)},
    )
    animate(rig.pose.bones["palm"], location={1: (0, 0, 0), 12: (0.1, 0, 0.1)})
    follow_with(rig, "far", bpy.data.objects["Target"], pole_target=bpy.data.objects["Pole.L"])
    api.bake(rig, frames=(1, 12), sampling=way)
    assert_met(Limb(root="near", end="far", pole="Pole.L"))


@pytest.mark.parametrize(
    ("way", "subtarget"), [*zip(WAYS, ("lower", "hand", "palm"), strict=True), ("SCENE", "hand"), ("ISOLATED", "palm")]
)
def test_a_target_is_a_bone_that_another_chain_moves(way: str, subtarget: str) -> None:
    rig = two_arms(*FINGER)
    rig.data.bones["palm"].use_inherit_rotation = False
    follow_with(rig, "lower.L", rig, subtarget=subtarget, pole_target=bpy.data.objects["Pole.L"])
    api.bake(rig, frames=(1, 12), sampling=way)
    assert_met(Limb(root="upper.L", end="lower.L", target="Rig", subtarget=subtarget, pole="Pole.L"))


@pytest.mark.parametrize(
    ("role", "bone", "way"),
    [
        (role, bone, way)
        for role, ways in (("target", WAYS), ("pole_target", WAYS[::-1]))
        for bone, way in zip(("upper", "lower", "hand"), ways, strict=True)
    ],
)
def test_a_target_may_hang_on_a_bone_of_another_chain(way: str, bone: str, role: str) -> None:
    rig = two_arms()
    tray, glass = empty("Tray", (0.1, 0.2, 0.3)), empty("Glass", (-1.2, 0.1, 0.2))
    tray.parent, tray.parent_type, tray.parent_bone = rig, "BONE", bone
    glass.parent = tray
    animate(tray, rotation_euler={1: (0, 0, 0), 12: (1, 0.5, 0)})
    goals = {"target": empty("Thing", (-1, 0.5, 1.2)), "pole_target": bpy.data.objects["Pole.L"], role: glass}
    follow_with(rig, "lower.L", **goals)
    api.bake(rig, frames=(1, 12), sampling=way)
    assert_met(Limb(root="upper.L", end="lower.L", target=goals["target"].name, pole=goals["pole_target"].name))


@pytest.mark.parametrize("way", WAYS)
def test_three_chains_in_a_row(way: str) -> None:
    rig = two_arms(*FINGER)
    rig.scale = (1.5, 1.5, 1.5)
    rig.location = (1, 1, 1)
    follow_with(rig, "far", bpy.data.objects["Target"], pole_target=bpy.data.objects["Pole.L"])
    follow_with(rig, "lower.L", rig, subtarget="far", pole_target=bpy.data.objects["Pole"])
    assert [chain.name for chain in build_plan(rig, None, (1, 12), None).chains] == ["lower", "far", "lower.L"]
    api.bake(rig, frames=(1, 12), sampling=way)
    left = Limb(root="upper.L", end="lower.L", target="Rig", subtarget="far", pole="Pole")
    assert_met(Limb(root="near", end="far", pole="Pole.L"), left)


def test_one_chain_alone_follows_the_keys_that_the_other_has() -> None:
    rig = two_arms()
    follow_with(rig, "lower.L", rig, subtarget="hand", pole_target=bpy.data.objects["Pole.L"])
    api.bake(rig, ["lower"], (1, 12))
    animate(bpy.data.objects["Target"], location={12: (0.2, 0.1, 1.9)})
    api.bake(rig, ["lower.L"], (1, 12))
    limb = Limb(root="upper.L", end="lower.L", target="Rig", subtarget="hand", pole="Pole.L")
    assert limb.misses(FRAMES).max() < CLOSE


def test_a_solve_poses_chains_in_their_order() -> None:
    rig = two_arms()
    follow_with(rig, "lower.L", rig, subtarget="hand", pole_target=bpy.data.objects["Pole.L"])
    bpy.context.scene.frame_set(6)
    api.solve(rig)
    assert Limb(root="upper.L", end="lower.L", target="Rig", subtarget="hand").off() < CLOSE


def constrain_target(rig: Object, thing: Object) -> None:
    constraint = thing.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = rig, "hand"


def constrain_parent_of_target(rig: Object, thing: Object) -> None:
    thing.parent = empty("Sword")
    constraint = thing.parent.constraints.new("CHILD_OF")
    constraint.target, constraint.subtarget = rig, "hand"


def constrain_what_hangs_on_the_arm(rig: Object, thing: Object) -> None:
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", "hand"
    thing.constraints.new("LIMIT_LOCATION")


def constrain_in_the_space_of_the_arm(rig: Object, thing: Object) -> None:
    copy = thing.constraints.new("COPY_LOCATION")
    copy.target, copy.owner_space, copy.space_object, copy.space_subtarget = empty("Source"), "CUSTOM", rig, "lower"


def drive_target(rig: Object, thing: Object) -> None:
    for index, axis in enumerate("XYZ"):
        driver = thing.driver_add("location", index).driver
        variable = driver.variables.new()
        variable.type, driver.type = "TRANSFORMS", "SUM"
        read = variable.targets[0]
        read.id, read.bone_target, read.transform_type = rig, "hand", f"LOC_{axis}"


def drive_by_what_hangs_on_the_arm(rig: Object, thing: Object) -> None:
    sword = empty("Sword")
    sword.parent, sword.parent_type, sword.parent_bone = rig, "BONE", "hand"
    driver = thing.driver_add("location", 1).driver
    variable = driver.variables.new()
    variable.type, driver.type = "LOC_DIFF", "SUM"
    variable.targets[0].id, variable.targets[1].id = sword, rig


@pytest.mark.parametrize(
    ("tie", "kind"),
    [
        (constrain_target, "FOLLOWS_BY_CONSTRAINT"),
        (constrain_parent_of_target, "FOLLOWS_BY_CONSTRAINT"),
        (constrain_what_hangs_on_the_arm, "FOLLOWS_BY_CONSTRAINT"),
        (constrain_in_the_space_of_the_arm, "FOLLOWS_BY_CONSTRAINT"),
        (drive_target, "FOLLOWS_BY_DRIVER"),
        (drive_by_what_hangs_on_the_arm, "FOLLOWS_BY_DRIVER"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_chains_tied_by_constraint_or_driver_are_baked_in_turn(
    tie: Callable[[Object, Object], None], kind: str
) -> None:
    """A sword in the right hand that the left one is to hold: only Blender knows where it goes, once there are keys."""
    rig = two_arms()
    thing = empty("Thing", (-0.3, 0, 0))
    tie(rig, thing)
    follow_with(rig, "lower.L", thing, pole_target=bpy.data.objects["Pole.L"])
    with refused(kind, '"lower"', '"lower.L"'):
        api.bake(rig, frames=(1, 12))
    api.bake(rig, ["lower"], (1, 12))
    api.bake(rig, ["lower.L"], (1, 12))
    assert_met(Limb(root="upper.L", end="lower.L", target="Thing", pole="Pole.L"))


def test_chains_that_wait_for_each_other_are_refused_by_name() -> None:
    rig = two_arms()
    follow_with(rig, "lower.L", rig, subtarget="hand")
    rig.two_bone_ik_chains["lower"].target, rig.two_bone_ik_chains["lower"].subtarget = rig, "hand.L"
    with refused("CHAIN_CYCLE") as found:
        api.bake(rig, frames=(1, 12))
    assert found.value.value in ("lower → lower.L → lower", "lower.L → lower → lower.L")


@pytest.mark.parametrize(
    ("bone", "channel", "space", "follows"),
    [
        ("hand", "LOC_Z", "WORLD_SPACE", True),
        ("hand", "LOC_Z", "TRANSFORM_SPACE", True),
        ("hand", "LOC_Z", "LOCAL_SPACE", False),
        ("lower", "ROT_Z", "LOCAL_SPACE", True),
        ("lower", "LOC_Z", "LOCAL_SPACE", False),
    ],
)
def test_a_target_driven_by_its_own_limb_is_refused(bone: str, channel: str, space: str, follows: bool) -> None:
    """In local space a driver reads the bone's own channels: a bake of the arm changes rotations of its two bones."""
    rig = two_arms()
    driver = bpy.data.objects["Pole"].driver_add("location", 2).driver
    variable = driver.variables.new()
    variable.type, driver.expression = "TRANSFORMS", "var"
    read = variable.targets[0]
    read.id, read.bone_target, read.transform_type, read.transform_space = rig, bone, channel, space
    with refused("TARGET_FOLLOWS", "Pole") if follows else nullcontext():
        api.bake(rig, frames=(1, 12))
    if not follows:
        assert_met()


LONGER = range(1, 25)

TIP = Limb(root="near", end="far", target="Ball", pole="Pole")


def hand_and_finger(**fields: object) -> Object:
    """An arm whose target leaves its reach and comes back, with a finger that follows a ball held before the hand."""
    rig = armature((*ARM, *FINGER))
    for name in ("hand", "palm"):
        rig.data.bones[name].inherit_scale = "NONE"
    target, ball = empty("Target"), empty("Ball", (0.1, 0.15, 0.1))
    animate(target, location={1: (1.2, 0.6, 1.3), 7: (2.5, 1.5, 1.6), 13: (0.6, -0.8, 1.5), 24: (1.4, 0.3, 0.6)})
    ball.parent, ball.parent_type, ball.parent_bone = rig, "BONE", "palm"
    animate(ball, location={frame: (0.1, 0.15 + 0.002 * frame, 0.1) for frame in LONGER})
    api.add_chain(rig, "far", target=ball, pole_target=empty("Pole", (1, 3, 3)))
    api.add_chain(rig, "lower", target=target, **fields)
    return rig


@pytest.mark.parametrize(
    ("way", "interpolation"),
    [*zip(WAYS, ("BEZIER", "LINEAR", "CONSTANT"), strict=True), ("ISOLATED", "BEZIER"), ("SCENE", "LINEAR")],
)
def test_a_finger_reaches_while_its_arm_skips(interpolation: str, way: str) -> None:
    rig = hand_and_finger(unreachable="SKIP")
    report = api.bake(rig, frames=(1, 24), interpolation=interpolation, sampling=way)
    assert report.chains[1].reached
    assert len(keys(rig.pose.bones["lower"])) < 24 == len(keys(rig.pose.bones["far"]))
    assert TIP.misses(LONGER).max() < CLOSE


@pytest.mark.parametrize("way", WAYS)
def test_a_finger_reaches_between_the_keys_of_its_arm(way: str) -> None:
    rig = hand_and_finger()
    api.bake(rig, frames=(1, 24), keys="TARGET_KEYS", sampling=way)
    assert list(keys(rig.pose.bones["lower"])) == [1, 7, 13, 24]
    assert len(keys(rig.pose.bones["far"])) == 24
    assert TIP.misses(LONGER).max() < CLOSE


def test_a_finger_reaches_where_its_arm_keeps_keys_from_before() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    animate(rig.pose.bones["upper"], rotation_quaternion={0: (1, 0.3, 0, 0), 40: (1, 0, 0, 0.5)})
    api.bake(rig, frames=(5, 24))
    assert TIP.misses(range(5, 25)).max() < CLOSE


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR"])
def test_a_reduced_finger_holds_its_tolerance_on_a_reduced_arm(interpolation: str) -> None:
    rig = hand_and_finger()
    ball, tolerance = bpy.data.objects["Ball"], 0.05
    ball.animation_data_clear()
    ball.parent, ball.parent_type, ball.location = bpy.data.objects["Target"], "OBJECT", (0.3, 0.1, 0.1)
    length = sum(rig.data.bones[name].length for name in ("near", "far"))
    api.bake(rig, frames=(1, 24), keys="REDUCED", tolerance=tolerance, interpolation=interpolation)
    off = TIP.misses(np.arange(1.0, 24.1, 0.25))[:, 1] * length
    assert off.max() <= tolerance * 1.001 + CLOSE


def test_a_finger_hangs_on_the_hand_as_its_target_turns_it() -> None:
    rig = hand_and_finger(tip_bone="hand", use_rotation=True)
    animate(bpy.data.objects["Target"], rotation_euler={1: (0, 0, 0), 24: (1, 2, 0.5)})
    api.bake(rig, frames=(1, 24))
    assert TIP.misses(LONGER).max() < CLOSE


def test_a_solve_takes_a_skipped_arm_as_it_stands() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    bpy.context.scene.frame_set(7)
    rig.pose.bones["upper"].rotation_quaternion = (1, 0.2, 0, 0.3)
    api.solve(rig)
    assert TIP.off() < CLOSE


@pytest.mark.parametrize("way", WAYS)
def test_a_finger_reaches_while_its_arm_has_a_driven_scale(way: str) -> None:
    rig = hand_and_finger(unreachable="SKIP")
    for index in range(3):
        rig.pose.bones["lower"].driver_add("scale", index).driver.expression = "1 + 0.01 * frame"
    assert api.bake(rig, frames=(1, 24), sampling=way).posed
    assert TIP.misses(LONGER).max() < CLOSE


def test_a_check_refuses_by_the_name_of_the_armature() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    rig.pose.bones["upper"].driver_add("rotation_quaternion", 0).driver.expression = "1"
    with pytest.raises(api.Refused, match='of bone "upper" on "Rig" is driven'):
        api.check(rig, frames=(1, 24))


def test_nothing_is_left_behind_by_what_was_tried() -> None:
    rig = hand_and_finger(unreachable="SKIP")
    rig.pose.bones["spine"].keyframe_insert("location", frame=1)
    rig.pose.bones["spine"].location = (0.1, 0.2, 0.3)
    before = file_data.dump()
    api.check(rig, frames=(1, 24))
    assert not file_data.changed(before)
    bpy.context.view_layer.update()
    assert not file_data.changed(before)
    assert rig.animation_data.action.users == 1
    assert tuple(rig.pose.bones["spine"].location) == pytest.approx((0.1, 0.2, 0.3))
