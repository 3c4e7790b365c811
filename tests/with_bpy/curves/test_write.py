"""Keys reach the F-curves as they were given, Blender plays them, and nothing else moves."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.curves import write
from bl_ext.user_default.two_bone_ik.blender.settings.key_settings import KeyStyle
from bl_ext.user_default.two_bone_ik.skeleton.values import Channel
from bpy.types import FCurve, Keyframe, Object
from hypothesis import given
from hypothesis import strategies as st

from support.two_bones import (
    ATTRIBUTES,
    channel,
    curve,
    key_attribute,
    key_frames,
    keyed_state,
    path,
    played,
    two_bones,
    write_keys,
)

pytestmark = pytest.mark.versions

FREE = Keyframe.bl_rna.properties["handle_left_type"].enum_items["FREE"].value


@pytest.fixture
def rig(empty_file: None) -> Object:
    return two_bones()


@pytest.mark.parametrize(
    ("name", "start", "step"),
    [
        *(("rotation_quaternion", 1, 1), ("rotation_quaternion", -7, 0.25), ("rotation_quaternion", 1000, 1 / 3)),
        *(("rotation_euler", -7, 1), ("rotation_euler", 1000, 0.25), ("rotation_euler", 1, 1 / 3)),
        *(("scale", 1000, 1), ("scale", 1, 0.25), ("scale", -7, 1 / 3)),
    ],
)
def test_blender_plays_the_values_on_every_frame(rig, name, start, step):
    rig.pose.bones["upper"].rotation_mode = "XYZ" if name == "rotation_euler" else "QUATERNION"
    keyed = channel("upper", start + step * np.arange(40), name)
    write_keys(rig, keyed, span=(start, start + 40 * step))
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)


def test_the_saved_file_plays_the_same(rig, tmp_path: Path):
    keyed = channel("lower", np.arange(1, 11))
    write_keys(rig, keyed)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "keyed.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "keyed.blend"))
    np.testing.assert_allclose(played(bpy.data.objects["Rig"], keyed), keyed.values, atol=1e-7)


def test_the_pose_follows_without_a_change_of_frame(rig):
    bpy.context.scene.frame_set(3)
    for seed in (1, 2):
        keyed = channel("upper", np.arange(1, 11), seed=seed)
        write_keys(rig, keyed)
        bpy.context.view_layer.update()
        np.testing.assert_allclose(rig.pose.bones["upper"].rotation_quaternion, keyed.values[2], atol=1e-7)


def test_the_unkeyed_pose_of_everything_else_stays(rig):
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.keyframe_insert("location", frame=1)
    rig.pose.bones["lower"].location = other.location = (1, 2, 3)
    write_keys(rig, channel("upper", np.arange(1, 11)))
    bpy.context.view_layer.update()
    assert tuple(rig.pose.bones["lower"].location) == tuple(other.location) == (1, 2, 3)
    assert bpy.context.scene.frame_current == 1


@pytest.mark.parametrize("kept", [[], [-5, 20]], ids=["alone", "beside others"])
def test_new_keys_are_as_blender_inserts_them(rig, kept):
    frames = np.sort([*kept, 1, 2, 4, 8, 9])
    all_keys = channel("upper", frames)
    inside = (frames >= 1) & (frames <= 9)
    write_keys(rig, all_keys, span=(-5, 20))
    write_keys(rig, Channel(path=all_keys.path, group="upper", frames=frames[inside], values=all_keys.values[inside]))
    twin = versions.ensure_channelbag(rig).fcurves.new("scale", index=0)
    for frame, value in zip(frames, all_keys.values[:, 0], strict=True):
        twin.keyframe_points.insert(frame, value)
    # What Back and Elastic take, which nobody sees in Bezier curves, `add` leaves at 0.
    for name in ATTRIBUTES - {"back", "amplitude", "period"}:
        np.testing.assert_allclose(key_attribute(curve(rig), name), key_attribute(twin, name), atol=1e-5, err_msg=name)


def test_new_keys_have_their_style_and_curves_blenders_look(rig):
    write_keys(rig, channel("upper", [1, 2]), interpolation="LINEAR", key_type="JITTER")
    assert {(key.interpolation, key.type) for key in curve(rig).keyframe_points} == {("LINEAR", "JITTER")}
    rig.animation_data_clear()
    write_keys(rig, channel("upper", [1]), channel("lower", [1], "rotation_euler"), channel("lower", [1], "scale"))
    assert [c.group.name for c in versions.curves(rig)] == ["upper"] * 4 + ["lower"] * 6
    assert [c.color_mode for c in versions.curves(rig)] == ["AUTO_YRGB"] * 4 + ["AUTO_RGB"] * 6


def randomise(curve: FCurve, handle_types: list[int]) -> None:
    random = np.random.default_rng(5)
    points = curve.keyframe_points
    for side, sign in {"handle_left": -1, "handle_right": 1}.items():
        offset = sign * random.uniform(0.1, 2, (len(points), 2))
        points.foreach_set(side, (key_attribute(curve, "co") + offset).astype(np.float32).reshape(-1))
        points.foreach_set(f"{side}_type", random.choice(handle_types, len(points)).astype(np.uint8))
    for name, choices in {"interpolation": 13, "easing": 4, "type": 5}.items():
        points.foreach_set(name, random.integers(0, choices, len(points)).astype(np.uint8))
    for name in ("back", "amplitude", "period"):
        points.foreach_set(name, random.uniform(0, 5, len(points)).astype(np.float32))
    for name in ("select_control_point", "select_left_handle", "select_right_handle"):
        points.foreach_set(name, random.integers(0, 2, len(points)).astype(bool))
    curve.update()


@pytest.mark.parametrize("step", [1.5, 1.0], ids=["other frames", "the same frames"])
@pytest.mark.parametrize(
    ("handle_types", "clear_of_the_span", "tolerance"),
    [
        ([FREE], 0, 0),
        # Automatic handles beside the span follow their new neighbours. FCurve.update aligns the others once more,
        # which turns their last bits, as every edit in Blender does.
        ([0, 1, 2, 3, 4], 5, 2e-5),
    ],
    ids=["free handles", "all handles"],
)
def test_keys_outside_the_span_keep_every_attribute(rig, handle_types, clear_of_the_span, tolerance, step):
    def outside() -> dict[str, np.ndarray]:
        apart = np.abs(key_frames(curve(rig)) - 5.5) > 4.5 + clear_of_the_span
        return {name: key_attribute(curve(rig), name)[apart] for name in ATTRIBUTES}

    write_keys(rig, channel("upper", np.arange(-20, 40, step)), span=(-20, 40))
    randomise(curve(rig), handle_types)
    before = outside()
    write_keys(rig, channel("upper", np.arange(1, 11), seed=2))
    for name, values in outside().items():
        np.testing.assert_allclose(values, before[name], rtol=0, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("frames", [np.arange(-20, 40, 1.0), np.arange(-20, 40, 0.7)], ids=["the same", "others"])
def test_keys_written_over_others_are_as_new_ones(rig, frames):
    inside = np.arange(1.0, 11.0)
    write_keys(rig, channel("upper", np.union1d(frames, inside)), span=(-20, 40))
    randomise(curve(rig), [0, 1, 2, 3, 4])
    write_keys(rig, channel("upper", inside, seed=2))
    own = [key for key in curve(rig).keyframe_points if 1.0 <= key.co.x <= 10.0]
    named = {(key.interpolation, key.type, key.easing, key.handle_left_type, key.handle_right_type) for key in own}
    assert len(own) == 10
    assert named == {("BEZIER", "KEYFRAME", "AUTO", "AUTO_CLAMPED", "AUTO_CLAMPED")}
    assert {(key.back, key.amplitude, key.period) for key in own} == {(0.0, 0.0, 0.0)}


def test_keys_a_hundredth_of_a_frame_outside_are_replaced(rig):
    write_keys(rig, channel("upper", [0.98, 0.993, 5.5, 10.007, 10.02]), span=(0, 11))
    keyed = channel("upper", np.arange(1, 11), seed=2)
    write_keys(rig, keyed)
    np.testing.assert_allclose(key_frames(curve(rig)), [0.98, *range(1, 11), 10.02])
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)


@given(
    old=st.sets(st.integers(-500, 1500), max_size=30),
    first=st.integers(0, 400),
    length=st.integers(1, 300),
    step=st.integers(2, 100),
)
def test_new_keys_take_the_place_of_those_in_the_span(old, first, length, step):
    """All in hundredths of a frame: those at most one away from the span are replaced."""
    empty = bpy.data.objects.new("Empty", None)
    before = np.array(sorted(old))
    # Blender itself makes one key of two that are a hundredth apart.
    before = before[np.diff(before, prepend=-9999) > 1]
    new = np.arange(first, first + length + 1, step)
    for frames, span in ((before, (-10, 20)), (new, (first / 100, (first + length) / 100))):
        moved = Channel(path="scale", group="Empty", frames=frames / 100, values=np.zeros((len(frames), 1)))
        write.keys(empty, [moved], span=span, style=KeyStyle())
    (curve,) = versions.curves(empty)
    kept = before[(before < first - 1) | (before > first + length + 1)]
    np.testing.assert_allclose(key_frames(curve), np.union1d(kept, new) / 100, atol=1e-6)


def test_writing_twice_changes_nothing_but_modifiers_are_muted(rig):
    keyed = channel("upper", np.arange(1, 11))
    write_keys(rig, keyed)
    once = keyed_state(rig)
    write_keys(rig, keyed)
    assert keyed_state(rig) == once
    for index in (0, 3):
        curve(rig, index).modifiers.new("NOISE").strength = 5
    cycles = curve(rig, 1).modifiers.new("CYCLES")
    assert write_keys(rig, keyed) == ['F-curve modifier Noise of bone "upper" is muted, as it would change the keys']
    assert not cycles.mute
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)
    assert write_keys(rig, keyed) == []


@pytest.mark.parametrize("new_action", [False, True])
def test_without_frames_there_is_nothing_to_write(rig, new_action):
    assert write_keys(rig, channel("upper", []), new_action=new_action) == []
    assert rig.animation_data is None


def test_existing_curves_keep_their_group(rig):
    channelbag = versions.ensure_channelbag(rig)
    mine = channelbag.fcurves.new(path("upper"), index=2)
    mine.group = channelbag.groups.new("My Arms")
    write_keys(rig, channel("upper", [1, 2]))
    assert [curve(rig, index).group.name for index in range(4)] == ["upper", "upper", "My Arms", "upper"]
    assert list(key_frames(curve(rig, 2))) == [1, 2]


def test_a_curve_of_samples_plays_as_before_outside(rig):
    write_keys(rig, channel("upper", [1, 15, 30]), span=(1, 30))
    curve(rig).convert_to_samples(1, 31)
    outside = [*range(0, 10), *range(21, 35)]
    before = [curve(rig).evaluate(frame) for frame in outside]
    keyed = channel("upper", np.arange(10, 21), seed=2)
    write_keys(rig, keyed, span=(10, 20))
    np.testing.assert_allclose([curve(rig).evaluate(frame) for frame in outside], before, atol=1e-6)
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)


def test_a_pose_and_no_frames_write_no_keys(rig):
    posed = channel("upper", [7])
    write.pose(rig, [posed, channel("lower", [])])
    np.testing.assert_allclose(rig.pose.bones["upper"].rotation_quaternion, posed.values[0], atol=1e-7)
    assert tuple(rig.pose.bones["lower"].rotation_quaternion) == (1, 0, 0, 0)
    assert rig.animation_data is None
    write_keys(rig, channel("upper", [1, 5]), channel("upper", [1, 5], "scale"))
    before = keyed_state(rig)
    write_keys(rig, channel("upper", []), channel("lower", [2]))
    assert [curve for curve in keyed_state(rig)[-1] if '"upper"' in curve[0]] == before[-1]
