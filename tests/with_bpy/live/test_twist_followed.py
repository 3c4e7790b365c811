"""Spread Twist with Live on, frame after frame: hands that twist by more than half a turn from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Quaternion

from support import rigs
from support.truth import on_frame
from support.twisted import LINE, SHARES, SIDE, arm, bone_turns, shown

EVERY = range(-3, 13)
"""The target stands until frame 1."""

STEP = 200.0
"""Degrees of twist from frame to frame. Swung by 120 degrees, the hand turns by 90."""

CLOSE = 1e-4
"""Radians: single precision where a twist counts twice, after ten frames."""

FOREARM = {name: share for name, share in SHARES.items() if name.startswith("lower")}


def fast_arm(bones: Sequence[rigs.Bone] = SIDE) -> Object:
    """Live, shown on the first frame."""
    rig = arm(turns=59 * STEP / 360.0, swing=np.radians(120.0), bones=bones).id_data
    on_frame(EVERY[0])
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    return rig


def assert_twisted(rig: Object, frames: Sequence[int], degrees: Sequence[float]) -> None:
    """Each bone of the forearm has its share of these twists, whole turns of the bone aside."""
    for name, angles in bone_turns(rig, FOREARM, frames).items():
        off = angles - FOREARM[name] * np.radians(degrees)
        np.testing.assert_allclose(np.remainder(off + np.pi, 2.0 * np.pi), np.pi, atol=CLOSE)


@pytest.mark.parametrize("bones", [SIDE, LINE], ids=["at the side", "in line"])
def test_live_frame_after_frame_is_the_bake(bones: Sequence[rigs.Bone]) -> None:
    rig, names = fast_arm(bones), [bone.name for bone in bones]
    live = shown(rig, EVERY, names)
    rig.two_bone_ik_live = False
    for bone in rig.pose.bones:
        bone.rotation_quaternion = Quaternion()
    api.bake(rig, frames=(EVERY[0], EVERY[-1]))
    np.testing.assert_allclose(live, shown(rig, EVERY, names), atol=CLOSE)


def test_frame_after_frame_bones_turn_along_the_shortest_way() -> None:
    rig = fast_arm()
    there = [STEP * max(0, frame - 1) for frame in EVERY]
    assert_twisted(rig, EVERY, there)
    assert_twisted(rig, EVERY[::-1], there[::-1])


def test_a_frame_that_is_posed_again_shows_the_same() -> None:
    rig = fast_arm()
    for frame in EVERY:
        on_frame(frame)
        for _ in range(2):
            rig.pose.bones["lower_twist_a"].rotation_quaternion = Quaternion((0.0, 1.0, 0.0), 0.3)
            bpy.context.view_layer.update()
        api.solve(rig)
        assert_twisted(rig, [frame, frame], [STEP * max(0, frame - 1)] * 2)


def test_over_a_jump_twists_are_the_nearest() -> None:
    rig = fast_arm()
    # From 0 to 1000 degrees, and on from there.
    assert_twisted(rig, [1, 6, 7, 8], [0.0, -80.0, 120.0, 320.0])
    # From 320 to 2000 degrees.
    assert_twisted(rig, [11], [200.0])
