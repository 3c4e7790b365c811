"""One of a hundred characters in a file, and its cost compared with that of one alone: python benchmarks/crowd.py.

Each is the human metarig with four limbs, and all are baked with one call. Targets are created for one of two hundred
in a file that is up to date, and for all of them. Processor time counts, as of both threads.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import scenes
from bpy.types import Object

PACKAGE = "bl_ext.user_default.two_bone_ik"
FRAMES, COUNT, CREATED, RUNS = 100, 100, 200, 3
MOST = 1.2
BONE = "spine.006"


def characters(count: int) -> list[Object]:
    """Metarigs in a new file."""
    rigs = [scenes.metarig(FRAMES)]
    for _ in range(count - 1):
        rigs.append(rigs[0].copy())
        rigs[-1].data = rigs[0].data.copy()
        bpy.context.scene.collection.objects.link(rigs[-1])
    return rigs


def targets_created(api, count: int, *, together: bool = False) -> float:
    """Processor time for each character in milliseconds: for all `together`, or for some of them one by one."""
    rigs = characters(count)
    for rig in rigs:
        scenes.add_chains(api, rig, (None,) * len(scenes.LIMBS))
    times = []
    for group in [rigs] if together else [[rig] for rig in rigs[-RUNS:]]:
        bpy.context.view_layer.update()
        start = time.process_time()
        api.create_targets(group)
        times.append(1e3 * (time.process_time() - start) / len(group))
    return median(times)


def crowd(api, count: int, others: int, *, edited: bool) -> list[Object]:
    """Characters in a new file, with other objects; if `edited`, a keyed bone of each has an edit without a key."""
    rigs = characters(count)
    scenes.static_objects(others)
    for rig in rigs:
        scenes.add_chains(api, rig, scenes.keyed_targets(rig, FRAMES))
        if edited:
            rig.pose.bones[BONE].keyframe_insert("rotation_quaternion", frame=1)
    bpy.context.view_layer.update()
    for rig in rigs if edited else ():
        rig.pose.bones[BONE].rotation_quaternion = 0.9, 0.1, 0.2, 0.3
    return rigs


def milliseconds(api, rigs: list[Object]) -> float:
    """Processor time for each character."""
    times = []
    for _ in range(RUNS + 1):  # the first does not count
        start = time.process_time()
        api.bake(rigs, frames=(1, FRAMES))
        times.append(1e3 * (time.process_time() - start) / len(rigs))
    return median(times[1:])


def main() -> None:
    """Print a row for each kind of file."""
    import addon_utils  # on the path since bpy is imported

    addon_utils.enable(PACKAGE, default_set=True)
    api = importlib.import_module(f"{PACKAGE}.api")
    print(f"Blender {bpy.app.version_string}; {FRAMES} frames, 4 limbs; milliseconds of processor time a character")
    for title, others, edited in (
        ("characters alone", 0, False),
        ("an edit without a key each, 2,000 objects", 2000, True),
    ):
        single, many = (milliseconds(api, crowd(api, count, others, edited=edited)) for count in (1, COUNT))
        verdict = f"at most {MOST}: {'yes' if many <= MOST * single else 'NO'}"
        print(f"{title:45}{single:9.1f} for 1{many:9.1f} for {COUNT}{many / single:7.2f} times   {verdict}", flush=True)
    targets_created(api, 1)  # the first does not count
    alone, last = targets_created(api, 1), targets_created(api, CREATED)
    at_once = targets_created(api, CREATED, together=True)
    print(
        f"{'targets created':45}{alone:9.1f} for 1{last:9.1f} for one of {CREATED}{at_once:9.1f} each for all at once"
    )


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
