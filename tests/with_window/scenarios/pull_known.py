"""Pull Limb on a generated rig as it comes, in IK: the hand that shows goes along, and with auto keying its control."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik.blender import versions
from mathutils import Vector
from scenarios.pull import move
from scenarios.pull_chosen import choose, front
from scenarios.switch import generated
from user import Steps, User

SHOWN = ("DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L")
UP = Vector((-0.1, 0.0, 0.2))
PIXEL = 1e-2
"""Metres: the whole character in the view, a pixel is 6 mm, and both ends of a way are whole pixels."""


def scenario(user: User) -> Steps:
    generated()
    bpy.ops.object.mode_set(mode="POSE")
    yield from front(user)
    yield from choose(user, "two_bone_ik.pull_limb")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.preferences.edit.use_keyframe_insert_available = False
    bpy.ops.ed.undo_push()
    before, fk = controls(), controls("_fk.")
    tip = joints()[2]

    # Esc leaves no trace.
    yield from begin(user, tip, tip + UP)
    assert controls() != before
    yield from user.press("ESC")
    yield from user.release("LEFTMOUSE")
    yield
    assert controls() == before
    assert not keyed()

    yield from begin(user, tip, tip + UP)
    user.screenshot("pulled")
    yield from user.release("LEFTMOUSE")
    yield from user.wait(10)
    root, mid, hand = joints()
    assert (hand - tip - UP).length < PIXEL, hand
    assert controls("_fk.") == fk
    assert keyed() == {'pose.bones["hand_ik.L"].location'}
    pulled = controls()

    # The elbow, which no pole bends as the rig comes.
    yield from begin(user, mid, mid + Vector((0.1, 0.0, -0.3)))
    yield from user.release("LEFTMOUSE")
    yield from user.wait(10)
    user.screenshot("elbow")
    turned = joints()
    assert (turned[0] - root).length < PIXEL, turned
    assert (turned[2] - hand).length < PIXEL, turned
    assert turned[1].z < mid.z - 0.02, (turned, mid)
    assert controls("_fk.") == fk
    assert {path.split('"')[1] for path in keyed()} == {"hand_ik.L", "upper_arm_ik.L"}, keyed()
    yield from user.undo()
    assert controls() == pulled
    yield from user.undo()
    assert controls() == before
    assert not keyed()


def begin(user: User, place: Vector, to: Vector) -> Steps:
    yield from user.point_at(place)
    yield from user.wait(20)
    yield from user.hold("LEFTMOUSE")
    yield from move(user, to)


def joints() -> tuple[Vector, ...]:
    """Of the arm that shows, in the world, as Blender evaluates it."""
    bpy.context.view_layer.update()
    rig = bpy.context.object.evaluated_get(bpy.context.view_layer.depsgraph)
    return tuple(rig.matrix_world @ rig.pose.bones[name].head for name in SHOWN)


def controls(name: str = "") -> list[tuple[float, ...]]:
    """Their own channels, of those with this in their name."""
    bones = [bone for bone in bpy.context.object.pose.bones if name in bone.name]
    return [(*bone.location, *bone.rotation_quaternion, *bone.rotation_euler) for bone in bones]


def keyed() -> set[str]:
    return {curve.data_path for curve in versions.curves(bpy.context.object)}
