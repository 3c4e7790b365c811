"""Rigs that Rigify has generated: which layer shows, which pole counts, and that a bake of FK controls shows in all."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.rigs.known_limbs import known_limbs, other_end
from bl_ext.user_default.two_bone_ik.blender.rigs.switch_property import shown_control_set
from bpy.types import FCurve, Object, PoseBone
from mathutils import Euler, Vector

from support.rigify import generated
from support.rigs import animate, armature, empty, keys
from support.truth import Limb, on_frame, save_and_load, worlds
from support.walking import deforming, off, stride

pytestmark = pytest.mark.versions

FRAMES = range(1, 21)
HERE = np.ones(1, np.bool_)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig."""
    return generated("basic_human")


def keyed(rig: Object, name: str, value: float) -> FCurve:
    """A key on a property of the left leg."""
    curve = versions.ensure_channelbag(rig).fcurves.new(f'pose.bones["thigh_parent.L"]["{name}"]')
    curve.keyframe_points.insert(1.0, value)
    return curve


def mute(rig: Object, curve: FCurve, *, whole_group: bool) -> None:
    """From 4.4 on a group that a script mutes plays; the editors mute its curves too."""
    if whole_group:
        curve.group = versions.ensure_channelbag(rig).groups.new("Switches")
    (curve.group or curve).mute = True


def choose(owner: PoseBone) -> None:
    """The switch becomes an integer with a choice for each layer."""
    del owner["IK_FK"]
    owner["IK_FK"] = 0
    owner.id_properties_ui("IK_FK").update(min=0, max=1, items=[("IK", "IK", "", 0, 0), ("FK", "FK", "", 0, 1)])


@pytest.mark.parametrize("whole_group", [False, True])
def test_muted_keys_of_the_pole_do_not_count(rig: Object, whole_group: bool) -> None:
    stride(rig)
    curve = keyed(rig, "pole_vector", 1.0)
    mute(rig, curve, whole_group=whole_group)
    before = deforming(rig, FRAMES)
    assert api.switch(rig, "IK", ["Leg.L"], frames=(1, 20)).posed
    assert off(deforming(rig, FRAMES), before)[0] < 1e-4


@pytest.mark.versions
@pytest.mark.parametrize("whole_group", [False, True])
def test_muted_keys_do_not_say_which_layer_shows(rig: Object, whole_group: bool) -> None:
    curve = keyed(rig, "IK_FK", 1.0)
    curve.keyframe_points.insert(20.0, 0.0)
    curve.keyframe_points[0].interpolation = "CONSTANT"
    mute(rig, curve, whole_group=whole_group)
    [leg] = known_limbs(rig, ["Leg.L"])
    shown = rig.evaluated_get(on_frame(5)).pose.bones["thigh_parent.L"]["IK_FK"]
    assert shown == 0.0 or whole_group
    on_frame(20)
    assert shown_control_set(rig, leg, 5.0) == {0.0: "IK", 1.0: "FK"}[shown]


def test_a_switch_with_choices_shows_its_layer(rig: Object) -> None:
    owner = rig.pose.bones["thigh_parent.L"]
    choose(owner)
    [leg] = known_limbs(rig, ["Leg.L"])
    for value, layer in enumerate(("IK", "FK")):
        owner["IK_FK"] = value
        assert shown_control_set(rig, leg) == shown_control_set(rig, leg, 5.0) == layer
    rig = armature()
    rig = armature()
    assert other_end(rig, '["gone"]', None, HERE) is None
    assert other_end(rig, 'pose.bones["gone"]["switch"]', None, HERE) is None


def test_a_switch_with_choices_is_keyed(rig: Object) -> None:
    stride(rig)
    choose(rig.pose.bones["thigh_parent.L"])
    rig.pose.bones["thigh_parent.L"]["IK_FK"] = 1
    before = deforming(rig, FRAMES)
    assert api.switch(rig, "IK", ["Leg.L"], frames=(6, 15)).posed
    assert off(deforming(rig, FRAMES), before)[0] < 1e-4
    found = keys(rig.pose.bones["thigh_parent.L"], '["IK_FK"]', 0)
    assert {round(frame, 2): value for frame, value in found.items()} == {5: 1, 6: 0, 15.02: 1}


@pytest.mark.parametrize(("value", "found"), [(False, 1.0), (True, 0.0), (1, 0.0), (0.4, None), ("FK", None)])
def test_a_switch_has_two_ends(value: object, found: float | None) -> None:
    rig = armature()
    rig["switch"] = value
    if isinstance(value, float):
        rig.id_properties_ui("switch").update(min=0.0, max=1.0)
    elif type(value) is int:
        rig.id_properties_ui("switch").update(min=0, max=1)
    assert other_end(rig, '["switch"]', None, HERE) == found


