"""A hand near a cup, both moved by few keys, and how to look at keys, curves and drift."""

from __future__ import annotations

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Action, Object

from .rigs import animate, armature, chain, empty
from .truth import on_frame

DRIFT = 1e-5 * 1.85 + 4 * np.spacing(np.float32(4.0))
"""Of the arm's length, and float32 steps: no coordinate is larger than 4."""
OUTSIDE = 1e-6
KEYED = (1, 7, 13, 22, 31, 44, 57, 71, 80)


def scene(kind: str = "BEZIER") -> tuple[Object, Object, Object]:
    """A rig, its target with few keys of this kind, and a cup that moves."""
    rig, target, cup = armature(), empty("Target"), empty("Cup")
    for frame in KEYED:
        place = 1.1 + 0.2 * np.sin(frame), 0.4 + 0.2 * np.cos(frame / 3), 1.2 + 0.1 * np.sin(frame / 5)
        turn = 0.3 * np.sin(frame / 4), 0.2 * np.cos(frame / 7), frame / 20
        animate(target, location={frame: place}, rotation_euler={frame: turn})
        animate(cup, location={frame: np.array(place) + 0.05}, rotation_euler={frame: (0, 0, frame / 30)})
    for curve in versions.curves(target):
        for number, key in enumerate(curve.keyframe_points):
            key.interpolation, key.type = kind, "EXTREME" if number % 2 else "BREAKDOWN"
        curve.update()
    chain(rig, "lower", target=target)
    return rig, target, cup


def keys(item: Object) -> dict[tuple[str, int], list[tuple]]:
    """By path and index frames, values and kinds of all keys."""
    return {
        (curve.data_path, curve.array_index): [
            (*key.co, key.type, key.interpolation, key.easing) for key in curve.keyframe_points
        ]
        for curve in versions.curves(item)
    }


def everything(item: Object) -> dict[tuple[str, int], list[tuple]]:
    """Keys with handles, to the bit."""
    return {
        (curve.data_path, curve.array_index): [
            (*key.co, *key.handle_left, *key.handle_right, key.handle_left_type, key.handle_right_type, key.type)
            for key in curve.keyframe_points
        ]
        for curve in versions.curves(item)
    }


def keys_of(item: Object, action: Action, slot: str) -> dict:
    """All keys of an action, to the bit, seen by an object that plays it."""
    played = versions.played(item)
    versions.play(item, action, slot)
    found = everything(item)
    versions.play(item, *played)
    return found


def raise_keys(item: Object, by: float) -> None:
    """Move the values of all its keys."""
    for curve in versions.curves(item):
        for key in curve.keyframe_points:
            key.co_ui.y += by


def values(item: Object, frames: np.ndarray) -> np.ndarray:
    """(n, k) of all its curves."""
    return np.array([[curve.evaluate(frame) for curve in versions.curves(item)] for frame in frames])


def outside(start: float, end: float) -> np.ndarray:
    """Quarter frames before and after."""
    frames = np.arange(-10, 100, 0.25)
    return frames[(frames <= start) | (frames >= end)]


def world(name: str, frame: float) -> np.ndarray:
    """(4, 4) of an object, as Blender evaluates the frame."""
    return np.array(bpy.data.objects[name].evaluated_get(on_frame(frame)).matrix_world, dtype=np.float64)


def drift(start: int, end: int, space: str = "", target: str = "Target") -> float:
    """How far the target goes at most from where it is on the first frame, as seen from the space."""
    found = []
    for frame in range(start, end + 1):
        there = world(target, frame)
        found.append(np.linalg.inv(world(space, frame)) @ there if space else there)
    return float(np.abs(np.array(found) - found[0]).max())
