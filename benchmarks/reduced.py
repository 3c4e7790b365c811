"""Number of keys in reduced bakes of motion like a capture: python benchmarks/reduced.py, as benchmarks/run.py.

The demo's walk as a capture would have it: every target is keyed on every frame, with a millimetre of filtered noise.
Two takes of 456 frames and four limbs, with 48 and 96 frames a second. The distances of joints are measured on the
bones that Blender evaluates.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "demo"))

import bpy
import motion
import numpy as np
import scene
import scenes
from bpy.types import Object

PACKAGE = "bl_ext.user_default.two_bone_ik"
FRAMES = 456
NOISE = 0.001
"""Metres, the standard deviation."""
CROUCH = 0.04
"""Metres by which the body is lower than in the demo, where legs are all but straight: those of a capture never are."""
TOLERANCE = 1e-3


def take(api, finer: int) -> Object:
    """The metarig on its walk, with its chains, at `finer` times the demo's frames a second."""
    scene.FRAMES = range(1, FRAMES + 1)
    motion.CYCLE, motion.REACH_FRAMES = 32 * finer, (170 * finer, 230 * finer)
    rig = scene.metarig()
    bpy.context.scene.frame_end = FRAMES
    scene.animate(rig)
    chains = scene.targets(rig)
    for end_bone, fields in chains.items():
        api.add_chain(rig, end_bone, **fields)
    rng = np.random.default_rng(1)
    for item in (rig, *(target for fields in chains.values() for target in _targets(fields))):
        for curve in versions(api).curves(item):
            keys = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            if item is rig and curve.data_path == "location" and curve.array_index == 2:
                keys[1::2] -= CROUCH
            if curve.data_path == "location" and item is not rig:
                keys[1::2] += _filtered(rng.normal(size=len(keys) // 2))
            curve.keyframe_points.foreach_set("co", keys)
            curve.update()
    return rig


def versions(api):
    """The module of the extension that finds the F-curves of an action."""
    return importlib.import_module(api.__name__.replace(".api", ".blender.versions"))


def _targets(fields: dict[str, object]) -> list[Object]:
    return [value for value in fields.values() if isinstance(value, Object)]


def _filtered(noise: np.ndarray) -> np.ndarray:
    """The noise without frequencies above about 6 Hz at 24 frames a second."""
    weights = np.exp(-np.square(np.arange(-6, 7)) / 4.5)
    return NOISE * np.convolve(noise, weights / np.sqrt(np.square(weights).sum()), mode="same")


def joints(rig: Object) -> np.ndarray:
    """(n, 4, 3, 3) root, mid and tip of the limbs on every quarter frame, in the world, as Blender evaluates them."""
    poses = []
    for quarter in range(4 * (FRAMES - 1) + 1):
        bpy.context.scene.frame_set(1 + quarter // 4, subframe=quarter % 4 / 4)
        state = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = [state.pose.bones[name] for name in scenes.LIMBS]
        points = [state.matrix_world @ point for end in bones for point in (end.parent.head, end.head, end.tail)]
        poses.append(np.array(points).reshape(4, 3, 3))
    return np.array(poses)


def key_count(api, rig: Object) -> int:
    """Frames with keys, added up over the limbs."""
    paths = {rig.pose.bones[name].path_from_id("rotation_quaternion") for name in scenes.LIMBS}
    curves = [curve for curve in versions(api).curves(rig) if curve.data_path in paths and curve.array_index == 0]
    return sum(len(curve.keyframe_points) for curve in curves)


def main() -> int:
    """The exit status: 1 where a joint is off by more than the tolerance."""
    import addon_utils  # on the path since bpy is imported

    addon_utils.enable(PACKAGE, default_set=True)
    api = importlib.import_module(f"{PACKAGE}.api")
    print(f"Blender {bpy.app.version_string}, {FRAMES} frames, 4 limbs, tolerance {1e3 * TOLERANCE:g} mm")
    print(f"{'':24}{'keys':>8}{'cpu seconds':>14}{'off on frames, mm':>20}{'on quarter frames, mm':>24}", flush=True)
    status = 0
    for finer in (2, 4):
        rig = take(api, finer)
        api.bake(rig, frames=(1, FRAMES, 0.25))
        right = joints(rig)
        for interpolation in ("BEZIER", "LINEAR"):
            start = time.process_time()
            api.bake(rig, frames=(1, FRAMES), keys="REDUCED", tolerance=TOLERANCE, interpolation=interpolation)
            seconds = time.process_time() - start
            off = 1e3 * np.linalg.norm(joints(rig) - right, axis=-1).max(axis=(1, 2))
            title = f"{24 * finer} a second, {interpolation}"
            row = f"{title:24}{key_count(api, rig):8}{seconds:14.2f}{off[::4].max():20.3f}{off.max():24.3f}"
            print(row, flush=True)
            status |= off.max() > 1e3 * TOLERANCE * 1.001
    return int(status)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
