"""Speed of two checkouts compared: python benchmarks/compare.py BEFORE AFTER, with the Python of a Blender wheel.

Both run at once, each in a process of its own, and take turns call by call; ratios are taken turn by turn, because a
machine drifts within a second by more than is to be told apart. Where memory lies differs from process to process, so
each row is measured in several rounds of new ones. What counts is processor time on one core: other work on the machine
takes that of the clock, and threads of Blender that wait for each other take that of the processor. The scenes are
those of this checkout.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

PACKAGE = "bl_ext.user_default.two_bone_ik"
FRAMES = 500
SECONDS = 10.0
"""For which a row is measured in each round."""
FEWEST = 4
"""Turns that a row has at least."""

Times = Iterator[float]
"""Milliseconds of processor time, of call after call."""


def timed(action: Callable[[], object], before: Callable[[], None] = lambda: None) -> Times:
    """The times of an action; `before` is called ahead of each call, untimed."""
    while True:
        before()
        start = time.process_time()
        action()
        yield 1e3 * (time.process_time() - start)


def baked(api, targets: str, *, spine: bool = False, **options: object) -> Times:
    """The four limbs of the metarig; `targets` is the function in scenes that makes theirs."""
    import scenes

    rig = scenes.metarig(FRAMES)
    if spine:
        scenes.animate_spine(rig, FRAMES)
    scenes.add_chains(api, rig, getattr(scenes, targets)(rig, FRAMES))
    return timed(partial(api.bake, rig, frames=(1, FRAMES), **options))


def many(api, limbs: int, frames: int) -> Times:
    """Limbs side by side."""
    import scenes

    rig, names, targets = scenes.many_limbs(limbs, frames)
    for name, target in zip(names, targets, strict=True):
        api.add_chain(rig, name, target=target)
    return timed(partial(api.bake, rig, frames=(1, frames)))


def live(api) -> Times:
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
    steps = count()

    def move() -> None:
        layer.update()
        targets[next(steps) % 4].location.z += 1e-3
        layer.update()

    def handle() -> None:
        for handler in ours:
            handler(bpy.context.scene, layer.depsgraph)

    try:
        yield from timed(handle, move)
    finally:
        handlers.extend(ours)


def planted(api) -> Times:
    """The human metarig, of which all bones of body, arms and legs have keys."""
    import plant_speed

    rig = plant_speed.captured_human(plant_speed.capture())
    return timed(partial(api.plant, rig, measure="NONE"), plant_speed.giving_back(rig))


def switched(api, to: str, motion: str) -> Times:
    """The four limbs of the human that Rigify generates; `motion` is the function in switch that keys controls."""
    import addon_utils
    import switch

    addon_utils.enable("rigify", default_set=True)
    rig = switch.generated()
    getattr(switch, motion)(rig)
    action = partial(api.switch, rig, to, frames=(1, switch.FRAMES), measure="NONE")
    return timed(action, switch.renewing(rig))


ROWS: dict[str, Callable[[object], Times]] = {
    "plain targets": partial(baked, targets="keyed_targets", measure="NONE"),
    "spine animated": partial(baked, targets="keyed_targets", spine=True, measure="NONE"),
    "targets under constraints": partial(baked, targets="constrained_targets", measure="NONE"),
    "reduced keys": partial(baked, targets="keyed_targets", keys="REDUCED", tolerance=0.001, measure="NONE"),
    "plain targets, measured": partial(baked, targets="keyed_targets"),
    "live, an update": live,
    "100 limbs": partial(many, limbs=100, frames=FRAMES),
    "10,000 frames": partial(many, limbs=4, frames=10_000),
    "plant": planted,
    "switch to FK": partial(switched, to="FK", motion="walk"),
    "switch to IK": partial(switched, to="IK", motion="stride"),
}


def answer(checkout: Path) -> None:
    """In a process of its own: for each line of input a call by the extension in this checkout, and its time.

    A line that names a row sets its scene up first.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Blender prints is no answer
    extensions = Path(os.environ["BLENDER_USER_RESOURCES"]) / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    (extensions / "two_bone_ik").symlink_to(checkout.resolve())
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import bpy  # it reads its resources, and starts as many threads as it has cores, as it is imported

    assert bpy.ops.preferences.addon_enable(module=PACKAGE) == {"FINISHED"}, "Blender has said why"
    api, times = importlib.import_module(f"{PACKAGE}.api"), iter(())
    for line in sys.stdin:
        if row := line.strip():
            del times  # what it has changed for its row, it gives back
            times = ROWS[row](api)
        print(next(times), file=answers, flush=True)


@contextmanager
def calling(checkout: Path) -> Iterator[Callable[[str], float]]:
    """A function that lets a process measure one call, of the row that it is given the first time."""
    with tempfile.TemporaryDirectory() as resources:
        command = [sys.executable, __file__, "--answer", checkout]
        environment = os.environ | {"BLENDER_USER_RESOURCES": resources}
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

        def call(row: str = "") -> float:
            process.stdin.write(f"{row}\n")
            return float(process.stdout.readline())

        try:
            yield call
        finally:
            process.kill()  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
            process.wait()


def turns(row: str, calls: list[Callable[[str], float]]) -> list[list[float]]:
    """The times of both checkouts, turn by turn."""
    for call in calls:
        call(row)
        call("")  # the first calls take longer, and do not count
    taken: list[list[float]] = []
    end = time.monotonic() + SECONDS
    while len(taken) < FEWEST or time.monotonic() < end:
        # Each is the first in every other turn.
        order = (0, 1) if len(taken) % 2 == 0 else (1, 0)
        times = {which: calls[which]("") for which in order}
        taken.append([times[0], times[1]])
    return taken


def main() -> None:
    """Print the table again after each round."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="BEFORE AFTER")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", default="", metavar="TEXT", help="only the rows whose names have this text in them")
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.answer:
        answer(arguments.answer)
        return
    if len(arguments.checkouts) != 2:
        parser.error("two checkouts are needed, BEFORE and AFTER")
    rounds: dict[str, list[list[list[float]]]] = defaultdict(list)
    for number in range(1, arguments.rounds + 1):
        with ExitStack() as stack:
            calls = [stack.enter_context(calling(checkout)) for checkout in arguments.checkouts]
            for name in (name for name in ROWS if arguments.rows in name):
                rounds[name].append(turns(name, calls))
        print(f"\n{f'rounds: {number}':28}{'before':>9}{'after':>9}   after/before (of rounds)   milliseconds")
        for name, taken in rounds.items():
            before, after = (median(turn[which] for part in taken for turn in part) for which in (0, 1))
            ratios = [median(mine / theirs for theirs, mine in part) for part in taken]
            spread = f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
            print(f"{name:28}{before:9.2f}{after:9.2f}   {spread}", flush=True)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)
