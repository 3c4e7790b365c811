"""Hands and eyes for a scenario. What takes time is a generator: `yield from user.click(…)`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import bpy

OUT = Path(__file__).parents[2] / "out"
COLUMNS = (0.25, 0.65, 0.83)  # of the sidebar's width: left and right half of a row, and the buttons beside a list
Steps = Iterator[None]


class User:
    """Sits before the first window's 3D Viewport."""

    def __init__(self, scenario: str) -> None:
        self.scenario = scenario
        self.mouse = (0, 0)
        self.window = bpy.context.window_manager.windows[0]
        self.area = next(area for area in self.window.screen.areas if area.type == "VIEW_3D")
        self.sidebar = next(region for region in self.area.regions if region.type == "UI")

    def open_sidebar(self, tab: str) -> Steps:
        self.area.spaces.active.show_region_ui = True
        yield  # a sidebar that was never drawn has no tabs
        yield
        self.sidebar.active_panel_category = tab
        yield

    def click(self, operator: str) -> Steps:
        """Click the sidebar's button of an operator, `two_bone_ik.bake` for example."""
        for y in range(self.sidebar.y + self.sidebar.height, self.sidebar.y, -10):
            for column in COLUMNS:
                yield from self._move(self.sidebar.x + int(column * self.sidebar.width), y)
                if self._button() == operator:
                    yield from self.press("LEFTMOUSE")
                    return
        raise AssertionError(f"No button of {operator} in the sidebar")

    def press(self, key: str) -> Steps:
        for value in ("PRESS", "RELEASE"):
            yield from self._event(key, value)

    def undo(self) -> Steps:
        with bpy.context.temp_override(window=self.window):
            bpy.ops.ed.undo()
        yield

    def screenshot(self, name: str) -> None:
        """Leaves out/SCENARIO-NAME-VERSION.png, where ImageMagick is there and the screen is one that it can read."""
        OUT.mkdir(exist_ok=True)
        version = ".".join(map(str, bpy.app.version[:2]))
        picture = OUT / f"{self.scenario}-{name}-{version}.png"
        if shutil.which("import"):
            subprocess.run(["import", "-window", "root", picture], stderr=subprocess.DEVNULL, check=False, timeout=30)

    def _move(self, x: int, y: int) -> Steps:
        self.mouse = (x, y)
        yield from self._event("MOUSEMOVE", "NOTHING")

    def _event(self, key: str, value: str) -> Steps:
        x, y = self.mouse
        self.window.event_simulate(key, value, x=x, y=y)
        yield

    def _button(self) -> str:
        """The operator whose button is under the mouse, "" where there is none."""
        with bpy.context.temp_override(window=self.window, area=self.area, region=self.sidebar):
            if not bpy.ops.ui.copy_python_command_button.poll():
                return ""
            bpy.ops.ui.copy_python_command_button()
        return bpy.context.window_manager.clipboard.removeprefix("bpy.ops.").partition("(")[0]
