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

from support import hocks, rigs, twisted
from support.built import CLOSE, assert_as_baked, carried, poses, scatter

_PLAY = """
import json, os, sys, bpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1], use_scripts=False)
assert not hasattr(bpy.types.Object, "two_bone_ik_chains")
scene, rig, played = bpy.context.scene, bpy.data.objects["Rig"], []
for frame in range(1, int(sys.argv[3]) + 1):
    scene.frame_set(frame)
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    played.append([[list(row) for row in bones[name].matrix] for name in sys.argv[4:]])
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
    names = ("upper", "lower", "hand")
    assert_as_baked(rig, *names, close=3 * CLOSE)
    api.build(rig)
    _assert_alike(tmp_path, names, poses(*names))


@pytest.mark.versions
@pytest.mark.parametrize("hock", ["RIGID", "PARALLEL"])
def test_built_hocks_and_twist_play_without_the_extension(hock: str, tmp_path: Path) -> None:
    pole = rigs.empty("Pole", (2.0, -3.0, 2.0))
    options = {"use_twist": True, "use_rotation": True, "softness": 0.1}
    chain = hocks.leg(hock, bones=hocks.TWISTING, pole_target=pole, **options)
    rigs.animate(chain.target, rotation_euler={1: (0.0, 0.0, 0.0), 8: (0.4, 1.5, -0.8)})
    api.build(chain.id_data)
    names = ("thigh", "shin", "hock", "toe", "shin_twist")
    here = twisted.shown(chain.id_data, hocks.EVERY, names)
    assert np.ptp(here[:, -1], axis=0).max() > 0.1
    _assert_alike(tmp_path, names, here)


def _assert_alike(folder: Path, names: tuple[str, ...], here: np.ndarray) -> None:
    """Saved, and opened where there is no extension, bones of "Rig" have the poses (n, k, 4, 4) of frames 1 to n."""
    file, result = folder / "built.blend", folder / "played.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    command = [sys.executable, "-c", _PLAY, str(file), str(result), str(len(here)), *names]
    env = {"BLENDER_USER_RESOURCES": str(folder), "HOME": str(folder)}
    subprocess.run(command, check=True, timeout=120, env=env)
    np.testing.assert_allclose(json.loads(result.read_text("utf-8")), here, atol=CLOSE)
