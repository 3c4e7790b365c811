"""Reduced keys: fewer of them, and on every quarter frame the limb within the tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import changes, judge, oracle, state
from fuzz.build import RIG


def reduced(random: Random, scene: dict) -> None:
    """25: a bake keys as few frames as keep the limb within a tolerance."""
    head, size = scene["bones"]["upper"]["head"], sum(scene["lengths"])
    near = scene["objects"]["Target"].get("near", head)
    ends = [[round(part + random.uniform(-0.3, 0.3) * size, 3) for part in near] for _ in "ab"]
    middle = [round((a + b) / 2, 3) for a, b in zip(near, head, strict=True)]
    scene["objects"]["Target"]["keys"] = random.choice([{1: ends[0], 9: ends[1]}, {1: ends[0], 4: middle, 9: ends[1]}])
    frames = random.choice([[1, 9], [2, 8], [1.5, 8], [-2, 12]])
    tolerance = random.choice([1e-4, 1e-3, 1e-2, 0.05])
    scene["request"] = {"what": "reduce", "frames": frames, "tolerance": tolerance, "keys": "REDUCED"}
    if random.random() < 0.2:
        scene["request"]["interpolation"] = "LINEAR"


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Baked with few keys, and on quarter frames as near as on the frames themselves."""
    rig, limb = bpy.data.objects[RIG], oracle.Limb.of("lower")
    report = api.bake(rig, **judge.arguments(request), measure="ALL")
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from judge.truth(report, request, told)
    if told or len(report.chains) > 1 or "handler" in scene:
        return
    counts = [len(keys) - 1 for action in bpy.data.actions for path, _, keys in state.keys_of(action) if _of(path, rig)]
    start, end = request["frames"][:2]
    most = 4 * (end - start) + 1 + sum(_keys_before(before, rig))
    if counts and max(counts) > most:
        yield f"keys not reduced: {max(counts)} of {most}"
    if not limb.plain or limb.fields["unreachable"] in {"SKIP", "ERROR"}:
        return
    for frame in np.arange(start, report.chains[0].frames[-1] + 1e-6, 0.25):
        oracle.on_frame(float(frame))
        yield from _off(limb, float(frame), request["tolerance"])


def _off(limb: oracle.Limb, frame: float, tolerance: float) -> Iterator[str]:
    joints, goal = limb.joints(), limb.aim()
    (low, high), distance = limb.links(), float(np.linalg.norm(goal - joints[0]))
    least = max(distance - low.sum(), high[0] - low[1] - distance, high[1] - low[0] - distance, 0.0)
    off = float(np.linalg.norm(joints[2] - goal))
    if off > least + tolerance + oracle.resolution(limb, joints, goal):
        yield f"beyond tolerance: {off:.4g} where {least:.4g} can be, on frame {frame:g}, tolerance {tolerance:g}"


def _of(path: str, rig: bpy.types.Object) -> bool:
    return path.startswith(rig.pose.bones["lower"].path_from_id() + ".rotation")


def _keys_before(before: state.State, rig: bpy.types.Object) -> list[int]:
    start = rig.pose.bones["lower"].path_from_id() + ".rotation"
    return [len(keys) for path, keys in before.items() if path.startswith("actions[") and start in path]
