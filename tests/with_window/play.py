"""Runs inside of Blender: installs the package, then plays scenarios event by event, so that Blender draws in between.

Usage:
    blender --enable-event-simulate --python play.py -- PACKAGE

It reads names of scenarios, one a line, and says of each that it was played. One that fails ends Blender.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import addon_utils
import bpy

MODULE = "bl_ext.user_default.two_bone_ik"
SECONDS_A_STEP = 0.005
SECONDS_TO_DRAW = 1.0
SECONDS = 570
PICTURES = ("pictures", "switch")
"""The scenarios whose pictures show Blender as it comes."""


def main(package: str) -> None:
    if "MESA_SHADER_CACHE_DIR" not in os.environ:
        # Software OpenGL is slow to compile shaders. Mesa keeps them for the next Blender, if told before it starts.
        shaders = str(Path(__file__).parents[2] / "out" / "shaders")
        os.execve(bpy.app.binary_path, sys.argv, os.environ | {"MESA_SHADER_CACHE_DIR": shaders})
    faulthandler.enable()
    # Whoever started this Blender may not be able to stop it.
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    import_module("support.install").install(package)
    waits = play()
    bpy.app.timers.register(lambda: step(waits), persistent=True)


def play() -> Iterator[float]:
    """One scenario after another; yields the seconds until the next step."""
    for line in sys.stdin:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        scenario = line.strip()
        prepare(scenario)
        yield SECONDS_TO_DRAW
        for _ in import_module(f"scenarios.{scenario}").scenario(import_module("user").User(scenario)):
            yield SECONDS_A_STEP
        faulthandler.cancel_dump_traceback_later()
        print("Played to the end", flush=True)
    # Blender 4.3 crashed once as it quit. Only the scenario `quit` quits, where a crash is looked for.
    os._exit(0)


def prepare(scenario: str) -> None:
    """Blender as it comes, with the extension, and with what a scenario needs."""
    bpy.ops.wm.read_factory_settings()
    addon_utils.enable(MODULE, default_set=True)
    preferences = bpy.context.preferences
    preferences.view.show_splash = False
    # Software draws slowly, and smoothing draws the viewport again and again.
    preferences.system.viewport_aa = "OFF"
    preferences.inputs.mouse_double_click_time = 1  # a click that follows soon is another click
    # Where Blender leaves its session as it quits.
    preferences.filepaths.temporary_directory = os.environ["BLENDER_USER_RESOURCES"]
    if scenario not in PICTURES:
        draw_less()


def draw_less() -> None:
    """Leave out what no scenario looks at: half of the time that software takes to draw."""
    system = bpy.context.preferences.system
    system.use_overlay_smooth_wire = system.use_region_overlap = False
    for area in (area for screen in bpy.data.screens for area in screen.areas):
        if area.type in ("OUTLINER", "PROPERTIES"):
            area.type = "TEXT_EDITOR"
        elif area.type == "VIEW_3D":
            space = area.spaces.active
            space.shading.type = "WIREFRAME"
            space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False


def step(waits: Iterator[float]) -> float:
    """Seconds until the next step."""
    try:
        return next(waits)
    except Exception:  # noqa: BLE001  (Blender would print it, go on, and wait for a user)
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


main(*sys.argv[sys.argv.index("--") + 1 :])
