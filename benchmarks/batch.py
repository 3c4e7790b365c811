"""Many shots: how much two processors help, and the cost of a shot compared with Blender's start, load and save.

`make bench` installs the extension and runs this file with the Python of a Blender wheel. Peer and ours take turns, and
both write every file anew each time.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import measure
import scenes

PACKAGE = "bl_ext.user_default.two_bone_ik"
SHOTS = 100
FRAMES = 250
ROUNDS = 3

Action = Callable[[], None]


# The least that a shot costs with a Blender of its own.
OWN = """
import os, sys, bpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1], load_ui=False)
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2], copy=True)
os._exit(0)
"""
# What anyone would write without the command line: one Blender, one file after the other.
BY_HAND = f"""
import os, sys, bpy, addon_utils
addon_utils.enable("{PACKAGE}", default_set=True)
from {PACKAGE} import api
source, output = sys.argv[1:]
for name in sorted(os.listdir(source)):
    bpy.ops.wm.open_mainfile(filepath=os.path.join(source, name), load_ui=False)
    api.bake(bpy.data.objects["metarig"])
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(output, name), copy=True)
os._exit(0)
"""


def season(folder: Path) -> Path:
    """Walks of the metarig with four limbs, in the folder "shots", and their manifest."""
    api = importlib.import_module(f"{PACKAGE}.api")
    rig = scenes.metarig(FRAMES)
    scenes.add_chains(api, rig, scenes.keyed_targets(rig, FRAMES))
    (folder / "shots").mkdir()
    names = [f"shots/{number:03}.blend" for number in range(SHOTS)]
    for name in names:
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / name), copy=True)
    manifest = folder / "season.toml"
    manifest.write_text("".join(f'[[shot]]\nfile = "{name}"\n' for name in names))
    return manifest


def run(output: Path, *command: object) -> None:
    """Run a command with an empty output folder, in silence; it must succeed."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> None:
    """Time a season of shots three ways, and print a row for each comparison."""
    import addon_utils  # on the path since bpy is imported

    module = addon_utils.enable(PACKAGE, default_set=True)
    os.environ["PYTHONPATH"] = str(Path(module.__file__).parents[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manifest, output = season(folder), folder / "out"
        bake = (sys.executable, "-m", "two_bone_ik", "bake", "--manifest", manifest, "--output-dir", output)
        own = partial(run, output, sys.executable, "-c", OWN, folder / "shots" / "000.blend", output / "000.blend")
        by_hand = partial(run, output, sys.executable, "-c", BY_HAND, folder / "shots", output)
        pool = partial(run, output, *bake, "--jobs", 1)
        reduced = (*bake, "--keys", "REDUCED")
        single, two = (partial(run, output, *reduced, "--jobs", jobs) for jobs in (1, 2))
        print(f"Blender {bpy.app.version_string}; {FRAMES} frames, 4 limbs; milliseconds a shot")
        report(f"own start, load and save | pool of one, {SHOTS} shots", own, pool, (1, SHOTS), least=1 / 1.1)
        report(f"loop by hand | pool of one, {SHOTS} shots", by_hand, pool, (SHOTS, SHOTS))
        report(f"reduced keys: pool of one | of two, {SHOTS} shots", single, two, (SHOTS, SHOTS), least=1.7)


def report(title: str, peer: Action, ours: Action, shots: tuple[int, int], least: float = 0.0) -> None:
    """Print a row: milliseconds a shot for peer and ours, and how many times faster ours is."""
    result = measure.compared(peer, ours, runs=ROUNDS)
    ratios = [ratio * shots[1] / shots[0] for ratio in result.ratios]
    figures = f"{result.peer.per(1000 * shots[0])}{result.ours.per(1000 * shots[1])}"
    times = f"{median(ratios):7.2f} times ({min(ratios):.2f} to {max(ratios):.2f})"
    verdict = f"   at least {least:.2f}: {'yes' if median(ratios) >= least else 'NO'}" if least else ""
    print(f"{title:52}{figures}{times}{verdict}", flush=True)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers
