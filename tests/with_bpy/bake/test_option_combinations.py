"""Every option on keyed bones in combination: in every plane, on every rotation mode, against geometry of its own."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import rigs
from support.empty_file import open_empty_file
from support.truth import Limb, on_frame

FRAMES = range(1, 9)
PATH = dict(zip(FRAMES, [(0.4, 0.3, 1.1), (1.2, 0.6, 1.3), (1.6, 0.5, 0.8), (2.4, 0.2, 1.5)] * 2, strict=True))
POLE = (0.3, 3.0, 1.4)
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
CLOSE = 1e-5


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
    rigs.animate(target, location=PATH, rotation_euler={1: (0.3, 0.1, 0.0), 8: (2.0, -1.0, 0.5)})
    api.bake(rig, frames=(1, 8))
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
