"""Contacts outside the range, chains without a tip bone, and points of the sole that somebody has named."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.solver.feet.corrections import stand_spans
from bpy.types import Object

from support.walker import captured, shown

KEYED = 'pose.bones["shin.L"].two_bone_ik_contact'


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
    print("on frames 30 to 50", before[29:50], after[29:50])
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
    spans = [tilt[1][first : last + 1] for first, last in stand_spans(both)]
    print(
        f"the foot is tilted by {1e3 * np.abs(tilt[1] - tilt[0]).max():.3f} mm, for its captured flat stands are noisy"
    )
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
    heights = []
    for frame in range(rows[0] + 1, rows[5] + 2):
        bpy.context.scene.frame_set(frame)
        pose = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["foot.L"].matrix
        heights.append((rig.matrix_world @ pose @ sole).z)
    print(f"the point is from {1e3 * min(heights):.1f} to {1e3 * max(heights):.1f} mm above the floor")
    assert min(heights) > -1e-3
