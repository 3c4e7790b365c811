"""From a walk on the IK controls of a generated rig to FK keys in one press, played, and back in another."""

from __future__ import annotations

import time
from math import pi, sin

import addon_utils
import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bpy.types import Object
from scenarios.pictures import look_at, show
from user import Steps, User

from support.rigs import animate

FRAMES = range(1, 13)
COLUMNS = (0.5, 0.83)
"""Of the two buttons beside a label."""
SECONDS = 120


def scenario(user: User) -> Steps:
    name = generated()
    rig = bpy.data.objects[name]
    walk(rig)
    bpy.context.scene.frame_end = FRAMES[-1]
    bpy.ops.ed.undo_push()
    look_at(user)
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    user.screenshot("start")
    before = shown(name)
    clicks = user.clicks
    yield from press(user, "FK", name)
    assert user.clicks - clicks == 1
    yield from user.wait()
    user.screenshot("fk")
    assert np.abs(shown(name) - before).max() < 1e-4
    assert layers(name) == {1.0}
    bpy.ops.screen.animation_play()
    yield from user.wait(10)
    bpy.ops.screen.animation_cancel(restore_frame=True)
    yield from press(user, "IK", name)
    yield from user.wait()
    user.screenshot("back")
    assert np.abs(shown(name) - before).max() < 1e-4
    assert layers(name) == {0.0}
    yield from user.undo()
    assert layers(name) == {1.0}
    assert np.abs(shown(name) - before).max() < 1e-4
    yield from user.undo()
    yield from pictures(user, bpy.data.objects[name])


def pictures(user: User, rig: Object) -> Steps:
    """A foot control is selected: the panel has buttons for its limb, and after Detect its chain."""
    bpy.context.preferences.system.viewport_aa = "8"  # as Blender comes
    bpy.context.scene.frame_set(4)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in versions.selectable_bones(rig):
        bone.select = bone.name == "foot_ik.L"
    rig.data.bones.active = rig.data.bones["foot_ik.L"]
    bpy.ops.ed.undo_push()
    yield from user.move(user.area.x + 100, user.area.y + 100)  # no tooltip over the panel
    yield from show(user, "switch")
    bpy.ops.two_bone_ik.chains_detect()
    yield from show(user, "rig_chains")


def generated() -> str:
    """The name of the rig that Rigify generates from its basic human metarig, active."""
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.object.armature_basic_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    bpy.data.objects.remove(metarig)
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig.name


def walk(rig: Object) -> None:
    """Feet and hands swing, heels roll, all on the IK controls."""
    bones = rig.pose.bones
    for frame in FRAMES[::4]:
        for side, sign in (("L", 1.0), ("R", -1.0)):
            swing = sign * sin(2.0 * pi * frame / len(FRAMES))
            animate(bones[f"foot_ik.{side}"], location={frame: (0, 0.2 * swing, 0.05 + 0.05 * swing)})
            animate(bones[f"foot_heel_ik.{side}"], rotation_euler={frame: (0.2 + 0.2 * swing, 0, 0)})
            animate(bones[f"hand_ik.{side}"], location={frame: (-0.1 * sign, 0.1 - 0.15 * swing, 0)})


def shown(name: str) -> np.ndarray:
    """(frames, bones, 3, 4) of what deforms the limbs, as Blender evaluates it."""
    found, scene = [], bpy.context.scene
    for frame in FRAMES:
        scene.frame_set(frame)
        rig = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = [f"DEF-{part}.{side}" for part in ("thigh", "shin", "foot", "forearm", "hand") for side in "LR"]
        found.append([np.array(rig.pose.bones[bone].matrix)[:3] for bone in bones])
    return np.array(found)


def layers(name: str) -> set[float]:
    """What the switches of the limbs are."""
    bones = bpy.data.objects[name].pose.bones
    return {bones[f"{limb}_parent.{side}"]["IK_FK"] for limb in ("thigh", "upper_arm") for side in "LR"}


def press(user: User, direction: str, name: str) -> Steps:
    """Press the button for all limbs. It goes on bit by bit; then there is another report."""
    before, began = report.last(bpy.data.objects[name]), time.monotonic()
    options = f"only_active=False, frame_start={FRAMES[0]}, frame_end={FRAMES[-1]}, direction='{direction}'"
    yield from user.click(f"two_bone_ik.switch({options})", COLUMNS)
    while report.last(bpy.data.objects[name]) is before:
        assert time.monotonic() - began < SECONDS, "Nothing was switched"
        yield
