"""On rigs built as is published of them, limbs switch, and what deforms the character stays where it was."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.status import hiding, limb_state
from bpy.types import Object
from mathutils import Vector

from support.published_rigs import FRAMES, SIDES, Limb, deforming, limbs, move, published
from support.rigs import empty
from support.truth import on_frame
from support.walking import assert_kept

SPAN = (FRAMES[0], FRAMES[-1])


@pytest.mark.parametrize("kind", SIDES)
def test_a_rig_is_built_as_its_kind_is_known(kind: str) -> None:
    rig = published(kind)
    assert [limb.name for limb in api.known_limbs(rig)] == [limb.name for limb in limbs(kind)]
    rest = [rig.data.bones[name].matrix_local for limb in limbs(kind) for name in limb.deforming]
    np.testing.assert_allclose(deforming(rig, limbs(kind))[0], np.array(rest), atol=2e-4)


@pytest.mark.parametrize("kind", [kind for kind in SIDES if kind != "mmd"])
def test_the_button_shows_what_is_baked_on_each_kind(kind: str) -> None:
    """Of MMD models a constraint hides it: test_mmd_toggle.py."""
    rig = published(kind)
    move(rig, kind, "IK")
    for found in api.add_detected(rig):
        chain = rig.two_bone_ik_chains[found.chain]
        assert (chain.target, chain.subtarget) == (rig, found.subtarget)
        root, _, tip = next(limb for limb in limbs(kind) if limb.name == found.name).joints[:3]
        place = root + 0.8 * (tip - root) + Vector((0, -0.1, 0))
        chain.target, chain.subtarget, chain.use_rotation = empty("Target", place), "", False
    report = api.bake(rig, frames=(3, 9))
    assert report.to_know >= len(rig.two_bone_ik_chains)
    on_frame(5)
    for limb in limbs(kind):
        assert f'does not show chain "{limb.name}": set its property "{limb.switch}" to {limb.ends["FK"]:g}' in str(
            report
        )
        found = limb_state.limb_states(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get())[limb.name]
        assert (found.state, found.hiding.value) == ("HIDDEN", limb.ends["FK"])
        hiding.mend(rig, found.hiding)
    for frame in range(3, 10):
        on_frame(frame)
        for limb in limbs(kind):
            target = rig.two_bone_ik_chains[limb.name].target.location
            assert (rig.pose.bones[limb.deforming[1]].tail - target).length < 1e-4


@pytest.mark.parametrize(("kind", "build"), [*((kind, 0) for kind in SIDES), ("cloudrig", 1), ("cloudrig", 2)])
@pytest.mark.parametrize("to", ["FK", "IK"])
def test_limbs_of_each_kind_switch_and_stay(kind: str, build: int, to: str) -> None:
    rig, found = published(kind, build=build), limbs(kind, build=build)
    move(rig, kind, {"FK": "IK", "IK": "FK"}[to], build=build)
    found = [limb for limb in found if limb.control or to == "FK"]
    before = deforming(rig, found)
    assert np.ptp(before[..., :3, 3], axis=0).max() > 0.05
    report = api.switch(rig, to, [limb.name for limb in found], frames=SPAN)
    assert report.posed, report
    assert_kept(deforming(rig, found), before)


def test_cloudrigs_switch_is_what_drives_the_copy_of_ik() -> None:
    """The names were read of a rig that today's CloudRig generated; the property is that of its metarig."""
    names = {"Arm": ("UpperArm", "Forearm", "Wrist"), "Leg": ("Thigh", "Knee", "Foot")}
    rig = published("cloudrig")
    move(rig, "cloudrig", "IK")
    for limb in api.known_limbs(rig):
        bones = names[limb.name.removesuffix(".L")]
        assert limb.fk == tuple(f"FK-{bone}.L" for bone in bones)
        assert limb.ik == tuple(f"IK-M-{bone}.L" for bone in bones)
        assert (limb.control, limb.pole) == (f"IK-{bones[2]}.L", f"POLE-{bones[0]}.L")
    before = deforming(rig, limbs("cloudrig"))
    api.switch(rig, "FK", frames=(4, 10))
    assert_kept(deforming(rig, limbs("cloudrig")), before)
    for frame, value in {3: 1.0, 4: 0.0, 10: 0.0, 11: 1.0}.items():
        on_frame(frame)
        shown = rig.pose.bones["Properties"]
        assert (shown["ik_left_arm"], shown["ik_left_leg"]) == (value, value)


@pytest.mark.parametrize("kind", SIDES)
def test_ik_controls_keep_their_keys_there_and_back(kind: str) -> None:
    rig = published(kind)
    move(rig, kind, "IK")
    switched = [limb for limb in limbs(kind) if limb.control]
    before = places_keyed(rig, switched)
    for to in ("FK", "IK"):
        api.switch(rig, to, [limb.name for limb in switched], frames=SPAN)
    assert places_keyed(rig, switched) == before


def places_keyed(rig: Object, found: Sequence[Limb]) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """By curve the keys of where the IK controls are."""
    paths = {f'pose.bones["{limb.control}"].location' for limb in found}
    return {
        (curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points]
        for curve in versions.curves(rig)
        if curve.data_path in paths
    }