LEG = "thigh_parent.L"


@pytest.fixture
def swivelled(empty_file: None) -> Object:
    """The rig generated from the basic human metarig; a leg of it swivels by the control that IK has without a pole."""
    rig = generated("basic_human")
    api.add_detected(rig)
    for frame in (1, 10):
        animate(rig.pose.bones["foot_ik.L"], location={frame: (0.0, -0.1, 0.15)})
    rig.pose.bones["thigh_ik.L"].rotation_euler.y = 0.6
    return rig


def told(report: api.Report) -> list[str]:
    return [note for note in report.notes if "pole_vector" in note]


def knees_apart(rig: Object, frame: int) -> float:
    """From that of the chain to the plane in which IK bends the leg; IK may stretch it."""
    on_frame(frame)
    hip, knee, foot = (rig.pose.bones[name].head for name in ("thigh_ik.L", "MCH-shin_ik.L", "MCH-thigh_ik_target.L"))
    normal = (knee - hip).cross(foot - hip).normalized()
    return abs(normal.dot(rig.pose.bones["shin_fk.L"].head - hip))


def set_pole(rig: Object, **frames: int) -> None:
    for value, frame in frames.items():
        rig.pose.bones[LEG]["pole_vector"] = value == "on"
        rig.pose.bones[LEG].keyframe_insert('["pole_vector"]', frame=frame)


def test_a_pole_that_ik_leaves_aside_is_told_but_not_ones_own(swivelled: Object) -> None:
    [note] = told(api.bake(swivelled, ["Leg.L", "Leg.R"], frames=(1, 10)))
    assert note.endswith("Leg.L, Leg.R")
    assert knees_apart(swivelled, 5) > 0.05
    chain = swivelled.two_bone_ik_chains["Leg.L"]
    chain.pole_target, chain.pole_subtarget = None, ""
    assert told(api.solve(swivelled, ["Leg.L"])) == []
    assert np.isfinite(knees_apart(swivelled, 1))


def test_a_pole_that_counts_is_not_told(swivelled: Object) -> None:
    for side in "LR":
        swivelled.pose.bones[f"thigh_parent.{side}"]["pole_vector"] = True
    swivelled.pose.bones["thigh_ik.L"].rotation_euler.y = 0.0
    swivelled.update_tag()
    bpy.context.view_layer.update()
    assert told(api.bake(swivelled, ["Leg.L", "Leg.R"], frames=(1, 10))) == []
    assert knees_apart(swivelled, 5) < 1e-3


def test_a_pole_that_counts_on_some_frames_is_told(swivelled: Object) -> None:
    set_pole(swivelled, on=1, off=8)
    assert len(told(api.check(swivelled, ["Leg.L"], (1, 10)))) == 1
    assert told(api.check(swivelled, ["Leg.L"], (1, 3))) == []


CLOSE = 1e-5

BONES = {"Arm": ("upper_arm", "forearm", "hand"), "Leg": ("thigh", "shin", "foot")}

POINTS = {"Arm": np.array((0, 1, 0)), "Leg": np.array((0, -1, 0))}
"""The way in which elbows and knees point."""

LIMBS = [f"{limb}.{side}" for limb in BONES for side in "LR"]


@pytest.fixture
def turning(empty_file: None) -> Object:
    """The rig generated from the basic human metarig, walking and turning, with a chain for each limb."""
    rig = generated("basic_human")
    bones = rig.pose.bones
    animate(
        bones["root"],
        location={1: (0, 0, 0), 20: (0.3, 0.5, 0)},
        rotation_quaternion={1: (1, 0, 0, 0), 20: Euler((0, 0.5, 0)).to_quaternion()},
    )
    animate(
        bones["torso"],
        location={1: (0, 0, 0), 10: (0, 0, -0.1), 20: (0.03, 0, -0.05)},
        rotation_quaternion={1: (1, 0, 0, 0), 20: Euler((0.1, 0.2, 0.1)).to_quaternion()},
    )
    api.add_detected(rig)
    return rig


def controls(limb: str) -> tuple[str, ...]:
    """The FK controls of a limb: root bone, end bone and tip bone."""
    name, side = limb.split(".")
    return tuple(f"{bone}_fk.{side}" for bone in BONES[name])


