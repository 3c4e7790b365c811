"""Frames a second of playback in a real Blender with its window, panel and overlay drawn, with Live and without.

Usage: BLENDER="blender" python benchmarks/playback.py
"""

from __future__ import annotations

import importlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

CHECKOUT = Path(__file__).parents[1]
SECONDS, ROUNDS, FRAMES = 4.0, 3, 250
CASES = ((1, 50_000), (20, 0))
"""Characters of four limbs each, with spines that move, and vertices of the skin of each."""


def start() -> int:
    """Build the package, and play in a Blender into which it is installed; the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        blender, package = shlex.split(os.environ["BLENDER"]), Path(folder, "two_bone_ik.zip")
        build = ("--command", "extension", "build", "--source-dir", CHECKOUT, "--output-filepath", package)
        subprocess.run([*blender, *build], check=True, cwd=CHECKOUT, capture_output=True)
        window = ("--factory-startup", "--window-geometry", "0", "0", "640", "480", "--python-exit-code", "1")
        play = [*blender, *window, "--python", __file__, "--", package]
        return subprocess.run(play, cwd=CHECKOUT, env=os.environ | {"BLENDER_USER_RESOURCES": folder}).returncode


def rounds() -> Iterator[float]:
    """Plays in the window and prints a row for each number of characters; yields how long to wait."""
    import bpy
    import live_frames
    import scenes

    api = importlib.import_module("bl_ext.user_default.two_bone_ik.api")
    print(f"\n{f'Blender {bpy.app.version_string}, frames a second':44}{'Live off':>9}{'on':>9}")
    for count, vertices in CASES:
        scenes.new_file(FRAMES)
        yield 1.0
        rigs = live_frames.crowd(api, count, FRAMES, spine=True, vertices=vertices)
        for rig in rigs:
            scenes.mute_constraints(rig, mute=True)
        scene, manager = bpy.context.scene, bpy.context.window_manager
        scene.render.fps, scene.sync_mode = 240, "NONE"
        area = next(area for area in manager.windows[0].screen.areas if area.type == "VIEW_3D")
        area.spaces.active.show_region_ui = manager.two_bone_ik_overlay = True
        area.spaces.active.overlay.show_floor = False
        sidebar = next(region for region in area.regions if region.type == "UI")
        yield 1.0
        sidebar.active_panel_category = "Animation"
        yield 1.0
        by_mode: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(ROUNDS):
            for is_live, rates in by_mode.items():
                for rig in rigs:
                    rig.two_bone_ik_live = is_live
                played: list[int] = []
                count_frame = lambda scene, _, played=played: played.append(scene.frame_current)  # noqa: E731
                count_frame.__module__ = api.__name__  # one of another module might change anything
                bpy.ops.screen.animation_play()
                yield 1.0
                bpy.app.handlers.frame_change_post.append(count_frame)
                begun = perf_counter()
                yield SECONDS
                rates.append(len(played) / (perf_counter() - begun))
                bpy.app.handlers.frame_change_post.remove(count_frame)
                bpy.ops.screen.animation_cancel()
        row = "".join(f"{median(rates):9.1f}" for rates in by_mode.values())
        print(f"{f'{count} characters, {vertices} vertices':44}{row}", flush=True)


def play() -> None:
    """Install the package, and measure while Blender draws."""
    import bpy

    sys.path[:0] = [str(CHECKOUT / "tests"), str(CHECKOUT / "benchmarks")]
    importlib.import_module("support.install").install(sys.argv[-1])
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.system.viewport_aa = "OFF"  # which draws a viewport again and again
    waits = rounds()

    def step() -> float:
        try:
            with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
                return next(waits)
        except StopIteration:
            sys.stdout.flush()
            os._exit(0)

    bpy.app.timers.register(step, first_interval=1.0, persistent=True)


if "bpy" not in sys.modules and __name__ == "__main__" and "--" not in sys.argv:
    sys.exit(start())
play()
