"""Limbs that are all but straight at rest bend to the side to which keys bend them, or about an axis that is told."""

from __future__ import annotations

from math import pi
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake.chain import StraightRest, straight_rest
from bpy.types import Object
from mathutils import Vector

from support import file_data, rigs
from support.bvh import bvh, imported, t_pose, walk
from support.truth import Limb, on_frame, worlds

FRAMES = range(1, 31)
LIMBS = {
    f"{limb}.{side[0]}": tuple(f"{side}{bone}" for bone in bones)
    for limb, bones in {"Arm": ("Arm", "ForeArm", "Hand"), "Leg": ("UpLeg", "Leg", "Foot")}.items()
    for side in ("Left", "Right")
}


def actor(folder: Path, degrees: float, *, moves: bool = True) -> Object:
    rig = imported(folder, bvh(t_pose(degrees), walk(len(FRAMES)) if moves else ({}, {})))
    if not moves:
        rig.animation_data_clear()
    return rig


def joints(rig: Object) -> np.ndarray:
    """(n, 4, 3, 3) root, mid and tip of each limb, on every frame, as Blender evaluates them."""
    return worlds(rig, FRAMES, *(name for names in LIMBS.values() for name in names))[..., :3, 3].reshape(-1, 4, 3, 3)


def hinges(rig: Object) -> np.ndarray:
    """(n, 4, 3) the sine of each limb's bend along the axis of it, as its root bone carries it: plain geometry."""
    found = []
    for frame in FRAMES:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        row = []
        for root, mid, tip in LIMBS.values():
            upper = (bones[mid].head - bones[root].head).normalized()
            lower = (bones[tip].head - bones[mid].head).normalized()
            row.append((bones[root].matrix.to_3x3().inverted() @ upper.cross(lower))[:])
        found.append(row)
    return np.array(found)


