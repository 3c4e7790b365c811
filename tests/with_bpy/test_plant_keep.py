"""Hands, chest and head keep their place on request while the hips go down, as Blender shows them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import contacts, versions
from bpy.types import Object

from support.rigs import animate
from support.truth import on_frame
from support.walker import captured, walker

COUNT = 31
LOW = -0.08
"""A floor so far below the captured one that the hips have to go down."""

BODY = {
    "spine.001": ("hips", (0.0, 0.0, 0.15), (0.0, -0.1, 0.3)),
    "spine.002": ("spine.001", (0.0, -0.1, 0.3), (0.0, 0.05, 0.45)),
    "chest": ("spine.002", (0.0, 0.05, 0.45), (0.0, 0.05, 0.6)),
    "head": ("chest", (0.0, 0.05, 0.6), (0.0, 0.05, 0.8)),
}
"""Parent, head and tail from the head of the hips: a back so crooked that it can get longer."""


def body() -> Object:
    """The walker with a spine, a head and arms, of which the left one holds on to something within reach."""
    rig = walker(captured("walk", 1.0))
    start = np.array(rig.data.bones["hips"].head_local)
    bones = dict(BODY)
    for side, x in (("L", -1.0), ("R", 1.0)):
        reach = 0.15 if side == "L" else 0.3
        shoulder, elbow, wrist = (x * 0.15, 0.05, 0.55), (x * 0.2, -0.1, 0.3), (x * 0.2, reach, 0.3)
        bones |= {
            f"upper_arm.{side}": ("chest", shoulder, elbow),
            f"forearm.{side}": (f"upper_arm.{side}", elbow, wrist),
            f"hand.{side}": (f"forearm.{side}", wrist, (wrist[0], wrist[1] + 0.1, wrist[2])),
        }
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail) in bones.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = start + head, start + tail, rig.data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in range(1, COUNT + 1):
        swing = 0.2 * np.sin(frame / 5)
        for name in ("upper_arm.L", "forearm.R", "spine.002"):
            animate(rig.pose.bones[name], rotation_quaternion={frame: (np.cos(swing), np.sin(swing), 0.0, 0.0)})
    return rig


def shown(rig: Object, *names: str) -> np.ndarray:
    """(n, b, 4, 4) of these bones in the world."""
    found = []
    for frame in range(1, COUNT + 1):
        evaluated = rig.evaluated_get(on_frame(frame))
        found.append([np.array(evaluated.matrix_world @ evaluated.pose.bones[name].matrix) for name in names])
    return np.array(found)


def off(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(b,) how far each bone's head is away from where it was, at most."""
    return np.linalg.norm((after - before)[..., :3, 3], axis=-1).max(axis=0)


@pytest.mark.parametrize("sideways", [False, True], ids=["down", "sideways"])
def test_hands_keep_their_place_and_orientation(sideways: bool) -> None:
    rig, names = body(), ("hips", "hand.L", "hand.R")
    before = shown(rig, *names)
    report = api.plant(rig, floor=LOW, keep=["ARMS"], sideways=sideways)
    after = shown(rig, *names)
    moved = off(after, before)
    print(f"hips move by {moved[0]:.3f}, hands by {moved[1]:.1e} and {moved[2]:.1e}")
    assert moved[0] > 0.05
    assert moved[1:].max() < 1e-5
    assert np.abs(after - before)[:, 1:, :3, :3].max() < 1e-5
    assert report.reached


def test_a_hand_alone_keeps_its_place() -> None:
    rig, names = body(), ("hips", "hand.L", "hand.R")
    before = shown(rig, *names)
    report = api.plant(rig, floor=LOW, keep=["Arm.L"])
    moved = off(shown(rig, *names), before)
    assert moved[1] < 1e-5
    assert moved[2] > 0.05
    assert [foot.name for foot in report.feet] == ["Leg.L", "Leg.R"]
    rows = {curve.data_path.split('"')[1] for curve in versions.curves(rig) if contacts.is_row(curve)}
    assert rows == {"shin.L", "shin.R"}


