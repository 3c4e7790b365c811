"""On known rigs chains follow what IK reaches for; the control that takes keys brings there what has to arrive."""

from __future__ import annotations

from math import pi, sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Euler

from support.published_rigs import published
from support.refused import refused
from support.rigify import generated
from support.rigs import animate, empty
from support.truth import on_frame, worlds

FRAMES = range(1, 21)
FOLLOWED = {"Leg": "MCH-thigh_ik_target", "Arm": "MCH-upper_arm_ik_target"}
CONTROLS = {"Leg": "foot_ik", "Arm": "hand_ik"}
TIPS = {"Leg": "foot_fk", "Arm": "hand_fk"}
POLES = {"Leg": "thigh_ik_target", "Arm": "upper_arm_ik_target"}
LIMBS = [f"{limb}.{side}" for limb in FOLLOWED for side in "LR"]
CLOSE = 1e-5
"""Metres, and parts of a rotation: single precision over a dozen bones."""


@pytest.fixture
def rig() -> Object:
    """The rig generated from the basic human metarig, walking on heels that roll, with a chain for each limb."""
    rig = generated("basic_human")
    bones = rig.pose.bones
    for frame in (1, 7, 13, 20):
        swing = sin(2.0 * pi * frame / 20.0)
        animate(bones["torso"], location={frame: (0.02 * swing, 0, -0.08)})
        for side, sign in (("L", 1), ("R", -1)):
            animate(bones[f"foot_heel_ik.{side}"], rotation_euler={frame: (0.3 + 0.3 * sign * swing, 0.1, 0.2 * swing)})
            animate(bones[f"foot_ik.{side}"], location={frame: (0, 0.2 * sign * swing, 0.05)})
    api.add_detected(rig)
    return rig


def of(names: dict[str, str], chain: str) -> str:
    """The bone of this chain's limb and side."""
    limb, side = chain.split(".")
    return f"{names[limb]}.{side}"


def stride(rig: Object) -> None:
    """FK controls that move, and show."""
    bones = rig.pose.bones
    for side, sign in (("L", 1), ("R", -1)):
        for frame in (1, 7, 13, 20):
            swing = sin(2.0 * pi * frame / 20.0) * sign
            angles = {"thigh": (0.4 * swing - 0.2, 0.1, 0), "shin": (0.6 + 0.3 * swing, 0, 0)}
            angles |= {"foot": (0.3 * swing, 0, 0.1), "upper_arm": (0.4 * swing, 0.2, 0), "forearm": (0.8, 0, 0)}
            for name, turn in (angles | {"hand": (0.2, 0.3 * swing, 0)}).items():
                animate(bones[f"{name}_fk.{side}"], rotation_quaternion={frame: Euler(turn).to_quaternion()})
        for limb in ("thigh", "upper_arm"):
            bones[f"{limb}_parent.{side}"]["IK_FK"] = 1.0
            # Without stretch a constraint keeps what IK reaches for within reach.
            bones[f"{limb}_parent.{side}"]["IK_Stretch"] = float(side == "L")
    rig.update_tag()


def test_chains_of_a_known_rig_follow_its_controls(rig: Object) -> None:
    assert {chain.name for chain in rig.two_bone_ik_chains} == set(LIMBS)
    for chain in rig.two_bone_ik_chains:
        assert (chain.target, chain.subtarget) == (rig, of(FOLLOWED, chain.name))
        assert (chain.pole_target, chain.pole_subtarget) == (rig, of(POLES, chain.name))
        assert chain.use_rotation
    assert api.bake(rig, frames=(1, 20)).posed
    tips, followed = [of(TIPS, name) for name in LIMBS], [of(FOLLOWED, name) for name in LIMBS]
    found = worlds(rig, FRAMES, *tips, *followed)
    np.testing.assert_allclose(found[:, :4, :3], found[:, 4:, :3], atol=CLOSE)


def test_a_limb_with_other_names_is_detected_once() -> None:
    """The Mixamo control rig has bones whose names tell a limb, called otherwise by its file."""
    found = api.add_detected(published("mixamo_control_rig"))
    assert {limb.name: (limb.end_bone, limb.subtarget) for limb in found} == {
        "Arm.Left": ("Ctrl_ForeArm_FK_Left", "Ctrl_Hand_IK_Left"),
        "Leg.Left": ("Ctrl_Leg_FK_Left", "Foot_IK_Left"),
    }
    assert len(found) == 2


@pytest.mark.parametrize("keys", ["EVERY_FRAME", "REDUCED"])
def test_baked_targets_arrive_through_their_controls(rig: Object, keys: str) -> None:
    stride(rig)
    tips, followed = [of(TIPS, name) for name in LIMBS], [of(FOLLOWED, name) for name in LIMBS]
    before = worlds(rig, FRAMES, *tips)
    report = api.bake_targets(rig, frames=(1, 20), keys=keys)
    assert report.posed
    close = CLOSE if keys == "EVERY_FRAME" else 1e-3
    after = worlds(rig, FRAMES, *followed)
    np.testing.assert_allclose(after[..., :3, 3], before[..., :3, 3], atol=close)
    np.testing.assert_allclose(after[..., :3, :3], before[..., :3, :3], atol=CLOSE if close == CLOSE else 2e-2)
    keyed = {curve.data_path.split('"')[1] for curve in versions.curves(rig)}
    assert keyed.isdisjoint(followed)
    assert {of(CONTROLS, name) for name in LIMBS} <= keyed


