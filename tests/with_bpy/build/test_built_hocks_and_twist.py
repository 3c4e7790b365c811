"""Legs with a hock and limbs with twist bones that are built into the rig, as Blender evaluates them without a key."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object
from mathutils import Quaternion

from support import file_data, hocks, rigs, twisted
from support.built import CLOSE
from support.refused import refused
from support.truth import on_frame

BOTH = pytest.mark.parametrize("hock", ["RIGID", "PARALLEL"])


@BOTH
@pytest.mark.parametrize("tip_bone", ["toe", ""])
def test_a_built_leg_is_where_its_hock_has_it(hock: str, tip_bone: str) -> None:
    chain = hocks.leg(hock, tip_bone=tip_bone)
    report = api.build(chain.id_data)
    assert report.posed
    hocks.assert_posed(chain)


@BOTH
@pytest.mark.parametrize(
    "options",
    [
        {"pole_target": True},
        {"pole_target": True, "bend": "NEGATIVE", "pole_angle": 0.6, "pole_influence": 0.7},
        {"influence": 0.4},
        {"plane": "REST", "softness": 0.2},
        {"unreachable": "STRETCH", "max_stretch": 1.3},
        {"hinge_axis": "NEG_X"},
    ],
    ids=str,
)
def test_a_built_leg_is_posed_as_the_solver_poses_it(hock: str, options: dict[str, object]) -> None:
    poles = {"pole_target": rigs.empty("Pole", (2.0, -3.0, 2.0))} if options.get("pole_target") else {}
    chain = hocks.leg(hock, **(options | poles))
    rig, far = chain.id_data, {11: (0.3, -2.5, -1.0)}
    rigs.animate(chain.target, location=far)
    rig.scale = (-1.5, 1.5, 1.5)
    rig.pose.bones["shin"].rotation_quaternion = (0.9, 0.1, 0.3, -0.2)
    names, frames = ("thigh", "shin", "hock"), range(1, 12)
    api.build(rig, frames=(1, 11))
    built = twisted.shown(rig, frames, names)
    api.unbuild(rig)
    api.bake(rig, frames=(1, 11))
    np.testing.assert_allclose(built, twisted.shown(rig, frames, names), atol=2 * CLOSE)


@pytest.mark.parametrize("turns", [0.48, -0.48])
def test_twist_bones_of_a_built_limb_turn_by_their_shares(turns: float) -> None:
    chain = twisted.arm(turns=turns)
    rig, frames = chain.id_data, twisted.ALL
    report = api.build(rig)
    assert report.posed
    assert "half a turn" in " ".join(report.notes)
    found = twisted.bone_turns(rig, twisted.SHARES, frames)
    even = np.linspace(0.0, 2.0 * np.pi * turns, len(frames))
    for name in ("lower_twist_a", "lower_twist_b"):
        np.testing.assert_allclose(found[name], twisted.SHARES[name] * even, atol=CLOSE)


def test_twist_bones_of_the_upper_half_turn_by_their_shares() -> None:
    chain = twisted.arm(turns=0.0)
    rig, frames = chain.id_data, range(1, 13)
    chain.use_rotation = False
    rig.data.bones["upper_twist_a"].use_inherit_rotation = False
    around = {frame: (0.5, np.cos(frame / 2), 2.5 + np.sin(frame / 2)) for frame in frames}
    rigs.animate(chain.pole_target, location=around)
    rigs.animate(rig.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 12: Quaternion((1, 2, 3), 1.0)})
    assert api.build(rig, frames=(1, 12)).posed
    above = twisted.twist_of(rig, "upper", "lower", frames)
    assert np.ptp(above) > 0.5
    found = twisted.bone_turns(rig, ["upper_twist_a", "upper_twist_b"], frames)
    for name, turn in found.items():
        np.testing.assert_allclose(turn, twisted.SHARES[name] * above, atol=CLOSE)


def test_hand_and_joints_are_as_without_spread_twist() -> None:
    chain = twisted.arm(turns=0.3, influence=0.4)
    rig, names = chain.id_data, ("upper", "lower", "hand", *twisted.SHARES)
    rig.pose.bones["lower_twist_a"].rotation_quaternion = Quaternion((0, 1, 0), 0.7)
    api.build(rig)
    built = twisted.shown(rig, twisted.ALL, names)
    api.unbuild(rig)
    api.bake(rig, frames=twisted.FRAMES)
    # Blender blends turns of less than a degree or two along the chord.
    np.testing.assert_allclose(built, twisted.shown(rig, twisted.ALL, names), atol=4 * CLOSE)


def _leg_with_a_twist_bone() -> Object:
    return hocks.leg("PARALLEL", bones=hocks.TWISTING, use_twist=True, use_rotation=True, softness=0.1).id_data


def _arm_with_twist_bones() -> Object:
    return twisted.arm().id_data


@pytest.mark.parametrize("make", [_leg_with_a_twist_bone, _arm_with_twist_bones])
def test_unbuild_takes_hocks_and_twist_out_again(make: Callable[[], Object]) -> None:
    rig = make()
    name = rig.two_bone_ik_chains[0].name
    on_frame(1)
    before = file_data.dump()
    api.build(rig, frames=(1, 3))
    assert limb_states(rig, bpy.context.scene, on_frame(1))[name].state == "BUILT"
    built = file_data.dump()
    api.build(rig, frames=(1, 3))
    on_frame(1)  # which lets the drivers act
    assert file_data.changed(built) == set()
    assert len(api.unbuild(rig, [name]).notes) == 1
    assert file_data.changed(before) == set()


def test_a_leg_is_to_be_built_again_once_its_hock_is_edited() -> None:
    rig = _leg_with_a_twist_bone()
    for bone in ("hock", "shin_twist"):
        api.build(rig, frames=(1, 3))
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        rig.data.edit_bones[bone].roll += 0.1
        bpy.ops.object.mode_set(mode="OBJECT")
        assert limb_states(rig, bpy.context.scene, on_frame(1))["shin"].state == "BUILT_BEFORE"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"bones": twisted.LINE}, 'spreads its twist over bone "upper_line_a", which carries the next one'),
        ({}, 'while Share of Twist of bone "lower_twist_a" has keys or a driver'),
    ],
)
def test_twist_that_cannot_be_built_is_named(fields: dict, sentence: str) -> None:
    rig = twisted.arm(**fields).id_data
    if not fields:
        rig.pose.bones["lower_twist_a"].keyframe_insert("two_bone_ik_twist", frame=1)
    with refused(match=sentence):
        api.build(rig)


def test_a_hock_angle_cannot_be_built_and_is_named() -> None:
    rig = hocks.leg(hock_angle=0.3).id_data
    with refused(match=r"has Hock Angle 0\.3.*, which no constraint of Blender gives"):
        api.build(rig)
