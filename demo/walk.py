"""The whole product on a real rig: Rigify's human metarig walks, four limbs are baked and the result is measured.

Runs in the environment of a Blender wheel with the extension installed (`make demo`). Writes out/walk.blend,
out/walk.png and out/walk.gif, and ends with status 1 if a joint is off by more than 0.01 mm.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import geometry
import picture
import scene

PACKAGE = "bl_ext.user_default.two_bone_ik"
OUT = Path(__file__).parents[1] / "out"
ALLOWED = 1e-5


def main() -> int:
    """The exit status."""
    import addon_utils  # on the path since bpy is imported

    rig = scene.metarig()
    if not addon_utils.check(PACKAGE)[1]:
        addon_utils.enable(PACKAGE, default_set=True)
    api = importlib.import_module(f"{PACKAGE}.api")
    scene.animate(rig)
    for end_bone, fields in scene.targets(rig).items():
        api.add_chain(rig, end_bone, **fields)

    start = time.perf_counter()
    report = api.bake(rig)
    seconds = time.perf_counter() - start
    worst = geometry.worst_distance(rig, scene.FRAMES)

    OUT.mkdir(exist_ok=True)
    picture.draw(rig, [*range(33, 66, 4), 200], OUT / "walk.png")
    picture.draw_moving(rig, scene.FRAMES[::2], OUT / "walk.gif")
    bpy.context.scene.frame_set(scene.FRAMES.start)
    bpy.ops.wm.save_as_mainfile(filepath=str(OUT / "walk.blend"), check_existing=False)

    print(f"Blender {bpy.app.version_string}, {len(scene.FRAMES)} frames, {len(report.chains)} limbs")
    print(report)
    print(f"baked in {1e3 * seconds:.0f} ms, {1e6 * seconds / len(scene.FRAMES):.0f} us a frame")
    print(f"farthest joint from the geometry: {worst:.1e} m")
    print(f"left walk.blend, walk.png and walk.gif in {OUT.name}")
    return 0 if worst <= ALLOWED else 1


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
