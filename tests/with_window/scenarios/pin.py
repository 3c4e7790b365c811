"""Pin: one press on a new rig, and the feet stay while the mouse moves the hips."""

from __future__ import annotations

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from scenarios.limb import metarig
from user import RIGHT_HALF, Steps, User

FEET = ("foot.L", "foot.R")
CLOSE = 1e-5


def scenario(user: User) -> Steps:
    metarig()
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    before = feet()
    yield from user.click("two_bone_ik.pin", RIGHT_HALF)
    yield
    rig = bpy.context.object
    assert [chain.name for chain in rig.two_bone_ik_chains] == ["Arm.L", "Arm.R", "Leg.L", "Leg.R"]
    assert rig.two_bone_ik_live
    assert np.abs(feet() - before).max() < CLOSE
    user.screenshot("pinned")

    for bone in versions.selectable_bones(rig):
        bone.select = bone.name == "spine"
    rig.data.bones.active = rig.data.bones["spine"]
    bpy.ops.ed.undo_push()
    hips = height()
    yield from user.point(0.5, 0.6)
    yield from user.press("G")
    yield from user.press("Z")
    for step in range(1, 5):
        yield from user.point(0.5, 0.6 - 0.01 * step)
        yield
        assert np.abs(feet() - before).max() < CLOSE
    yield from user.press("RET")
    yield
    assert height() < hips - 0.02
    assert np.abs(feet() - before).max() < CLOSE
    user.screenshot("moved")

    for _ in ("moved", "selected", "pinned"):
        yield from user.undo()
    rig = bpy.context.object
    assert not rig.two_bone_ik_chains
    assert not rig.two_bone_ik_live
    assert [item.name for item in bpy.data.objects] == [rig.name]


def evaluated() -> bpy.types.Object:
    return bpy.context.object.evaluated_get(bpy.context.view_layer.depsgraph)


def feet() -> np.ndarray:
    """(2, 3) the ankles, as Blender evaluates them."""
    return np.array([tuple(evaluated().pose.bones[name].head) for name in FEET])


def height() -> float:
    return evaluated().pose.bones["spine"].head.z
