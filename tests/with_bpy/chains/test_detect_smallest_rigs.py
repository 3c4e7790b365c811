"""The smallest rigs on which finding limbs could go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import Bone, WorldTransform, armature

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


def test_bones_of_very_different_lengths_are_no_limb() -> None:
    assert found([TRUNK, *pair(out(1.0, 0.2), "a b")]) == {}


@pytest.mark.parametrize("count", [5, 9])
def test_ropes_are_no_limbs(count: int) -> None:
    assert found([TRUNK, *pair(out(*[0.4] * count), " ".join("abcdefghi"[:count]))]) == {}


def test_branches_of_different_lengths_are_no_pair() -> None:
    left, right = pair(out(0.5, 0.5), "a b"), pair(out(0.5, 0.7), "a b")
    assert found([TRUNK, *left[:2], *right[2:]]) == {}


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


def test_a_helper_at_the_knee_is_no_tip() -> None:
    leg = [
        Bone("thigh.L", (0.1, 0, 1), (0.1, 0, 0.5)),
        Bone("shin.L", (0.1, 0, 0.5), (0.1, 0, 0.1), "thigh.L"),
        Bone("kneecap.L", (0.1, 0, 0.5), (0.1, -0.1, 0.5), "shin.L"),
    ]
    assert found(leg) == {"Leg.L": ("shin.L", "")}


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


def test_legs_with_a_shank_are_found_by_name() -> None:
    limbs = api.detect(armature(pair(LEG, "thigh shank foot", parent="")))
    assert {limb.name: limb.why.split(":")[0] for limb in limbs} == {"Leg.L": "Named so", "Leg.R": "Named so"}
