"""Pulled on a known rig that shows IK, the hand goes along: the controls of IK move, and FK stays as it is."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.chains import limbs
from bpy.types import Object

from support import file_data, published_rigs
from support.auto_keying import auto_keying
from support.rigify import generated

LIMBS = {"Arm": ("upper_arm", "forearm", "hand"), "Leg": ("thigh", "shin", "foot")}
OFFSETS = {"Arm.L": (-0.05, -0.15, 0.1), "Arm.R": (0.05, -0.15, 0.1), "Leg.L": (0.05, -0.1, 0.15)}
OFFSETS["Leg.R"] = OFFSETS["Leg.L"]
"""Within reach."""
CLOSE = 1e-4
"""Metres: Blender's IK reaches its target to some micrometres."""
DEGREE = np.radians(1.0)


@pytest.fixture
def rig() -> Object:
    rig = generated("basic_human")
    bpy.ops.object.mode_set(mode="POSE")
    return rig


def bones(limb: str, layer: str = "DEF-{}.{}") -> list[str]:
    kind, side = limb.split(".")
    return [layer.format(name, side) for name in LIMBS[kind]]


def joints(rig: Object, names: list[str]) -> np.ndarray:
    """The heads of these bones in the world, as Blender evaluates them."""
    bpy.context.view_layer.update()
    shown = rig.evaluated_get(bpy.context.view_layer.depsgraph)
    return np.array([shown.matrix_world @ shown.pose.bones[name].head for name in names])


def channels(rig: Object, name: str = "_fk.") -> dict[str, tuple[float, ...]]:
    """By bone with this in its name all of its own channels."""
    return {
        bone.name: (*bone.location, *bone.rotation_quaternion, *bone.rotation_euler, *bone.scale)
        for bone in rig.pose.bones
        if name in bone.name
    }


def keyed(rig: Object) -> set[str]:
    return {curve.data_path for curve in versions.curves(rig)}


