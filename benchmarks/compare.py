"""Speed of two checkouts compared: python benchmarks/compare.py BEFORE AFTER, with the Python of a Blender wheel.

Each is measured in a process of its own, the two in turn, and ratios are taken pair by pair, because machines drift.
What counts is processor time on one core: other work on the machine takes that of the clock, and threads of Blender
that wait for each other take that of the processor. The scenes are those of this checkout.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

PACKAGE = "bl_ext.user_default.two_bone_ik"
FRAMES = 500


def milliseconds(action: Callable[[], object], runs: int, before: Callable[[], None] = lambda: None) -> float:
    """Median processor time of a call, after one that does not count; `before` is called ahead of each, untimed."""
    times = []
    for _ in range(runs + 1):
        before()
        start = time.process_time()
        action()
        times.append(1e3 * (time.process_time() - start))
    return median(times[1:])


def baked(api, targets: str, runs: int, *, spine: bool = False, **options: object) -> float:
    """The four limbs of the metarig; `targets` is the function in scenes that makes theirs."""
    import scenes

    rig = scenes.metarig(FRAMES)
    if spine:
        scenes.animate_spine(rig, FRAMES)
    scenes.add_chains(api, rig, getattr(scenes, targets)(rig, FRAMES))
    return milliseconds(partial(api.bake, rig, frames=(1, FRAMES), **options), runs)


def many(api, limbs: int, frames: int) -> float:
    """Limbs side by side."""
    import scenes

    rig, names, targets = scenes.many_limbs(limbs, frames)
    for name, target in zip(names, targets, strict=True):
        api.add_chain(rig, name, target=target)
    return milliseconds(partial(api.bake, rig, frames=(1, frames)), 3)


def live(api) -> float:
    """What Live adds to an update of the view layer in which one of four targets has moved."""
    import bpy
    import scenes

    rig = scenes.metarig(FRAMES)
    targets = scenes.keyed_targets(rig, FRAMES)
    scenes.add_chains(api, rig, targets)
    rig.two_bone_ik_live = True
    layer, handlers = bpy.context.view_layer, bpy.app.handlers.depsgraph_update_post
    layer.update()
    ours = [handler for handler in handlers if handler.__module__.startswith(PACKAGE)]
    for handler in ours:
        handlers.remove(handler)
    times = []
    for step in range(200):
        targets[step % 4].location.z += 1e-3
        layer.update()
        start = time.process_time()
        for handler in ours:
            handler(bpy.context.scene, layer.depsgraph)
        times.append(1e3 * (time.process_time() - start))
        layer.update()
    handlers.extend(ours)
    return median(times)


def planted(api) -> float:
    """The human metarig, of which all bones of body, arms and legs have keys."""
    import plant_speed

    rig = plant_speed.captured_human(plant_speed.capture())
    return milliseconds(partial(api.plant, rig, measure="NONE"), 3, plant_speed.giving_back(rig))


def switched(api, to: str, motion: str) -> float:
    """The four limbs of the human that Rigify generates; `motion` is the function in switch that keys controls."""
    import addon_utils
    import switch

    addon_utils.enable("rigify", default_set=True)
    rig = switch.generated()
    getattr(switch, motion)(rig)
    action = partial(api.switch, rig, to, frames=(1, switch.FRAMES), measure="NONE")
    return milliseconds(action, 8, switch.renewing(rig))


ROWS: dict[str, Callable[[object], float]] = {
    "plain targets": partial(baked, targets="keyed_targets", runs=12, measure="NONE"),
    "spine animated": partial(baked, targets="keyed_targets", runs=6, spine=True, measure="NONE"),
    "targets under constraints": partial(baked, targets="constrained_targets", runs=3, measure="NONE"),
    "reduced keys": partial(baked, targets="keyed_targets", runs=1, keys="REDUCED", tolerance=0.001, measure="NONE"),
    "plain targets, measured": partial(baked, targets="keyed_targets", runs=5),
    "live, an update": live,
    "100 limbs": partial(many, limbs=100, frames=FRAMES),
    "10,000 frames": partial(many, limbs=4, frames=10_000),
    "plant": planted,
    "switch to FK": partial(switched, to="FK", motion="walk"),
    "switch to IK": partial(switched, to="IK", motion="stride"),
}


def rows_of(text: str) -> dict[str, Callable[[object], float]]:
    """The rows whose names have this text in them."""
    return {name: row for name, row in ROWS.items() if text in name}


def measured_here(checkout: Path, rows: str) -> dict[str, float]:
    """Milliseconds of each row, by the extension in this checkout."""
    resources = Path(os.environ["BLENDER_USER_RESOURCES"])
    extensions = resources / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    (extensions / "two_bone_ik").symlink_to(checkout.resolve())
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import bpy  # it reads its resources, and starts as many threads as it has cores, as it is imported

    assert bpy.ops.preferences.addon_enable(module=PACKAGE) == {"FINISHED"}, "Blender has said why"
    api = importlib.import_module(f"{PACKAGE}.api")
    return {name: row(api) for name, row in rows_of(rows).items()}


def measured(checkout: Path, rows: str) -> dict[str, float]:
    """The same in a process of its own."""
    with tempfile.TemporaryDirectory() as resources:
        command = [sys.executable, __file__, "--only", checkout, "--rows", rows]
        environment = os.environ | {"BLENDER_USER_RESOURCES": resources}
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    """Print the table again after each pair."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="BEFORE AFTER")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--rows", default="", metavar="TEXT", help="only the rows whose names have this text in them")
    parser.add_argument("--only", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measured_here(arguments.only, arguments.rows)))
        return
    if len(arguments.checkouts) != 2:
        parser.error("two checkouts are needed, BEFORE and AFTER")
    pairs: list[list[dict[str, float]]] = []
    for index in range(arguments.pairs):
        # Each is the first in every other pair.
        order = (0, 1) if index % 2 == 0 else (1, 0)
        figures = {which: measured(arguments.checkouts[which], arguments.rows) for which in order}
        pairs.append([figures[0], figures[1]])
        print(f"\n{f'pairs: {len(pairs)}':28}{'before':>9}{'after':>9}   after/before (quartiles)    milliseconds")
        for name in rows_of(arguments.rows):
            before, after = zip(*((pair[0][name], pair[1][name]) for pair in pairs), strict=True)
            ratios = [mine / theirs for theirs, mine in zip(before, after, strict=True)]
            low, middle, high = quantiles(ratios * 2, n=4, method="inclusive")
            print(
                f"{name:28}{median(before):9.2f}{median(after):9.2f}   {middle:.3f} ({low:.3f} to {high:.3f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
