"""F-curves on many frames at once against Blender's own evaluation, and the paths by which they name their owners."""

from __future__ import annotations

import random
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.curves.keys import evaluated, evaluated_together, numbers_on
from bl_ext.user_default.two_bone_ik.blender.rna_paths import bone_and_property, owner_and_property
from bpy.types import FCurve, Object
from hypothesis import given
from hypothesis import strategies as st

from support.rigs import animate, arm, keys
from support.truth import Limb, on_frame

pytestmark = pytest.mark.versions

FRAMES = np.linspace(-5.0, 65.0, 281)
KINDS = ("BEZIER", "BEZIER", "BEZIER", "LINEAR", "CONSTANT", "SINE", "BOUNCE")
SINGLE = 1e-5
"""Part of the highest handle: Blender holds the parameter of a cubic in single precision, and where handles overlap in
time, the value changes many times as fast as the time."""


def _curves(seed: int) -> list[FCurve]:
    """Three curves with any keys and handles."""
    chance = random.Random(seed)
    item = bpy.data.objects.new("Item", None)
    for index in range(3):
        for _ in range(chance.randint(1, 20)):
            item.location[index] = chance.uniform(-3.0, 3.0)
            item.keyframe_insert("location", index=index, frame=chance.choice((chance.uniform(0, 60), 7, 31)))
    curves = list(versions.curves(item))
    for curve in curves:
        curve.extrapolation = chance.choice(("CONSTANT", "LINEAR"))
        for key in curve.keyframe_points:
            key.interpolation = chance.choice(KINDS)
            key.handle_left_type = key.handle_right_type = chance.choice(("FREE", "AUTO", "AUTO_CLAMPED", "VECTOR"))
            if key.handle_left_type == "FREE":
                key.handle_left = key.co.x - chance.choice((0.0, chance.uniform(0.0, 30.0))), chance.uniform(-4.0, 4.0)
                key.handle_right = key.co.x + chance.choice((0.0, chance.uniform(0.0, 30.0))), chance.uniform(-4.0, 4.0)
        curve.update()
    return curves


def _compare(curves: list[FCurve]) -> None:
    found = evaluated_together(curves, FRAMES)
    for curve, values in zip(curves, found.T, strict=True):
        corners = [abs(each.y) for key in curve.keyframe_points for each in (key.co, key.handle_left, key.handle_right)]
        wanted = [curve.evaluate(frame) for frame in FRAMES.tolist()]
        assert values == pytest.approx(wanted, rel=0.0, abs=SINGLE * max(corners))


def test_any_keys_and_handles_are_evaluated_as_by_blender() -> None:
    for seed in range(30):
        _compare(_curves(seed))


@pytest.mark.parametrize("beside", [1e-5, 9e-5, -5e-5, 2e-4])
def test_a_key_beside_a_frame_counts_as_blender_has_it(beside: float) -> None:
    item = bpy.data.objects.new("Item", None)
    for index, (frame, value) in enumerate(((1, 0.0), (16 + beside, 1.0), (40, 0.5))):
        for axis in range(3):
            item.location[axis] = value
            item.keyframe_insert("location", index=axis, frame=frame)
            versions.curves(item)[axis].keyframe_points[index].interpolation = ("CONSTANT", "LINEAR", "BEZIER")[axis]
    _compare(list(versions.curves(item)))


@pytest.mark.parametrize("values", [(0.0, 9e-8, -2e-8), (0.0, 1.3e-7, 0.0), (1e-9, 4e-9, 9e-9)])
def test_values_next_to_each_other_are_not_interpolated(values: tuple[float, ...]) -> None:
    item = bpy.data.objects.new("Item", None)
    for frame, value in zip((2, 30, 58), values, strict=True):
        item.location = value, value, value
        item.keyframe_insert("location", frame=frame)
    _compare(list(versions.curves(item)))


def test_modifiers_and_curves_without_keys_are_left_to_blender() -> None:
    curves = _curves(1)
    curves[1].modifiers.new("CYCLES")
    curves[2].modifiers.new("NOISE")
    _compare(curves)
    curves = _curves(2)
    curves[0].keyframe_points.clear()
    found = evaluated_together(curves, FRAMES)
    assert found[:, 0].tolist() == [curves[0].evaluate(frame) for frame in FRAMES.tolist()]


WHOLE = np.arange(-5.0, 140.0)


