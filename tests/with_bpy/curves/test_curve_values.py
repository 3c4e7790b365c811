"""F-curves on many frames at once against Blender's own evaluation, frame by frame."""

from __future__ import annotations

import random

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.curves.keys import evaluated_together
from bpy.types import FCurve

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


def test_curve_modifiers_are_left_to_blender() -> None:
    curves = _curves(1)
    curves[1].modifiers.new("CYCLES")
    curves[2].modifiers.new("NOISE")
    _compare(curves)


def test_a_curve_without_keys_is_left_to_blender() -> None:
    curves = _curves(2)
    curves[0].keyframe_points.clear()
    found = evaluated_together(curves, FRAMES)
    assert found[:, 0].tolist() == [curves[0].evaluate(frame) for frame in FRAMES.tolist()]
