"""Chains get the target and pole target that they lack, and when they are then solved nothing moves."""

from __future__ import annotations

import re
from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mathutils import Euler, Matrix, Quaternion, Vector

from support import file_data, fk, rigs
from support.empty_file import open_empty_file
from support.refused import refused
from support.told import told_length
from support.truth import Limb, on_frame, posed

CLOSE = 1e-6  # of the chain's length, or radians: what a few products in float32 leave


def moved_by_solve(rig: Object, *names: str) -> tuple[float, float]:
    """How far heads move and axes turn when the chains are solved: world units, radians."""
    before = posed(rig, *names)
    api.solve(rig)
    difference = posed(rig, *names) - before
    axes = np.linalg.norm(difference[:, :3, :3], axis=1) / np.linalg.norm(before[:, :3, :3], axis=1)
    return np.linalg.norm(difference[:, :3, 3], axis=-1).max(), axes.max()


def pose(rig: Object, turn: Sequence[float], hinge: float) -> None:
    """Turn the upper bone, and open the hinge at rest by an angle."""
    fk.pose(rig, "upper", Euler(turn).to_matrix())
    fk.pose(rig, "lower", fk.hinge(rig, hinge).to_matrix())


def rounding(rig: Object) -> float:
    """How far the mid joint may move, in world units, since the target's place is float32.

    By the law of cosines an error e of the distance moves it by e L / 4h across the line, where it is h off the line.
    """
    root, mid, tip = Limb().joints(bpy.context.evaluated_depsgraph_get())
    length, line = np.linalg.norm(mid - root) + np.linalg.norm(tip - mid), tip - root
    height = np.linalg.norm(np.cross(mid - root, line)) / np.linalg.norm(line)
    error = 4 * np.spacing(np.float32(np.abs((root, tip)).max()))
    return CLOSE * length + error * (1 + length / (4 * height) if height > 1e-6 * length else 1)


TURNS = st.tuples(*[st.floats(-3, 3)] * 3)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    bones=st.sampled_from([rigs.ARM[1:], rigs.ARM, rigs.STRAIGHT]),
    turn=TURNS,
    hinge=st.one_of(st.floats(0.05, 2.0), st.just(0.0)),
    place=st.tuples(*[st.floats(-5, 5)] * 3),
    object_turn=TURNS,
    scale=st.sampled_from([1.0, 0.01, 30.0, -1.0]),
    parented=st.booleans(),
)
def test_the_pose_stays_wherever_the_armature_is(bones, turn, hinge, place, object_turn, scale, parented) -> None:
    open_empty_file()
    rig = rigs.armature(bones)
    rig.location, rig.rotation_euler, rig.scale = Vector(place) * abs(scale), object_turn, [scale] * 3
    if parented:
        rig.parent = rigs.empty("Root", (1, -2, 0.5))
        rig.parent.rotation_euler, rig.parent.scale = (0.5, 0.1, -2), (0.7,) * 3
    pose(rig, turn, hinge)
    names = [bone.name for bone in bones if bone.name != "spine"]
    hand = {"tip_bone": "hand", "use_rotation": True} if "hand" in names else {}
    api.add_chain(rig, "lower", **hand)
    assert api.create_targets(rig).chains[0].name == "lower"
    on_frame(1)
    allowed = rounding(rig)
    length = np.linalg.norm(np.diff(Limb().joints(bpy.context.evaluated_depsgraph_get()), axis=0), axis=-1).sum()
    moved, turned = moved_by_solve(rig, *names)
    assert moved < allowed
    assert turned < 4 * allowed / length


HAND = {"tip_bone": "hand", "use_rotation": True}
AWAY = {"use_bend_limits": True, "bend_min": -2.5, "bend_max": -0.1}
OPTIONS = (
    {"bend": "POSITIVE"},
    {"bend": "NEAREST"},
    {"bend": "LIMITS", "use_bend_limits": True, "bend_min": 0.0, "bend_max": 2.5},
    {"plane": "POLE"},
    {"plane": "AIM", "reference": "POSE"},
    {"reference": "POSE"},
    {"pole_angle": 1.2},
    {"pole_angle": -2.5, "reference": "POSE"},
    {"softness": 0.05},
    {"softness": 0.3, "pole_angle": 0.5},
    {"use_bend_limits": True, "bend_min": 0.2, "bend_max": 2.0},
    {"use_extension_limit": True},
    {"influence": 0.5},
    {"pole_influence": 0.5, "reference": "POSE"},
    {"unreachable": "HOLD"},
    {"unreachable": "ERROR"},
)


