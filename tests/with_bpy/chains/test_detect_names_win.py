"""What bones are called counts more than how high they hang, and both sides of a limb get one name."""

from __future__ import annotations

from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.bvh import LOCAL_AXES, bvh, imported
from support.rigs import Bone, WorldTransform, armature
from support.skeletons import NAMINGS

HUMAN = {"Arm.L", "Arm.R", "Leg.L", "Leg.R"}
NAMES = NAMINGS["plain English, .L and .R"]


def named(rig: Object) -> set[str]:
    return {limb.name for limb in api.detect(rig)}


def human(*changes: tuple[str, WorldTransform]) -> Object:
    """A human with other places for the arms' joints, given as those on the left."""
    moved = dict(changes)
    rig = NAMES.armature()
    bones = [
        Bone(
            bone.name,
            moved.get(bone.name, tuple(bone.head_local)),
            tuple(bone.tail_local),
            bone.parent.name if bone.parent else "",
        )
        for bone in rig.data.bones
    ]
    return armature(bones, "Other")


def test_a_captured_human_with_one_arm_down_has_arms_and_legs(tmp_path: Path) -> None:
    rig = imported(tmp_path, bvh(LOCAL_AXES))
    assert {limb.name: (limb.end_bone, limb.tip_bone) for limb in api.detect(rig)} == {
        **{f"Arm.{side}": (f"LowerArm_{side}", f"Hand_{side}") for side in "LR"},
        **{f"Leg.{side}": (f"LowerLeg_{side}", f"Foot_{side}") for side in "LR"},
    }


def test_limbs_that_all_go_one_way_at_rest_keep_their_names(tmp_path: Path) -> None:
    """As where every joint lies along the x axis of its own bone, on both sides."""
    rig = imported(
        tmp_path,
        bvh(
            LOCAL_AXES.replace(" -39 ", " 39 ")
            .replace(" -41 ", " 41 ")
            .replace(" -12 ", " 12 ")
            .replace(" -5 0 0", " 5 0 0")
            .replace(" -24 ", " 24 ")
            .replace(" -22 ", " 22 ")
        ),
    )
    assert named(rig) == HUMAN


@pytest.mark.parametrize("side", "LR")
def test_one_arm_that_reaches_the_ground_is_an_arm(side: str) -> None:
    low = {"L": 1, "R": -1}[side]
    rig = human(
        (f"UpperArm.{side}", (0.2 * low, 0, 0.95)),
        (f"LowerArm.{side}", (0.2 * low, 0, 0.5)),
        (f"Hand.{side}", (0.2 * low, 0, 0.1)),
    )
    assert named(rig) == HUMAN


def test_arms_that_reach_the_ground_from_high_up_are_arms() -> None:
    """As those of an ape."""
    rig = human(
        *((f"LowerArm.{side}", (0.2 * x, -0.2, 0.7)) for side, x in (("L", 1), ("R", -1))),
        *((f"Hand.{side}", (0.2 * x, -0.3, 0.05)) for side, x in (("L", 1), ("R", -1))),
    )
    assert named(rig) == HUMAN
