"""Pin over a range on a generated rig: after Detect one hand is pinned, and keeps its way while the body moves."""

from __future__ import annotations

from math import sin

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from scenarios.pictures import look_at
from scenarios.switch import generated
from user import Steps, User

from support.rigs import animate

FRAMES = range(1, 10)
CLOSE = 1e-4
HAND, OTHER = "DEF-hand.L", "DEF-upper_arm.L"


def scenario(user: User) -> Steps:
    name = generated()
    rig = bpy.data.objects[name]
    reach(rig)
    bpy.context.scene.frame_end = FRAMES[-1]
    bpy.ops.object.mode_set(mode="POSE")
    look_at(user)
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    before, others = shown(name), shown(name, OTHER)
    yield from user.click("two_bone_ik.chains_detect")
    yield from user.wait()
    assert len(rig.two_bone_ik_chains) == 4
    select(rig, "hand_fk.L")
    yield from user.wait()
    user.screenshot("detected")
    with user.override():
        bpy.ops.two_bone_ik.pin("INVOKE_DEFAULT", over_range=True, only_active=True)
    yield from user.wait()
    user.screenshot("dialog")
    yield from user.press("RET")
    yield from user.wait()
    assert bpy.data.objects[name].two_bone_ik_live
    assert np.abs(shown(name) - before).max() < CLOSE
    animate(bpy.data.objects[name].pose.bones["torso"], location={1: (0.02, -0.03, 0), FRAMES[-1]: (0.04, -0.02, 0.03)})
    assert np.abs(shown(name) - before).max() < CLOSE
    assert np.abs(shown(name, OTHER) - others).max() > 0.01
    yield from user.wait()
    user.screenshot("moved")


def reach(rig: bpy.types.Object) -> None:
    """The left arm, as its FK controls show it, reaches forward while the hips sink."""
    bones = rig.pose.bones
    bones["upper_arm_parent.L"]["IK_FK"] = 1.0
    for frame in FRAMES[::3]:
        swing = sin(frame / 2)
        animate(bones["torso"], location={frame: (0, 0, -0.05 - 0.03 * swing)})
        animate(bones["upper_arm_fk.L"], rotation_quaternion={frame: (1, 0.3 * swing, 0.2, 0.1)})
        animate(bones["forearm_fk.L"], rotation_quaternion={frame: (1, 0.5 + 0.2 * swing, 0, 0)})
        animate(bones["hand_fk.L"], rotation_quaternion={frame: (1, 0.2, 0.1 * swing, 0)})


def select(rig: bpy.types.Object, name: str) -> None:
    for bone in versions.selectable_bones(rig):
        bone.select = bone.name == name
    rig.data.bones.active = rig.data.bones[name]
    bpy.ops.ed.undo_push()


def shown(name: str, bone: str = HAND) -> np.ndarray:
    """(frames, 4, 4) the hand, or another bone, in the world, as Blender evaluates it."""
    found = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        rig = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append(rig.matrix_world @ rig.pose.bones[bone].matrix)
    return np.array(found)
