"""The set-up for motion capture clean-up, with nothing but defaults: the capture plays on as it was."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object

from support.bvh import CMU, bvh, imported, t_pose, walk
from support.truth import on_frame

FRAMES = range(1, 31)
LENGTH = 14.0
"""Of a leg, in the units of the file."""

LIMBS = [f"{side}{bone}" for side in ("Left", "Right") for bone in ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot")]


def poses(rig: Object) -> np.ndarray:
    """(n, 12, 4, 3) axes and head of each limb's bones, as Blender evaluates them."""
    found = []
    for frame in FRAMES:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        found.append([np.array(bones[name].matrix)[:3].T for name in LIMBS])
    return np.array(found)


@pytest.mark.parametrize("skeleton", [CMU, t_pose(0.8)], ids=["CMU", "T-pose"])
def test_four_presses_keep_the_capture(tmp_path: Path, skeleton: str) -> None:
    rig = imported(tmp_path, bvh(skeleton, walk(len(FRAMES))))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES[0], FRAMES[-1]
    captured = poses(rig)
    for press in ("chains_detect", "create_targets", "bake_targets", "bake"):
        assert getattr(bpy.ops.two_bone_ik, press)() == {"FINISHED"}
    after = poses(rig)
    # For the sake of a steady pole the mid joint near straight may be off by so much.
    np.testing.assert_allclose(after[..., 3, :], captured[..., 3, :], atol=2e-3 * LENGTH)
    np.testing.assert_allclose(after[..., :3, :], captured[..., :3, :], atol=5e-3)
