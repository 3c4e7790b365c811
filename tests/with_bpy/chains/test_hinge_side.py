"""Limbs that are all but straight at rest, as in captures and T-poses, bend to the side to which keys bend them."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support import file_data, rigs
from support.bvh import bvh, imported, t_pose, walk
from support.truth import on_frame

FRAMES = range(1, 61)
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
    """(n, 4, 3, 3) root, mid and tip of each limb in the armature, on every frame, as Blender evaluates them."""
    found = []
    for frame in FRAMES:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        found.append([[bones[name].head[:] for name in names] for names in LIMBS.values()])
    return np.array(found)


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
    captured = [[bone.matrix.copy() for bone in _evaluated(rig, frame)] for frame in FRAMES]
    api.add_detected(rig)
    for chain in rig.two_bone_ik_chains:
        chain.reference = "POSE"
    follow_own_pose(rig, pole=True)
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    for frame, before in zip(FRAMES, captured, strict=True):
        for bone, matrix in zip(_evaluated(rig, frame), before, strict=True):
            np.testing.assert_allclose(bone.matrix, matrix, atol=3e-3 * 14)


def _evaluated(rig: Object, frame: int) -> list[bpy.types.PoseBone]:
    bones = rig.evaluated_get(on_frame(frame)).pose.bones
    return [bones[name] for names in LIMBS.values() for name in names[:2]]


def test_the_side_is_stored_in_the_chain(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8)
    for name in ("LeftForeArm", "RightForeArm"):
        chain = api.add_chain(rig, name)
        assert chain.bend == "POSITIVE"
        assert chain.hinge_axis != "AUTO"


def test_keys_that_are_no_numbers_decide_nothing(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8)
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


def test_keys_of_a_limb_at_rest_decide_nothing(tmp_path: Path) -> None:
    rig = imported(tmp_path, bvh(t_pose(0.8)))
    api.add_detected(rig)
    assert {(chain.bend, chain.hinge_axis) for chain in rig.two_bone_ik_chains} == {("REST", "AUTO")}


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


def test_the_operator_says_where_no_key_tells(tmp_path: Path) -> None:
    rig = actor(tmp_path, 0.8, moves=False)
    api.add_chain(rig, "LeftForeArm")
    before = file_data.dump()
    with pytest.raises(RuntimeError, match="no keys that bend it: choose the axis"):
        bpy.ops.two_bone_ik.side_decide()
    assert not file_data.changed(before)
