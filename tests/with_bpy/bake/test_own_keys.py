"""Where a limb has no influence it keeps its own keys, and where it has, it is posed as it is without that stretch."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import FCurve, Object

from support import rigs
from support.empty_file import open_empty_file
from support.truth import on_frame

LAST = 40

REST = (14, 27)
"""The frames from the first to the last without influence."""

AT_REST = np.arange(REST[0], REST[1] + 1)

QUARTERS = np.arange(4 * REST[0], 4 * REST[1] + 1) / 4

KEYED = (1, 9, 16, 20, 25, 33, 40)

MODES = ("QUATERNION", "XYZ", "AXIS_ANGLE")


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


def arm(mode: str, *, own: tuple[int, ...] = KEYED, **fields: object) -> Object:
    """An arm with a moving target and keys of its own on these frames, influence 1, then 0, then 1 again."""
    chain = rigs.arm(pole=(0.5, 2.0, 1.5), reference="POSE", tip_bone="hand", use_rotation=True, **fields)
    rig = chain.id_data
    for bone in rig.data.bones:
        bone.inherit_scale = "ALIGNED"
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 20: (0.6, -0.6, 1.5), 40: (1.3, 0.2, 0.8)})
    rng = np.random.default_rng(7)
    for name in ("upper", "lower", "hand"):
        bone = rig.pose.bones[name]
        bone.rotation_mode = mode
        field = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")
        turns = {}
        for frame in own:
            angles = rng.uniform(-0.6, 0.6, 3)
            if mode == "QUATERNION":
                # The other sign is the same pose, and not what keys beside it have.
                turns[frame] = (-1.0, *-0.5 * angles)
            elif mode == "AXIS_ANGLE":
                turns[frame] = (0.5 + abs(angles[0]), 0.1, 1.0, 0.2)
            else:
                turns[frame] = (angles[0] + 2 * np.pi, *angles[1:])
        rigs.animate(bone, **{field: turns})
    rigs.animate(rig.pose.bones["lower"], two_bone_ik_influence={1: 1.0, 10: 1.0, 14: 0.0, 27: 0.0, 31: 1.0})
    for curve in versions.curves(rig):
        if "influence" in curve.data_path:
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"
    return rig


def own_curves(rig: Object) -> list[FCurve]:
    return [curve for curve in versions.curves(rig) if "rotation" in curve.data_path]


def kept_keys(rig: Object) -> dict[tuple[str, int], list[tuple[object, ...]]]:
    """Of each curve its keys from the first frame of the stretch to the last, with handles and types."""
    return {
        (curve.data_path, curve.array_index): [
            (*key.co, *key.handle_left, *key.handle_right, key.interpolation, key.easing, key.type)
            for key in curve.keyframe_points
            if REST[0] <= key.co.x <= REST[1]
        ]
        for curve in own_curves(rig)
    }


def poses(frames: Iterable[float]) -> np.ndarray:
    """(n, 3, 4, 4) of the limb and its hand, as Blender evaluates them."""
    shown = (bpy.data.objects["Rig"].evaluated_get(on_frame(float(frame))).pose.bones for frame in frames)
    return np.array([[np.array(bones[name].matrix) for name in ("upper", "lower", "hand")] for bones in shown])


@pytest.mark.parametrize("keys", ["EVERY_FRAME", "TARGET_KEYS", "REDUCED"])
def test_a_run_without_influence_keeps_own_keys_to_the_bit(mode: str, keys: str) -> None:
    rig = arm(mode)
    before = kept_keys(rig)
    api.bake(rig, frames=(1, LAST), keys=keys, tolerance=1e-3)
    after = kept_keys(rig)
    assert any(before.values())
    for path, keys in before.items():
        assert [key for key in after[path] if key[0] in {own[0] for own in keys}] == keys


def test_between_its_own_keys_the_limb_moves_as_before(mode: str) -> None:
    rig = arm(mode)
    inside = QUARTERS[(QUARTERS >= 16) & (QUARTERS <= 25)]
    before = poses(inside)
    api.bake(rig, frames=(1, LAST))
    np.testing.assert_array_equal(poses(inside), before)


def without_a_curve(rig: Object) -> None:
    """Three elements of a quaternion are keyed, one is not: the four together are not of length one."""
    curve = next(curve for curve in own_curves(rig) if curve.data_path.startswith('pose.bones["hand"]'))
    versions.ensure_channelbag(rig).fcurves.remove(curve)
    rig.pose.bones["hand"].rotation_quaternion[0] = -1.0


def that_stretches(rig: Object) -> None:
    rig.two_bone_ik_chains[0].unreachable = "STRETCH"
    for name in ("upper", "lower"):
        rigs.animate(rig.pose.bones[name], scale={16: (1, 1.2, 1), 25: (1, 0.9, 1)})


def as_it_is(_rig: Object) -> None:
    """Nothing is changed."""


@pytest.mark.parametrize(
    ("mode", "own", "change", "keys"),
    [
        *((mode, KEYED, as_it_is, keys) for mode in MODES for keys in ("EVERY_FRAME", "REDUCED")),
        ("QUATERNION", (1, 14, 40), without_a_curve, "EVERY_FRAME"),
        ("QUATERNION", (1, 40), as_it_is, "EVERY_FRAME"),
        ("QUATERNION", KEYED, that_stretches, "EVERY_FRAME"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_on_every_frame_without_influence_the_own_pose_shows(
    mode: str, own: tuple[int, ...], change: Callable[[Object], None], keys: str
) -> None:
    rig = arm(mode, own=own)
    change(rig)
    before = poses(AT_REST)
    report = api.bake(rig, frames=(1, LAST), keys=keys, tolerance=1e-3)
    np.testing.assert_allclose(poses(AT_REST), before, atol=1e-3 if keys == "REDUCED" else 2e-5)
    assert report.posed
    assert change != that_stretches or rigs.keys(rig.pose.bones["upper"], "scale", 1)[16] == np.float32(1.2)


@pytest.mark.parametrize("kind", ["NOISE", "GENERATOR"])
def test_frames_without_influence_stay_below_modifiers(kind: str) -> None:
    rig = arm("XYZ")
    for curve in own_curves(rig):
        modifier = curve.modifiers.new(kind)
        if kind == "GENERATOR":
            modifier.use_additive, modifier.coefficients = True, (0.3, 0.01)
    before = poses(AT_REST)[:, :2]
    api.bake(rig, frames=(1, LAST))
    # Single precision, of Euler angles of more than a turn.
    np.testing.assert_allclose(poses(AT_REST)[:, :2], before, atol=3e-6)


def test_beside_the_stretch_nothing_spins(mode: str) -> None:
    rig = arm(mode)
    api.bake(rig, frames=(1, LAST))
    frames = np.concatenate((np.arange(4 * 12, 4 * 14 + 1), np.arange(4 * 27, 4 * 31 + 1))) / 4
    found = poses(frames)
    # A sign or a winding that changed would turn bones by far more between two keys.
    turned = np.abs(np.diff(found[:, :2, :3, :3], axis=0)).max(axis=(1, 2, 3))
    assert turned[np.diff(frames) < 1].max() < 0.2


def test_outside_the_stretch_keys_are_as_without_it(mode: str) -> None:
    rig = arm(mode)
    api.bake(rig, frames=(1, LAST))
    found = poses(np.arange(31, LAST + 1))
    open_empty_file()
    rig = arm(mode)
    api.bake(rig, frames=(31, LAST))
    np.testing.assert_allclose(found, poses(np.arange(31, LAST + 1)), atol=2e-5)


@pytest.mark.parametrize(
    ("mode", "unreachable"), [*zip((*MODES, "XYZ"), ("SKIP", "ERROR", "HOLD", "CLAMP"), strict=True)]
)
def test_a_target_out_of_reach_is_nothing_to_a_limb_at_rest(mode: str, unreachable: str) -> None:
    rig = arm(mode, unreachable=unreachable)
    far = {13: (0.8, -0.4, 1.4), 14: (9.0, 9.0, 9.0), 27: (9.0, 9.0, 9.0), 28: (0.8, -0.4, 1.4)}
    rigs.animate(rig.two_bone_ik_chains["lower"].target, location=far)
    before = poses(QUARTERS[::4])
    report = api.bake(rig, frames=(1, LAST))
    assert poses(QUARTERS[::4]) == pytest.approx(before, abs=1e-5)
    [chain] = report.chains
    assert not chain.status[REST[0] - 1 : REST[1]].any()


@pytest.mark.parametrize("updated", [True, False], ids=["updated", "not updated"])
def test_keys_whose_handles_nobody_has_set_are_baked_over(updated: bool) -> None:
    rig = arm("QUATERNION", own=())
    bag = versions.ensure_channelbag(rig)
    for path in [rig.pose.bones[name].path_from_id("rotation_quaternion") for name in ("upper", "lower")]:
        for index in range(4):
            curve = bag.fcurves.new(path, index=index)
            curve.keyframe_points.add(LAST)
            frames = np.arange(1.0, LAST + 1.0)
            values = np.ones(LAST) if index == 0 else 0.2 * np.sin(frames / 9 + index)
            curve.keyframe_points.foreach_set("co", np.stack((frames, values), axis=1).ravel())
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"
            if updated:
                curve.update()
    before = poses(QUARTERS[::4])
    api.bake(rig, frames=(1, LAST))
    assert poses(QUARTERS[::4]) == pytest.approx(before, abs=1e-5)