def bends(joints: np.ndarray) -> np.ndarray:
    """(n, 4) by how many degrees each limb is bent, zero straight."""
    upper, lower = np.moveaxis(np.diff(joints, axis=2), 2, 0)
    cosine = (upper * lower).sum(-1) / np.linalg.norm(upper, axis=-1) / np.linalg.norm(lower, axis=-1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def assert_bent_as(captured: np.ndarray, baked: np.ndarray) -> None:
    """To the same side on all frames, seen from the bone, so that no bone has turned over either."""
    cosine = (captured * baked).sum(-1) / np.linalg.norm(captured, axis=-1) / np.linalg.norm(baked, axis=-1)
    wrong = {name: int((cosine[:, index] < 0.5).sum()) for index, name in enumerate(LIMBS)}
    assert wrong == dict.fromkeys(LIMBS, 0), "frames on which the limb bends to another side than captured"


def follow_own_pose(rig: Object, *, pole: bool) -> None:
    """Targets that follow the captured pose, with pole targets or without."""
    for chain in rig.two_bone_ik_chains:
        chain.target = rigs.empty(f"{chain.name} Target")
        chain.pole_target = rigs.empty(f"{chain.name} Pole") if pole else None
    api.bake_targets(rig, frames=(FRAMES[0], FRAMES[-1]))


@pytest.mark.parametrize(
    ("degrees", "pole"),
    [(0.4, False), (0.8, False), (1.2, False), (0.0, False), (-1.0, False), (0.8, True), (-1.0, True)],
)
def test_limbs_bend_as_captured_on_all_frames(tmp_path: Path, degrees: float, pole: bool) -> None:
    rig = actor(tmp_path, degrees)
    captured, where = hinges(rig), joints(rig)
    assert {limb.chain for limb in api.add_detected(rig)} == set(LIMBS)
    follow_own_pose(rig, pole=pole)
    report = api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert_bent_as(captured, hinges(rig))
    assert report.reached
    assert not report.notes
    baked = joints(rig)
    np.testing.assert_allclose(baked[:, :, 2], where[:, :, 2], atol=1e-4 * 14)
    if pole:
        np.testing.assert_allclose(baked[:, :, 1], where[:, :, 1], atol=2e-3 * 14)


def test_the_current_pose_is_kept_with_all_its_twist(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8)
    bones = [name for names in LIMBS.values() for name in names[:2]]
    captured = worlds(rig, FRAMES, *bones)
    api.add_detected(rig)
    for chain in rig.two_bone_ik_chains:
        chain.reference = "POSE"
    follow_own_pose(rig, pole=True)
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    np.testing.assert_allclose(worlds(rig, FRAMES, *bones), captured, atol=3e-3 * 14)


def test_the_side_is_stored_unless_keys_are_no_numbers(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8)
    for name in ("LeftForeArm", "RightForeArm"):
        chain = api.add_chain(rig, name)
        assert chain.bend == "POSITIVE"
        assert chain.hinge_axis != "AUTO"
    rig.two_bone_ik_chains.clear()
    for curve in versions.curves(rig):
        curve.keyframe_points[1].co.y = np.nan
    chain = api.add_chain(rig, "LeftForeArm")
    assert (chain.bend, chain.hinge_axis) == ("REST", "AUTO")


@pytest.mark.parametrize("degrees", [3.1, 12.0])
def test_a_limb_that_is_bent_at_rest_is_left_alone(tmp_path: Path, degrees: float) -> None:
    rig = actor(tmp_path, degrees)
    api.add_detected(rig)
    api.decide_side(rig)
    assert {(chain.bend, chain.hinge_axis) for chain in rig.two_bone_ik_chains} == {("REST", "AUTO")}
    follow_own_pose(rig, pole=False)
    assert not api.check(rig, frames=(1, 9)).notes


@pytest.mark.parametrize("fields", [{"bend": "NEGATIVE"}, {"hinge_axis": "Z"}, {"reference": "POSE"}])
def test_a_side_that_was_chosen_stays(tmp_path: Path, fields: dict[str, str]) -> None:
    chain = api.add_chain(actor(tmp_path, 0.8), "LeftForeArm", **fields)
    assert {"bend": "REST", "hinge_axis": "AUTO", "reference": "REST"} | fields == {
        name: getattr(chain, name) for name in ("bend", "hinge_axis", "reference")
    }


def test_a_bake_never_decides_but_warns(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8, moves=False)
    api.add_detected(rig, ["ARMS"])
    follow_own_pose(rig, pole=False)
    before = [(chain.bend, chain.hinge_axis) for chain in rig.two_bone_ik_chains]
    for request in (api.bake, api.check):
        notes = request(rig, frames=(1, 9)).notes
        assert len(notes) == 2
        assert all(f'"Arm.{side}" bends by 0.8 degrees' in note for side, note in zip("LR", notes, strict=True))
    assert api.solve(rig).notes[:2] == notes
    assert [(chain.bend, chain.hinge_axis) for chain in rig.two_bone_ik_chains] == before == [("REST", "AUTO")] * 2


def test_keys_that_come_later_decide_when_asked(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8)
    action, slot = rig.animation_data.action, getattr(rig.animation_data, "action_slot", None)
    rig.animation_data.action = None
    api.add_detected(rig)
    with pytest.raises(api.Refused, match='of "actor" has no keys that bend it'):
        api.decide_side(rig)
    rig.animation_data.action = action
    if slot:
        rig.animation_data.action_slot = slot
    captured = hinges(rig)
    api.decide_side(rig)
    follow_own_pose(rig, pole=False)
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert_bent_as(captured, hinges(rig))


def test_limits_count_from_the_side_to_which_the_limb_bends(tmp_path: Path) -> None:
    """Up to 70 degrees to that side: what bends less reaches its target, what bends more stops there."""
    rig = actor(tmp_path, 0.8)
    captured, angles = hinges(rig), bends(joints(rig))
    api.add_detected(rig)
    for chain in rig.two_bone_ik_chains:
        chain.use_bend_limits, chain.bend_min, chain.bend_max = True, 0.0, np.radians(70)
    follow_own_pose(rig, pole=False)
    report = api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert_bent_as(captured, hinges(rig))
    assert bends(joints(rig)).max() < 70.1
    for chain in report.chains:
        within = angles[:, list(LIMBS).index(chain.name)]
        assert (chain.status[within < 69.9] == 0).all()
        assert (chain.status[within > 70.1] != 0).all()


def test_the_operator_decides_by_keys_or_by_an_axis(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8)
    decided = api.add_chain(rig, "LeftForeArm", mute=True).hinge_axis
    chain = api.add_chain(rig, "LeftForeArm", hinge_axis="AUTO")
    bpy.ops.two_bone_ik.side_decide()
    assert (chain.hinge_axis, chain.bend) == (decided, "POSITIVE")
    bpy.ops.two_bone_ik.side_decide(axis="NEG_Z")
    assert (chain.hinge_axis, chain.bend) == ("NEG_Z", "POSITIVE")


def test_where_no_key_tells_nothing_is_decided(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8, moves=False)
    api.add_chain(rig, "LeftForeArm")
    before = file_data.dump()
    with pytest.raises(RuntimeError, match="no keys that bend it: choose the axis"):
        bpy.ops.two_bone_ik.side_decide()
    assert not file_data.changed(before)
    rig = imported(tmp_path, bvh(t_pose(0.8)))
    api.add_detected(rig)
    assert {(chain.bend, chain.hinge_axis) for chain in rig.two_bone_ik_chains} == {("REST", "AUTO")}


AXES = {"X": (1, 0, 0), "Z": (0, 0, 1), "NEG_Z": (0, 0, -1)}

FEW = range(1, 6)

DIRECTIONS = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0.6, 0, -0.8), (-0.6, 0, 0.8)]


