"""Angles of root and mid joint are those of bones as Blender evaluates them: in reports, in the panel, while pulled."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object, PropertyGroup

from support import rigs
from support.hocks import leg
from support.truth import on_frame

FRAMES = range(1, 13)
PLACES = {1: (1.2, 0.6, 1.3), 5: (0.4, -1.1, 0.9), 9: (-0.7, 0.5, 1.8), 12: (0.9, 0.1, 1.0)}
CLOSE = np.radians(0.02)
"""Of single precision the matrices of a nearly straight limb leave that much."""


def animated(chain: PropertyGroup) -> PropertyGroup:
    rigs.animate(chain.target, location=PLACES)
    turns = {1: (1, 0, 0, 0), 12: (0.8, 0.3, -0.4, 0.2)}
    rigs.animate(chain.id_data.pose.bones["spine"], rotation_quaternion=turns)
    return chain


def shown(rig: Object, root: str, end: str, tip: str) -> tuple[float, float]:
    """Radians between the root bone's link and where rest would have it, and between the links, both unsigned."""
    now, rest = rig.pose.bones, rig.data.bones
    joints = [np.array(place) for place in (now[root].head, now[end].head, now[tip].head if tip else now[end].tail)]
    at_rest = rest[end].head_local - rest[root].head_local
    above = rest[root].parent.name
    turned = now[above].matrix.to_3x3() @ rest[above].matrix_local.to_3x3().inverted() @ at_rest
    vectors = [np.array(turned), joints[1] - joints[0], joints[2] - joints[1]]
    first, second, third = (vector / np.linalg.norm(vector) for vector in vectors)
    return tuple(
        np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other)
        for one, other in ((first, second), (second, third))
    )


@pytest.mark.parametrize("fields", [{}, {"bend": "NEGATIVE"}, {"influence": 0.6}, {"softness": 0.3}], ids=str)
def test_a_report_has_the_angles_of_both_joints(empty_file: None, fields: dict[str, object]) -> None:
    chain = animated(rigs.arm(**fields))
    report = api.bake(chain.id_data, frames=(FRAMES[0], FRAMES[-1])).chains[0]
    assert report.angles.shape == (len(FRAMES), 2)
    for row, frame in enumerate(FRAMES):
        on_frame(frame)
        truth = shown(chain.id_data, "upper", "lower", "")
        np.testing.assert_allclose(np.abs(report.angles[row]), truth, atol=CLOSE)
    # It bends to one side only, which the sign tells.
    if "influence" not in fields:
        assert (np.sign(report.angles[:, 1]) == (-1 if fields.get("bend") == "NEGATIVE" else 1)).all()
    again = api.Report.from_json(api.check(chain.id_data, frames=(1, 3)).to_json())
    assert again.chains[0].angles.shape == (3, 2)


def test_in_a_fixed_plane_the_roots_angle_has_a_sign(empty_file: None) -> None:
    bones = (
        rigs.Bone("spine", (0, -1, 0), (0, 0, 0)),
        rigs.Bone("upper", (0, 0, 0), (1, 0.2, 0), "spine"),
        rigs.Bone("lower", (1, 0.2, 0), (2, 0, 0), "upper"),
    )
    chain = rigs.chain(rigs.armature(bones), "lower", target=(1, 1, 0), plane="REST")
    rigs.animate(chain.target, location={1: (1.2, 0.9, 0), 6: (1.1, -1.2, 0), 12: (-1.5, -0.4, 0.3)})
    report = api.bake(chain.id_data, frames=(FRAMES[0], FRAMES[-1])).chains[0]
    upper, lower = chain.id_data.pose.bones["upper"], chain.id_data.pose.bones["lower"]
    rest, signs = np.arctan2(0.2, 1), set()
    for row, frame in enumerate(FRAMES):
        on_frame(frame)
        first, second = (complex(*bone.vector[:2]) for bone in (upper, lower))
        # At rest the limb bends clockwise, so its hinge points away from the viewer.
        truth = -np.angle([first * np.exp(-1j * rest), second / first])
        np.testing.assert_allclose(report.angles[row], truth, atol=CLOSE)
        signs.add(np.sign(truth[0]))
    assert signs == {-1.0, 1.0}


def test_a_leg_with_a_hock_has_the_angles_of_hip_and_knee(empty_file: None) -> None:
    rig = leg("PARALLEL").id_data
    report = api.bake(rig, frames=(FRAMES[0], FRAMES[-1])).chains[0]
    for row, frame in enumerate(FRAMES):
        on_frame(frame)
        np.testing.assert_allclose(np.abs(report.angles[row]), shown(rig, "thigh", "shin", "hock"), atol=CLOSE)


@pytest.mark.parametrize("live", [True, False])
def test_the_limb_in_hand_shows_its_angles_in_degrees(empty_file: None, live: bool) -> None:
    """Those of the pose that shows, whether it is the chain's or not."""
    rig = animated(rigs.arm()).id_data
    rig.two_bone_ik_live = live
    rig.pose.bones["upper"].rotation_quaternion = (0.9, 0.1, 0.3, -0.2)
    for frame in FRAMES:
        on_frame(frame)
        found = limb_states(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get())["lower"]
        truth = np.degrees(shown(rig, "upper", "lower", ""))
        np.testing.assert_allclose(np.abs(found.angles), truth, atol=np.degrees(CLOSE))


def test_a_pulled_limb_tells_its_angles(empty_file: None) -> None:
    rig = rigs.arm().id_data
    drag = api.drag(rig, "lower")
    for place in ((0.5, 0.5, 1.2), (1.5, -0.4, 0.8)):
        drag.to(place)
        bpy.context.view_layer.update()
        truth = np.degrees(shown(rig, "upper", "lower", ""))
        np.testing.assert_allclose(np.abs(drag.angles), truth, atol=np.degrees(CLOSE))
    drag.restore()
