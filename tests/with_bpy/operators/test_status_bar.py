"""The status bar shows the last line alone: it has what the panel has, and all armatures that were acted on."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object, PropertyGroup

from support import rigs
from support.characters import character, select
from support.truth import Limb, on_frame

HAND = Limb(tip="hand")


def last_line(capfd: pytest.CaptureFixture[str]) -> str:
    return capfd.readouterr().out.splitlines()[-1]


def select_both(*names: str) -> None:
    rigs_of_both = [character(name) for name in names]
    select(*rigs_of_both)


def test_a_bake_of_two_armatures_names_both(empty_file: None, capfd: pytest.CaptureFixture[str]) -> None:
    select_both("Hero", "Villain")
    bpy.data.objects["Villain target.L"].location = (9, 0, 1)
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=2)
    assert last_line(capfd) == "Warning: Hero: All targets reached; Villain: Targets not always reached: L"


@pytest.fixture
def two_rigs(empty_file: None) -> list[Object]:
    """Without chains, both selected, with an IK constraint each."""
    found = [rigs.armature(name=name) for name in ("Hero", "Villain")]
    for rig in found:
        constraint = rig.pose.bones["lower"].constraints.new("IK")
        constraint.target, constraint.chain_count = rigs.empty("Target", (1.2, 0.6, 1.3)), 2
        constraint.pole_target = rigs.empty("Pole", (1, 3, 1))
    select(*found)
    return found


def test_detect_on_two_armatures_names_both(two_rigs: list[Object], capfd: pytest.CaptureFixture[str]) -> None:
    bpy.ops.two_bone_ik.chains_detect()
    assert last_line(capfd) == "Info: Hero: added Arm; Villain: added Arm"


def test_a_takeover_names_limbs_as_detect_does(two_rigs: list[Object], capfd: pytest.CaptureFixture[str]) -> None:
    bpy.ops.two_bone_ik.chains_from_constraints()
    assert last_line(capfd) == "Info: Hero: added Arm; Villain: added Arm"


@pytest.fixture
def pinned(empty_file: None) -> PropertyGroup:
    """An arm on its target, pinned to a pole that its bones do not scale to."""
    rig = rigs.armature()
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    chain = rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.5, 3.0, 1.4), root_bone="upper", tip_bone="hand")
    chain.pole_pin, chain.max_stretch = 1.0, 2.0
    return chain


def test_a_limb_short_of_its_pole_is_not_told_reached(pinned: PropertyGroup) -> None:
    rig = pinned.id_data
    for elbow_reaches in (False, True):
        bpy.data.objects["Pole"].location = (0.55, 0.75, 1.4) if elbow_reaches else (0.5, 3.0, 1.4)
        api.solve(rig)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        joints = HAND.joints(depsgraph)
        assert np.linalg.norm(joints[2] - HAND.goal(depsgraph)) < 1e-4
        off = float(np.linalg.norm(joints[1] - np.array(bpy.data.objects["Pole"].location)))
        found = limb_states(rig, bpy.context.scene, depsgraph)["lower"]
        assert found.state == ("REACHED" if elbow_reaches else "OFF_POLE")
        assert (off < 1e-4) == elbow_reaches
        if not elbow_reaches:
            assert found.miss == pytest.approx(off, abs=1e-5)


def test_the_last_line_tells_of_the_pole(pinned: PropertyGroup, capfd: pytest.CaptureFixture[str]) -> None:
    select(pinned.id_data)
    bpy.ops.two_bone_ik.solve()
    off = np.linalg.norm(HAND.joints(on_frame(1))[1] - np.array(bpy.data.objects["Pole"].location))
    said = last_line(capfd)
    assert said == f"Info: As set: options hold limbs up to {off:.3g} m off: lower (Pin to Pole)"


@pytest.mark.parametrize("softness", [0.0, 0.5])
def test_the_last_line_tells_of_softness(empty_file: None, capfd: pytest.CaptureFixture[str], softness: float) -> None:
    chain = rigs.arm(target=(0.0, 0.6, 2.4), softness=softness)
    select(chain.id_data)
    bpy.ops.two_bone_ik.solve()
    limb = Limb()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    off = np.linalg.norm(limb.joints(depsgraph)[2] - limb.goal(depsgraph))
    assert (off > 0.01) == (softness > 0.0)
    held = f"Info: As set: options hold limbs up to {1e3 * off:.3g} mm off: lower (Softness)"
    assert last_line(capfd) == (held if softness else "Info: All targets reached")
    found = limb_states(chain.id_data, bpy.context.scene, depsgraph)["lower"]
    assert found.cause == ("Softness" if softness else "")


@pytest.mark.parametrize("worst", [3, 8])
def test_the_last_line_names_the_option_of_the_worst_frame(
    empty_file: None, capfd: pytest.CaptureFixture[str], worst: int
) -> None:
    chain = rigs.arm(target=(0.0, 0.6, 2.4), softness=0.2)
    rigs.animate(chain.id_data.pose.bones["lower"], two_bone_ik_influence={1: 1.0, 7: 1.0, 8: 0.2})
    select(chain.id_data)
    bpy.ops.two_bone_ik.bake(frame_range="CUSTOM", frame_start=1, frame_end=worst)
    assert last_line(capfd).endswith(f"off: lower ({'Softness' if worst < 7 else 'Influence'})")