def test_a_hand_that_gets_out_of_reach_is_told() -> None:
    rig, names = body(), ("hand.L", "upper_arm.L")
    rig.pose.bones["forearm.L"].rotation_mode = "QUATERNION"
    for curve in [curve for curve in versions.curves(rig) if "arm.L" in curve.data_path]:
        versions.ensure_channelbag(rig).fcurves.remove(curve)
    # Straight up.
    for name in ("upper_arm.L", "forearm.L"):
        bone = rig.pose.bones[name]
        matrix = bone.matrix.copy()
        turn = matrix.to_3x3().col[1].rotation_difference((0.0, 0.0, 1.0)).to_matrix() @ matrix.to_3x3()
        bone.matrix = turn.to_4x4() if bone.parent is None else _at(matrix.translation, turn)
        bpy.context.view_layer.update()
        for frame in (1, COUNT):
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    for curve in [curve for curve in versions.curves(rig) if "spine.002" in curve.data_path]:
        versions.ensure_channelbag(rig).fcurves.remove(curve)
    before = shown(rig, *names)
    report = api.plant(rig, floor=LOW, keep=["Arm.L"])
    after = shown(rig, *names)
    [arm] = [chain for chain in report.chains if chain.name == "Arm.L"]
    missed = np.linalg.norm((after - before)[:, 0, :3, 3], axis=-1)
    print(f"missed by up to {missed.max():.3f}; told {arm.miss.max():.3f}")
    assert missed.max() > 0.03
    assert arm.miss.max() == pytest.approx(missed.max(), abs=1e-4)
    assert not report.reached


def _at(place: object, turn: object) -> object:
    matrix = turn.to_4x4()
    matrix.translation = place
    return matrix


def test_chest_and_head_keep_their_place_with_the_spine() -> None:
    rig, names = body(), ("hips", "chest", "head", "hand.L")
    before = shown(rig, *names)
    report = api.plant(rig, floor=-0.04, keep=["SPINE"])
    moved = off(shown(rig, *names), before)
    print(f"hips move by {moved[0]:.3f}, chest, head and hand by {moved[1:]}")
    assert moved[0] > 0.02
    assert moved[1:].max() < 1e-5
    assert report.reached


def test_hands_are_kept_on_a_spine_that_is_too_short() -> None:
    rig, names = body(), ("chest", "hand.L", "hand.R")
    before = shown(rig, *names)
    report = api.plant(rig, floor=-0.14, keep=["SPINE", "ARMS"])
    moved = off(shown(rig, *names), before)
    print(f"chest moves by {moved[0]:.3f}, hands by {moved[1:]}")
    assert moved[0] > 0.01
    assert moved[1:].max() < 1e-5
    assert {chain.name for chain in report.chains if not chain.reached} == {"Spine"}


def test_nothing_is_kept_without_being_asked() -> None:
    rig, names = body(), ("hips", "chest", "hand.L", "hand.R")
    before = shown(rig, *names)
    report = api.plant(rig, floor=LOW)
    moved = off(shown(rig, *names), before)
    assert moved[1:] == pytest.approx([moved[0]] * 3, abs=1e-4)
    assert [chain.name for chain in report.chains] == ["Leg.L", "Leg.R"]


def test_hands_are_planted_where_they_are_kept() -> None:
    rig = body()
    contact = api.Contact("Arm.L", 11, 16, "hand.L", (0.0, 0.1, 0.0))
    report = api.plant(rig, ["Leg.L", "Leg.R", "Arm.L"], contacts=[contact], floor=LOW, keep=["ARMS"])
    after = shown(rig, "hand.L", "hand.R")
    place = (after @ np.array((0.0, 0.1, 0.0, 1.0)))[10:16, 0, :3]
    assert np.ptp(place, axis=0).max() < 1e-5
    assert {foot.name for foot in report.feet} == {"Leg.L", "Leg.R", "Arm.L"}
    assert report.reached


@pytest.mark.parametrize(
    ("keep", "kind"), [(["Tail"], "UNKNOWN_LIMB"), (["Trunk"], "KEPT_HIPS"), (["Arm.R"], "PLANT_CONSTRAINED")]
)
def test_what_cannot_be_kept_is_refused(keep: list[str], kind: str) -> None:
    rig = body()
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    api.add_chain(rig, "spine.001", name="Trunk", target=target)
    rig.pose.bones["hand.R"].constraints.new("LIMIT_ROTATION")
    action = versions.played(rig)
    with pytest.raises(api.Refused) as refused:
        api.plant(rig, keep=keep)
    assert refused.value.kind == kind
    assert versions.played(rig) == action


def test_planted_hands_do_not_go_down_with_the_hips() -> None:
    """Arms that are planted as well, and free, are on the chest that is kept."""
    rig, names = body(), ("hips", "hand.L", "hand.R")
    before = shown(rig, *names)
    api.plant(rig, limbs=["LEGS", "ARMS"], keep=["SPINE"], floor=LOW)
    moved = off(shown(rig, *names), before)
    print(f"hips move by {moved[0]:.3f}, hands by {moved[1:].max():.1e}")
    assert moved[0] > 0.05
    assert moved[1:].max() < 1e-5
