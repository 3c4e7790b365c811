"""Which frames get keys: each, those of the target, or as few as a tolerance allows.

What plays of reduced keys on quarter frames is compared with a bake of the same request with step 0.25.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support import rigs
from support.refused import refused
from support.truth import Limb

SPAN = (1, 40)
QUARTERS = np.arange(SPAN[0], SPAN[1] + 0.25, 0.25)
PLACES = {1: (1.2, 0.6, 1.3), 9: (0.9, -0.5, 1.6), 17: (1.4, 0.2, 0.7), 18: (0.7, 0.7, 1.2), 31: (1.3, -0.3, 1.4)}
BOTH_KINDS = pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR"])


def rig() -> Object:
    return bpy.data.objects["Rig"]


def interpolate(item: Object, interpolation: str, frames: Iterable[float] | None = None) -> None:
    """Change keys of an object, by default all."""
    for curve in versions.curves(item):
        for key in curve.keyframe_points:
            if frames is None or key.co.x in frames:
                key.interpolation = interpolation
        curve.update()


def jumping_arm(**fields: object) -> None:
    """A target that stands still on each of its keys until the next."""
    rigs.arm(pole=(0.5, 2.0, 1.0), **fields)
    rigs.animate(bpy.data.objects["Target"], location=PLACES)
    interpolate(bpy.data.objects["Target"], "CONSTANT")


def swinging_arm(**fields: object) -> None:
    """A target that goes fast, on a spine that turns."""
    rigs.arm(pole=(0.5, 2.0, 1.0), **fields)
    wave = {
        frame: (1.2 + 0.4 * np.sin(frame / 2), 0.5 * np.cos(frame / 3), 1.3 + 0.2 * np.sin(frame / 1.5))
        for frame in range(0, 43, 2)
    }
    rigs.animate(bpy.data.objects["Target"], location=wave)
    turns = {1: (1, 0, 0, 0), 40: (1, 0.2, 0, 0.1)}
    rigs.animate(rig().pose.bones["spine"], rotation_quaternion=turns)


def switched_arm() -> None:
    """A target that is taken over at once by what it is constrained to, while both move."""
    swinging_arm()
    constraint = bpy.data.objects["Target"].constraints.new("COPY_LOCATION")
    constraint.target = rigs.empty("Other")
    rigs.animate(constraint.target, location={1: (1.0, -0.5, 0.8), 40: (1.3, 0.3, 1.6)})
    for frame, influence in ((1, 0.0), (15, 1.0), (26.5, 0.0)):
        constraint.influence = influence
        constraint.keyframe_insert("influence", frame=frame)
    for curve in versions.curves(bpy.data.objects["Target"]):
        if "influence" in curve.data_path:
            for key in curve.keyframe_points:
                key.interpolation = "CONSTANT"


def joints(frames: Iterable[float] = QUARTERS, tip: str = "") -> np.ndarray:
    return Limb(tip=tip).played(frames)


def bake_right(tip: str = "") -> np.ndarray:
    """The joints on quarter frames of a bake with step 0.25."""
    api.bake(rig(), frames=(*SPAN, 0.25))
    return joints(tip=tip)


def assert_kept(tolerance: float, tip: str = "", **options: object) -> None:
    """Reduced keys give the same joints within the tolerance."""
    right = bake_right(tip)
    api.bake(rig(), frames=SPAN, keys="REDUCED", tolerance=tolerance, **options)
    # A hair more: handles and values are float32.
    assert np.linalg.norm(joints(tip=tip) - right, axis=-1).max() <= tolerance * 1.001 + 1e-6


def key_kinds(bone: str = "upper") -> dict[float, str]:
    """By frame the interpolation of the keys of a bone."""
    path = rig().pose.bones[bone].path_from_id("rotation_quaternion")
    (curve,) = (one for one in versions.curves(rig()) if one.data_path == path and one.array_index == 1)
    return {key.co.x: key.interpolation for key in curve.keyframe_points}


@pytest.mark.parametrize(
    ("scene", "tolerance", "interpolation", "mode"),
    [
        *((jumping_arm, 0.001, "BEZIER", "QUATERNION"), (jumping_arm, 0.001, "LINEAR", "QUATERNION")),
        *((swinging_arm, 0.001, "BEZIER", "QUATERNION"), (swinging_arm, 0.02, "LINEAR", "QUATERNION")),
        *((switched_arm, 0.02, "BEZIER", "QUATERNION"), (switched_arm, 0.001, "LINEAR", "QUATERNION")),
        *((swinging_arm, 0.001, "LINEAR", "AXIS_ANGLE"), (swinging_arm, 0.02, "BEZIER", "AXIS_ANGLE")),
        *((swinging_arm, 0.02, "LINEAR", "XZY"), (swinging_arm, 0.001, "BEZIER", "XZY")),
    ],
)
def test_joints_are_within_the_tolerance_on_quarter_frames(
    scene: Callable[[], None], interpolation: str, tolerance: float, mode: str
) -> None:
    scene()
    for name in ("upper", "lower"):
        rig().pose.bones[name].rotation_mode = mode
    assert_kept(tolerance, interpolation=interpolation)


def test_quarter_frames_count_for_stretch_and_a_turned_hand() -> None:
    swinging_arm(unreachable="STRETCH", max_stretch=1.5, tip_bone="hand", use_rotation=True)
    for name in ("lower", "hand"):
        rig().data.bones[name].inherit_scale = "NONE"
    rigs.animate(bpy.data.objects["Target"], rotation_euler={1: (0, 0, 0), 40: (1, 2, 0.5)})
    assert_kept(0.002, tip="hand")


@pytest.mark.parametrize(("step", "interpolation"), [(0.5, "BEZIER"), (2, "BEZIER"), (2, "LINEAR")])
def test_quarter_frames_count_whatever_the_step(interpolation: str, step: float) -> None:
    swinging_arm()
    right = bake_right()[: 4 * 38 + 1]
    api.bake(rig(), frames=(1, 39, step), keys="REDUCED", tolerance=0.005, interpolation=interpolation)
    assert np.linalg.norm(joints(QUARTERS[: len(right)]) - right, axis=-1).max() <= 0.005 * 1.001 + 1e-6


@pytest.mark.parametrize("use_rotation", [False, True])
def test_a_tip_far_behind_the_end_bone_is_within_the_tolerance(use_rotation: bool) -> None:
    """The tip bone hangs on a bone between, its head far from the end bone's tail."""
    bones = (
        *rigs.ARM[:3],
        rigs.Bone("between", (1.8, 0, 1.1), (1.9, 0, 1.1), "lower"),
        rigs.Bone("hand", (3.5, 0.3, 1.2), (3.7, 0.3, 1.2), "between"),
    )
    chain = rigs.chain(
        rigs.armature(bones), "lower", target=(2.3, 0.6, 1.3), tip_bone="hand", use_rotation=use_rotation
    )
    wave = {frame: (2.2 + 0.5 * np.sin(frame / 4), np.cos(frame / 5), 1.3) for frame in range(0, 43, 2)}
    rigs.animate(chain.target, location=wave)
    assert_kept(0.005, tip="hand")