@pytest.mark.parametrize(
    ("bones", "fields", "hinge"),
    [
        *((rigs.ARM, HAND | fields, 0.7) for fields in OPTIONS),
        *((rigs.ARM, fields, hinge) for fields in ({"bend": "NEGATIVE"}, AWAY) for hinge in (-1.2, -2.0)),
        (rigs.STRAIGHT, {"bend": "NEGATIVE"}, 0.0),
    ],
    ids=str,
)
def test_the_pose_stays_with_the_options_that_the_chain_has(bones: tuple, fields: dict, hinge: float) -> None:
    """A limb that bends away from its pole gets it in front."""
    rig = rigs.armature(bones)
    pose(rig, (0.4, 0.2, -0.5), hinge)
    api.add_chain(rig, "lower", **fields)
    report = api.create_targets(rig)
    assert report.reached
    assert not [note for note in report.notes if not note.startswith(("Created", "Linking"))]
    moved, turned = moved_by_solve(rig, "upper", "lower", *(["hand"] if "tip_bone" in fields else []))
    assert moved < 2 * CLOSE
    assert turned < 4 * CLOSE


@pytest.mark.parametrize("twist", [0.5, -1.5])
def test_creating_targets_tells_of_a_twisted_bone(twist: float) -> None:
    rig = rigs.armature()
    pose(rig, (0.4, 0.2, -0.5), 0.7)
    lower = rig.pose.bones["lower"]
    lower.rotation_quaternion = lower.rotation_quaternion @ Quaternion((0, 1, 0), twist)
    api.add_chain(rig, "lower")
    (_, _, note) = api.create_targets(rig).notes
    degrees = float(re.search(r"turn by up to ([\d.]+) degrees", note)[1])
    assert degrees == pytest.approx(np.degrees(abs(twist)), rel=2e-3)
    moved, _ = moved_by_solve(rig, "upper", "lower", "hand")
    assert moved < 2 * CLOSE


@pytest.mark.parametrize(
    ("fields", "hinge"),
    [
        ({"softness": 0.2}, None),
        ({"use_bend_limits": True, "bend_min": 0.9, "bend_max": 2.0}, 0.1),
        ({"plane": "AIM"}, 0.1),
        ({"plane": "REST"}, 0.1),
    ],
    ids=["soft and straight", "limits", "aim", "rest"],
)
def test_creating_targets_tells_how_far_the_pose_moves(fields: dict, hinge: float | None) -> None:
    rig = rigs.armature(rigs.STRAIGHT if hinge is None else rigs.ARM)
    pose(rig, (0.4, 0.2, -0.5), hinge or 0.0)
    api.add_chain(rig, "lower", **fields)
    note = api.create_targets(rig).notes[-1]
    told = told_length(note, "move by up to")
    before = Limb().joints(on_frame(1))
    api.solve(rig)
    found = np.linalg.norm(Limb().joints(on_frame(1)) - before, axis=-1).max()
    assert found > 0.01
    assert told == pytest.approx(found, rel=5e-3)  # of three digits


def test_a_soft_limb_stays_within_the_reach_of_its_softness() -> None:
    """At full reach the target, the tip is softness / e of it behind."""
    bpy.context.scene.frame_set(1)
    rig = rigs.armature(rigs.STRAIGHT)
    api.add_chain(rig, "lower", softness=0.1)
    reached = 1.8 * (1 - 0.1 / np.e)
    for reach, stays in ((0.99 * reached, True), (0.999 * reached, True), (1.01 * reached, False)):
        cosine = (reach**2 - 1 - 0.8**2) / (2 * 0.8)
        pose(rig, (0, 0, 0), np.arccos(cosine))
        chain = rig.two_bone_ik_chains[0]
        chain.target = chain.pole_target = None
        api.create_targets(rig)
        assert chain.target.location.length <= 1.8 + 1e-6
        assert (moved_by_solve(rig, "upper", "lower")[0] < 1e-5) == stays


def test_creating_targets_twice_creates_them_once() -> None:
    rig = rigs.armature()
    rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3))
    api.add_chain(rig, "hand")
    api.add_chain(rig, "upper", plane="AIM")
    existing = bpy.data.objects["Target"]
    api.create_targets(rig)
    lower, hand, upper = rig.two_bone_ik_chains
    assert (lower.target, tuple(existing.location)) == (existing, pytest.approx((1.2, 0.6, 1.3)))
    assert all((lower.pole_target, hand.target, hand.pole_target, upper.target))
    assert upper.pole_target is None
    before = file_data.dump()
    assert api.create_targets(rig).notes == ("Every chain has a target and a pole target",)
    assert not file_data.changed(before)


