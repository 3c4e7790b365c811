"""On rigs built as is published of them, limbs switch, and what deforms the character stays where it was.

Legs of MMD models switch by what acts: the influence of IK, or with drivers the add-on's toggle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.rigs import switch_property
from bl_ext.user_default.two_bone_ik.blender.status import hiding, limb_state
from bpy.types import Object, PoseBone
from mathutils import Vector

from support.published_rigs import FRAMES, SIDES, Limb, deforming, limbs, move, published
from support.refused import refused
from support.rigs import animate, empty
from support.truth import on_frame
from support.walking import assert_kept, off

SPAN = (FRAMES[0], FRAMES[-1])


@pytest.mark.parametrize("kind", SIDES)
def test_a_rig_is_built_as_its_kind_is_known(kind: str) -> None:
    rig = published(kind)
    assert [limb.name for limb in api.known_limbs(rig)] == [limb.name for limb in limbs(kind)]
    rest = [rig.data.bones[name].matrix_local for limb in limbs(kind) for name in limb.deforming]
    np.testing.assert_allclose(deforming(rig, limbs(kind))[0], np.array(rest), atol=2e-4)


@pytest.mark.parametrize("kind", [kind for kind in SIDES if kind != "mmd"])
def test_the_button_shows_what_is_baked_on_each_kind(kind: str) -> None:
    """Of MMD models a constraint hides it, see below."""
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
    """And back: IK controls then have the keys of where they are that they had."""
    rig, found = published(kind, build=build), limbs(kind, build=build)
    back = {"FK": "IK", "IK": "FK"}[to]
    move(rig, kind, back, build=build)
    switched = [limb for limb in found if limb.control]
    keyed = places_keyed(rig, switched)
    found = switched if to == "IK" else found
    before = deforming(rig, found)
    assert np.ptp(before[..., :3, 3], axis=0).max() > 0.05
    report = api.switch(rig, to, [limb.name for limb in found], frames=SPAN)
    assert report.posed, report
    assert_kept(deforming(rig, found), before)
    if to == "FK":
        api.switch(rig, back, [limb.name for limb in switched], frames=SPAN)
        assert places_keyed(rig, switched) == keyed


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


def places_keyed(rig: Object, found: Sequence[Limb]) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """By curve the keys of where the IK controls are."""
    paths = {f'pose.bones["{limb.control}"].location' for limb in found}
    return {
        (curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points]
        for curve in versions.curves(rig)
        if curve.data_path in paths
    }


pytestmark = pytest.mark.versions

TOGGLE = 'pose.bones["足ＩＫ.L"].mmd_ik_toggle'

CONTROL, KNEE = "足ＩＫ.L", "ひざ.L"


def _toggled(control: PoseBone, _context: object) -> None:
    """As MMD Tools has it: what changes the property by hand changes the constraints."""
    for bone in control.id_data.pose.bones:
        for constraint in bone.constraints:
            if constraint.type == "IK" and constraint.subtarget == control.name:
                constraint.influence = control.mmd_ik_toggle


@pytest.fixture
def rig() -> Iterator[Object]:
    """A model with the add-on's property, a leg of which moves by IK."""
    PoseBone.mmd_ik_toggle = bpy.props.BoolProperty(default=True, update=_toggled)
    rig = published("mmd")
    rig.pose.bones[CONTROL].mmd_ik_toggle = True
    yield rig
    del PoseBone.mmd_ik_toggle


def influence(rig: Object) -> float:
    """Of the leg's IK, as it is evaluated."""
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[KNEE].constraints["IK"].influence


def paths(rig: Object) -> set[str]:
    return {curve.data_path for curve in versions.curves(rig)}


def drive(rig: Object) -> None:
    """The add-on's option for drivers."""
    driver = rig.pose.bones[KNEE].constraints["IK"].driver_add("influence").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, TOGGLE
    driver.expression = variable.name


