"""A walker with a spine, a head and arms, and what Blender shows of its bones."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Object

from .rigs import animate
from .truth import worlds
from .walker import captured, walker

COUNT = 31

BODY = {
    "spine.001": ("hips", (0.0, 0.0, 0.15), (0.0, -0.1, 0.3)),
    "spine.002": ("spine.001", (0.0, -0.1, 0.3), (0.0, 0.05, 0.45)),
    "chest": ("spine.002", (0.0, 0.05, 0.45), (0.0, 0.05, 0.6)),
    "head": ("chest", (0.0, 0.05, 0.6), (0.0, 0.05, 0.8)),
}
"""Parent, head and tail from the head of the hips: a back so crooked that it can get longer."""


def body() -> Object:
    """The walker with a spine, a head and arms, of which the left one holds on to something within reach."""
    rig = walker(captured("walk", 1.0))
    start = np.array(rig.data.bones["hips"].head_local)
    bones = dict(BODY)
    for side, x in (("L", -1.0), ("R", 1.0)):
        reach = 0.15 if side == "L" else 0.3
        shoulder, elbow, wrist = (x * 0.15, 0.05, 0.55), (x * 0.2, -0.1, 0.3), (x * 0.2, reach, 0.3)
        bones |= {
            f"upper_arm.{side}": ("chest", shoulder, elbow),
            f"forearm.{side}": (f"upper_arm.{side}", elbow, wrist),
            f"hand.{side}": (f"forearm.{side}", wrist, (wrist[0], wrist[1] + 0.1, wrist[2])),
        }
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail) in bones.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = start + head, start + tail, rig.data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in range(1, COUNT + 1):
        swing = 0.2 * np.sin(frame / 5)
        for name in ("upper_arm.L", "forearm.R", "spine.002"):
            animate(rig.pose.bones[name], rotation_quaternion={frame: (np.cos(swing), np.sin(swing), 0.0, 0.0)})
    return rig


def shown(rig: Object, *names: str) -> np.ndarray:
    """(n, b, 4, 4) of these bones in the world."""
    return worlds(rig, range(1, COUNT + 1), *names)


def off(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(b,) how far each bone's head is away from where it was, at most."""
    return np.linalg.norm((after - before)[..., :3, 3], axis=-1).max(axis=0)
