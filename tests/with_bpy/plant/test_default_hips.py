"""Which bone goes down by default: the one that carries the whole body, also where a pelvis lies beside the spine."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.plant.feet import feet_of, found_limbs, hips_of
from bpy.types import Object

from support.rigs import Bone, animate, armature
from support.truth import on_frame

LEG = ((0.1, 0, 1), (0.1, -0.03, 0.55), (0.1, 0.02, 0.1), (0.1, -0.12, 0.03), (0.1, -0.2, 0.02))
ARM = ((0.2, 0, 1.5), (0.45, 0.03, 1.5), (0.7, 0, 1.5), (0.85, 0, 1.5))
BODIES = {
    "DAZ": (
        "hip hip>pelvis hip>abdomenLower",
        "pelvis {}ThighBend {}Shin {}Foot {}Toe",
        "abdomenLower {}ShldrBend {}ForearmBend {}Hand",
        "lr",
        "hip",
    ),
    "Character Creator": (
        "RL_BoneRoot RL_BoneRoot>CC_Base_Hip CC_Base_Hip>CC_Base_Pelvis CC_Base_Hip>CC_Base_Waist",
        "CC_Base_Pelvis CC_Base_{}_Thigh CC_Base_{}_Calf CC_Base_{}_Foot CC_Base_{}_ToeBase",
        "CC_Base_Waist CC_Base_{}_Upperarm CC_Base_{}_Forearm CC_Base_{}_Hand",
        "LR",
        "CC_Base_Hip",
    ),
    "Mixamo": (
        "mixamorig:Hips mixamorig:Hips>mixamorig:Spine",
        "mixamorig:Hips mixamorig:{}UpLeg mixamorig:{}Leg mixamorig:{}Foot mixamorig:{}ToeBase",
        "mixamorig:Spine mixamorig:{}Arm mixamorig:{}ForeArm mixamorig:{}Hand",
        ("Left", "Right"),
        "mixamorig:Hips",
    ),
    "Unreal": (
        "root root>pelvis pelvis>spine_01",
        "pelvis thigh_{} calf_{} foot_{} ball_{}",
        "spine_01 upperarm_{} lowerarm_{} hand_{}",
        "lr",
        "pelvis",
    ),
    "CMU": (
        "Hips Hips>LHipJoint Hips>RHipJoint Hips>LowerBack",
        "{0:.1}HipJoint {0}UpLeg {0}Leg {0}Foot {0}ToeBase",
        "LowerBack {}Arm {}ForeArm {}Hand",
        ("Left", "Right"),
        "Hips",
    ),
    "without arms": ("root root>hips", "hips thigh.{} shin.{} foot.{} toe.{}", "", "LR", "hips"),
}
"""By program bones of the trunk, of a leg and of an arm, each limb below its first bone; sides; and the hips."""


def body(kind: str) -> Object:
    trunk, leg, arm, sides, _ = BODIES[kind]
    bones = []
    for row, each in enumerate(trunk.split()):
        parent, _, name = each.rpartition(">")
        bones.append(Bone(name, (0, 0, 1 + 0.02 * row), (0, 0.05, 1.05 + 0.02 * row), parent))
    for limb, joints in ((leg, LEG), (arm, ARM)):
        for side, sign in zip(sides, (1, -1), strict=True):
            names = [name.format(side) for name in limb.split()]
            places = [(sign * x, y, z) for x, y, z in joints]
            bones += [
                Bone(name, *ends, parent)
                for parent, name, ends in zip(names, names[1:], pairwise(places), strict=False)
            ]
    return armature(bones, "Hero")


def default_hips(rig: Object) -> tuple[str, str]:
    found = found_limbs(rig)
    hips, stay = hips_of(rig, found, feet_of(rig, found, None, {"LEGS"}, 0.015), None, ())
    return hips.bone.name if hips else "", stay


@pytest.mark.parametrize("kind", BODIES)
def test_hips_are_the_bone_that_carries_the_body(kind: str) -> None:
    assert default_hips(body(kind)) == (BODIES[kind][-1], "")


def test_hips_that_are_locked_leave_it_to_the_bone_above() -> None:
    rig = body("Character Creator")
    rig.pose.bones["CC_Base_Hip"].lock_location[2] = True
    assert default_hips(rig) == ("RL_BoneRoot", "")


def test_the_spine_goes_along_with_the_pelvis() -> None:
    rig = body("DAZ")
    for frame in range(1, 31):
        animate(rig.pose.bones["hip"], location={frame: (0.002 * np.sin(frame), 0, 0)})
        for side in "lr":
            animate(rig.pose.bones[f"{side}Shin"], rotation_quaternion={frame: (1, 0.01 * np.sin(frame), 0, 0)})
    rig.pose.bones["hip"].keyframe_insert("rotation_quaternion", frame=1)
    before = places(rig)
    api.plant(rig, floor=-0.05)
    moved = places(rig) - before
    print(f"pelvis and spine go down by {-1e3 * moved.mean(axis=0)[:, 2]} mm")
    assert moved[..., 2].max() < -0.02
    np.testing.assert_allclose(moved[:, 0], moved[:, 1], atol=1e-6)


def places(rig: Object) -> np.ndarray:
    """(n, 2, 3) heads of pelvis and spine, as Blender shows them."""
    names = ("pelvis", "abdomenLower")
    return np.array(
        [[tuple(rig.evaluated_get(on_frame(frame)).pose.bones[name].head) for name in names] for frame in range(1, 31)]
    )
