"""A file with built limbs plays the same in a Blender that has no extensions and runs no scripts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support import rigs
from support.built import CLOSE, FRAMES, carried, poses, scatter

_PLAY = """
import json, os, sys, bpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1], use_scripts=False)
assert not hasattr(bpy.types.Object, "two_bone_ik_chains")
scene, rig, played = bpy.context.scene, bpy.data.objects["Rig"], []
for frame in range(1, 41):
    scene.frame_set(frame)
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    played.append([[list(row) for row in bones[name].matrix] for name in ("upper", "lower", "hand")])
with open(sys.argv[2], "w") as file:
    json.dump(played, file)
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.versions
def test_a_built_file_plays_the_same_without_the_extension(tmp_path: Path) -> None:
    chain = rigs.arm(pole=(0.3, 3.0, 1.4), softness=0.2, pole_angle=0.4, tip_bone="hand", use_rotation=True)
    rig = bpy.data.objects["Rig"]
    for bone in ("lower", "hand"):
        rig.data.bones[bone].inherit_scale = "ALIGNED"
    chain.unreachable = "STRETCH"
    for seed, name in enumerate(("Target", "Pole")):
        scatter(bpy.data.objects[name], seed=seed, reach=2.5)
    carried(rig, 0.6)
    api.build(rig)
    here = poses("upper", "lower", "hand")
    api.bake(rig)
    api.unbuild(rig)
    np.testing.assert_allclose(poses("upper", "lower", "hand"), here, atol=3 * CLOSE)
    api.build(rig)
    file, result = tmp_path / "built.blend", tmp_path / "played.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    command = [sys.executable, "-c", _PLAY, str(file), str(result)]
    env = {"BLENDER_USER_RESOURCES": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run(command, check=True, timeout=120, env=env)
    np.testing.assert_allclose(json.loads(result.read_text("utf-8")), here, atol=CLOSE)
    assert len(FRAMES) == len(here)
