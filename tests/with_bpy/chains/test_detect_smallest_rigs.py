"""The smallest rigs on which finding limbs could go wrong; what bones are called counts more than where they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.bvh import LOCAL_AXES, bvh, imported
from support.rigs import Bone, WorldTransform, armature
from support.skeletons import NAMINGS

Named = dict[str, tuple[str, str]]


def found(bones: Sequence[Bone]) -> Named:
    """End bone and tip bone of each limb of such an armature."""
    return on(armature(bones))


def on(rig: Object) -> Named:
    limbs = api.detect(rig)
    found = {limb.name: (limb.end_bone, limb.tip_bone) for limb in limbs}
    assert len(found) == len(limbs)
    return found


def pair(joints: Sequence[WorldTransform], names: str, parent: str = "Trunk") -> list[Bone]:
    """Two branches with these names, bone by bone along the joints, which are those on the left."""
    bones = []
    for side, x in (("L", 1), ("R", -1)):
        above = parent
        for name, ends in zip(names.split(), pairwise(joints), strict=True):
            head, tail = ((x * place[0], *place[1:]) for place in ends)
            bones.append(Bone(f"{name}.{side}", head, tail, above))
            above = bones[-1].name
    return bones


TRUNK = Bone("Trunk", (0, 0, 0), (0, 0, 2))


def out(*lengths: float) -> list[WorldTransform]:
    """Joints along x, these lengths apart, from near the trunk."""
    return [(0.05 + sum(lengths[:count]), 0, 1) for count in range(len(lengths) + 1)]


def test_arms_without_a_collarbone_begin_with_the_first_bone() -> None:
    limbs = found([TRUNK, *pair(out(0.5, 0.5, 0.2), "a b c")])
    assert limbs == {"Leg.L": ("b.L", "c.L"), "Leg.R": ("b.R", "c.R")}


def test_bones_and_branches_of_different_lengths_are_no_limbs() -> None:
    assert found([TRUNK, *pair(out(1.0, 0.2), "a b")]) == {}
    left, right = pair(out(0.5, 0.5), "a b"), pair(out(0.5, 0.7), "a b")
    assert found([TRUNK, *left[:2], *right[2:]]) == {}


@pytest.mark.parametrize("count", [5, 9])
def test_ropes_are_no_limbs(count: int) -> None:
    assert found([TRUNK, *pair(out(*[0.4] * count), " ".join("abcdefghi"[:count]))]) == {}


def test_nothing_that_hangs_on_a_limb_is_a_limb() -> None:
    """As the claws of a crab."""
    arms = pair(out(0.7, 0.7), "a b")
    claws = [
        bone._replace(parent=bone.parent.replace("Trunk", f"b.{bone.name[-1]}"))
        for way, z in (("up", 0.2), ("down", -0.2))
        for bone in pair([(1.45, 0, 1), (1.7, 0, 1 + z), (1.9, 0, 1)], f"{way}1 {way}2")
    ]
    assert set(found([TRUNK, *arms, *claws])) == {"Leg.L", "Leg.R"}


def test_the_lower_bone_is_the_one_that_a_foot_hangs_on() -> None:
    """Not the helper at the knee, which is named before it."""
    leg = [
        Bone("thigh.L", (0.1, 0, 1), (0.1, 0, 0.5)),
        Bone("knee.L", (0.1, 0, 0.5), (0.1, -0.1, 0.5), "thigh.L"),
        Bone("shin.L", (0.1, 0, 0.5), (0.1, 0, 0.1), "thigh.L"),
        Bone("foot.L", (0.1, 0, 0.1), (0.1, -0.2, 0), "shin.L"),
    ]
    assert found(leg) == {"Leg.L": ("shin.L", "foot.L")}


def test_a_helper_at_the_knee_is_no_tip_and_a_shank_has_a_name() -> None:
    leg = [
        Bone("thigh.L", (0.1, 0, 1), (0.1, 0, 0.5)),
        Bone("shin.L", (0.1, 0, 0.5), (0.1, 0, 0.1), "thigh.L"),
        Bone("kneecap.L", (0.1, 0, 0.5), (0.1, -0.1, 0.5), "shin.L"),
    ]
    assert found(leg) == {"Leg.L": ("shin.L", "")}
    limbs = api.detect(armature(pair(LEG, "thigh shank foot", parent="")))
    assert {limb.name: limb.why.split(":")[0] for limb in limbs} == {"Leg.L": "Named so", "Leg.R": "Named so"}


def test_of_two_layers_the_one_that_no_constraint_moves_is_taken() -> None:
    names = "upper_arm{0}.{1} lower_arm{0}.{1} hand{0}.{1}"
    layers = [
        Bone(name, (x, 0, 1), (x + 0.5, 0.1, 1), parent)
        for layer in ("", "_ctrl")
        for side in ("L",)
        for x, (parent, name) in enumerate(pairwise(("", *names.format(layer, side).split())))
    ]
    rig = armature(layers)
    for name in ("upper_arm.L", "lower_arm.L"):
        rig.pose.bones[name].constraints.new("COPY_ROTATION")
    assert on(rig) == {"Arm.L": ("lower_arm_ctrl.L", "hand_ctrl.L")}


def test_arms_that_hang_down_are_arms() -> None:
    hanging = pair(
        [(0.2, 0, 1.4), (0.25, 0, 1.1), (0.25, -0.05, 0.8), (0.25, -0.05, 0.65)], "arm forearm hand", "Trunk"
    )
    legs = pair([(0.1, 0, 0.9), (0.1, 0, 0.5), (0.1, 0, 0.1), (0.1, -0.2, 0)], "thigh shin foot")
    assert set(found([TRUNK, *hanging, *legs])) == {"Arm.L", "Arm.R", "Leg.L", "Leg.R"}


def test_more_than_one_pair_of_legs_keeps_them_apart() -> None:
    """As those of an insect."""
    legs = [
        bone
        for number, y in enumerate((-0.5, 0, 0.5))
        for bone in pair([(0.1, y, 1), (0.6, y, 1.2), (1, y, 0)], f"leg{number}_upper leg{number}_lower")
    ]
    rig = armature([TRUNK, *legs])
    assert len(api.detect(rig)) == 6
    assert [limb.chain for limb in api.add_detected(rig)] == [
        *("Leg.L", "Leg.R"),
        *(f"Leg.{side}.00{number}" for number in (1, 2) for side in "LR"),
    ]


@pytest.mark.parametrize(
    ("names", "way", "root"),
    [
        ("LHipJoint LeftHip LeftKnee LeftAnkle", (0.1, 0.0, 0.9), "LeftHip"),
        ("__UpLeg_L UpLeg_L LowLeg_L Foot_L", (0.05, 0.0, 1.0), "UpLeg_L"),
        ("__UpLeg_L UpLeg_L LowLeg_L Foot_L", (0.0, 0.0, 0.995), "UpLeg_L"),
        ("UpLeg1_L UpLeg2_L LowLeg_L Foot_L", (0.0, 0.0, 0.75), "UpLeg1_L"),
    ],
    ids=["CMU", "aside", "above", "twist bone"],
)
def test_of_bones_named_as_thighs_the_last_is_one(names: str, way: WorldTransform, root: str) -> None:
    """The second begins there, below the first at the height of 1; but a twist bone is a part of the thigh."""
    joints = ((0.0, 0.0, 1.0), way, (way[0], 0.0, 0.5), (way[0], 0.0, 0.1), (way[0], -0.2, 0.0))
    row = zip(names.split(), pairwise(joints), ("", *names.split()[:-1]), strict=True)
    bones = [Bone(name, *ends, above) for name, ends, above in row]
    rig = armature([Bone("Hips", (0, 0, 1), (0, 0, 1.2)), *bones])
    [limb] = api.detect(rig)
    assert limb.end_bone == names.split()[2]
    assert limb.root_bone in (root, "" if root == names.split()[1] else root)


LEG = ((0.1, 0, 1), (0.12, 0.01, 0.5), (0.1, 0, 0.1), (0.1, -0.2, 0.0))
ARM = ((0.2, 0, 1.5), (0.5, 0.02, 1.5), (0.75, 0, 1.5), (0.85, 0, 1.5))


@pytest.mark.parametrize(
    ("legs", "others"),
    [("b c d", {}), ("b c d", {"b.L": "thigh.L", "c.L": "shin.L", "d.L": "foot.L"}), ("thigh thigh2 thigh3", {})],
    ids=["no names", "names on one side", "a joint named as its parent"],
)
def test_a_kind_that_no_name_tells_is_found_by_structure(legs: str, others: dict[str, str]) -> None:
    """Beside arms that are called so."""
    trunk = Bone("Trunk", (0, 0, 1), (0, 0, 1.5))
    bones = [trunk, *pair(LEG, legs), *pair(ARM, "upper_arm forearm hand")]
    bones = [
        bone._replace(name=others.get(bone.name, bone.name), parent=others.get(bone.parent, bone.parent))
        for bone in bones
    ]
    limbs = found(bones)
    _, end, tip = legs.split()
    wanted = {
        f"Leg.{side}": tuple(others.get(f"{name}.{side}", f"{name}.{side}") for name in (end, tip)) for side in "LR"
    }
    assert limbs == wanted | {f"Arm.{side}": (f"forearm.{side}", f"hand.{side}") for side in "LR"}


HUMAN = {"Arm.L", "Arm.R", "Leg.L", "Leg.R"}

NAMES = NAMINGS["plain English, .L and .R"]


def named(rig: Object) -> set[str]:
    return {limb.name for limb in api.detect(rig)}


def test_a_captured_human_with_one_arm_down_has_arms_and_legs(tmp_path: Path) -> None:
    rig = imported(tmp_path, bvh(LOCAL_AXES))
    assert {limb.name: (limb.end_bone, limb.tip_bone) for limb in api.detect(rig)} == {
        **{f"Arm.{side}": (f"LowerArm_{side}", f"Hand_{side}") for side in "LR"},
        **{f"Leg.{side}": (f"LowerLeg_{side}", f"Foot_{side}") for side in "LR"},
    }


def test_limbs_that_all_go_one_way_at_rest_keep_their_names(tmp_path: Path) -> None:
    """As where every joint lies along the x axis of its own bone, on both sides."""
    text = re.sub(r" -(39|41|12|24|22) | -5(?= 0 0)", lambda found: found[0].replace("-", ""), LOCAL_AXES)
    assert named(imported(tmp_path, bvh(text))) == HUMAN


@pytest.mark.parametrize(
    "places",
    [
        *(
            {
                f"UpperArm.{side}": (0.2 * x, 0, 0.95),
                f"LowerArm.{side}": (0.2 * x, 0, 0.5),
                f"Hand.{side}": (0.2 * x, 0, 0.1),
            }
            for side, x in (("L", 1), ("R", -1))
        ),
        # As those of an ape.
        {
            f"{bone}.{side}": (0.2 * x, *place)
            for side, x in (("L", 1), ("R", -1))
            for bone, place in (("LowerArm", (-0.2, 0.7)), ("Hand", (-0.3, 0.05)))
        },
    ],
    ids=["left", "right", "both from high up"],
)
def test_arms_that_reach_the_ground_are_arms(places: dict[str, WorldTransform]) -> None:
    """A human with other places for the joints of the arms."""
    bones = NAMES.armature().data.bones
    moved = [
        Bone(
            bone.name,
            places.get(bone.name, tuple(bone.head_local)),
            tuple(bone.tail_local),
            bone.parent.name if bone.parent else "",
        )
        for bone in bones
    ]
    assert named(armature(moved, "Other")) == HUMAN
