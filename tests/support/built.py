"""An arm whose target, pole target and body move on each frame, and the poses that Blender then plays."""

from __future__ import annotations

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from . import rigs
from .truth import on_frame

FRAMES = range(1, 41)
CLOSE = 2e-5
"""Part of the limb: what single precision leaves near straight, where the mid joint turns most."""


def scatter(item: Object, seed: int, shoulder: tuple[float, float, float] = (0, 0, 1), reach: float = 1.75) -> None:
    """Key the object somewhere else around the shoulder on each frame, now and then out of reach."""
    random = np.random.default_rng(seed)
    for frame in FRAMES:
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        item.location = np.array(shoulder) + random.uniform(0.4, reach) * direction
        item.keyframe_insert("location", frame=frame)


def poses(*bones: str) -> np.ndarray:
    """(n, k, 4, 4) of these bones of "Rig" as Blender evaluates them."""
    played = []
    for frame in FRAMES:
        evaluated = bpy.data.objects["Rig"].evaluated_get(on_frame(frame)).pose.bones
        played.append([np.array(evaluated[bone].matrix) for bone in bones])
    return np.array(played)


def carried(rig: Object, scale: float, *, mirrored: bool = False) -> None:
    """Turn and scale the armature object, and what it carries, and turn the limb's parent."""
    for item in (bpy.data.objects["Target"], bpy.data.objects.get("Pole")):
        if item:
            item.parent = rig
    bpy.context.scene.frame_end = FRAMES[-1]
    rig.location, rig.rotation_euler = (0.3, -2.0, 0.7), (0.4, 1.1, -2.0)
    rig.scale = (-scale if mirrored else scale, scale, scale)
    spine = rig.pose.bones["spine"]
    spine.rotation_mode = "XYZ"
    rigs.animate(spine, rotation_euler={1: (0, 0, 0), 40: (0.9, -0.6, 1.2)})
    bpy.context.view_layer.update()


def assert_as_baked(rig: Object, *bones: str, close: float = CLOSE) -> None:
    """Built into the rig, the bones have the poses that a bake gives them; afterwards it is baked."""
    api.build(rig)
    built = poses(*bones)
    api.unbuild(rig)
    api.bake(rig)
    np.testing.assert_allclose(built, poses(*bones), atol=close)
