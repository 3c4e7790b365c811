"""A chain takes the animation of its IK constraint along: every frame is posed as Blender posed it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import KinematicConstraint, Object

from support import fk, rigs
from support.ik_constraint import DEGREES, JOINTS, apart, limb, shown
from support.truth import on_frame

FRAMES = range(1, 31)
Animate = Callable[[KinematicConstraint], None]


def key(constraint: KinematicConstraint, name: str, values: Mapping[int, float]) -> None:
    for frame, value in values.items():
        setattr(constraint, name, value)
        constraint.keyframe_insert(name, frame=frame)


def drive(constraint: KinematicConstraint, name: str, expression: str) -> None:
    """By a property of the armature object, as the switch of a rig has it."""
    rig = constraint.id_data
    for frame, value in ((1, 0.0), (12, 0.0), (20, 1.0), (30, 1.0)):
        rig["switch"] = value
        rig.keyframe_insert('["switch"]', frame=frame)
    driver = constraint.driver_add(name).driver
    variable = driver.variables.new()
    variable.name = "switch"
    variable.targets[0].id, variable.targets[0].data_path = rig, '["switch"]'
    driver.expression = expression


def keyed_influence(constraint: KinematicConstraint) -> None:
    key(constraint, "influence", {1: 1.0, 8: 1.0, 14: 0.0, 18: 0.0, 25: 0.8})


def keyed_pole_angle(constraint: KinematicConstraint) -> None:
    key(constraint, "pole_angle", {1: -0.5, 15: 1.5, 30: 0.2})


def pole_angle_beyond_half_a_turn(constraint: KinematicConstraint) -> None:
    key(constraint, "pole_angle", {1: -3.1, 30: 3.1})


def keyed_mute(constraint: KinematicConstraint) -> None:
    key(constraint, "mute", {1: False, 10: True, 20: False})


def keyed_enabled(constraint: KinematicConstraint) -> None:
    key(constraint, "enabled", {1: False, 10: True, 20: False})


def muted_throughout(constraint: KinematicConstraint) -> None:
    key(constraint, "mute", {1: True})


def everything_keyed(constraint: KinematicConstraint) -> None:
    keyed_influence(constraint)
    keyed_mute(constraint)
    keyed_pole_angle(constraint)


def driven_influence(constraint: KinematicConstraint) -> None:
    drive(constraint, "influence", "1 - 0.9 * switch")


def driven_mute(constraint: KinematicConstraint) -> None:
    drive(constraint, "mute", "switch > 0.5")


def driven_enabled(constraint: KinematicConstraint) -> None:
    drive(constraint, "enabled", "switch > 0.5")


def influence_on_a_strip(constraint: KinematicConstraint) -> None:
    keyed_influence(constraint)
    animation = constraint.id_data.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    animation.action = None
    strip = animation.nla_tracks.new().strips.new("Strip", 1, action)
    if slot:
        strip.action_slot = slot


def influence_on_a_strip_beyond_the_scene(constraint: KinematicConstraint) -> None:
    influence_on_a_strip(constraint)
    bpy.context.scene.frame_end = 10


def keys_beneath(constraint: KinematicConstraint) -> None:
    """They bend the limb before the constraint does, and so turn the line from which its pole angle counts."""
    fk.swing(constraint.id_data)


ALL = (
    *(keyed_influence, keyed_pole_angle, pole_angle_beyond_half_a_turn, keyed_mute, keyed_enabled),
    *(muted_throughout, everything_keyed, driven_influence, driven_mute, driven_enabled),
)

DRIVEN = {driven_mute: "mute", driven_enabled: "enabled"}
LEFT = "The driver of its {} stays behind; the chain has what it gives on frames 1 to 30 as keys"


def arm(animate: Animate) -> Object:
    """An arm with a constraint, a pole and a moving target."""
    constraint = limb(rigs.ARM, pole_angle=0.7)
    rig = constraint.id_data
    for name, turn in (("upper", (0.9, 0.2, 0.3, -0.1)), ("lower", (0.95, -0.1, 0.1, 0.3))):
        rig.pose.bones[name].rotation_quaternion = turn
    rigs.animate(constraint.target, location={1: (1.2, 0.6, 1.3), 15: (0.6, -0.5, 1.5), 30: (1.4, 0.3, 1.6)})
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    animate(constraint)
    scene.frame_set(1)
    return rig


def poses(rig: Object) -> list[np.ndarray]:
    return [on_frame(frame) and shown(rig) for frame in FRAMES]


def assert_same(before: list[np.ndarray], after: list[np.ndarray]) -> None:
    for frame, (one, other) in enumerate(zip(before, after, strict=True), FRAMES[0]):
        joint, turn = apart(one, other)
        assert joint < JOINTS, frame
        assert turn < DEGREES, frame


@pytest.mark.parametrize(
    ("animate", "frame"),
    [
        *((animate, (1, 13)[row % 2]) for row, animate in enumerate(ALL)),
        *((keyed_influence, 13), (everything_keyed, 13), (driven_influence, 1), (driven_mute, 13)),
        *((influence_on_a_strip, 1), (influence_on_a_strip_beyond_the_scene, 1), (keys_beneath, 1)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_animation_of_a_constraint_is_taken_along(animate: Animate, frame: int) -> None:
    rig = arm(animate)
    before = poses(rig)
    bpy.context.scene.frame_set(frame)
    (takeover,) = api.chains_from_constraints(rig)
    assert takeover.fields["end_bone"] == "lower"
    assert takeover.differs == tuple(LEFT.format(name) for switch, name in DRIVEN.items() if switch is animate)
    if animate is keyed_influence:
        assert list(rigs.keys(rig.pose.bones["lower"], "two_bone_ik_influence", 0)) == [1, 8, 14, 18, 25]
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert_same(before, poses(rig))


@pytest.mark.parametrize("animate", ALL, ids=lambda animate: animate.__name__)
def test_live_poses_as_the_animated_constraint_did(animate: Animate) -> None:
    rig = arm(animate)
    before = poses(rig)
    api.chains_from_constraints(rig)
    constraints = rig.pose.bones["lower"].constraints
    constraints.remove(constraints[0])
    rig.two_bone_ik_live = True
    assert_same(before, poses(rig))


def test_a_driven_influence_stays_driven() -> None:
    """The rig's own switch goes on to work."""
    rig = arm(driven_influence)
    api.chains_from_constraints(rig)
    chain = rig.two_bone_ik_chains[0]
    rig.animation_data.action = None
    found = []
    for value in (0.0, 1.0):
        rig["switch"] = value
        rig.update_tag()
        bpy.context.view_layer.update()
        found.append(chain.influence)
    assert found == pytest.approx([1.0, 0.1])