def keyed(frames: np.ndarray, interpolation: str = "BEZIER") -> FCurve:
    item = bpy.data.objects.new("Keyed", None)
    curve = versions.ensure_channelbag(item).fcurves.new("location", index=0)
    curve.keyframe_points.add(len(frames))
    values = np.random.default_rng(1).normal(size=len(frames))
    curve.keyframe_points.foreach_set("co", np.column_stack((frames, values)).ravel())
    for point in curve.keyframe_points:
        point.interpolation = interpolation
    curve.update()
    return curve


def assert_to_the_bit(curve: FCurve, frames: np.ndarray = WHOLE) -> None:
    assert evaluated(curve, frames).tolist() == [curve.evaluate(frame) for frame in frames]


@pytest.mark.parametrize(
    ("interpolation", "step"),
    [
        *(("BEZIER", 1.0), ("LINEAR", 0.5), ("CONSTANT", 3.0), ("ELASTIC", 0.3)),
        *(("BEZIER", 0.3), ("LINEAR", 1.0), ("CONSTANT", 0.3), ("ELASTIC", 1.0)),
    ],
)
def test_curves_read_at_once_are_as_evaluated_to_the_bit(interpolation: str, step: float) -> None:
    curve = keyed(np.arange(1.0, 121.0, step), interpolation)
    assert_to_the_bit(curve)
    assert_to_the_bit(curve, WHOLE[9:10])
    curve.extrapolation = "LINEAR"
    assert_to_the_bit(curve)
    assert_to_the_bit(curve, WHOLE + 0.3)


def disorder(curve: FCurve) -> None:
    curve.keyframe_points.foreach_set("co", np.random.default_rng(2).uniform(1.0, 120.0, 240).round())


@pytest.mark.parametrize(
    "change",
    [lambda curve: curve.modifiers.new("NOISE"), lambda curve: curve.convert_to_samples(1, 121), disorder],
    ids=["modifier", "samples", "disorder"],
)
def test_modifiers_samples_and_disorder_count(change: Callable[[FCurve], object]) -> None:
    curve = keyed(np.arange(1.0, 121.0))
    change(curve)
    assert_to_the_bit(curve)


def test_a_key_of_a_whole_number_is_rounded_as_blender_does(empty_file: None) -> None:
    rig = bpy.data.objects.new("Rig", None)
    bpy.context.scene.collection.objects.link(rig)
    rig["switch"] = 0
    rig.keyframe_insert('["switch"]', frame=1)
    versions.curve_finder(rig)('["switch"]', index=0).keyframe_points[0].co.y = 0.6
    bpy.context.scene.frame_set(1)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())["switch"]
    assert numbers_on(rig, '["switch"]', np.array([1.0])).tolist() == [shown]


def _shown(rig: Object, frames: np.ndarray) -> list[float]:
    """The property "switch" as Blender plays it."""
    return [rig.evaluated_get(on_frame(frame))["switch"] for frame in frames]


@pytest.mark.parametrize("seed", range(12))
def test_a_number_in_strips_is_as_blender_plays_it(empty_file: None, seed: int) -> None:
    chance = random.Random(seed)
    rig = bpy.data.objects.new("Rig", None)
    bpy.context.scene.collection.objects.link(rig)
    rig["switch"] = 0.0
    start = chance.randint(-5, 5)
    for strips in [rig.animation_data_create().nla_tracks.new().strips for _ in range(chance.randint(1, 2))]:
        for name in "ab"[: chance.randint(1, 2)]:
            for frame in (1, 3, 6, 9):
                rig["switch"] = chance.random()
                rig.keyframe_insert('["switch"]', frame=frame)
            strip = strips.new(name, start, rig.animation_data.action)
            strip.use_reverse, strip.scale, strip.repeat = chance.random() < 0.3, chance.choice((1.0, 2.0)), 1.0
            strip.repeat = chance.choice((1.0, 1.0, 2.0, 2.5))
            strip.extrapolation = chance.choice(("HOLD", "HOLD_FORWARD"))
            start = int(strip.frame_end) + chance.randint(1, 5)
            rig.animation_data.action = None
        start = chance.randint(-5, 5)
    frames = np.arange(
        min(strip.frame_start for track in rig.animation_data.nla_tracks for strip in track.strips), 80.0
    )
    np.testing.assert_allclose(numbers_on(rig, '["switch"]', frames), _shown(rig, frames), atol=1e-5)


