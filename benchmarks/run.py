"""Speed compared with Blender's own bake, in one process: python benchmarks/run.py, with the Python of a Blender wheel.

`make bench` installs the extension and runs it.
"""

from __future__ import annotations

import importlib
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

import bake
import bpy
import live
import live_frames
import measure
import scenes
from bpy.types import Object
from mathutils import Matrix

PACKAGE = "bl_ext.user_default.two_bone_ik"
FRAMES = 500


def among_meshes(api) -> None:
    """Prints the row of a scene with ten heavy meshes, which the peer evaluates on each frame."""
    rig = scenes.metarig(FRAMES)
    goals = scenes.keyed_targets(rig, FRAMES)
    scenes.heavy_meshes(FRAMES)
    scenes.add_chains(api, rig, goals)
    scenes.add_constraints(rig, goals)
    ours = partial(api.bake, rig, frames=(1, FRAMES), mute_constraints=False, measure="NONE")
    result = measure.compared(partial(nla_bake, rig, FRAMES), ours, runs=2, ours_a_run=10)
    row = f"{'ten heavy meshes':34}{result.peer.per(FRAMES)}{result.ours.per(FRAMES)}   {result.times()}"
    print(f"{row}   at least 200: {'yes' if median(result.ratios) >= 200 else 'NO'}", flush=True)


def nla_bake(rig: Object, frames: int) -> None:
    """Bake visual keys with Blender's own operator, then undo its action and changed channels."""
    kept = rig.animation_data.action if rig.animation_data else None
    scenes.nla_bake(rig, frames)
    rig.animation_data.action = kept
    for bone in scenes.limb_bones(rig):
        bone.matrix_basis = Matrix.Identity(4)


def beside_meshes(api) -> None:
    """The cost of a bake if the scene has heavy meshes that the bake does not depend on."""
    rig = scenes.metarig(FRAMES)
    scenes.add_chains(api, rig, scenes.keyed_targets(rig, FRAMES))
    ours = partial(api.bake, rig, frames=(1, FRAMES))
    ratios = []
    for _ in range(5):
        without = measure.timed(ours, runs=20)
        meshes = scenes.heavy_meshes(FRAMES)
        ratios.append(median(measure.timed(ours, runs=20).runs) / median(without.runs))
        bpy.data.batch_remove(meshes)
    cost = median(ratios)
    row = f"{'heavy meshes cost us':34}{cost:18.2f} times ({min(ratios):.2f} to {max(ratios):.2f})"
    print(f"{row}   at most 1.2: {'yes' if cost <= 1.2 else 'NO'}", flush=True)


def measuring(api, title: str, targets, frames: int = FRAMES, others: int = 0) -> None:
    """The cost of measuring compared with ten frames of the peer, both until the view layer is up to date again."""
    rig = scenes.metarig(frames)
    goals = targets(rig, frames)
    scenes.static_objects(others)
    scenes.add_chains(api, rig, goals)
    scenes.add_constraints(rig, goals)

    def peer() -> None:
        scenes.mute_constraints(rig, mute=False)
        nla_bake(rig, 10)
        scenes.mute_constraints(rig, mute=True)
        bpy.context.view_layer.update()

    def ours(how: str) -> None:
        api.bake(rig, frames=(1, frames), measure=how)
        bpy.context.view_layer.update()

    rounds = []
    for _ in range(16):
        bare, measured = measure.seconds(partial(ours, "NONE")), measure.seconds(partial(ours, "AUTO"))
        rounds.append((measure.seconds(peer), measured - bare))
    peers, costs = zip(*rounds[1:], strict=True)
    row = f"{title:34}{1e3 * median(peers):9.1f}{1e3 * median(costs):9.1f}"
    print(f"{row}   at most ten frames: {'yes' if median(costs) <= median(peers) else 'NO'}", flush=True)


def scaling(api) -> None:
    """The cost over frames and over limbs: the time a frame and limb should not change."""
    print(f"\n{'ours alone':34}{'us a frame and limb':>20}")
    for limbs, frames in ((4, 500), (4, 2000), (4, 10000), (25, 500), (100, 500)):
        rig, names, targets = scenes.many_limbs(limbs, frames)
        for name, target in zip(names, targets, strict=True):
            api.add_chain(rig, name, target=target)
        figures = measure.timed(partial(api.bake, rig, frames=(1, frames)), runs=3)
        print(f"{f'{limbs} limbs, {frames} frames':34}{figures.per(limbs * frames):>20}", flush=True)


def memory(api) -> None:
    """Peak memory of the longest bakes, without the memory of the file itself."""
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # noqa: E731
    before = 0.0
    # Reduced last: it takes more, and the peak of a process never falls.
    for keys in ("EVERY_FRAME", "REDUCED"):
        rig, names, targets = scenes.many_limbs(4, 10000)
        for name, target in zip(names, targets, strict=True):
            api.add_chain(rig, name, target=target)
        before = before or peak()
        api.bake(rig, frames=(1, 10000), keys=keys)
        more = f"{peak() - before:.0f} MB above the {before:.0f} MB of the process so far"
        print(f"\n10,000 frames, 4 limbs, {keys}: {more}", flush=True)


@contextmanager
def one_processor() -> Iterator[None]:
    """Blender's threads wait for each other by turning round, which would count as time."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})
    yield
    os.sched_setaffinity(0, every)


def main() -> None:
    """Enable the installed package, and print the rows of all comparisons."""
    import addon_utils  # on the path since bpy is imported

    start = measure.seconds(lambda: addon_utils.enable(PACKAGE, default_set=True))
    api = importlib.import_module(f"{PACKAGE}.api")
    print(f"Blender {bpy.app.version_string}; enabled in {1e3 * start:.0f} ms")
    memory(api)
    with one_processor():
        bake.main(api)
        live.main(api)
        live_frames.main(api)
    print(f"\n{f'{FRAMES} frames, 4 limbs':34}{'nla.bake':>9}{'ours':>9}   times faster (spread)    us a frame")
    among_meshes(api)
    beside_meshes(api)
    print(f"\n{'measuring, milliseconds':34}{'10 frames':>9}{'ours':>9}")
    measuring(api, "500 frames", scenes.keyed_targets)
    measuring(api, "5,000 frames", scenes.keyed_targets, frames=5000)
    measuring(api, "targets under constraints", scenes.constrained_targets)
    measuring(api, "1,000 other objects", scenes.keyed_targets, others=1000)
    scaling(api)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