def switch_to_fk(rig: Object) -> None:
    """As the sliders in the sidebar do."""
    for limb in LIMBS:
        name, side = limb.split(".")
        rig.pose.bones[f"{BONES[name][0]}_parent.{side}"]["IK_FK"] = 1.0
    rig.update_tag()


def rest(rig: Object, bone: str) -> np.ndarray:
    return np.array(rig.data.bones[bone].head_local)


def shown(rig: Object) -> np.ndarray:
    """(frames, limbs, 3, 4, 4) the bones in the middle layer, which IK and FK both can move."""
    names = [f"ORG-{bone.replace('_fk', '')}" for limb in LIMBS for bone in controls(limb)]
    return worlds(rig, FRAMES, *names).reshape(-1, len(LIMBS), 3, 4, 4)


def joints(rig: Object, names: Iterable[str]) -> np.ndarray:
    """Heads of these bones, in armature space, as evaluated."""
    return np.array([rig.pose.bones[name].head for name in names])


def test_a_baked_rigify_rig_reaches_the_targets_in_all_layers(turning: Object) -> None:
    for chain in turning.two_bone_ik_chains:
        root, mid, tip = (rest(turning, bone) for bone in controls(chain.name))
        inwards = 0.3 * (root - tip)
        chain.target = empty(f"Target {chain.name}")
        animate(chain.target, location={1: tip + inwards, 10: tip + 1.5 * inwards - (0, 0.1, 0), 20: tip + inwards})
        chain.pole_target = empty(f"Pole {chain.name}", tuple(mid + POINTS[chain.name[:3]]))
    api.bake(turning, frames=(1, 20))
    switch_to_fk(turning)
    found = []
    for limb in LIMBS:
        root, end, tip = controls(limb)
        ends = {"target": f"Target {limb}", "pole": f"Pole {limb}"}
        found.append(Limb(rig=turning.name, root=root, end=end, tip=tip, **ends))
    save_and_load()
    assert max(max(limb._miss(now)) for now in map(on_frame, FRAMES) for limb in found) < CLOSE
    rig = bpy.data.objects[found[0].rig]
    for frame in FRAMES:
        on_frame(frame)
        for limb in LIMBS:
            fk = joints(rig, controls(limb))
            for layer in ("ORG-", "DEF-"):
                bones = [layer + bone.replace("_fk", "") for bone in controls(limb)]
                np.testing.assert_allclose(joints(rig, bones), fk, atol=1e-6)


def test_rigify_ik_animation_moves_to_the_fk_controls(turning: Object) -> None:
    """Hands and feet to where they were, and elbows and knees into the planes in which they were.

    Not to their places: bones of the IK limbs give a little, Rigify sets their IK Stretch to 0.1.
    """
    bones = turning.pose.bones
    for side, x in (("L", 1), ("R", -1)):
        hand = bones[f"hand_ik.{side}"]
        to_hand = hand.bone.matrix_local.to_3x3().inverted()
        turns = {1: (1, 0, 0, 0), 20: Euler((0.5, 0.3, 0.4 * x)).to_quaternion()}
        places = {1: (-0.1 * x, -0.1, 0.05), 20: (-0.2 * x, -0.3, 0.2)}
        animate(hand, location={frame: to_hand @ Vector(place) for frame, place in places.items()})
        animate(hand, rotation_quaternion=turns)
        animate(bones[f"foot_ik.{side}"], location={1: (0, 0, 0.1), 20: (0, 0.2, 0.15)}, rotation_quaternion=turns)
        animate(bones[f"foot_heel_ik.{side}"], rotation_euler={1: (0, 0, 0), 20: (0.4, 0, 0)})
    before = shown(turning)
    for chain in turning.two_bone_ik_chains:
        limb, side = chain.name.split(".")
        root, mid, _ = BONES[limb]
        chain.target = chain.pole_target = turning
        chain.subtarget, chain.pole_subtarget = f"MCH-{root}_ik_target.{side}", f"MCH-{mid}_ik.{side}"
        chain.use_rotation = True
    assert api.bake(turning, frames=(1, 20)).reached
    switch_to_fk(turning)
    after = shown(turning)
    # What the constraint misses its own target by.
    np.testing.assert_allclose(after[:, :, 2, :3, 3], before[:, :, 2, :3, 3], atol=1e-4)
    np.testing.assert_allclose(after[:, :, 2, :3, :3], before[:, :, 2, :3, :3], atol=1e-5)
    root, mid, tip = np.moveaxis(before[..., :3, 3], 2, 0)
    normal = np.cross(mid - root, tip - root)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    assert np.abs(((after[:, :, 1, :3, 3] - root) * normal).sum(axis=-1)).max() < 1e-4