def straight(direction: tuple[float, float, float], roll: float = 0.0) -> Object:
    """A limb straight along this direction, whose target comes nearer within the drawing, x and z."""
    mid, tip = np.array(direction), 1.8 * np.array(direction)
    rig = rigs.armature([rigs.Bone("upper", (0, 0, 0), mid, roll=roll), rigs.Bone("lower", mid, tip, "upper", roll)])
    rigs.chain(rig, "lower", target=rigs.empty("Target"))
    rigs.animate(bpy.data.objects["Target"], location={1: 0.9 * tip, 5: 0.4 * tip})
    bpy.context.view_layer.update()
    return rig


def bent_about(rig: Object) -> np.ndarray:
    """(3,) the axis about which the end bone has turned, in its own space, as Blender evaluates it."""
    on_frame(5)
    axis, angle = rig.pose.bones["lower"].matrix_basis.to_quaternion().to_axis_angle()
    assert angle > 0.5
    return np.array(axis)


@pytest.mark.parametrize(
    ("direction", "roll"),
    [
        *((direction, (0.0, 0.4, pi / 2, pi)[row % 4]) for row, direction in enumerate(DIRECTIONS)),
        *((direction, (pi / 2, pi, 0.4, 0.0)[row % 4]) for row, direction in enumerate(DIRECTIONS)),
    ],
)
def test_it_bends_about_the_axis_that_is_said(direction: tuple, roll: float) -> None:
    rig = straight(direction, roll)
    (one,) = rig.two_bone_ik_chains
    said = straight_rest(rig, one)
    (note,) = api.bake(rig, frames=(1, 5)).notes
    assert f"bends about the axis {said.axis} of its end bone" in note
    np.testing.assert_allclose(np.abs(bent_about(rig)), AXES[said.axis], atol=1e-5)
    api.decide_side(rig, axis=said.other)
    assert straight_rest(rig, one) is None
    assert not api.bake(rig, frames=(1, 5)).notes
    np.testing.assert_allclose(bent_about(rig), AXES[said.other], atol=1e-5)


@pytest.mark.parametrize("turned", [0.0, 0.7])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_in_a_drawing_it_bends_about_the_line_of_sight(direction: tuple, turned: float) -> None:
    """With the axis that points to the viewer of the front view, the limb stays within the drawing."""
    rig = straight(direction)
    if 0.0 not in direction[::2]:
        # Blender gives an oblique bone a roll with which none of its axes points at the viewer.
        assert straight_rest(rig, rig.two_bone_ik_chains[0]).to_viewer == ""
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.armature.select_all(action="SELECT")
        bpy.ops.armature.calculate_roll(type="GLOBAL_NEG_Y")
        bpy.ops.object.mode_set(mode="OBJECT")
    page = rig.parent = bpy.data.objects["Target"].parent = rigs.empty("Page")
    page.rotation_euler = (0, turned, 0)
    bpy.context.view_layer.update()
    said = straight_rest(rig, rig.two_bone_ik_chains[0])
    assert said.to_viewer in (said.axis, said.other)
    if said.to_viewer == said.other:
        api.decide_side(rig, axis=said.other)
        to_world = (rig.matrix_world @ rig.data.bones["lower"].matrix_local).to_3x3()
        assert (to_world @ Vector(AXES[said.other])).y < -0.99
    api.bake(rig, frames=(1, 5))
    for frame in FEW:
        joints = Limb().joints(on_frame(frame))
        np.testing.assert_allclose(joints[:, 1], 0.0, atol=1e-5)
    assert np.linalg.norm(np.cross(joints[1], joints[2])) > 0.1, "it bends"


def test_a_drawn_leg_is_offered_the_axis_to_the_viewer() -> None:
    rig = straight((0.5, 0.6, 0.7), 0.5)
    assert straight_rest(rig, rig.two_bone_ik_chains[0]).to_viewer == ""
    upright, hanging = straight((0, 0, 1)), straight((0, 0, -1))
    assert straight_rest(upright, upright.two_bone_ik_chains[0]) == StraightRest("X", "Z", "Z")
    assert straight_rest(hanging, hanging.two_bone_ik_chains[0]) == StraightRest("X", "NEG_Z", "NEG_Z")


@pytest.mark.parametrize("fields", [{"hinge_axis": "Z"}, {"bend": "NEGATIVE"}, {"reference": "POSE"}])
def test_what_was_chosen_is_not_asked_again(fields: dict) -> None:
    rig = straight((0, 0, 1))
    for name, value in fields.items():
        setattr(rig.two_bone_ik_chains[0], name, value)
    assert straight_rest(rig, rig.two_bone_ik_chains[0]) is None


def test_a_limb_that_bends_a_little_is_not_called_straight() -> None:
    rig = rigs.armature(
        [rigs.Bone("upper", (0, 0, 0), (0, 0, 1)), rigs.Bone("lower", (0, 0, 1), (0.01, 0, 1.8), "upper")]
    )
    (one,) = [rigs.chain(rig, "lower", target=rigs.empty("Target", (0.2, 0, 1.2)))]
    assert straight_rest(rig, one) is None
    assert "bends by 0.716 degrees at rest" in api.check(rig, frames=(1, 1)).notes[0]
