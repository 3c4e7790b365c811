"""Curves that are read all at once have the values that Blender's own evaluation gives, to the bit."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.curves.keys import evaluated, numbers_on
from bpy.types import FCurve

pytestmark = pytest.mark.versions

FRAMES = np.arange(-5.0, 140.0)


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


def each_evaluated(curve: FCurve, frames: np.ndarray) -> list[float]:
    return [curve.evaluate(frame) for frame in frames]


@pytest.mark.parametrize("interpolation", ["BEZIER", "LINEAR", "CONSTANT", "ELASTIC"])
@pytest.mark.parametrize("step", [1.0, 0.5, 3.0, 0.3])
def test_frames_with_and_without_keys(interpolation: str, step: float) -> None:
    curve = keyed(np.arange(1.0, 121.0, step), interpolation)
    assert evaluated(curve, FRAMES).tolist() == each_evaluated(curve, FRAMES)
    curve.extrapolation = "LINEAR"
    assert evaluated(curve, FRAMES).tolist() == each_evaluated(curve, FRAMES)
    assert evaluated(curve, FRAMES + 0.3).tolist() == each_evaluated(curve, FRAMES + 0.3)


def test_modifiers_count() -> None:
    curve = keyed(np.arange(1.0, 121.0))
    curve.modifiers.new("NOISE")
    assert evaluated(curve, FRAMES).tolist() == each_evaluated(curve, FRAMES)


def test_sampled_curves_count() -> None:
    curve = keyed(np.arange(1.0, 121.0))
    curve.convert_to_samples(1, 121)
    assert evaluated(curve, FRAMES).tolist() == each_evaluated(curve, FRAMES)


def test_keys_in_disorder_count_as_blender_finds_them() -> None:
    curve = keyed(np.arange(1.0, 121.0))
    curve.keyframe_points.foreach_set("co", np.random.default_rng(2).uniform(1.0, 120.0, 240).round())
    assert evaluated(curve, FRAMES).tolist() == each_evaluated(curve, FRAMES)


def test_one_frame_of_many_keys() -> None:
    curve = keyed(np.arange(1.0, 121.0))
    assert evaluated(curve, FRAMES[9:10]).tolist() == each_evaluated(curve, FRAMES[9:10])


def test_a_key_of_a_whole_number_is_rounded_as_blender_does(empty_file: None) -> None:
    rig = bpy.data.objects.new("Rig", None)
    bpy.context.scene.collection.objects.link(rig)
    rig["switch"] = 0
    rig.keyframe_insert('["switch"]', frame=1)
    versions.curve_finder(rig)('["switch"]', index=0).keyframe_points[0].co.y = 0.6
    bpy.context.scene.frame_set(1)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())["switch"]
    assert numbers_on(rig, '["switch"]', np.array([1.0])).tolist() == [shown]
