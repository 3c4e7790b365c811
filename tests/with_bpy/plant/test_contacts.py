"""Contacts that are found, given and keyed, on points of feet that are found or named."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.solver.numbers import true_runs
from bpy.types import FCurve, Object

from support.held import everything
from support.truth import worlds
from support.walker import Shown, captured, shown

KEYED = 'pose.bones["shin.L"].two_bone_ik_contact'
CLOSE = 1e-5
"""Metres: float32 after some products of matrices."""


def curve(rig: Object, path: str = KEYED) -> FCurve:
    return next(found for found in versions.curves(rig) if found.data_path == path)


def drift(seen: Shown, foot: int, point: int, start: int, end: int) -> float:
    """How far a point goes along the ground from where it is on the first of these frames."""
    places = seen.points[start - 1 : end, foot, point, :2]
    return np.abs(places - places[0]).max()


def found_start(keys: list[tuple[float, float]], end: int) -> float:
    """From when on the ball stands, until the key on frame `end`."""
    before = [key for key in keys if key[0] < end][::-1]
    return next(key for key, last in zip(before, [*before[1:], (0, 0)], strict=True) if int(last[1]) not in (1, 3))[0]


def test_contacts_are_those_of_known_footsteps(rig: Object) -> None:
    take, frames = captured("walk", 2.0), np.arange(1, 62)
    found = np.zeros_like(take.touches)
    for contact in api.contacts(rig):
        bone, _, side = contact.bone.partition(".")
        column = ("toe", "heel").index(bone)
        found[(frames >= contact.start) & (frames <= contact.end), "LR".index(side), column] = True
    agree = np.mean(found == take.touches)
    assert agree > 0.93  # a frame more or less at each of 16 ends


def test_contacts_that_were_found_may_be_given(rig: Object) -> None:
    found = api.contacts(rig)
    api.plant(rig)
    planted = everything(rig)
    assert api.contacts(rig) == found
    api.plant(rig, contacts=found)
    assert everything(rig) == planted


def test_only_contacts_that_are_given_count(rig: Object) -> None:
    report = api.plant(rig, contacts=[api.Contact("Leg.L", 12, 20, "toe.L", (0, 0, 0))])
    left, right = report.feet
    assert (left.frames, left.contacts, right.frames) == (9, 1, 0)
    assert drift(shown(rig, 61), 0, 0, 12, 20) < CLOSE
    assert right.moved == 0.0


def test_any_point_of_a_foot_can_stand(rig: Object) -> None:
    offset = (0.02, 0.05, -0.01)
    seen = [shown(rig, 61), api.plant(rig, contacts=[api.Contact("Leg.R", 5, 30, "foot.R", offset)]), shown(rig, 61)]
    assert seen[1].feet[1].frames == 26
    assert seen[1].feet[1].after[1] < CLOSE
    assert seen[1].feet[1].before[1] > 1e-3


def test_keys_of_contacts_are_taken_and_kept(rig: Object) -> None:
    api.plant(rig)
    found = curve(rig)
    assert {key.interpolation for key in found.keyframe_points} == {"CONSTANT"}
    lifts = [row for row, key in enumerate(found.keyframe_points) if row and key.co.y == 0.0]
    key = found.keyframe_points[lifts[0]]
    end = round(key.co.x) + 3
    key.co.x = end
    found.update()
    edited = [tuple(key.co) for key in found.keyframe_points]
    api.plant(rig)
    assert [tuple(key.co) for key in curve(rig).keyframe_points] == edited
    start = int(found_start(edited, end))
    assert drift(shown(rig, 61), 0, 0, start, end - 1) < CLOSE


def test_contacts_keyed_by_hand_need_no_detection(rig: Object) -> None:
    bone = rig.pose.bones["shin.L"]
    for frame, kind in ((1, "NONE"), (15, "BALL"), (25, "NONE"), (61, "NONE")):
        bone.two_bone_ik_contact = kind
        bone.keyframe_insert("two_bone_ik_contact", frame=frame)
    before = [key.co.x for key in curve(rig).keyframe_points]
    action, _ = versions.played(rig)
    report = api.plant(rig)
    assert report.feet[0].frames == 10
    assert drift(shown(rig, 61), 0, 0, 15, 24) < CLOSE
    assert action == versions.played(rig)[0].two_bone_ik_source
    assert [key.co.x for key in curve(rig).keyframe_points] == before


def test_contacts_are_found_anew_on_request(rig: Object) -> None:
    found = api.contacts(rig)
    api.plant(rig, contacts=found[:1])
    assert len(api.contacts(rig)) == 1
    assert api.contacts(rig, find=True) == found
    assert api.plant(rig, find=True).feet[1].frames > 20


def test_contacts_without_keys_any_more_are_found(rig: Object) -> None:
    api.plant(rig)
    planted = everything(rig)
    versions.ensure_channelbag(rig).fcurves.remove(curve(rig))
    api.plant(rig)
    assert everything(rig) == planted


def words(rig: Object) -> list[str]:
    """The contact on frames 1 to 61, as Blender evaluates it."""
    found = []
    for frame in range(1, 62):
        bpy.context.scene.frame_set(frame)
        found.append(rig.pose.bones["shin.L"].two_bone_ik_contact)
    return found


@pytest.mark.parametrize(
    "keys", [{1: "NONE", 50: "BOTH", 61: "NONE"}, {45: "HEEL", 61: "NONE"}], ids=["across", "behind"]
)
def test_contacts_outside_the_range_stay(rig: Object, keys: dict[int, str]) -> None:
    api.plant(rig)
    curve = next(found for found in versions.curves(rig) if found.data_path == KEYED)
    curve.keyframe_points.clear()
    for frame, word in keys.items():
        rig.pose.bones["shin.L"].two_bone_ik_contact = word
        rig.pose.bones["shin.L"].keyframe_insert("two_bone_ik_contact", frame=frame)
    before = words(rig)
    api.plant(rig, frames=(1, 34), find=True)
    after = words(rig)
    assert after[:34] != before[:34]
    assert after[34:] == before[34:]


def _stood(found: Sequence[api.Contact], bone: str) -> np.ndarray:
    """(61,) whether this point has a contact."""
    frames = np.arange(1, 62)
    return np.any([(one.start <= frames) & (frames <= one.end) for one in found if one.bone == bone], axis=0)


def test_a_chain_without_a_tip_bone_keeps_its_foot(rig: Object) -> None:
    usual = api.contacts(rig, ["Leg.L"])
    api.add_chain(rig, "shin.L", name="Left")
    assert rig.two_bone_ik_chains["Left"].tip_bone == ""
    found = api.contacts(rig, ["Left"])
    assert {contact.bone for contact in found} == {"toe.L", "heel.L"}
    assert [contact[1:] for contact in found] == [contact[1:] for contact in usual]
    before, take = shown(rig, 61), captured("walk", 2.0)
    api.plant(rig, ["Left"], floor=0.02)
    bones = rig.pose.bones
    assert bones["foot.L"].matrix_basis != bones["foot.L"].matrix_basis.Identity(4)
    tilt = [np.diff(seen.points[:, 0], axis=1)[:, 0, 2] for seen in (before, shown(rig, 61))]
    both = np.logical_and(*(_stood(found, bone) for bone in ("toe.L", "heel.L")))
    spans = [tilt[1][first : last + 1] for first, last in true_runs(both)]
    assert max(np.ptp(span) for span in spans) < 1e-5, "it stands flat"
    assert np.abs(tilt[1] - tilt[0])[~both].max() < np.ptp(tilt[0][both])
    assert take.touches[:, 0].any()


def test_points_of_the_sole_stand_on_the_floor(rig: Object) -> None:
    """Farther down than any bone."""
    bone = rig.data.bones["foot.L"]
    take, down = captured("walk", 2.0), 0.05
    rows = np.flatnonzero(take.touches[:, 0, 0])
    sole = bone.matrix_local.inverted() @ (bone.tail_local - down * rig.matrix_world.inverted().col[2].to_3d())
    contacts = [api.Contact("Leg.L", float(rows[0] + 1), float(rows[5] + 1), "foot.L", tuple(sole))]
    api.plant(rig, ["Leg.L"], contacts=contacts, floor=0.0)
    heights = (worlds(rig, range(rows[0] + 1, rows[5] + 2), "foot.L")[:, 0] @ (*sole, 1.0))[:, 2]
    assert min(heights) > -1e-3
