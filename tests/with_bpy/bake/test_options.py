"""Each option by itself: what it does to the keyed bones, and what it refuses; and all of them in combination."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.messages.refused import Refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import rigs
from support.empty_file import open_empty_file
from support.truth import Limb, on_frame

FRAMES = range(1, 6)
PLACES = [(0.4, 0.3, 1.1), (1.2, 0.6, 1.3), (1.6, 0.5, 0.8), (2.4, 0.2, 1.5)]
PATH = dict(zip(FRAMES, [*PLACES, PLACES[0]], strict=True))
POLE = (0.3, 3.0, 1.4)
CLOSE = 1e-5


@pytest.mark.parametrize(
    ("option", "part"), [("influence", 0.25), ("rotation_influence", 0.0), ("rotation_influence", 0.5)]
)
def test_an_influence_turns_each_bone_part_of_the_way(option: str, part: float) -> None:
    chain = rigs.arm(tip_bone="hand", use_rotation=option == "rotation_influence")
    chain.target.rotation_euler = (0.5, 0.2, 0.1)
    bones = [chain.id_data.pose.bones[name] for name in ("upper", "lower", "hand")]
    bones = bones[:2] if option == "influence" else bones[2:]
    bones[0].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    own, found = [bone.rotation_quaternion.copy() for bone in bones], []
    for value in (part, 1.0):
        setattr(chain, option, value)
        for bone, before in zip(bones, own, strict=True):
            bone.rotation_quaternion = before
        api.bake(chain.id_data, frames=(1, 1), new_action=True)
        on_frame(1)
        found.append([bone.rotation_quaternion.copy() for bone in bones])
    for before, partly, whole in zip(own, *found, strict=True):
        assert before.rotation_difference(whole).angle > 0.5
        assert abs(partly.dot(before.slerp(whole, part))) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("inherit", ["NONE", "ALIGNED", "AVERAGE"])
def test_stretch_reaches_however_the_end_bone_inherits_scale(inherit: str) -> None:
    rigs.arm(target=(2.2, 0.3, 1.2), unreachable="STRETCH", max_stretch=3.0)
    rig = bpy.data.objects["Rig"]
    rig.data.bones["lower"].inherit_scale = inherit
    for _ in range(2):
        report = api.bake(rig, frames=(1, 3))
        assert report.reached
        assert any("scale is keyed" in line for line in report.lines())
        joints = Limb().joints(on_frame(2))
        np.testing.assert_allclose(joints[2], (2.2, 0.3, 1.2), atol=CLOSE)
        links = np.linalg.norm(np.diff(joints, axis=0), axis=-1)
        rest = [rig.data.bones[name].length for name in ("upper", "lower")]
        np.testing.assert_allclose(links / rest, (links / rest)[0], rtol=CLOSE)


def too_far(frames: range) -> list[int]:
    """The frames on which the target is farther from the shoulder than both bones are long."""
    bones = bpy.data.objects["Rig"].data.bones
    length = bones["upper"].length + bones["lower"].length
    shoulder = np.array(bones["upper"].head_local)
    return [frame for frame in frames if np.linalg.norm(Limb().goal(on_frame(frame)) - shoulder) > length]


def baked_leaving_reach(unreachable: str) -> bpy.types.Object:
    """An arm whose target leaves its reach within 5 frames, baked."""
    rigs.arm(unreachable=unreachable)
    rigs.animate(bpy.data.objects["Target"], location={1: (1.2, 0.6, 1.3), 5: (5.0, 0.0, 1.0)})
    api.bake(bpy.data.objects["Rig"], frames=(1, 5))
    return bpy.data.objects["Rig"]


def test_skip_leaves_frames_out_of_reach_without_keys() -> None:
    rig = baked_leaving_reach("SKIP")
    assert set(rigs.keys(rig.pose.bones["upper"])) == set(range(1, 6)) - set(too_far(range(1, 6)))


def test_hold_keeps_the_last_pose_within_reach() -> None:
    baked_leaving_reach("HOLD")
    last = min(too_far(range(1, 6))) - 1
    first, *held = Limb().played((last, 4, 5))
    np.testing.assert_allclose(held, [first] * 2, atol=CLOSE)


def test_a_refusal_names_the_reach_that_limits_leave() -> None:
    rigs.arm(unreachable="ERROR", target=(1.78, 0.0, 1.1), use_bend_limits=True, bend_min=1.0, bend_max=2.0)
    rig = bpy.data.objects["Rig"]
    first, second = (rig.data.bones[name].length for name in ("upper", "lower"))
    inner, outer = (np.sqrt(first**2 + second**2 + 2 * first * second * np.cos(angle)) for angle in (2.0, 1.0))
    with pytest.raises(Refused, match=rf"from {inner:.3g} m to {outer:.3g} m"):
        api.bake(rig, frames=(1, 1))


def test_limit_extension_never_exceeds_the_input_pose() -> None:
    rigs.arm(target=(3.0, 0.0, 1.0), use_extension_limit=True)
    rig = bpy.data.objects["Rig"]
    bpy.context.view_layer.update()
    rest = Limb().joints(on_frame(1))
    api.bake(rig, frames=(1, 2))
    found = Limb().joints(on_frame(1))
    np.testing.assert_allclose(np.linalg.norm(found[2] - found[0]), np.linalg.norm(rest[2] - rest[0]), atol=CLOSE)


def test_flip_bend_goes_between_the_two_solutions() -> None:
    rigs.arm()
    rig = bpy.data.objects["Rig"]
    api.solve(rig)
    first = Limb().joints(on_frame(1))
    api.flip_bend(rig)
    second = Limb().joints(on_frame(1))
    np.testing.assert_allclose(second[[0, 2]], first[[0, 2]], atol=CLOSE)
    line = (first[2] - first[0]) / np.linalg.norm(first[2] - first[0])
    across = [mid - first[0] - (mid - first[0]) @ line * line for mid in (first[1], second[1])]
    np.testing.assert_allclose(across[0], -across[1], atol=CLOSE)
    api.flip_bend(rig)
    np.testing.assert_allclose(Limb().joints(on_frame(1)), first, atol=CLOSE)


def test_markers_go_with_their_armature() -> None:
    rig = rigs.arm(target=(9, 0, 1)).id_data
    other = rig.copy()
    scene = bpy.context.scene
    scene.collection.objects.link(other)
    for one in (rig, other):
        api.check(one, frames=(1, 2), add_markers=True)
    assert len(scene.timeline_markers) == 2
    rig.two_bone_ik_chains[0].name = "arm"
    api.remove_markers(rig)
    assert [marker.name for marker in scene.timeline_markers] == [f"Too Far: {other.name}, lower"]


def test_markers_stand_where_a_run_begins() -> None:
    rigs.arm()
    rig, scene = bpy.data.objects["Rig"], bpy.context.scene
    scene.timeline_markers.new("Mine", frame=3)
    rigs.animate(bpy.data.objects["Target"], location={1: (1.2, 0.6, 1.3), 5: (5.0, 0.0, 1.0), 9: (1.2, 0.6, 1.3)})

    def marks() -> set[tuple[str, int]]:
        return {(marker.name, marker.frame) for marker in scene.timeline_markers}

    for _ in range(2):
        report = api.check(rig, frames=(1, 9), add_markers=True)
        assert not report.reached
        assert marks() == {("Mine", 3), ("Too Far: Rig, lower", too_far(range(1, 10))[0])}
    assert rig.animation_data is None
    rig.two_bone_ik_chains[0].target.animation_data_clear()
    rig.two_bone_ik_chains[0].target.location = (1.2, 0.6, 1.3)
    api.check(rig, frames=(1, 9), add_markers=True)
    assert marks() == {("Mine", 3)}
    rig.two_bone_ik_chains[0].target.location = (5.0, 0.0, 1.0)
    api.check(rig, frames=(1, 9), add_markers=True)
    assert len(marks()) == 2
    api.remove_markers(rig)
    assert marks() == {("Mine", 3)}


MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


@dataclass(frozen=True)
class Expected:
    """Geometry of one frame: what the options make of a distance."""

    reach: float
    stretch: float


def expected(distance: float, lengths: np.ndarray, options: dict) -> Expected:
    """From the definitions: annulus narrowed by limits, softened, stretched."""
    low, high = options["limits"] or (0.0, np.pi)
    outer, inner = (float(np.hypot(lengths[0] + lengths[1] * np.cos(t), lengths[1] * np.sin(t))) for t in (low, high))
    eased = distance
    start = (1 - options["softness"]) * outer
    if options["softness"] and distance > start:
        span = options["softness"] * outer
        eased = start + span * (1 - np.exp((start - distance) / span))
    reach = min(max(eased, inner), outer)
    stretch = 1.0
    if options["unreachable"] == "STRETCH":
        stretch = min(max(distance / reach, 1.0), options["max_stretch"])
    return Expected(reach * stretch, stretch)


OPTIONS = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(MODES),
        "plane": st.sampled_from(["AUTO", "POLE", "AIM", "REST"]),
        "pole": st.booleans(),
        "bend": st.sampled_from(["REST", "POSITIVE", "NEGATIVE", "NEAREST", "LIMITS"]),
        "unreachable": st.sampled_from(["CLAMP", "STRETCH"]),
        "max_stretch": st.sampled_from([1.0, 1.2, 3.0]),
        "softness": st.sampled_from([0.0, 0.1, 0.6]),
        "limits": st.sampled_from([None, (0.3, 2.0)]),
        "reference": st.sampled_from(["REST", "POSE"]),
        "hinge_axis": st.sampled_from(["AUTO", "X", "Z", "NEG_X", "NEG_Z"]),
        "pole_angle": st.sampled_from([0.0, 0.8, -2.5]),
        "use_rotation": st.booleans(),
    }
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(OPTIONS)
def test_every_combination_of_options_gives_its_joints(options: dict) -> None:
    if options["plane"] == "POLE" and not options["pole"]:
        options["plane"] = "AUTO"
    open_empty_file()
    named = ("plane", "bend", "unreachable", "max_stretch", "softness", "reference", "pole_angle", "use_rotation")
    fields = {name: options[name] for name in named}
    if options["limits"]:
        fields |= {"use_bend_limits": True, "bend_min": options["limits"][0], "bend_max": options["limits"][1]}
    rigs.arm(pole=POLE if options["pole"] else None, hinge_axis=options["hinge_axis"], tip_bone="hand", **fields)
    rig = bpy.data.objects["Rig"]
    for name in ("lower", "hand"):
        rig.data.bones[name].inherit_scale = "NONE"
    rig.pose.bones["upper"].rotation_quaternion = (0.9, 0.1, 0.3, 0.2)
    for name in ("upper", "lower", "hand"):
        rig.pose.bones[name].rotation_mode = options["mode"]
    target = bpy.data.objects["Target"]
    rigs.animate(target, location=PATH, rotation_euler={1: (0.3, 0.1, 0.0), 5: (2.0, -1.0, 0.5)})
    api.bake(rig, frames=(1, 5))
    normal = rest_normal(rig, options["hinge_axis"])
    lengths = np.array([rig.data.bones[name].length for name in ("upper", "lower")])
    for frame in FRAMES:
        limb = assert_joints(on_frame(frame), options, normal, lengths)
        if options["use_rotation"]:
            hand = (rig.matrix_world @ rig.pose.bones["hand"].matrix).to_quaternion()
            assert abs(hand.dot(target.matrix_world.to_quaternion())) == pytest.approx(1.0, abs=1e-6)
        if options["pole"] and options["plane"] not in {"AIM", "REST"}:
            assert_side(limb, options)


def assert_joints(depsgraph: bpy.types.Depsgraph, options: dict, normal: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Lengths, reach and direction are as the definitions have them; returns root, mid and tip."""
    joints = Limb().joints(depsgraph)
    root, tip = joints[0], joints[2]
    aim = Limb().goal(depsgraph) - root
    if options["plane"] == "REST":
        aim -= aim @ normal * normal
    distance = np.linalg.norm(aim)
    wanted = expected(distance, lengths, options)
    links = np.linalg.norm(np.diff(joints, axis=0), axis=-1)
    np.testing.assert_allclose(links, lengths * wanted.stretch, atol=CLOSE)
    np.testing.assert_allclose(tip - root, aim / distance * wanted.reach, atol=CLOSE)
    return joints


