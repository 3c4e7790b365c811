"""A limb is pulled by its tip or its mid joint, with a chain or without one, and nothing is left but the pose."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.chains import limbs
from mathutils import Quaternion

from support import file_data, rigs
from support.auto_keying import auto_keying

CLOSE = 1e-5  # float32 matrices
NAMES = {"upper": "upper_arm.L", "lower": "forearm.L", "hand": "hand.L"}
UPPER, FOREARM, HAND = NAMES.values()
POSE = {UPPER: Quaternion((0.9, 0.1, 0.3, -0.2)), FOREARM: Quaternion((1, 0.2, -0.1, 0.3))}


def posed_arm() -> bpy.types.Object:
    """An arm that detect finds, without a chain, in a pose with twist, on a moved and scaled object."""
    rig = rigs.armature(
        [
            bone._replace(name=NAMES.get(bone.name, bone.name), parent=NAMES.get(bone.parent, bone.parent))
            for bone in rigs.ARM
        ]
    )
    rig.location, rig.scale = (1.0, 2.0, 3.0), (0.5, 0.5, 0.5)
    for name, rotation in POSE.items():
        rig.pose.bones[name].rotation_quaternion = rotation.normalized()
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.view_layer.update()
    return rig


def joints(rig: bpy.types.Object) -> np.ndarray:
    """Shoulder, elbow and wrist in the world, as Blender evaluates them."""
    bpy.context.view_layer.update()
    bones = rig.evaluated_get(bpy.context.view_layer.depsgraph).pose.bones
    places = (bones[UPPER].head, bones[FOREARM].head, bones[HAND].head)
    return np.array([rig.matrix_world @ place for place in places])


def beside(root: np.ndarray, tip: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The direction in which the point lies beside the line from root to tip."""
    line = (tip - root) / np.linalg.norm(tip - root)
    across = point - root - line * (line @ (point - root))
    return across / np.linalg.norm(across)


def arm(rig: bpy.types.Object) -> api.Limb:
    (limb,) = api.detect(rig)
    return limb


def refusal(**arguments: object) -> str:
    with pytest.raises(RuntimeError) as refused:
        bpy.ops.two_bone_ik.drag(**arguments)
    return str(refused.value)


@pytest.mark.parametrize("bone", ["", *NAMES.values()])
@pytest.mark.parametrize("chain", [False, True])
def test_the_active_bone_or_one_by_name_tells_the_limb(bone: str, chain: bool) -> None:
    rig = posed_arm()
    target = rigs.empty("Target")
    if chain:
        api.add_chain(rig, FOREARM, target=target, tip_bone=HAND)
    rig.data.bones.active = rig.data.bones[HAND]
    tip = joints(rig)[2]
    assert bpy.ops.two_bone_ik.drag(bone=bone, offset=(-0.1, 0.05, 0.1)) == {"FINISHED"}
    np.testing.assert_allclose(joints(rig)[2], np.add(tip, (-0.1, 0.05, 0.1)), atol=CLOSE)
    if chain:
        np.testing.assert_allclose(target.matrix_world.translation, joints(rig)[2], atol=CLOSE)
    assert len(rig.two_bone_ik_chains) == chain


def test_a_bone_of_no_limb_is_refused_by_name() -> None:
    posed_arm()
    before = file_data.dump()
    assert 'Bone "spine" of "Rig"' in refusal(bone="spine")
    assert not file_data.changed(before)


def test_the_limb_of_another_armature_can_be_pulled() -> None:
    rig = posed_arm()
    tip = joints(rig)[2]
    bpy.ops.object.mode_set(mode="OBJECT")
    other = rigs.armature(name="Other")
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.context.object == other
    bpy.ops.two_bone_ik.drag(armature="Rig", bone=FOREARM, offset=(-0.1, 0.05, 0.1))
    np.testing.assert_allclose(joints(rig)[2], np.add(tip, (-0.1, 0.05, 0.1)), atol=CLOSE)


def test_restored_a_limb_without_a_chain_leaves_no_trace() -> None:
    rig = posed_arm()
    before = file_data.dump()
    drag = api.drag(rig, arm(rig))
    drag.to((0.3, 0.4, 0.5))
    drag.bend_towards((0.1, -2.0, 0.5))
    drag.flip()
    assert file_data.changed(before)
    drag.restore()
    assert not file_data.changed(before)


def test_with_auto_keying_a_limb_without_a_chain_is_keyed() -> None:
    rig = posed_arm()
    auto_keying()
    bpy.context.scene.frame_set(7)
    bpy.ops.two_bone_ik.drag(bone=FOREARM, offset=(-0.1, 0.05, 0.1))
    pulled = joints(rig)
    assert {tuple(rigs.keys(rig.pose.bones[name])) for name in POSE} == {(7.0,)}
    for name in POSE:
        rig.pose.bones[name].rotation_quaternion = (1, 0, 0, 0)
    bpy.context.scene.frame_set(7)
    np.testing.assert_allclose(joints(rig), pulled, atol=CLOSE)
    assert not rig.two_bone_ik_chains