def test_keys_act_on_the_influence_and_not_on_the_toggle(rig: Object) -> None:
    move(rig, "mmd", "IK")
    before = deforming(rig, limbs("mmd"))
    assert api.switch(rig, "FK", frames=(4, 10)).posed
    assert off(deforming(rig, limbs("mmd")), before)[0] < 1e-4
    assert TOGGLE not in paths(rig)
    shown = {}
    for frame in (3, 4, 10, 11):
        on_frame(frame)
        shown[frame] = influence(rig)
    assert shown == {3: 1.0, 4: 0.0, 10: 0.0, 11: 1.0}
    # The FK keys pose the leg there.
    on_frame(7)
    knee = rig.pose.bones[KNEE].matrix.translation.copy()
    animate(rig.pose.bones["足.L"], rotation_quaternion={7: (0.9, 0.4, 0, 0)})
    on_frame(7)
    assert (rig.pose.bones[KNEE].matrix.translation - knee).length > 0.05


def test_fk_keys_change_no_ik_pose_outside_of_them(rig: Object) -> None:
    """IK starts from the pose that its bones are keyed to."""
    move(rig, "mmd", "IK")
    rig.pose.bones["足.L"].rotation_quaternion = (0.95, 0.1, 0.3, 0.0)
    before = deforming(rig, limbs("mmd"))
    api.switch(rig, "FK", frames=(6, 9))
    assert off(deforming(rig, limbs("mmd")), before)[0] < 1e-4


def test_a_toggle_that_drives_the_influence_is_keyed(rig: Object) -> None:
    drive(rig)
    move(rig, "mmd", "IK")
    before = deforming(rig, limbs("mmd"))
    assert api.switch(rig, "FK", frames=(4, 10)).posed
    assert off(deforming(rig, limbs("mmd")), before)[0] < 1e-4
    assert TOGGLE in paths(rig)
    on_frame(7)
    assert influence(rig) == 0.0


def test_a_driver_that_turns_the_toggle_round_is_refused(rig: Object) -> None:
    drive(rig)
    rig.animation_data.drivers[0].driver.expression += " < 0.5"
    bpy.context.view_layer.update()
    with refused("ALMOST_KNOWN", "lacks a constraint"):
        api.known_limbs(rig)


def test_a_model_without_the_add_on_is_known(rig: Object) -> None:
    del PoseBone.mmd_ik_toggle
    try:
        assert [limb.name for limb in api.known_limbs(rig)] == ["Leg.L"]
    finally:
        PoseBone.mmd_ik_toggle = bpy.props.BoolProperty(default=True, update=_toggled)


def test_the_button_sets_the_influence_that_hides_a_leg(rig: Object) -> None:
    api.add_detected(rig)
    (chain,) = rig.two_bone_ik_chains
    chain.target, chain.subtarget = empty("Target", (0.15, -0.1, 0.3)), ""
    chain.use_rotation = False
    api.bake(rig, frames=(4, 10), mute_constraints=False)
    on_frame(6)
    found = limb_state.limb_states(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get())["Leg.L"]
    assert (found.state, found.hiding.constraint, found.hiding.value) == ("HIDDEN", "IK", 0.0)
    hiding.mend(rig, found.hiding)
    assert not rig.pose.bones[KNEE].constraints["IK"].mute
    for frame in range(4, 11):
        on_frame(frame)
        tip = rig.pose.bones[KNEE].tail
        np.testing.assert_allclose(tip, (0.15, -0.1, 0.3), atol=1e-4)


def test_a_registered_switch_is_no_custom_property(rig: Object) -> None:
    """Its value can be had like one up to 4.5, and keys of that act on nothing."""
    limb = api.known_limbs(rig)[0]
    rig.pose.bones[limb.switch_bone].mmd_ik_toggle = True
    assert switch_property.property_path(rig, limb, "mmd_ik_toggle") == f'pose.bones["{KNEE}"].mmd_ik_toggle'