@pytest.mark.parametrize(("animate", "muted"), [(keyed_mute, 10), (driven_mute, 17)])
def test_a_constraint_is_muted_at_once(animate: Animate, muted: int) -> None:
    """Not in part between two frames, for renders with motion blur."""
    rig = arm(animate)
    api.chains_from_constraints(rig)
    found = [on_frame(frame) and rig.two_bone_ik_chains[0].influence for frame in (muted - 0.5, muted)]
    assert found == [1.0, 0.0]


def test_a_driven_pole_angle_is_keyed_and_told() -> None:
    rig = arm(lambda constraint: drive(constraint, "pole_angle", "0.3 + switch"))
    before = poses(rig)
    (takeover,) = api.chains_from_constraints(rig)
    assert takeover.differs == (LEFT.format("pole_angle"),)
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert_same(before, poses(rig))


def test_edits_without_a_key_survive_a_takeover() -> None:
    rig = arm(keyed_influence)
    rigs.animate(rig, location={1: (0, 0, 0), 30: (1, 0, 0)})
    bpy.context.scene.frame_set(5)
    rig.location = (0, 3, 0)
    api.chains_from_constraints(rig)
    bpy.context.view_layer.update()
    assert tuple(rig.location) == (0, 3, 0)


def test_a_locked_option_is_refused_before_anything_changes() -> None:
    rig = arm(keyed_influence)
    rig.pose.bones["lower"].keyframe_insert("two_bone_ik_influence", frame=1)
    for curve in versions.curves(rig):
        curve.lock = "two_bone_ik" in curve.data_path
    with pytest.raises(api.Refused):
        api.chains_from_constraints(rig)
    assert not rig.two_bone_ik_chains
