"""The figures that a report gives of hands and feet that were planted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Matrix

from support.empty_file import open_empty_file
from support.rigs import ARM, Bone, animate, armature
from support.walker import captured, walker

NAMES = {"spine": "spine", "upper": "upper_arm.L", "lower": "forearm.L", "hand": "hand.L"}
CONTACT = [api.Contact("Arm.L", 1, 60, "hand.L", (0, 0, 0))]


def arm(bones: Sequence[Bone]) -> Object:
    """One whose hand is to be held, with a pose that is keyed and nearly the same on 60 frames."""
    rig = armature([bone._replace(name=NAMES[bone.name], parent=NAMES.get(bone.parent, "")) for bone in bones])
    rng = np.random.default_rng(1)
    for name in ("upper_arm.L", "forearm.L"):
        for frame in range(1, 61):
            turn = rng.normal(0, 1e-4)
            animate(rig.pose.bones[name], rotation_quaternion={frame: (1.0, 0.0, turn, 0.0)})
    return rig


@pytest.mark.parametrize("step", [0.5, 1.0, 2.0])
def test_a_slide_is_told_a_frame_whatever_the_step(step: float) -> None:
    rig = arm(ARM)
    for frame in range(1, 61):
        animate(rig, location={frame: (0.0, 0.002 * frame, 0.0)})
    [hand] = api.plant(rig, frames=(1, 60, step), contacts=CONTACT, limbs=["ARMS"]).feet
    print(hand.before)
    assert hand.before[0] == pytest.approx(0.002, rel=0.1)


def test_a_limb_that_falls_short_by_rounding_does_not() -> None:
    ends = {
        "upper": ((0, 0, 1), (1, 0.2, 1)),
        "lower": ((1, 0.2, 1), (1.8, 0.36, 1)),
        "hand": ((1.8, 0.36, 1), (2, 0.4, 1)),
    }
    bones = [
        bone._replace(head=ends[bone.name][0], tail=ends[bone.name][1]) if bone.name in ends else bone for bone in ARM
    ]
    rig = arm(bones)
    report = api.plant(rig, contacts=CONTACT, limbs=["ARMS"])
    [hand] = report.feet
    print(hand.short)
    assert hand.frames == 60
    assert "falls short" not in str(report)
    assert hand.short == 0.0


def test_what_is_told_does_not_depend_on_the_unit_of_the_rig() -> None:
    told = []
    for scale in (1.0, 0.001):
        open_empty_file()
        rig = walker(captured("walk", 2.0), to_world=Matrix.Scale(scale, 4))
        told.append(api.plant(rig, frames=(20, 40)).as_dict()["alerts"])
    assert told[0] == told[1]
    assert "jumps" in told[0][0]
