"""A curve whose handles reach over one another is split as Blender plays it: each is at most as long as its segment."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions

from support.held import outside, scene, values

pytestmark = pytest.mark.versions


@pytest.mark.parametrize(("out", "into"), [(0.7, 0.7), (1.5, 0.3), (0.2, 1.3)])
def test_long_handles_stay_outside_of_a_hold(empty_file: None, out: float, into: float) -> None:
    rig, target, _ = scene()
    for curve in versions.curves(target):
        points = curve.keyframe_points
        for key, after in pairwise(points):
            key.handle_right_type = after.handle_left_type = "FREE"
            length = after.co.x - key.co.x
            key.handle_right = key.co.x + out * length, key.co.y + 0.2
            after.handle_left = after.co.x - into * length, after.co.y - 0.1
        curve.update()
    frames = outside(20 - 4, 40 + 4)
    before = values(target, frames)
    api.hold(rig, frames=(20, 40), space=None)
    # Half a step of single precision at frame 100, times a slope of 1 a frame.
    assert np.abs(values(target, frames) - before).max() < 0.5 * np.spacing(np.float32(100.0)) + 1e-6