def test_a_mid_far_behind_the_root_bone_is_within_the_tolerance() -> None:
    """The root bone is short, and a twist bone between takes up the rest."""
    bones = (
        rigs.Bone("upper", (0, 0, 1), (0.2, 0.04, 1)),
        rigs.Bone("twist", (0.2, 0.04, 1), (1, 0.2, 1), "upper"),
        rigs.Bone("lower", (1, 0.2, 1), (1.8, 0, 1.1), "twist"),
    )
    chain = rigs.chain(rigs.armature(bones), "lower", target=(1, 0, 1), pole=(0.5, 2, 1), root_bone="upper")
    # Near the root joint, about which the limb can turn far and take the tip hardly along.
    wave = {frame: (0.3 * np.sin(frame / 4), 0.1, 1 + 0.3 * np.cos(frame / 4)) for frame in range(0, 43, 2)}
    rigs.animate(chain.target, location=wave)
    assert_kept(0.005)


@BOTH_KINDS
def test_a_limb_stands_still_until_its_target_jumps(interpolation: str) -> None:
    """Geometry says so, on sixteenths of a frame; and one key for each place is enough."""
    jumping_arm()
    api.bake(rig(), frames=SPAN, keys="REDUCED", tolerance=0.001, interpolation=interpolation)
    sixteenths = np.arange(SPAN[0] * 16, SPAN[1] * 16 + 1) / 16
    assert Limb(pole="Pole").misses(sixteenths).max() < 1e-5
    kinds = key_kinds()
    assert set(kinds) == {*map(float, PLACES), 40.0}
    assert [kinds[frame] for frame in PLACES] == ["CONSTANT"] * 4 + [interpolation]


