"""A user's kind of rig whose switch is the influence of IK: also where that IK moves what the FK controls hang on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rig_file import CRANE, own_rig_file
from support.rigs import ARM, Bone, animate, armature
from support.walking import pose_of

FRAMES = range(1, 11)


@pytest.fixture
def rig() -> Iterator[Object]:
    """IK of three bones moves the spine too, which carries the limb."""
    rig = armature([*ARM, Bone("hook", (1.8, 0, 1.1), (2, 0, 1.1))])
    reach = rig.pose.bones["lower"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, "hook", 3
    reach.iterations = 500
    animate(rig.pose.bones["hook"], location={1: (0, 0, 0), 10: (-0.6, 0.3, 0.2)})
    with own_rig_file(CRANE):
        yield rig


def test_what_ik_moves_ahead_of_a_limb_falls_back_with_it(rig: Object) -> None:
    before = pose_of(rig, ("upper", "lower", "hand"), FRAMES)
    assert abs(pose_of(rig, ("spine",), FRAMES) - pose_of(rig, ("spine",), [1])).max() > 0.05
    report = api.switch(rig, "FK", frames=(1, 10))
    assert abs(pose_of(rig, ("upper", "lower", "hand"), FRAMES) - before).max() < 1e-4
    assert report.posed
    assert abs(pose_of(rig, ("spine",), FRAMES) - pose_of(rig, ("spine",), [1])).max() < 1e-6
