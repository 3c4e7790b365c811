"""What cannot be planted is refused in one sentence, and then nothing has changed; the rest is finite."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support import fk
from support.body import body
from support.refused import refused
from support.rigs import animate, armature, empty
from support.walker import captured, ground, walker

SECONDS = 1.0


def no_action(rig: Object) -> None:
    rig.animation_data.action = None


def no_keys(rig: Object) -> None:
    fk.forget(rig, *(bone.name for bone in rig.pose.bones if bone.name != "hips"))


def driven(rig: Object) -> None:
    rig.pose.bones["shin.L"].driver_add("rotation_quaternion", 0)


def locked(rig: Object) -> None:
    next(curve for curve in versions.curves(rig) if '"shin.L"' in curve.data_path).lock = True


def constrained(rig: Object) -> None:
    rig.pose.bones["shin.L"].constraints.new("IK").target = empty("Control")


def at_rest(rig: Object) -> None:
    rig.data.pose_position = "REST"


def stretched_time(_rig: Object) -> None:
    bpy.context.scene.render.frame_map_new = 200


def nowhere(rig: Object) -> None:
    curve = next(curve for curve in versions.curves(rig) if '"hips"].location' in curve.data_path)
    curve.keyframe_points[4].co.y = 1e30


def without_size(rig: Object) -> None:
    rig.scale = 0.0, 0.0, 0.0


def without_length(rig: Object) -> None:
    rig.pose.bones["thigh.L"].scale = 0.0, 0.0, 0.0


REFUSED = {
    no_action: "NO_CAPTURE",
    no_keys: "NO_CAPTURE",
    driven: "CURVE_DRIVEN",
    locked: "CURVE_LOCKED",
    constrained: "PLANT_CONSTRAINED",
    at_rest: "REST_POSITION",
    stretched_time: "TIME_STRETCHING",
    nowhere: "NOT_FINITE",
    without_size: "NO_LENGTH",
    without_length: "NO_LENGTH",
}


@pytest.mark.parametrize(("spoil", "kind"), REFUSED.items(), ids=lambda each: getattr(each, "__name__", each))
def test_what_cannot_be_planted_is_refused(spoil: Callable[[Object], None], kind: str) -> None:
    rig = walker(captured("walk", SECONDS))
    spoil(rig)
    with refused(kind, "" if kind == "TIME_STRETCHING" else "Walker"):
        api.plant(rig)


def test_an_armature_without_legs_is_refused() -> None:
    rig = armature()
    rig.pose.bones["lower"].keyframe_insert("location", frame=1)
    with refused("NO_LEGS"):
        api.plant(rig)


def contact(*given: object) -> dict[str, object]:
    return {"contacts": [api.Contact(*given)]}


@pytest.mark.parametrize(
    ("given", "kind", "word"),
    [
        (contact("Leg.M", 1, 5, "toe.L", (0, 0, 0)), "UNKNOWN_LIMB", "Leg.M"),
        (contact("Leg.L", 5, 1, "toe.L", (0, 0, 0)), "CONTACT_FRAMES", ""),
        (contact("Leg.L", float("nan"), 5, "toe.L", (0, 0, 0)), "NOT_A_CONTACT", ""),
        (contact("Leg.L", 1, 5, "toe.R", (0, 0, 0)), "CONTACT_BONE", "toe.R"),
        (contact("Leg.L", 1, 5, "nose", (0, 0, 0)), "CONTACT_BONE", "nose"),
        (contact("Leg.L", 1, 5, "thigh.L", (0, 0, 0)), "CONTACT_BONE", "thigh.L"),
        (contact("Leg.L", 1, 5, "toe.L", (0, 0, float("inf"))), "CONTACT_POINT", ""),
        (contact("Leg.L", 1, 5, "toe.L", (0, 0)), "CONTACT_POINT", ""),
        (
            {"contacts": [api.Contact("Leg.L", 1, 5, "foot.L", (0, 0, 0.01 * number)) for number in range(3)]},
            "CONTACT_POINTS",
            "3",
        ),
        ({"frames": (100, 200)}, "NOT_CAPTURED", "has keys from frame 1 to 31, and none on frames 100 to 200"),
        ({"floor": float("nan")}, "FLOOR_HEIGHT", "nan"),
        ({"floor": 1e38}, "FLOOR_HEIGHT", "1e+38"),
        ({"hips": "foot.L"}, "HIPS_ELSEWHERE", "foot.L"),
        *(
            ({"limbs": [limbs], **named}, kind, "Nobody")
            for limbs in ("ARMS", "LEGS")
            for named, kind in (({"hips": "Nobody"}, "HIPS_ELSEWHERE"), ({"keep": ["Nobody"]}, "UNKNOWN_LIMB"))
        ),
        ({"keep": ["Tail"]}, "UNKNOWN_LIMB", "Tail"),
        ({"keep": ["Trunk"]}, "KEPT_HIPS", "Trunk"),
        ({"keep": ["Arm.R"]}, "PLANT_CONSTRAINED", "hand.R"),
    ],
    ids=str,
)
def test_a_request_that_makes_no_sense_is_refused(given: dict[str, object], kind: str, word: str) -> None:
    rig = body()
    if "limbs" not in given:
        api.add_chain(rig, "spine.001", name="Trunk", target=empty("Target"))
        rig.pose.bones["hand.R"].constraints.new("LIMIT_ROTATION")
    with refused(kind, word):
        api.plant(rig, **given)


@pytest.mark.parametrize(("mesh", "kind"), [(False, "FLOOR_NO_MESH"), (True, "FLOOR_MISSED")])
def test_a_floor_that_is_nowhere_below_is_refused(mesh: bool, kind: str) -> None:
    rig = walker(captured("walk", SECONDS))
    floor = ground([(90, 0, 0), (91, 0, 0), (91, 1, 0)]) if mesh else empty("Ground")
    with refused(kind, '"Ground"'):
        api.plant(rig, floor=floor)


def test_a_refusal_names_the_armature_that_is_planted() -> None:
    rig = walker(captured("walk", SECONDS))
    api.plant(rig)
    bone = rig.pose.bones["shin.L"].path_from_id("rotation_quaternion")
    played = versions.played(rig)
    versions.play(rig, bpy.data.actions["Captured"], played[1])
    next(curve for curve in versions.curves(rig) if curve.data_path == bone).lock = True
    versions.play(rig, *played)
    with refused("CURVE_LOCKED", "Walker"):
        api.plant(rig)


def one_frame(rig: Object) -> tuple:
    return (5, 5)


def two_frames(rig: Object) -> tuple:
    return (5, 6)


def halves(rig: Object) -> tuple:
    return (1, 20, 0.5)


def uneven(rig: Object) -> tuple:
    rig.scale = 1.0, 1.1, 1.3
    return (1, 20)


def apart(rig: Object) -> tuple:
    for name in ("thigh.L", "shin.L", "foot.L"):
        for frame in range(1, 31):
            animate(rig.pose.bones[name], location={frame: np.random.default_rng(frame).normal(0, 0.002, 3)})
    return (1, 30)


def mirrored(rig: Object) -> tuple:
    rig.scale.x = -1.0
    return (1, 20)


def far_away(rig: Object) -> tuple:
    rig.location = 1e5, 1e5, 0.0
    return (1, 20)


@pytest.mark.parametrize(
    "odd", [one_frame, two_frames, halves, uneven, apart, mirrored, far_away], ids=lambda f: f.__name__
)
def test_odd_captures_are_planted(odd: Callable[[Object], tuple]) -> None:
    rig = walker(captured("walk", SECONDS))
    report = api.plant(rig, frames=odd(rig))
    assert report.posed
    # Of float32 coordinates of the size, some steps. A foot that an uneven scale skews is no rigid body: where it turns
    # back as it was captured, its points, 0.19 m apart, go by what the axes differ in scale.
    turned = np.radians(max(foot.turn_before[1] for foot in report.feet))
    skewed = (1.3 - 1.0) * 0.19 * turned if odd is uneven else 0.0
    near = 1e-5 + 4 * np.spacing(np.float32(abs(rig.location.x)))
    assert max(foot.after[1] for foot in report.feet) < max(near, skewed)
    for curve in versions.curves(rig):
        assert np.isfinite([key.co.y for key in curve.keyframe_points]).all(), curve.data_path
