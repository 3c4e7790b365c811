"""Settings copied to the other side make the mirror image of every pose; copied to all, they respect each limb."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from math import cos, pi, sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.settings.properties import chain_fields
from bpy.types import Object
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mathutils import Euler, Matrix

from support.empty_file import open_empty_file
from support.refused import refused
from support.rigify import metarig
from support.rigs import Bone, WorldTransform, animate, armature, empty
from support.skeletons import NAMINGS
from support.truth import on_frame

FRAMES = range(1, 7)
CLOSE = 1e-5
MIRROR = np.diag((-1.0, 1.0, 1.0))
LIMBS = {"Arm": ("upper_arm", "forearm", "hand"), "Leg": ("thigh", "shin", "foot")}
"""Of the human metarig, whose names end in .L and .R."""

OPTIONS = st.fixed_dictionaries(
    {
        "pole": st.booleans(),
        "plane": st.sampled_from(["AUTO", "AIM", "REST"]),
        "pole_angle": st.floats(-3.1, 3.1),
        "pole_influence": st.sampled_from([1.0, 0.6]),
        "hinge_axis": st.sampled_from(["AUTO", "X", "Z", "NEG_X", "NEG_Z"]),
        "bend": st.sampled_from(["REST", "POSITIVE", "NEGATIVE", "NEAREST", "LIMITS"]),
        "reference": st.sampled_from(["REST", "POSE"]),
        "use_bend_limits": st.booleans(),
        "bend_min": st.floats(-2.0, 0.4),
        "bend_max": st.floats(0.6, 2.5),
        "softness": st.sampled_from([0.0, 0.2]),
        "use_extension_limit": st.booleans(),
        "use_rotation": st.booleans(),
        "influence": st.sampled_from([1.0, 0.7]),
        "unreachable": st.sampled_from(["CLAMP", "HOLD"]),
    }
)


@cache
def human_bones() -> list[Bone]:
    """Arms, legs and a bone of the spine of the human metarig."""
    bones, names = (
        metarig("human").data.bones,
        [f"{name}.{side}" for side in "LR" for each in LIMBS.values() for name in each],
    )
    found = []
    for name in ("spine", "spine.001", *names):
        _, roll = bones[name].AxisRollFromMatrix(bones[name].matrix_local.to_3x3())
        parent = bones[name].parent.name if bones[name].parent and bones[name].parent.name in ("spine", *names) else ""
        found.append(Bone(name, bones[name].head_local[:], bones[name].tail_local[:], parent, roll))
    open_empty_file()
    return found


def human() -> Object:
    return armature(human_bones())


def animated_side(rig: Object, limb: str, side: str, *, pole: bool) -> dict[str, Object]:
    """Target and pole target of one limb on their paths, and keys on its own bones: on the right the mirror image."""
    sign = 1.0 if side == "L" else -1.0
    upper, lower, tip = (rig.data.bones[f"{name}.{side}"] for name in LIMBS[limb])
    size = upper.length + lower.length
    goals = {"target": empty(f"{limb}.{side} Target")}
    if pole:
        goals["pole_target"] = empty(f"{limb}.{side} Pole")
    for frame in FRAMES:
        turn = (0.4 * sin(frame), sign * 0.3 * cos(frame), sign * 0.2 * sin(2 * frame))
        way = np.array((sign * 0.2 * sin(frame), 0.25 * cos(2 * frame), 0.3 * sin(1.5 * frame)))
        animate(goals["target"], location={frame: tip.head_local[:] + size * way}, rotation_euler={frame: turn})
        if pole:
            beside = np.array((sign * 0.3, 0.9 * cos(0.4 * frame), 0.8 * sin(0.5 * frame)))
            animate(goals["pole_target"], location={frame: lower.head_local[:] + size * beside})
    return goals


def mirror_keys(rig: Object, limb: str, turn: tuple[float, float, float]) -> None:
    """Turn both limbs' own bones so that they are each other's mirror image, whatever the roll of the bones."""
    for name in LIMBS[limb][:2]:
        rest = rig.data.bones[f"{name}.L"].matrix_local.to_3x3()
        moved = rest @ Euler(turn).to_matrix() @ rest.inverted()
        for side, of_armature in (("L", moved), ("R", Matrix(MIRROR) @ moved @ Matrix(MIRROR))):
            own = rig.data.bones[f"{name}.{side}"].matrix_local.to_3x3()
            basis = (own.inverted() @ of_armature @ own).to_quaternion()
            animate(rig.pose.bones[f"{name}.{side}"], rotation_quaternion={FRAMES[0]: basis})


def asymmetry(rig: Object, limb: str, frames: Iterable[int] = FRAMES) -> float:
    """How far the evaluated right limb is from the mirror image of the left: joints by length, rotations from rest."""
    worst = 0.0
    for frame in frames:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        size = sum(rig.data.bones[f"{name}.L"].length for name in LIMBS[limb][:2])
        for name in LIMBS[limb]:
            left, right = (bones[f"{name}.{side}"] for side in "LR")
            worst = max(worst, float(np.abs(MIRROR @ left.head - right.head).max()) / size)
            turns = [
                np.array(bone.matrix.to_3x3()) @ np.array(bone.bone.matrix_local.to_3x3()).T for bone in (left, right)
            ]
            worst = max(worst, float(np.abs(MIRROR @ turns[0] @ MIRROR - turns[1]).max()))
    return worst


def copied(rig: Object, limb: str, options: dict) -> dict[str, str]:
    """Set the left limb up, with goals on both sides, and mirror its settings."""
    options = dict(options)
    pole = options.pop("pole")
    goals = {side: animated_side(rig, limb, side, pole=pole) for side in "LR"}
    mirror_keys(rig, limb, (0.3, -0.2, 0.25))
    end, tip = (f"{name}.L" for name in LIMBS[limb][1:])
    api.add_chain(rig, end, name=f"{limb}.L", tip_bone=tip, **goals["L"], **options)
    return api.mirror_settings(rig, f"{limb}.L")


@pytest.mark.parametrize("limb", list(LIMBS))
@settings(max_examples=16, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(options=OPTIONS)
def test_the_other_side_is_the_mirror_image_on_every_frame(limb: str, options: dict) -> None:
    open_empty_file()
    rig = human()
    assert copied(rig, limb, options) == {f"{limb}.R": ""}
    bpy.context.view_layer.update()
    report = api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert [one.name for one in report.chains] == [f"{limb}.L", f"{limb}.R"]
    assert asymmetry(rig, limb) < CLOSE


@pytest.mark.parametrize(
    ("axis", "bent", "roll"),
    [
        *((axis, 0.02, roll) for axis in ("AUTO", "X", "Z", "NEG_X", "NEG_Z") for roll in (pi / 2, pi)),
        *(("AUTO", 0.0, pi / 2), ("AUTO", 0.0, 0.0), ("NEG_Z", 0.0, pi), ("NEG_Z", 0.0, -pi / 2)),
        *(("AUTO", 0.3, 0.0), ("AUTO", 0.3, -pi / 2), ("X", 0.02, 0.0), ("NEG_X", 0.02, -pi / 2)),
    ],
)
def test_bones_that_are_rolled_otherwise_bend_as_mirrored(axis: str, bent: float, roll: float) -> None:
    joints = [(0.3, 0.1, 2), (0.3, 0.1 - bent, 1), (0.3, 0.1, 0.1), (0.3, 0.1, -0.2)]
    rig = leg_pair(joints, {"L": (0.2,) * 3, "R": (roll - 0.2,) * 3})
    limits = {"use_bend_limits": True, "bend_min": -0.2, "bend_max": 1.4}
    assert copied(rig, "Leg", {"pole": False, "hinge_axis": axis, "bend": "POSITIVE", **limits}) == {"Leg.R": ""}
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert asymmetry(rig, "Leg") < CLOSE


def leg_pair(joints: Sequence[WorldTransform], rolls: dict[str, tuple[float, ...]]) -> Object:
    """Two legs that mirror each other, but for the rolls of their bones; the joints are those on the left."""
    bones = []
    for side, sign in (("L", 1), ("R", -1)):
        ends = pairwise((sign * x, y, z) for x, y, z in joints)
        for number, (name, roll, both) in enumerate(zip(LIMBS["Leg"], rolls[side], ends, strict=True)):
            bones.append(Bone(f"{name}.{side}", *both, f"{LIMBS['Leg'][number - 1]}.{side}" if number else "", roll))
    return armature(bones)


def degrees_off(rig: Object, axis: str) -> float:
    """By how much the nearest axis x or z of the right shin is off the mirror image of the left one's axis.

    Both are seen along each bone, which they are at right angles to as hinges.
    """

    def beside(vector: np.ndarray, bone: str) -> np.ndarray:
        way = np.array(rig.data.bones[bone].matrix_local.col[1][:3])
        vector = vector - vector @ way * way
        return vector / np.linalg.norm(vector)

    columns = {"X": (0, 1), "Z": (2, 1), "NEG_X": (0, -1), "NEG_Z": (2, -1)}

    def hinges(side: str, axis: str) -> list[np.ndarray]:
        column, sign = columns[axis]
        vector = sign * np.array(rig.data.bones[f"shin.{side}"].matrix_local.col[column][:3])
        return [beside(vector, f"{name}.{side}") for name in LIMBS["Leg"][:2]]

    wanted = [-MIRROR @ hinge for hinge in hinges("L", axis)]
    return min(
        max(
            float(np.degrees(np.arccos(np.clip(a @ b, -1, 1)))) for a, b in zip(wanted, hinges("R", other), strict=True)
        )
        for other in columns
    )


@pytest.mark.parametrize(("axis", "bent"), [("AUTO", 0.0), ("X", 0.0), ("Z", 0.0), ("NEG_Z", 0.3), ("Z", 0.02)])
@pytest.mark.parametrize(("pole", "seed"), [(False, 0), (True, 1), (False, 2)])
def test_rolls_that_do_not_mirror_are_told_by_their_angle(axis: str, bent: float, pole: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    left, right = random.uniform(-pi, pi, (2, 2)).tolist()
    mirrored = seed == 0
    if mirrored:
        right = [-roll for roll in left]
    joints = [(0.3, 0.1, 2), (0.35, 0.1 - bent, 1), (0.395, 0.1, 0.1), (0.4, 0.1, -0.2)]
    rig = leg_pair(joints, {"L": (*left, 0.0), "R": (*right, 0.0)})
    told = copied(rig, "Leg", {"pole": pole, "hinge_axis": axis, "bend": "POSITIVE"})["Leg.R"]
    off = degrees_off(rig, "X" if axis == "AUTO" else axis)
    assert (f" {off:.3g} degrees" in told) if off > 1.0 else told == ""
    assert bool(told) != mirrored
    bpy.context.view_layer.update()
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert (asymmetry(rig, "Leg") < CLOSE) == mirrored


def test_a_rest_pose_that_is_no_mirror_image_is_told() -> None:
    bones = [
        Bone("thigh.L", (0.1, 0, 1), (0.1, -0.1, 0.5)),
        Bone("shin.L", (0.1, -0.1, 0.5), (0.1, 0, 0), "thigh.L"),
        Bone("thigh.R", (-0.1, 0, 1), (-0.5, 0, 0.9)),
        Bone("shin.R", (-0.5, 0, 0.9), (-0.9, 0, 1), "thigh.R"),
    ]
    rig = armature(bones)
    api.add_chain(rig, "shin.L", name="Leg.L")
    told = api.mirror_settings(rig, "Leg.L")
    assert told["Leg.R"] == 'At rest "Leg.R" is no mirror image of "Leg.L": a bone points 104 degrees elsewhere'


@pytest.mark.parametrize("naming", NAMINGS.values(), ids=NAMINGS)
def test_bones_and_targets_go_to_their_counterparts(naming) -> None:
    rig = naming.armature()
    limbs = naming.limbs
    api.add_detected(rig)
    left, right = (rig.two_bone_ik_chains[f"Arm.{side}"] for side in "LR")
    goals = {name: [empty(f"Arm.{side} {name}") for side in "LR"] for name in ("Target", "Pole")}
    left.target, left.pole_target, left.use_rotation = goals["Target"][0], goals["Pole"][0], True
    left.reach_with = "TAIL"
    right.tip_bone, right.use_rotation = "", False
    api.mirror_settings(rig, "Arm.L")
    assert (right.target, right.pole_target) == (goals["Target"][1], goals["Pole"][1])
    # Bones of which no name tells a side are left as they are; without a tip bone nothing can turn.
    tip = "" if naming is NAMINGS["words of no language"] else limbs["Arm.R"][2]
    assert (right.end_bone, right.tip_bone, right.use_rotation) == (limbs["Arm.R"][1], tip, bool(tip))
    assert right.reach_with == ("TAIL" if tip else "JOINT")


def test_a_subtarget_goes_to_its_counterpart_if_it_has_one() -> None:
    rig = NAMINGS["plain English, .L and .R"].armature()
    prop = armature([Bone("handle.L", (0, 0, 0), (0, 0, 1)), Bone("handle.R", (1, 0, 0), (1, 0, 1))], "Prop")
    api.add_detected(rig)
    left, right = (rig.two_bone_ik_chains[f"Arm.{side}"] for side in "LR")
    left.target, left.subtarget, left.pole_target = prop, "handle.L", empty("Pole")
    right.pole_target = empty("Another")
    api.mirror_settings(rig, "Arm.L", sections=["TARGET"])
    assert (right.target, right.subtarget) == (prop, "handle.R")
    assert right.pole_target.name == "Another"


def test_all_others_keep_what_is_of_their_own_limb() -> None:
    rig = NAMINGS["plain English, .L and .R"].armature()
    api.add_detected(rig)
    chains = rig.two_bone_ik_chains
    chains["Leg.L"].hinge_axis, chains["Leg.L"].bend = "NEG_X", "POSITIVE"
    for one in chains:
        one.target = empty(f"{one.name} Goal")
    source = chains["Arm.L"]
    source.reference, source.pole_angle, source.softness, source.use_rotation = "POSE", 0.5, 0.25, True
    source.hinge_axis = "Z"
    bones = [(one.root_bone, one.end_bone, one.tip_bone) for one in chains]
    assert api.copy_settings(rig, "Arm.L") == {"Arm.R": "", "Leg.L": "", "Leg.R": ""}
    assert [(one.reference, one.softness, one.use_rotation) for one in chains] == [("POSE", 0.25, True)] * 4
    assert [one.target.name for one in chains] == [f"{one.name} Goal" for one in chains]
    assert [(one.root_bone, one.end_bone, one.tip_bone) for one in chains] == bones
    assert [chains[name].pole_angle for name in ("Leg.L", "Leg.R", "Arm.R")] == [0.5, -0.5, -0.5]
    assert (chains["Leg.L"].hinge_axis, chains["Leg.L"].bend) == ("NEG_X", "POSITIVE")
    assert chains["Leg.R"].hinge_axis == "AUTO"


@pytest.mark.parametrize("section", ["TARGET", "BONES", "BEND", "REACH"])
def test_only_the_chosen_section_is_copied(section: str) -> None:
    rig = human()
    api.add_detected(rig)
    sections = {
        "BEND": {"plane": "AIM", "pole_smoothing": 0.25},
        "REACH": {"softness": 0.5},
        "TARGET": {"use_rotation": True},
        "BONES": {},
    }
    source, other = (rig.two_bone_ik_chains[f"Arm.{side}"] for side in "LR")
    given = {field: value for fields in sections.values() for field, value in fields.items()}
    for field, value in given.items():
        setattr(source, field, value)
    before = {field: getattr(other, field) for field in given}
    api.copy_settings(rig, "Arm.L", ["Arm.R"], sections=[section])
    assert {field: getattr(other, field) for field in given} == before | sections[section]


def test_every_field_is_of_one_section() -> None:
    from bl_ext.user_default.two_bone_ik.blender.chains import copy_settings

    own = ["name", "mute", "end_bone", "target", "subtarget", "pole_target", "pole_subtarget"]
    copied = [name for names in copy_settings.SECTIONS.values() for name in names]
    assert sorted([*own, *copied]) == sorted(chain_fields())


def test_adding_the_missing_chain_keeps_the_active_one() -> None:
    rig = human()
    chain = api.add_chain(rig, "forearm.L", name="Arm.L", tip_bone="hand.L", softness=0.5)
    assert api.mirror_settings(rig, "Arm.L") == {"Arm.R": ""}
    added = rig.two_bone_ik_chains["Arm.R"]
    assert (added.end_bone, added.tip_bone, added.softness) == ("forearm.R", "hand.R", 0.5)
    assert rig.two_bone_ik_chains[rig.two_bone_ik_active] == chain


@pytest.mark.parametrize("end", ["spine.001", "forearm.L"])
def test_without_another_side_nothing_changes(end: str) -> None:
    rig = human()
    api.add_chain(rig, end)
    if end == "forearm.L":
        rig.data.bones["forearm.R"].name = "elbow"
    with refused(match="no other side"):
        api.mirror_settings(rig, end)


def test_the_operator_copies_to_all_or_to_the_other_side() -> None:
    rig = human()
    api.add_detected(rig)
    rig.two_bone_ik_active = rig.two_bone_ik_chains.find("Arm.L")
    rig.two_bone_ik_chains["Arm.L"].softness = 0.5
    bpy.ops.two_bone_ik.settings_copy(to="OTHER_SIDE", sections={"REACH"})
    assert [one.name for one in rig.two_bone_ik_chains if one.softness] == ["Arm.L", "Arm.R"]
    bpy.ops.two_bone_ik.settings_copy(sections={"REACH"})
    assert all(one.softness == 0.5 for one in rig.two_bone_ik_chains)


def test_a_name_that_begins_like_a_side_has_no_counterpart() -> None:
    rig = human()
    empty("Lock")
    api.add_chain(rig, "shin.L", name="Leg", target=empty("Rock"))
    api.mirror_settings(rig, "Leg")
    assert [each.name for each in rig.two_bone_ik_chains] == ["Leg", "shin.R"]
    assert rig.two_bone_ik_chains["shin.R"].target in (None, bpy.data.objects["Rock"])