def test_smooth_motion_is_keyed_on_frames_of_the_range() -> None:
    swinging_arm()
    api.bake(rig(), frames=(1, 36), keys="REDUCED", tolerance=0.01)
    kinds = key_kinds()
    assert all(frame.is_integer() for frame in kinds)
    assert set(kinds.values()) == {"BEZIER"}
    assert min(kinds) == 1
    assert max(kinds) == 36
    assert len(kinds) < 18


def test_a_limb_that_snaps_straight_gets_a_quarter_frame_key() -> None:
    """After frame 38 the target leaves the reach within a quarter of a frame: no curve between frames does that."""
    swinging_arm()
    api.bake(rig(), frames=SPAN, keys="REDUCED", tolerance=0.01)
    assert [frame for frame in key_kinds() if not frame.is_integer()] == [38.25]


def test_the_report_of_reduced_keys_has_the_frames_of_the_range() -> None:
    swinging_arm()
    report = api.bake(rig(), frames=SPAN, keys="REDUCED")
    right = api.check(rig(), frames=SPAN)
    (found,), (expected,) = report.chains, right.chains
    np.testing.assert_array_equal(found.frames, np.arange(1, 41))
    for name in ("status", "miss", "flips"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-9)
    # A target 2 away is sampled in single precision, on quarter frames by another way than on few frames.
    np.testing.assert_allclose(found.speed, expected.speed, atol=4 * np.spacing(np.float32(2.0)))


def test_reduced_keys_leave_out_frames_that_are_skipped() -> None:
    rigs.arm(pole=(0.5, 2.0, 1.0), unreachable="SKIP")
    away = {1: (1.2, 0.6, 1.3), 10: (1.2, 0.6, 1.3), 16.3: (4, 0, 1), 24: (4, 0, 1), 33: (0.9, 0.5, 1.6)}
    rigs.animate(bpy.data.objects["Target"], location=away)
    right = bake_right()
    out = api.check(rig(), frames=(*SPAN, 0.25)).chains[0].status != 0
    api.bake(rig(), frames=SPAN, keys="REDUCED", tolerance=0.001)
    assert not set(key_kinds()) & set(QUARTERS[out])
    assert np.linalg.norm(joints() - right, axis=-1).max(axis=-1)[~out].max() <= 0.001 * 1.001 + 1e-6


def test_a_greater_tolerance_takes_fewer_keys() -> None:
    swinging_arm()
    counts = []
    for tolerance in (0.0005, 0.005, 0.05):
        api.bake(rig(), frames=SPAN, keys="REDUCED", tolerance=tolerance)
        counts.append(len(key_kinds()))
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] <= SPAN[1] / 3


def test_target_keys_include_poles_and_parents() -> None:
    swinging_arm()
    target, pole = bpy.data.objects["Target"], bpy.data.objects["Pole"]
    target.parent = rigs.empty("Carrier")
    rigs.animate(target.parent, location={7: (0, 0, 0), 7.5: (0, 0, 0.1)})
    rigs.animate(pole, location={31: (0, 2, 1), 200: (0, 2, 1)})
    api.bake(rig(), frames=SPAN, keys="TARGET_KEYS")
    assert set(key_kinds()) == {*range(2, 41, 2), 7.0, 7.5, 31.0}
    assert Limb(pole="Pole").misses(key_kinds()).max() < 1e-5


def test_a_target_without_keys_in_the_range_is_refused_by_name() -> None:
    rigs.arm()
    with refused("NO_TARGET_KEYS", '"Target" of chain "lower" has no keys from 1 to 60'):
        api.bake(rig(), frames=(1, 60), keys="TARGET_KEYS")
