"""The set-up for motion capture clean-up, with nothing but defaults: the capture plays on as it was."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.bvh import CMU, bvh, imported, t_pose, walk
from support.truth import worlds

FRAMES = range(1, 31)
LENGTH = 14.0
"""Of a leg, in the units of the file."""

LIMBS = [f"{side}{bone}" for side in ("Left", "Right") for bone in ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot")]


@pytest.mark.parametrize("skeleton", [CMU, t_pose(0.8)], ids=["CMU", "T-pose"])
def test_four_presses_keep_the_capture(tmp_path: Path, skeleton: str) -> None:
    rig = imported(tmp_path, bvh(skeleton, walk(len(FRAMES))))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES[0], FRAMES[-1]
    captured = worlds(rig, FRAMES, *LIMBS)
    for press in ("chains_detect", "create_targets", "bake_targets", "bake"):
        assert getattr(bpy.ops.two_bone_ik, press)() == {"FINISHED"}
    after = worlds(rig, FRAMES, *LIMBS)
    # For the sake of a steady pole the mid joint near straight may be off by so much.
    np.testing.assert_allclose(after[..., 3], captured[..., 3], atol=2e-3 * LENGTH)
    np.testing.assert_allclose(after[..., :3], captured[..., :3], atol=5e-3)
