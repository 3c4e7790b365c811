"""Which bone goes down by default; hips that go down, hips that cannot, the floor, and targets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant.feet import feet_of, found_limbs, hips_of
from bpy.types import FCurve, Object

from support.footsteps import CLEARANCE
from support.held import everything
from support.rigs import Bone, animate, armature
from support.truth import worlds
from support.walker import captured, shown, stairs, walker

LOCATION = 'pose.bones["hips"].location'


def hips_keys(rig: Object) -> list:
    return [keys for (path, _), keys in everything(rig).items() if path == LOCATION]


def vertical(rig: Object) -> FCurve:
    return next(curve for curve in versions.curves(rig) if curve.data_path == LOCATION and curve.array_index == 2)


def locked(rig: Object) -> None:
    rig.pose.bones["hips"].lock_location[2] = True


def driven(rig: Object) -> None:
    for curve in [curve for curve in versions.curves(rig) if curve.data_path == LOCATION]:
        versions.ensure_channelbag(rig).fcurves.remove(curve)
    rig.pose.bones["hips"].driver_add("location", 0).driver.expression = "0.0"


def constrained(rig: Object) -> None:
    rig.pose.bones["hips"].constraints.new("LIMIT_LOCATION")


def with_locked_keys(rig: Object) -> None:
    vertical(rig).lock = True


def with_muted_keys(rig: Object) -> None:
    vertical(rig).mute = True


HELD = {
    locked: ['"hips"'],
    driven: ['"hips"'],
    constrained: ['"hips"'],
    with_locked_keys: ["location", "locked"],
    with_muted_keys: ["location", "muted"],
}
"""What keeps the hips where they are, and words of what is told."""


@pytest.mark.parametrize(("hold", "words"), HELD.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_feet_give_way_where_hips_cannot_move(rig: Object, hold: Callable[[Object], None], words: list[str]) -> None:
    hold(rig)
    before, keys = shown(rig, 61), hips_keys(rig)
    report = api.plant(rig, floor=-0.1)
    after = shown(rig, 61)
    assert hips_keys(rig) == keys
    assert np.abs(after.hips - before.hips).max() == 0.0
    assert any(all(word in alert for word in words) for alert in report.as_dict()["alerts"])
    short = max(foot.short for foot in report.feet)
    soles = np.where(captured("walk", 2.0).touches, after.points[..., 2] - CLEARANCE + 0.1, np.inf).min(axis=(1, 2))
    assert short > 0.02
    assert np.max(soles[np.isfinite(soles)]) < 1.2 * short + 0.01


def test_hips_go_down_until_feet_are_reached(rig: Object) -> None:
    before = shown(rig, 61)
    report = api.plant(rig, floor=-0.05)
    after = shown(rig, 61)
    assert max(foot.short for foot in report.feet) == 0.0
    drop = (before.hips - after.hips)[..., 2]
    assert drop.min() > -1e-5
    assert drop.max() > 0.03
    assert np.abs((before.hips - after.hips)[..., :2]).max() < 1e-5


@pytest.mark.parametrize("height", [0.0, 0.02, -0.03])
def test_soles_are_on_the_floor_that_is_given(rig: Object, height: float) -> None:
    api.plant(rig, floor=height)
    take, after = captured("walk", 2.0), shown(rig, 61)
    above = np.where(take.touches, after.points[..., 2] - CLEARANCE - height, np.inf).min(axis=-1)
    above = above[np.isfinite(above)]
    assert np.mean((above > -0.001) & (above < 0.002)) > 0.97


def test_soles_are_on_stairs() -> None:
    take = captured("stair")
    rig = walker(take)
    api.plant(rig, floor=stairs())
    after = shown(rig, len(take.hips))
    above = np.where(take.touches, after.points[..., 2] - take.floor, np.inf).min(axis=-1)
    above = above[np.isfinite(above)]
    on_floor = np.mean((above > -0.001) & (above < 0.002))
    assert on_floor > 0.97


def test_other_hips_may_be_named(rig: Object) -> None:
    before = everything(rig)
    api.plant(rig, floor=-0.05, hips="hips")
    named = everything(rig)
    assert named != before
    api.plant(rig, floor=-0.05)
    assert everything(rig) == named


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
    legs = [name for name, limb in found.items() if limb.kind == "LEGS"]
    hips, stay = hips_of(rig, found, feet_of(rig, found, legs), None, ())
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
    frames, names = range(1, 31), ("pelvis", "abdomenLower")
    before = worlds(rig, frames, *names)
    api.plant(rig, floor=-0.05)
    moved = (worlds(rig, frames, *names) - before)[..., :3, 3]
    assert moved[..., 2].max() < -0.02
    np.testing.assert_allclose(moved[:, 0], moved[:, 1], atol=1e-6)
