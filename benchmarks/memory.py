"""Peak memory of a long range: python benchmarks/memory.py reduced 100000, or plant 50000, as benchmarks/run.py.

`reduced` bakes four limbs with reduced keys, `plant` plants a captured walk. It prints the peak of the whole process,
and what that was before, for Blender with the scene.
"""

from __future__ import annotations

import importlib
import os
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import bpy
import run
import scenes

from support.takes import disturbed, walk


def peak() -> float:
    """MB, of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main() -> None:
    """Print both peaks."""
    importlib.import_module("addon_utils").enable(run.PACKAGE, default_set=True)
    api = importlib.import_module(f"{run.PACKAGE}.api")
    what, frames = sys.argv[1], int(sys.argv[2])
    if what == "plant":
        from support.walker import walker

        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = walker(disturbed(walk(60.0, seconds=(frames - 1) / 60), 0.002, 1))
        before = peak()
        api.plant(rig, frames=(1, frames))
    else:
        rig, names, targets = scenes.many_limbs(4, frames)
        for name, target in zip(names, targets, strict=True):
            api.add_chain(rig, name, target=target)
        before = peak()
        api.bake(rig, frames=(1, frames), keys="REDUCED")
    print(f"Blender {bpy.app.version_string}, {what}, {frames} frames: peak {peak():.0f} MB, before {before:.0f} MB")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