def assert_side(joints: np.ndarray, options: dict) -> None:
    """The mid joint lies in the pole's plane, and on the side that the bend names."""
    found = side(*joints, np.array(POLE), options["pole_angle"])
    # Limits on one side of straight leave only that side, and a forced axis may count it the other way.
    if options["bend"] in {"REST", "POSITIVE"} and not (options["limits"] and options["hinge_axis"] != "AUTO"):
        assert found >= -CLOSE
    if options["bend"] == "NEGATIVE" and not options["limits"]:
        assert found <= CLOSE


def rest_normal(rig: bpy.types.Object, hinge_axis: str) -> np.ndarray:
    """Of the plane of the rest pose: through its three joints, or at right angles to the forced hinge axis."""
    lower = rig.data.bones["lower"]
    root, mid, tip = (np.array(point) for point in (lower.parent.head_local, lower.head_local, lower.tail_local))
    normal = np.cross(mid - root, tip - mid)
    if hinge_axis != "AUTO":
        axis = np.array(lower.matrix_local.col["XYZ".index(hinge_axis[-1])].xyz)
        aim = (tip - root) / np.linalg.norm(tip - root)
        normal = axis - axis @ aim * aim
    return normal / np.linalg.norm(normal)


def side(root: np.ndarray, mid: np.ndarray, tip: np.ndarray, pole: np.ndarray, angle: float) -> float:
    """> 0 where the mid joint lies on the pole's side, turned by the pole angle about the line from root to tip."""
    line = (tip - root) / np.linalg.norm(tip - root)
    beside, towards = (point - root - (point - root) @ line * line for point in (mid, pole))
    towards /= np.linalg.norm(towards)
    towards = np.cos(angle) * towards + np.sin(angle) * np.cross(line, towards)
    np.testing.assert_allclose(beside, (beside @ towards) * towards, atol=CLOSE)
    return float(beside @ towards)
