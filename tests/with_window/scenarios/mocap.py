"""From an imported BVH file to four baked limbs, with no more than eight clicks, and the capture plays as before."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake import report
from user import COLUMNS, LAST_COLUMN, RIGHT_HALF, Steps, User

from support.bvh import CMU, bvh, imported, walk

FRAMES = range(1, 31)
LIMBS = [
    [f"{side}{bone}" for bone in bones]
    for side in ("Left", "Right")
    for bones in (("Arm", "ForeArm", "Hand"), ("UpLeg", "Leg", "Foot"))
]
LENGTH = 14.0
"""Of a leg, in the units of the file."""


def scenario(user: User) -> Steps:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    imported(Path(bpy.app.tempdir), bvh(CMU, walk(len(FRAMES))))
    assert bpy.context.scene.frame_end == 250  # the dialogs offer the frames of the capture
    captured = poses()
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    columns = {"chains_detect": COLUMNS, "create_targets": COLUMNS, "bake_targets": RIGHT_HALF, "bake": LAST_COLUMN}
    for button in columns:
        yield from user.click(f"two_bone_ik.{button}", columns[button])
        yield from user.wait()
        user.screenshot(button)
        if button.startswith("bake"):
            yield from user.press("RET")
            yield from user.wait()
    user.screenshot("baked")
    assert user.clicks <= 8
    assert len(bpy.context.object.two_bone_ik_chains) == 4
    assert rotation_keys() >= {bone for limb in LIMBS for bone in limb[:2]}
    # The pole's steadiness near straight may cost the mid joint that much.
    np.testing.assert_allclose(poses(), captured, atol=2e-3 * LENGTH)
    yield from user.click("two_bone_ik.check")
    yield from user.wait()
    user.screenshot("check")
    yield from user.press("RET")
    yield from user.wait()
    assert report.last(bpy.context.object).title.startswith("Check, frames 1-30"), "no more and no less"


def poses() -> np.ndarray:
    """(n, 4, 3, 4, 3) axes and head of each limb's bones, as Blender evaluates them; axes are as long as a leg."""
    found, rig = [], bpy.context.object
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        scale = np.array([[LENGTH], [LENGTH], [LENGTH], [1.0]])
        found.append([[scale * np.array(bones[name].matrix.transposed())[:, :3] for name in limb] for limb in LIMBS])
    bpy.context.scene.frame_set(FRAMES[0])
    return np.array(found)


def rotation_keys() -> set[str]:
    """Names of the bones that have a key on every frame after the bake, as before."""
    return {
        curve.data_path.split('"')[1]
        for curve in versions.curves(bpy.context.object)
        if "rotation" in curve.data_path and len(curve.keyframe_points) == len(FRAMES)
    }