def test_created_targets_lie_in_a_collection_of_the_scene() -> None:
    rig = rigs.armature()
    scene = bpy.data.scenes.new("Shot")
    scene.collection.objects.link(rig)
    for end_bone in ("lower", "hand"):
        api.add_chain(rig, end_bone)
        api.create_targets(rig, [end_bone], scene=scene)
    (collection,) = scene.collection.children
    assert collection.name == "Rig Targets"
    assert {item.name for item in collection.objects} == {
        f"{end_bone} {role}" for end_bone in ("lower", "hand") for role in ("Target", "Pole")
    }
    assert all(item.visible_get(view_layer=scene.view_layers[0]) for item in collection.objects)
    assert not bpy.context.scene.collection.children


def test_edits_without_keys_are_part_of_the_pose() -> None:
    rig = rigs.armature()
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 9: (0, 1, 0, 0)})
    bpy.context.scene.frame_set(4)
    pose(rig, (0.4, 0.2, -0.5), 0.7)
    api.add_chain(rig, "lower")
    api.create_targets(rig)
    tip = Limb(target="lower Target").goal(bpy.context.evaluated_depsgraph_get())
    np.testing.assert_allclose(tip, Limb().joints(bpy.context.evaluated_depsgraph_get())[2], atol=2 * CLOSE)
    assert rig.pose.bones["upper"].rotation_quaternion == Euler((0.4, 0.2, -0.5)).to_quaternion()


def test_a_created_pole_is_an_arms_length_off_the_elbow() -> None:
    rig = rigs.armature()
    rig.scale = (3, 3, 3)
    api.add_chain(rig, "lower")
    api.create_targets(rig)
    root, mid, tip = Limb().joints(on_frame(1))
    pole = np.array(bpy.data.objects["lower Pole"].location)
    line = (tip - root) / np.linalg.norm(tip - root)
    beside = [point - root - (point - root) @ line * line for point in (mid, pole)]
    length = np.linalg.norm(mid - root) + np.linalg.norm(tip - mid)
    np.testing.assert_allclose(beside[1], beside[0] / np.linalg.norm(beside[0]) * length, atol=1e-4 * length)


def test_targets_are_created_for_the_active_chain_or_all() -> None:
    rig = rigs.armature()
    api.add_chain(rig, "hand")
    api.add_chain(rig, "lower")
    bpy.ops.two_bone_ik.create_targets(only_active=True)
    assert [bool(chain.target and chain.pole_target) for chain in rig.two_bone_ik_chains] == [False, True]
    bpy.ops.two_bone_ik.create_targets()
    assert all(chain.target and chain.pole_target for chain in rig.two_bone_ik_chains)


def test_targets_of_a_constrained_limb_are_where_it_shows() -> None:
    """The pose as the user sees it, not as its keys alone would have it."""
    rig = rigs.armature()
    rig.pose.bones["upper"].constraints.new("COPY_ROTATION").target = turned = rigs.empty("Turned")
    turned.matrix_basis = Matrix.Rotation(1.2, 4, (0.3, 0.4, 0.5))
    api.add_chain(rig, "lower", tip_bone="hand")
    api.create_targets(rig)
    joints = Limb(tip="hand").joints(on_frame(1))
    np.testing.assert_allclose(bpy.data.objects["lower Target"].location, joints[2], atol=2 * CLOSE)


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_a_hand_out_of_all_bounds_leaves_no_targets(kind: str) -> None:
    rig = rigs.armature()
    rig.data.bones["upper"].name = "f_index.01"
    chain = api.add_chain(rig, "lower", tip_bone="hand")
    rigs.animate(rig.pose.bones["f_index.01"], rotation_quaternion={1: (1, 0, 0, 0), 8: (0.9, 0.1, 0.3, 0.2)})
    with rigs.editing(rig) as bones:
        wrist = bones.new("wrist")
        wrist.tail = (0, 0, 1)
        bones["spine"].parent, bones["spine"].inherit_scale = wrist, "NONE"
    rig.pose.bones["wrist"].scale = (1e25,) * 3
    bpy.context.view_layer.update()
    with refused(match="nowhere"):
        api.create_targets(rig, kind=kind)
    assert not chain.is_property_set("use_rotation")
    assert not chain.is_property_set("reference")
