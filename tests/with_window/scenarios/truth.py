"""Live holds a limb that has keys of its own, and list and overlay tell what Blender shows."""

from __future__ import annotations

from math import radians
from pathlib import Path

import bpy
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from mathutils import Euler, Vector
from scenarios.limb import metarig
from user import Steps, User

REACHED, HIDDEN = (0.35, 0.85, 0.35), (0.85, 0.4, 0.95)
FRAMES = (1, 5, 9, 12, 5, 5)
CLOSE = 1e-5


def scenario(user: User) -> Steps:
    metarig()
    bpy.ops.two_bone_ik.chains_detect()
    bpy.ops.two_bone_ik.create_targets()
    rig().two_bone_ik_active = 0
    rig().two_bone_ik_chains["Arm.L"].target.location += Vector(
        (-0.15, -0.1, 0.1)
    )  # within reach, whatever the shoulder does
    arm = rig().pose.bones["upper_arm.L"]
    arm.rotation_mode = "QUATERNION"
    for frame, angle in ((1, 0.0), (12, 1.2)):
        arm.rotation_quaternion = Euler((angle, 0.3 * angle, 0.0)).to_quaternion()
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    look_at(user)
    yield from user.open_sidebar("Animation")
    bpy.context.window_manager.two_bone_ik_overlay = True
    bpy.context.scene.frame_set(12)
    yield from user.wait()
    user.screenshot("off")
    assert told() == "NOT_POSED"

    yield from user.click("two_bone_ik.live")
    yield from user.wait()
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        yield
        assert distance() < CLOSE, frame
        assert told() == "REACHED"
    yield from user.wait()
    user.screenshot("live")
    assert user.sees(REACHED)

    yield from turned_by_hand(user, "shoulder.L")
    yield from turned_by_hand(user, "forearm.L")
    user.screenshot("turned")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    yield from turned_by_hand(user, "upper_arm.L")
    keyed = [curve.evaluate(5) for curve in versions.curves(rig()) if "upper_arm.L" in curve.data_path]
    assert (Vector(keyed[:4]) - Vector(rig().pose.bones["upper_arm.L"].rotation_quaternion)).length < 1e-5
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    for step in (user.undo, user.undo, user.redo):
        yield from step()
        yield from user.wait()
        assert distance() < CLOSE

    path = Path(bpy.app.tempdir, "truth.blend")
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    yield from user.wait()
    assert distance() < CLOSE
    assert told() == "REACHED"

    constraint = rig().pose.bones["forearm.L"].constraints.new("IK")
    constraint.target, constraint.chain_count = rig().two_bone_ik_chains["Leg.R"].target, 2
    user.window = bpy.context.window_manager.windows[0]
    user.area = next(area for area in user.window.screen.areas if area.type == "VIEW_3D")
    user.sidebar = next(region for region in user.area.regions if region.type == "UI")
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    user.screenshot("hidden")
    assert user.sees(HIDDEN)
    yield from user.click("two_bone_ik.reveal")
    yield from user.wait()
    assert rig().pose.bones["forearm.L"].constraints["IK"].mute
    assert distance() < CLOSE
    bpy.ops.screen.animation_play()
    yield from user.wait(30)
    bpy.ops.screen.animation_cancel(restore_frame=False)
    yield from user.wait()
    user.screenshot("played")
    assert distance() < CLOSE
    assert told() == "REACHED"


def turned_by_hand(user: User, name: str) -> Steps:
    """R in Pose Mode, while the mouse moves: the tip stays where the target is."""
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    bone = rig().pose.bones[name]
    rig().data.bones.active = bone.bone
    (bone if hasattr(bone, "select") else bone.bone).select = True
    bpy.ops.ed.undo_push()
    yield from user.point(0.4, 0.6)
    yield from user.press("R")
    for step in range(5):
        yield from user.point(0.4 + 0.03 * step, 0.6 - 0.03 * step)
        yield
        assert distance() < CLOSE, (name, step, distance())
    yield from user.press("RET")
    yield
    assert distance() < CLOSE


def rig() -> bpy.types.Object:
    return bpy.data.objects["metarig"]


def told() -> str:
    depsgraph = bpy.context.window_manager.windows[0].view_layer.depsgraph
    return limb_states(rig(), bpy.context.scene, depsgraph)["Arm.L"].state


def distance() -> float:
    """From the evaluated tip of the left arm to its target."""
    depsgraph = bpy.context.window_manager.windows[0].view_layer.depsgraph
    evaluated = rig().evaluated_get(depsgraph)
    target = rig().two_bone_ik_chains["Arm.L"].target.evaluated_get(depsgraph)
    return (evaluated.matrix_world @ evaluated.pose.bones["hand.L"].head - target.matrix_world.translation).length


def look_at(user: User) -> None:
    view = user.area.spaces.active.region_3d
    view.view_rotation = Euler((radians(82.0), 0.0, radians(20.0))).to_quaternion()
    view.view_distance = 3.4
    view.view_location = (-0.3, -0.1, 0.9)
