"""Run in a Blender as it comes, without the extension: plays what the scenario `built` has kept, and renders it."""

from __future__ import annotations

import json
from pathlib import Path

import addon_utils
import bpy
import numpy as np

CLOSE = 2e-5
OUT = Path(bpy.data.filepath).parent

assert not any(
    "two_bone_ik" in module.__name__ and addon_utils.check(module.__name__)[1] for module in addon_utils.modules()
)
assert not hasattr(bpy.types.Object, "two_bone_ik_chains")
poses, scene = json.loads((OUT / "built.json").read_text()), bpy.context.scene
[rig] = (item for item in scene.objects if item.type == "ARMATURE")
scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 4, "CPU"
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 300, 400, 100
for frame, wanted in enumerate(poses, 1):
    scene.frame_set(frame)
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    np.testing.assert_allclose([np.array(bone.matrix) for bone in bones], wanted, atol=CLOSE)
    if frame in (1, 7, 13):
        scene.render.filepath = str(OUT / f"built-without-{frame}.png")
        bpy.ops.render.render(write_still=True)
print("plays the same")