@pytest.mark.parametrize("offset", [(0.2, 0.1, -0.3), (-0.4, 0.0, 0.1), (0.0, -0.5, 0.2), (0.01, 0.0, 0.0)])
@pytest.mark.parametrize(
    "chain", [{}, {"softness": 0.5}, {"bend": "NEGATIVE"}, {"bend": "POSITIVE"}, {"plane": "AIM"}, None]
)
def test_pulled_by_its_elbow_the_limb_turns_about_its_line(
    offset: tuple[float, ...], chain: dict[str, object] | None
) -> None:
    rig = posed_arm()
    if chain is not None:
        api.add_chain(rig, FOREARM, tip_bone=HAND, **chain)
    root, mid, tip = joints(rig)
    bpy.ops.two_bone_ik.drag(bone=FOREARM, pull="POLE", offset=offset)
    turned = joints(rig)
    np.testing.assert_allclose(turned[[0, 2]], (root, tip), atol=CLOSE)
    np.testing.assert_allclose(beside(root, tip, turned[1]), beside(root, tip, mid + offset), atol=1e-4)


def test_pulled_nowhere_by_its_elbow_the_limb_keeps_its_pose() -> None:
    rig = posed_arm()
    before = np.array([tuple(rig.pose.bones[name].rotation_quaternion) for name in POSE])
    bpy.ops.two_bone_ik.drag(bone=FOREARM, pull="POLE")
    after = np.array([tuple(rig.pose.bones[name].rotation_quaternion) for name in POSE])
    np.testing.assert_allclose(after * np.sign((after * before).sum(axis=-1))[:, None], before, atol=CLOSE)


def test_pulled_by_its_elbow_the_limb_takes_the_pole_along() -> None:
    rig = posed_arm()
    pole = rigs.empty("Pole")
    api.add_chain(rig, FOREARM, tip_bone=HAND, target=rigs.empty("Target"), pole_target=pole, reference="POSE")
    bpy.ops.two_bone_ik.drag(pull="POLE", offset=(0.2, 0.1, -0.3))
    root, mid, tip = joints(rig)
    np.testing.assert_allclose(beside(root, tip, np.array(pole.location)), beside(root, tip, mid), atol=1e-4)
    api.solve(rig)
    np.testing.assert_allclose(joints(rig), (root, mid, tip), atol=CLOSE)


def test_without_a_pole_target_it_says_that_the_bend_is_not_kept() -> None:
    rig = posed_arm()
    api.add_chain(rig, FOREARM, tip_bone=HAND, target=rigs.empty("Target"))
    drag = api.drag(rig, FOREARM)
    drag.bend_towards((1.0, 2.0, 0.0))
    (note,) = drag.finish()
    assert "without a pole target" in note


def test_in_a_fixed_plane_the_elbow_changes_its_side() -> None:
    rig = posed_arm()
    for name in POSE:
        rig.pose.bones[name].rotation_quaternion = (1, 0, 0, 0)
    api.add_chain(rig, FOREARM, tip_bone=HAND, plane="REST")
    root, mid, tip = joints(rig)
    across = beside(root, tip, mid)
    bpy.ops.two_bone_ik.drag(pull="POLE", offset=tuple(-across + np.cross(across, tip - root)))
    turned = joints(rig)
    np.testing.assert_allclose(turned[[0, 2]], (root, tip), atol=CLOSE)
    np.testing.assert_allclose(beside(root, tip, turned[1]), -across, atol=1e-4)


def test_the_handles_are_at_the_joints_that_show() -> None:
    rig = posed_arm()
    rig.pose.bones[UPPER].constraints.new("LIMIT_ROTATION").use_limit_x = True
    _, mid, tip = joints(rig)
    (found,) = limbs.joints(rig, bpy.context.view_layer.depsgraph)
    assert found.end_bone == FOREARM
    np.testing.assert_allclose((found.mid.translation, found.tip.translation), (mid, tip), atol=CLOSE)


def test_handles_follow_what_chains_there_are() -> None:
    rig = posed_arm()
    depsgraph = bpy.context.view_layer.depsgraph
    assert [limb.end_bone for limb in limbs.joints(rig, depsgraph)] == [FOREARM]
    api.add_chain(rig, FOREARM)
    api.add_chain(rig, HAND)
    assert [limb.end_bone for limb in limbs.joints(rig, depsgraph)] == [FOREARM, HAND]
    rig.two_bone_ik_chains.clear()
    rig.data.bones[FOREARM].name = "sleeve"
    rig.data.bones[UPPER].name = "wing"
    rig.data.bones[HAND].name = "end"
    assert FOREARM not in [limb.end_bone for limb in limbs.joints(rig, depsgraph)]