def side_of(joints: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The direction in which the place lies beside the line from root to tip."""
    root, _, tip = joints
    line = (tip - root) / np.linalg.norm(tip - root)
    across = place - root - line * (line @ (place - root))
    return across / np.linalg.norm(across)


def angle(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.arccos(np.clip(one @ other, -1.0, 1.0)))


@pytest.mark.parametrize(("limb", "poled"), [("Arm.L", False), ("Leg.R", False), ("Arm.R", True), ("Leg.L", True)])
def test_the_hand_that_shows_follows_and_fk_stays(rig: Object, limb: str, poled: bool) -> None:
    turn_poles(rig, poled)
    before, fk = joints(rig, bones(limb)), channels(rig)
    offset = OFFSETS[limb]
    for end in (bones(limb, "{}_fk.{}")[1], bones(limb, "{}_ik.{}")[2]):
        bpy.ops.two_bone_ik.drag(bone=end, offset=offset)
        after = joints(rig, bones(limb))
        np.testing.assert_allclose(after[2], before[2] + offset, atol=CLOSE)
        np.testing.assert_allclose(after[0], before[0], atol=CLOSE)
        offset = tuple(-np.array(offset))
        before = after
    assert channels(rig) == fk
    assert not keyed(rig)


@pytest.mark.parametrize(("limb", "poled"), [("Arm.L", False), ("Leg.R", False), ("Arm.R", True), ("Leg.L", True)])
def test_the_elbow_that_shows_goes_to_where_it_is_pulled(rig: Object, limb: str, poled: bool) -> None:
    turn_poles(rig, poled)
    bpy.ops.two_bone_ik.drag(bone=bones(limb, "{}_fk.{}")[1], offset=OFFSETS[limb])
    before, fk = joints(rig, bones(limb)), channels(rig)
    for offset in ((0.15, 0.05, 0.0), (-0.2, 0.1, 0.1), (0.0, -0.1, 0.1)):
        start = joints(rig, bones(limb))
        wanted = start[1] + offset
        bpy.ops.two_bone_ik.drag(bone=bones(limb, "{}_fk.{}")[1], pull="POLE", offset=offset)
        after = joints(rig, bones(limb))
        np.testing.assert_allclose(after[[0, 2]], before[[0, 2]], atol=CLOSE)
        assert angle(side_of(after, after[1]), side_of(after, wanted)) < DEGREE
    assert channels(rig) == fk


@pytest.mark.parametrize("poled", [False, True])
def test_an_elbow_pulled_onto_the_line_has_no_side_to_go_to(rig: Object, poled: bool) -> None:
    turn_poles(rig, poled)
    pull(rig, "Arm.L", OFFSETS["Arm.L"])
    root, mid, tip = before = joints(rig, bones("Arm.L"))
    beside = 2e-5 * side_of(before, mid)
    pull(rig, "Arm.L", tuple(0.4 * root + 0.6 * tip - beside - mid), pull="POLE")
    np.testing.assert_allclose(joints(rig, bones("Arm.L")), before, atol=CLOSE)


@pytest.mark.parametrize("limb", ["Arm.L", "Leg.R"])
def test_the_angles_told_are_those_of_the_limb_that_shows(rig: Object, limb: str) -> None:
    root, end, _ = bones(limb, "{}_fk.{}")
    above, rest = rig.data.bones[root].parent, rig.data.bones
    drag = api.drag(rig, limbs.limb_of(rig, end))
    for offset in (OFFSETS[limb], (0.0, -0.2, 0.2)):
        drag.to(np.add(drag.tip, offset))
        first, second = np.diff(joints(rig, bones(limb)), axis=0)
        carried = rig.pose.bones[above.name].matrix.to_3x3() @ above.matrix_local.to_3x3().inverted()
        straight = np.array(rig.matrix_world.to_3x3() @ carried @ (rest[end].head_local - rest[root].head_local))
        units = [vector / np.linalg.norm(vector) for vector in (straight, first, second)]
        truth = np.degrees([angle(units[0], units[1]), angle(units[1], units[2])])
        assert truth.min() > 1.0
        np.testing.assert_allclose(drag.angles, truth, atol=0.02)
    drag.restore()


def turn_poles(rig: Object, poled: bool) -> None:
    for side in "LR":
        for name in ("thigh", "upper_arm"):
            rig.pose.bones[f"{name}_parent.{side}"]["pole_vector"] = poled
    rig.update_tag()
    bpy.context.view_layer.update()


def pull(rig: Object, limb: str, offset: tuple[float, ...], **arguments: object) -> None:
    bpy.ops.two_bone_ik.drag(bone=bones(limb, "{}_fk.{}")[1], offset=offset, **arguments)


def refusal(rig: Object, bone: str, **arguments: object) -> str:
    """What is told; nothing changes."""
    before = file_data.dump()
    with pytest.raises(RuntimeError) as refused:
        bpy.ops.two_bone_ik.drag(bone=bone, offset=(0.0, -0.1, 0.1), **arguments)
    assert not file_data.changed(before)
    return str(refused.value)


@pytest.mark.parametrize(
    ("poled", "arguments", "path"),
    [
        (False, {}, "hand_ik.L location"),
        (True, {}, "hand_ik.L location"),
        (False, {"pull": "POLE"}, "upper_arm_ik.L rotation"),
        (True, {"pull": "POLE"}, "upper_arm_ik_target.L location"),
    ],
)
def test_auto_keying_keys_the_control_that_was_pulled(
    rig: Object, poled: bool, arguments: dict[str, object], path: str
) -> None:
    turn_poles(rig, poled)
    auto_keying()
    bpy.context.scene.frame_set(7)
    name, channel = path.split()
    channel = rotation_of(rig, name) if channel == "rotation" else channel
    pull(rig, "Arm.L", (0.0, -0.1, 0.1), **arguments)
    pulled = joints(rig, bones("Arm.L"))
    assert keyed(rig) == {f'pose.bones["{name}"].{channel}'}
    assert {key.co.x for curve in versions.curves(rig) for key in curve.keyframe_points} == {7.0}
    rig.pose.bones[name].property_unset(channel)
    bpy.context.scene.frame_set(7)
    np.testing.assert_allclose(joints(rig, bones("Arm.L")), pulled, atol=CLOSE)


def rotation_of(rig: Object, name: str) -> str:
    return "rotation_quaternion" if rig.pose.bones[name].rotation_mode == "QUATERNION" else "rotation_euler"


@pytest.mark.parametrize("poled", [False, True])
def test_restored_the_controls_are_as_they_were_to_the_bit(rig: Object, poled: bool) -> None:
    turn_poles(rig, poled)
    rig.pose.bones["hand_ik.L"].location = (0.1, 0.2, 0.3)
    rig.pose.bones["upper_arm_ik.L"].rotation_quaternion = (0.98, 0.0, 0.2, 0.0)
    bpy.context.view_layer.update()
    before = file_data.dump()
    (limb,) = (each for each in api.detect(rig) if each.name == "Arm.L")
    drag = api.drag(rig, limb)
    drag.to((0.5, -0.3, 1.2))
    drag.bend_towards((0.4, 0.5, 1.0))
    drag.flip()
    assert file_data.changed(before)
    drag.restore()
    assert not file_data.changed(before)


@pytest.mark.parametrize("poled", [False, True])
def test_flipped_the_elbow_that_shows_is_on_the_other_side(rig: Object, poled: bool) -> None:
    turn_poles(rig, poled)
    pull(rig, "Arm.L", OFFSETS["Arm.L"])
    before = joints(rig, bones("Arm.L"))
    pull(rig, "Arm.L", (0.0, 0.0, 0.0), flip=True)
    after = joints(rig, bones("Arm.L"))
    np.testing.assert_allclose(after[[0, 2]], before[[0, 2]], atol=CLOSE)
    assert angle(side_of(after, after[1]), -side_of(before, before[1])) < DEGREE


def test_pulled_out_of_reach_and_back_the_hand_is_back(rig: Object) -> None:
    rig.pose.bones["upper_arm_parent.L"]["IK_Stretch"] = 0.0
    rig.location, rig.rotation_euler, rig.scale = (1.0, 2.0, 3.0), (0.3, 0.2, 0.9), (0.5, 0.5, 0.5)
    rig.update_tag()
    start = joints(rig, bones("Arm.L"))[2]
    pull(rig, "Arm.L", (0.5, 0.5, 0.5))
    assert np.linalg.norm(joints(rig, bones("Arm.L"))[2] - start) < 0.6
    here = joints(rig, bones("Arm.L"))[2]
    there = np.add(start, (0.0, 0.03, 0.05))
    pull(rig, "Arm.L", tuple(there - here))
    np.testing.assert_allclose(joints(rig, bones("Arm.L"))[2], there, atol=CLOSE)


def test_where_fk_shows_its_controls_are_pulled(rig: Object) -> None:
    rig.pose.bones["upper_arm_parent.L"]["IK_FK"] = 1.0
    rig.update_tag()
    before, ik = joints(rig, bones("Arm.L")), channels(rig, "_ik")
    pull(rig, "Arm.L", OFFSETS["Arm.L"])
    np.testing.assert_allclose(joints(rig, bones("Arm.L"))[2], before[2] + OFFSETS["Arm.L"], atol=CLOSE)
    assert channels(rig, "_ik") == ik


def test_a_chain_of_that_limb_pulls_what_shows_too(rig: Object) -> None:
    api.add_detected(rig)
    before, fk, targets = joints(rig, bones("Leg.L")), channels(rig), len(bpy.data.objects)
    rig.two_bone_ik_active = next(i for i, chain in enumerate(rig.two_bone_ik_chains) if chain.name == "Leg.L")
    rig.data.bones.active = rig.data.bones["shin_fk.L"]
    bpy.ops.two_bone_ik.drag(offset=OFFSETS["Leg.L"])
    np.testing.assert_allclose(joints(rig, bones("Leg.L"))[2], before[2] + OFFSETS["Leg.L"], atol=CLOSE)
    assert channels(rig) == fk
    assert len(bpy.data.objects) == targets


def test_a_rolled_heel_goes_along(rig: Object) -> None:
    rig.pose.bones["foot_heel_ik.L"].rotation_euler = (0.5, 0.1, 0.2)
    before = joints(rig, bones("Leg.L"))
    pull(rig, "Leg.L", OFFSETS["Leg.L"])
    np.testing.assert_allclose(joints(rig, bones("Leg.L"))[2], before[2] + OFFSETS["Leg.L"], atol=CLOSE)


def test_handles_are_where_ik_shows_the_joints(rig: Object) -> None:
    rig.pose.bones["hand_ik.L"].location = (0.0, 0.1, 0.2)
    _, mid, tip = joints(rig, bones("Arm.L"))
    found = {limb.end_bone: limb for limb in limbs.joints(rig, bpy.context.view_layer.depsgraph)}
    arm = found["forearm_fk.L"]
    np.testing.assert_allclose((arm.mid.translation, arm.tip.translation), (mid, tip), atol=CLOSE)
    assert arm.handle == "hand_ik.L"
    rig.pose.bones["upper_arm_parent.L"]["IK_FK"] = 1.0
    rig.update_tag()
    _, mid, tip = joints(rig, bones("Arm.L"))
    (arm,) = (limb for limb in limbs.joints(rig, bpy.context.view_layer.depsgraph) if limb.end_bone == "forearm_fk.L")
    np.testing.assert_allclose((arm.mid.translation, arm.tip.translation), (mid, tip), atol=CLOSE)
    assert arm.handle == "forearm_fk.L"


def test_a_limb_that_no_one_control_moves_is_refused() -> None:
    rig = generated("basic_quadruped")
    bpy.ops.object.mode_set(mode="POSE")
    told = refusal(rig, "shin_fk.L")
    assert '"Hind Leg.L" of "basic_quadruped" shows IK, and more than one control moves it' in told
    assert 'set "IK_FK" to 1' in told


def test_a_control_that_cannot_move_is_refused_by_name(rig: Object) -> None:
    rig.pose.bones["hand_ik.L"].lock_location[1] = True
    assert '"basic_human, hand_ik.L"' in refusal(rig, "hand_ik.L")
    rig.pose.bones["hand_ik.L"].lock_location[1] = False
    rig.pose.bones["hand_ik.L"].driver_add("location", 0)
    assert "driver" in refusal(rig, "hand_ik.L")


@pytest.mark.parametrize("kind", published_rigs.SIDES)
def test_each_kind_of_rig_is_pulled_by_its_controls(kind: str) -> None:
    rig = published_rigs.published(kind)
    bpy.ops.object.mode_set(mode="POSE")
    for limb in published_rigs.limbs(kind):
        shown, fk = limb.deforming[:3], {} if limb.one_layer else channels(rig, "FK") | channels(rig, "_fk")
        root, _, tip = joints(rig, shown)
        offset = 0.15 * (root - tip) + (0.0, -0.02, 0.01)
        bpy.ops.two_bone_ik.drag(bone=limb.control, offset=tuple(offset))
        np.testing.assert_allclose(joints(rig, shown)[[0, 2]], (root, tip + offset), atol=5e-4)
        if limb.pole:
            here = joints(rig, shown)
            wanted = here[1] + (0.05, -0.02, 0.2)
            bpy.ops.two_bone_ik.drag(bone=limb.control, pull="POLE", offset=(0.05, -0.02, 0.2))
            there = joints(rig, shown)
            np.testing.assert_allclose(there[[0, 2]], here[[0, 2]], atol=5e-4)
            assert angle(side_of(there, there[1]), side_of(there, wanted)) < DEGREE
        else:
            assert "no control of its rig turns it" in refusal(rig, limb.control, pull="POLE")
        assert ({} if limb.one_layer else channels(rig, "FK") | channels(rig, "_fk")) == fk