def test_snapped_and_pinned_targets_arrive_by_their_controls(rig: Object) -> None:
    stride(rig)
    on_frame(5)
    rig.pose.bones["shin_fk.L"].rotation_quaternion = Euler((1.1, 0, 0)).to_quaternion()
    rig.pose.bones["foot_fk.L"].rotation_quaternion = Euler((0.3, 0.2, 0.1)).to_quaternion()
    bpy.context.view_layer.update()
    before = np.array(rig.pose.bones["foot_fk.L"].matrix)
    api.snap_targets(rig)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(np.array(rig.pose.bones["foot_fk.L"].matrix), before, atol=CLOSE)
    np.testing.assert_allclose(np.array(rig.pose.bones["MCH-thigh_ik_target.L"].matrix), before, atol=CLOSE)
    before = np.array([rig.pose.bones[of(TIPS, name)].matrix for name in LIMBS])
    api.pin(rig)
    rig.pose.bones["torso"].location.z -= 0.05
    bpy.context.view_layer.update()
    after = np.array([rig.pose.bones[of(TIPS, name)].matrix for name in LIMBS])
    np.testing.assert_allclose(after, before, atol=2e-4)


def test_a_held_foot_stays_while_its_heel_rolls(rig: Object) -> None:
    before = worlds(rig, FRAMES, "MCH-thigh_ik_target.L")
    report = api.hold(rig, ["Leg.L"], (6, 15), ease=(2, 2))
    found = worlds(rig, FRAMES, "MCH-thigh_ik_target.L")
    held = found[5:15]
    np.testing.assert_allclose(held, np.broadcast_to(before[5], held.shape), atol=CLOSE)
    np.testing.assert_allclose(found[:3], before[:3], atol=1e-6)
    np.testing.assert_allclose(found[17:], before[17:], atol=1e-6)
    assert not any("out of date" in note for note in report.notes)
    api.remove_hold(rig, "Leg.L")
    np.testing.assert_allclose(worlds(rig, FRAMES, "MCH-thigh_ik_target.L"), before, atol=1e-6)
    between = rig.pose.bones["foot_spin_ik.L"].constraints.new("COPY_LOCATION")
    between.target, between.subtarget = rig, "torso"
    with refused("NOT_CARRIED", 'constraint "Copy Location" acts on "foot_spin_ik'):
        api.hold(rig, ["Leg.L"], (1, 5))


def test_controls_leave_alone_what_shows_and_their_parents(rig: Object) -> None:
    """IK shows here: to snap its controls to the FK pose would lose what the user sees."""
    with refused("NOT_SHOWN", 'set "IK_FK" to 1'):
        api.snap_targets(rig)
    stride(rig)
    prop = '["IK_FK"]'
    parent = rig.pose.bones["thigh_parent.L"]
    parent.keyframe_insert(prop, frame=1)
    parent["IK_FK"] = 0.0
    parent.keyframe_insert(prop, frame=12)
    with pytest.raises(api.Refused, match="on frame "):
        api.bake_targets(rig, ["Leg.L"], frames=(1, 20))
    with refused("RIG_SPACE", 'moved by control "foot_ik'):
        api.change_target_space(rig, ["Leg.L"], (1, 5), space=(rig, "torso"))


def test_what_two_controls_move_is_refused_by_name() -> None:
    rig = generated("basic_quadruped")
    api.add_detected(rig)
    chain = rig.two_bone_ik_chains["Front Leg.L"]
    assert (chain.target, chain.subtarget) == (rig, "MCH-front_thigh_ik_target.L")
    with refused("NO_CONTROL", "by more than one control"):
        api.hold(rig, ["Front Leg.L"], (1, 5))


def test_a_pin_names_controls_and_no_bones_between(rig: Object) -> None:
    stride(rig)
    told = "Targets go along with the bones of the rig that carry their controls: "
    keyed = [note for note in api.pin(rig).notes if note.startswith("Keys take")]
    assert [note.split('"')[1] for note in keyed] == ["basic_human, foot_ik.L", "basic_human, foot_ik.R"]
    rig.animation_data_clear()
    assert api.pin(rig).notes == (f"{told}Leg.L, Leg.R, Arm.L, Arm.R",)
    pole = empty("Knee")
    pole.parent, pole.parent_type, pole.parent_bone = rig, "BONE", "torso"
    rig.two_bone_ik_chains["Leg.L"].pole_target = pole
    hangs = 'Target "Knee" of chain "Leg.L" goes along with bone "torso"'
    assert api.pin(rig, ["Leg.L"]).notes == (hangs, f"{told}Leg.L")