@pytest.mark.parametrize("kind", ["var", "1 - var", "1.0-var", "AVERAGE", "MAX", "polynomial", "circle"])
def test_a_driven_number_is_as_blender_plays_it(empty_file: None, kind: str) -> None:
    rig, other = bpy.data.objects.new("Rig", None), bpy.data.objects.new("Other", None)
    for item in (rig, other):
        bpy.context.scene.collection.objects.link(item)
    rig["switch"] = 0.0
    for frame, value in ((1, 0.1), (6, 0.8), (10, 0.4)):
        other["number"] = value
        other.keyframe_insert('["number"]', frame=frame)
    curve = rig.driver_add('["switch"]')
    variable = curve.driver.variables.new()
    variable.name = "var"
    circle = rig, '["switch"]'
    variable.targets[0].id, variable.targets[0].data_path = circle if kind == "circle" else (other, '["number"]')
    curve.driver.type = kind if kind.isupper() else "AVERAGE" if kind == "polynomial" else "SCRIPTED"
    curve.driver.expression = kind if "var" in kind else "var"
    if kind == "polynomial":
        curve.keyframe_points.clear()
        curve.modifiers.new("GENERATOR").coefficients = (0.75, -0.5)
    frames = np.arange(1.0, 11.0)
    shown = _shown(rig, frames)
    assert (len({*shown}) > 5) == (kind != "circle")
    on_frame(3)
    np.testing.assert_allclose(numbers_on(rig, '["switch"]', frames), shown, atol=1e-5)


NAMES = ['the "spine"', "spine\\", '"]["spine', "spine.[0]"]

TEXT = st.text(st.sampled_from('ab"\\[].\n'), min_size=1, max_size=6)


def arm_on(spine: str) -> Object:
    """An arm on a spine of this name, which turns; the target moves."""
    link = arm(pole=(1, 3, 1))
    rig = link.id_data
    rig.data.bones["spine"].name = spine
    animate(link.target, location={1: (1.2, 0.6, 1.3), 8: (0.5, 0.8, 1.5)})
    animate(rig.pose.bones[spine], rotation_quaternion={1: (1, 0, 0, 0), 8: (1, 0.1, 0.1, 0.2)})
    return rig


@pytest.mark.parametrize("spine", NAMES)
def test_drivers_and_muted_curves_of_the_parent_are_seen(spine: str) -> None:
    rig = arm_on(spine)
    rig.pose.bones[spine].driver_add("location", 0).driver.expression = "frame / 30"
    api.bake(rig, frames=(1, 8))
    assert Limb(pole="Pole").misses(range(1, 9)).max() < 1e-5
    rig = bpy.data.objects["Rig"]
    rig.animation_data.drivers.remove(rig.animation_data.drivers[0])
    for curve in versions.curves(rig):
        curve.mute = not any(name in curve.data_path for name in ('"upper"', '"lower"'))
    rig.pose.bones[spine].rotation_quaternion = (1, 0, 0.5, 0)
    api.bake(rig, frames=(1, 8))
    assert Limb(pole="Pole").misses(range(1, 9)).max() < 1e-5


@pytest.mark.parametrize("bone", NAMES)
def test_keys_of_a_target_bone_are_found(bone: str) -> None:
    rig = arm_on("spine")
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.new(bone).tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    animate(rig.pose.bones[bone], location={2: (1.2, 0.6, 1.3), 5: (0.5, 0.8, 1.5)})
    chain = rig.two_bone_ik_chains["lower"]
    chain.target, chain.subtarget, chain.pole_target = rig, bone, None
    api.bake(rig, frames=(1, 8), keys="TARGET_KEYS")
    assert list(keys(rig.pose.bones["lower"])) == [2.0, 5.0]


@given(bone=TEXT, name=TEXT)
def test_any_path_comes_apart_as_it_was_made(bone: str, name: str) -> None:
    owner = f'pose.bones["{bpy.utils.escape_identifier(bone)}"]'
    custom = f'["{bpy.utils.escape_identifier(name)}"]'
    assert bone_and_property(f"{owner}.location") == (bone, "location")
    assert bone_and_property(f"{owner}{custom}") == (bone, custom)
    assert owner_and_property(f"{owner}.location") == (owner, "location")
    assert owner_and_property(f"{owner}{custom}") == (owner, custom)
    assert owner_and_property(custom) == ("", custom)
