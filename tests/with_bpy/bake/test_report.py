"""A report goes out as JSON and comes back the same; its angles are those of bones as Blender evaluates them."""

from __future__ import annotations

import dataclasses
import json

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object, PropertyGroup

from support import rigs
from support.hocks import leg
from support.rigs import animate, arm
from support.truth import on_frame


def test_json_gives_back_every_number_to_the_last_digit() -> None:
    chain = arm(pole=(0, 3, 1), unreachable="STRETCH", max_stretch=1.1)
    chain.id_data.data.bones["lower"].inherit_scale = "NONE"
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (5, -0.8, 1.5)})
    report = api.bake(chain.id_data, frames=(1, 10, 0.3))
    assert report.notes == ()
    assert not report.reached
    back = api.Report.from_json(report.to_json())
    assert str(back) == str(report)
    assert (back.rig, back.notes) == (report.rig, report.notes)
    (found,), (expected,) = back.chains, report.chains
    for field in dataclasses.fields(expected):
        was, now = getattr(expected, field.name), getattr(found, field.name)
        assert type(now) is type(was)
        assert np.array_equal(now, was), field.name
        assert getattr(now, "dtype", None) == getattr(was, "dtype", None), field.name


def test_json_is_plain_and_may_lack_notes_and_frames() -> None:
    report = json.loads(api.check(arm().id_data, frames=(1, 3)).to_json())
    assert report["chains"][0]["status"] == [0, 0, 0]
    assert report["chains"][0]["frames"] == [1, 2, 3]
    assert api.Report.from_json('{"rig": "Hero", "chains": []}').notes == ()
    arrays = {field.name: [] for field in dataclasses.fields(api.ChainReport) if field.name != "name"}
    chain = api.ChainReport.from_dict({"name": "arm", **arrays})
    assert chain.status.dtype == np.int8
    assert chain.lines() == ["arm: 0 of 0 frames reached"]


def test_a_report_of_an_earlier_version_can_be_read() -> None:
    """From before there were measuring, Pole Smoothing, and chains that are left out."""
    fields = json.loads(api.bake(arm().id_data, frames=(1, 3)).to_json())
    del fields["left_out"]
    for name in ("measured", "off", "misposed", "off_bone", "swivel"):
        del fields["chains"][0][name]
    report = api.Report.from_dict(fields)
    assert report.posed
    assert report.left_out == ()
    assert report.chains[0].measured.tolist() == [False] * 3
    assert report.chains[0].swivel.tolist() == [0.0] * 3


def test_a_foot_of_an_older_report_is_told_without_turn() -> None:
    older = {"name": "Leg.L", "contacts": 1, "frames": 9, "before": [0.0, 0.2], "after": [0.0, 0.1]}
    foot = api.FootReport.from_dict({**older, "moved": 0.3, "short": 0.0, "millimetres": 1000.0})
    assert (foot.before, foot.after) == ((0.0, 0.2), (0.0, 0.1))
    assert foot.turn_before == foot.turn_after == foot.turn_planted == foot.planted == (0.0, 0.0)
    assert (foot.measured, foot.total) == (0, 0)


def test_late_and_fractional_frames_are_told_as_users_know_them() -> None:
    rig = arm(target=(9, 0, 1)).id_data
    assert "on 2 frames (1000000-1000001)" in str(api.check(rig, frames=(1_000_000, 1_000_001)))
    assert "on 2 frames (86401.25-86402.25)" in str(api.check(rig, frames=(86401.25, 86402.25)))
    with pytest.raises(api.Refused, match="range 1000001 to 1000000 "):
        api.check(rig, frames=(1_000_001, 1_000_000))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", 'a Report must have the field "rig", but has none'),
        ('{"rig": "Hero"}', 'a Report must have the field "chains", but has rig'),
        ('{"rig": "Hero", "chains": [{}]}', 'a ChainReport must have the field "name", but has none'),
        ('{"rig": "Hero", "chains": [{"name": "arm.L"}]}', 'a ChainReport must have the field "frames", but has name'),
        ('{"rig": "Hero", "chains": [], "feet": [{}]}', 'a FootReport must have the field "name", but has none'),
        (
            '{"rig": "Hero", "chains": [], "worst": 1}',
            'a Report has no field "worst": a later version may have written',
        ),
        ("[]", r"a Report must be an object with its fields, but is \[\]"),
        ("null", "a Report must be an object with its fields, but is None"),
        ("nothing", "Expecting value"),
    ],
)
def test_json_of_something_else_is_refused_by_its_field(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{told}"):
        api.Report.from_json(text)


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


@pytest.mark.parametrize("fields", [{"unreachable": "HOLD"}, {"influence": 0.6}], ids=str)
def test_below_uneven_scale_the_angle_is_that_of_joints_as_posed(empty_file: None, fields: dict[str, object]) -> None:
    """In the space of the parent bone, in which the limb is solved."""
    chain = animated(rigs.arm(**fields))
    chain.id_data.data.bones["lower"].inherit_scale = "ALIGNED"
    rigs.animate(chain.id_data.pose.bones["upper"], scale={1: (1, 1, 1), 6: (1.8, 0.5, 0.7), 12: (1, 1, 1)})
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 6: (3.4, -2.1, 0.9), 12: (0.9, 0.1, 1.0)})
    rigs.animate(chain.id_data.pose.bones["spine"], scale={1: (1, 1, 1), 6: (0.6, 1.9, 1), 12: (1.4, 0.5, 1.2)})
    report = api.bake(chain.id_data, frames=(FRAMES[0], FRAMES[-1])).chains[0]
    assert report.status.any()
    bones = chain.id_data.pose.bones
    for row, frame in enumerate(FRAMES):
        on_frame(frame)
        to_parent = bones["spine"].matrix.inverted()
        places = (bones["upper"].head, bones["lower"].head, bones["lower"].tail)
        joints = [np.array(to_parent @ place) for place in places]
        first, second = np.diff(joints, axis=0)
        truth = np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second)
        np.testing.assert_allclose(abs(report.angles[row, 1]), truth, atol=CLOSE)


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
