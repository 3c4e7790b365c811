"""A second bake of the same frames gives the keys of the first, whichever frame is shown meanwhile.

Where a limb has no influence it keeps its own keys, and where it has, it is posed as it is without that stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import FCurve, Object
from mathutils import Euler

from support import rigs, twisted
from support.empty_file import open_empty_file
from support.hocks import leg, turn
from support.truth import on_frame

FRAMES = (1, 12)


def reaching_arm(mode: str, **fields: object) -> Object:
    """An arm, posed beside its hinge and wound up by a turn, whose target goes out of reach and back."""
    rig = rigs.armature(rigs.ARM)
    chain = rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.5, 2.0, 2.5), **fields)
    places = {1: (1.2, 0.6, 1.3), 4: (2.9, 1.2, 2.4), 8: (2.2, -2.0, 1.0), 12: (0.9, 0.3, 1.9)}
    rigs.animate(chain.target, location=places)
    for name in ("upper", "lower"):
        bone = rig.pose.bones[name]
        bone.rotation_mode = mode
        if mode == "QUATERNION":
            bone.rotation_quaternion = (-0.9, 0.2, -0.3, 0.25)
        else:
            bone.rotation_euler = (0.4, 6.5, -0.6)
    return rig


def keys(rig: Object) -> dict[tuple[str, int], np.ndarray]:
    """By path and index the values of all keys."""
    return {
        (curve.data_path, curve.array_index): np.array([point.co[:] for point in curve.keyframe_points])
        for curve in versions.curves(rig)
    }


@pytest.mark.parametrize(
    ("moved", "above", "swung"),
    [("lower", (1.0, 1.0, 1.0), ("upper_line_a", "upper_line_b")), ("hand", (1.3, 1.0, 0.8), ("lower_line",))],
)
@pytest.mark.parametrize("fields", [{"unreachable": "STRETCH"}, {"pole_pin": 1.0}], ids=str)
def test_joints_beside_swung_twist_bones_stay(
    fields: dict[str, object], moved: str, above: tuple[float, float, float], swung: Sequence[str]
) -> None:
    chain = twisted.arm(bones=twisted.LINE, max_stretch=2.0)
    rig = chain.id_data
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    for name, value in fields.items():
        setattr(chain, name, value)
    rig.pose.bones[moved].location = (0.1, -0.05, 0.08)
    rig.pose.bones["spine"].scale = above
    for name in swung:
        rig.pose.bones[name].rotation_quaternion = Euler((0.4, 0.3, -0.5)).to_quaternion()
    chain.target.location = (2.9, 1.2, 2.4)
    api.bake(rig, frames=(1, 12, 5.5))
    keeps_its_keys(rig, frames=(1, 12, 5.5))


def test_a_scaled_leg_stays_whatever_its_third_bone_did() -> None:
    bones = (
        rigs.Bone("thigh", (0, 0, 1), (0, -0.14, 1.33)),
        rigs.Bone("shin", (0, -0.14, 1.33), (-0.37, -0.51, 1.88), "thigh"),
        rigs.Bone("hock", (-0.37, -0.51, 1.88), (-0.43, 0.07, 2.29), "shin"),
    )
    chain = leg(bones=bones, tip_bone="", reference="POSE", use_bend_limits=True, bend_max=0.9)
    rig = chain.id_data
    chain.target.animation_data_clear()
    chain.target.location = (0.5, 0.1, 0.8)
    rig.data.bones["hock"].inherit_scale = "FULL"
    rig.pose.bones["thigh"].scale = (1.27, 1.27, 1.27)
    rig.pose.bones["shin"].rotation_mode = "XYZ"
    rig.pose.bones["shin"].rotation_euler = (0.2, -0.9, -0.4)
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig)


def test_a_turned_hock_stays_where_the_leg_is_pinned() -> None:
    chain = leg("RIGID", reference="POSE", hock_angle=0.3, max_stretch=1.1)
    chain.pole_target, chain.pole_pin = rigs.empty("Pole", (0.6, -0.9, 0.8)), 1.0
    chain.id_data.pose.bones["toe"].location = (0.06, 0.0, -0.04)
    rigs.animate(chain.target, location={1: (0.1, 0.1, 0.3), 4: (0.3, 1.6, -0.9), 8: (-0.1, -2.5, 1.35)})
    api.bake(chain.id_data, frames=FRAMES)
    keeps_its_keys(chain.id_data)


def test_a_hock_that_turns_beyond_straight_rolls_no_bone() -> None:
    """The foot, turned so, bends the leg to the other side as long as nothing else turns."""
    bones = (
        rigs.Bone("thigh", (0, 0, 1), (0.4, 0.06, 0.38)),
        rigs.Bone("shin", (0.4, 0.06, 0.38), (0.94, 0.32, -0.64), "thigh"),
        rigs.Bone("hock", (0.94, 0.32, -0.64), (0.71, 0.46, -0.11), "shin"),
    )
    chain = leg(bones=bones, tip_bone="", reference="POSE", plane="REST", unreachable="STRETCH")
    rig = chain.id_data
    rig.data.bones["shin"].inherit_scale = "ALIGNED"
    chain.target.animation_data_clear()
    chain.target.location = (2.2, -0.8, 1.4)
    rigs.animate(rig.pose.bones["shin"], two_bone_ik_hock_angle={1: 0.0, 12: -0.8})
    api.bake(rig, frames=FRAMES)
    turns = []
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        turns.append(turn(rig, "thigh"))
    assert max(np.linalg.norm(after - before) for before, after in pairwise(turns)) < 1.0
    keeps_its_keys(rig)


def test_a_leg_stays_that_stretches_straight_with_its_foot_aside() -> None:
    bones = (
        rigs.ARM[0],
        rigs.Bone("thigh", (-0.04, -0.04, 0.37), (-0.09, -0.07, -0.27), "spine"),
        rigs.Bone("shin", (-0.09, -0.07, -0.27), (-0.91, 0.03, -1.23), "thigh"),
        rigs.Bone("hock", (-0.91, 0.03, -1.23), (-0.85, -0.11, -1.38), "shin"),
        rigs.Bone("toe", (-0.93, -0.06, -1.31), (-0.93, 0.04, -1.31), "hock"),
    )
    chain = leg("RIGID", bones=bones, reference="POSE", unreachable="STRETCH", max_stretch=2.0)
    chain.id_data.data.bones["thigh"].inherit_scale = "ALIGNED"
    chain.target.animation_data_clear()
    chain.target.location = (-2.2, 1.9, 2.7)
    api.bake(chain.id_data, frames=FRAMES)
    keeps_its_keys(chain.id_data)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_a_limb_that_swings_over_keeps_its_way(mode: str) -> None:
    """In a plane: past the way back, where the twist could go round either side, and to the opposite side."""
    chain = twisted.arm(plane="REST", reference="POSE", use_rotation=False)
    rig, around = chain.id_data, {1: 20, 3: 150, 5: 215, 7: 35, 9: 120, 10: 245, 12: 65}
    for name, angles in {"upper": (-0.8, 0.5, 0.3), "lower": (0.7, 0.6, -0.8)}.items():
        rig.pose.bones[name].rotation_euler = angles
        rig.pose.bones[name].rotation_quaternion = Euler(angles).to_quaternion()
        rig.pose.bones[name].rotation_mode = mode
    places = {frame: (1.7 * np.cos(np.radians(a)), 1.7 * np.sin(np.radians(a)), 1.1) for frame, a in around.items()}
    rigs.animate(chain.target, location=places)
    for curve in versions.curves(chain.target):
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig)


def keeps_its_keys(rig: Object, shown: Sequence[int] = (1,), frames: tuple[float, ...] = FRAMES) -> None:
    """Bakes once more on each of these frames."""
    first = keys(rig)
    for frame in shown:
        bpy.context.scene.frame_set(frame)
        api.bake(rig, frames=frames)
        for path, values in keys(rig).items():
            # Keys are in single precision.
            np.testing.assert_allclose(values, first[path], atol=1e-6, err_msg=str(path))


@pytest.mark.parametrize(
    ("mode", "bend", "reference"),
    [
        *(("QUATERNION", "REST", "REST"), ("QUATERNION", "NEGATIVE", "POSE"), ("XYZ", "NEGATIVE", "REST")),
        *(("XYZ", "REST", "POSE"), ("ZXY", "REST", "POSE"), ("ZXY", "NEGATIVE", "REST")),
    ],
)
def test_a_second_bake_gives_the_same_keys(reference: str, bend: str, mode: str) -> None:
    rig = reaching_arm(mode, reference=reference, bend=bend)
    straight = api.bake(rig, frames=FRAMES).chains[0].sin_hinge < 1e-6
    assert straight.any()
    assert not straight.all()
    keeps_its_keys(rig, shown=(9, 40))


@pytest.mark.parametrize("fields", [{"unreachable": "STRETCH"}, {"pole_pin": 1.0}], ids=str)
def test_a_joint_beside_its_bone_stays_where_bones_stretch(fields: dict[str, object]) -> None:
    rig = reaching_arm("QUATERNION", reference="POSE", max_stretch=2.0, **fields)
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    rig.pose.bones["lower"].location = (0.2, -0.1, 0.15)
    api.bake(rig, frames=FRAMES)
    assert any(path.endswith("scale") and np.ptp(values[:, 1]) > 0.1 for (path, _), values in keys(rig).items())
    keeps_its_keys(rig)


@pytest.mark.parametrize(
    ("target", "pole", "above", "turns"),
    [
        ((0.9, 1.9, -0.1), (0.1, 1.3, -1.7), (0.8, 0.7, 1.0), ((-0.3, 0.3, -0.2), (0.7, 0.1, 0.6), (0.7, -0.1, -0.7))),
        (
            (-0.1, 1.2, 0.7),
            (0.4, -1.4, -0.9),
            (1.1, 1.2, 0.5),
            ((-0.6, 0.7, 0.5), (0.9, -0.6, -0.1), (-0.7, -0.5, 0.1)),
        ),
    ],
)
def test_a_pinned_limb_below_uneven_scale_stays(
    target: Sequence[float], pole: Sequence[float], above: Sequence[float], turns: Sequence[Sequence[float]]
) -> None:
    """A bone between bends it; several lengths of its bones may fit, and the second bake begins with the last ones."""
    names, places = ("spine", "upper", "between", "lower"), [(0, 0, 1), (0.1, 0.24, 0.71), (0.2, 0.48, 0.43)]
    ends = pairwise([*places, (1.19, 0.19, -0.42)])
    limb = (rigs.Bone(name, *both, parent) for (parent, name), both in zip(pairwise(names), ends, strict=True))
    rig = rigs.armature((rigs.ARM[0], *limb))
    pinned = {"pole": pole, "pole_pin": 1.0, "max_stretch": 1.2}
    rigs.chain(rig, "lower", target=target, root_bone="upper", reference="POSE", **pinned)
    rig.data.bones["between"].inherit_scale = rig.data.bones["lower"].inherit_scale = "ALIGNED"
    rig.pose.bones["spine"].scale = above
    for name, angles in zip(names[1:], turns, strict=True):
        rig.pose.bones[name].rotation_quaternion = Euler(angles).to_quaternion()
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig)


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
def test_a_stretch_without_influence_keeps_own_keys_to_the_bit(mode: str, keys: str) -> None:
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


def test_influence_counts_for_the_hand_too() -> None:
    """It turns by influence times rotation influence."""
    rig = arm("QUATERNION", own=(1, 40))
    own = poses(AT_REST)[:, 2]
    api.bake(rig, frames=REST)
    np.testing.assert_allclose(poses(AT_REST)[:, 2], own, atol=2e-5)


@pytest.mark.parametrize(("mode", "unreachable"), zip((*MODES, "XYZ"), ("SKIP", "ERROR", "HOLD", "CLAMP"), strict=True))
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
