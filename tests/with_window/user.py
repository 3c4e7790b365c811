"""Hands and eyes for a scenario. What takes time is a generator: `yield from user.click(…)`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

OUT = Path(__file__).parents[2] / "out"
COLUMNS = (0.25, 0.65, 0.83)  # of the sidebar's width: left and right half of a row, and the buttons beside a list
RIGHT_HALF, LAST_COLUMN = COLUMNS[1:2], COLUMNS[2:]
STEP = 10  # pixels: half the height of a button
Steps = Iterator[None]
PLACES: dict[str, tuple[int, int]] = {}
"""Where the mouse met each button last, in this scenario or in one before: the next search begins there."""


class User:
    """Sits before the first window's 3D Viewport."""

    def __init__(self, scenario: str) -> None:
        self.scenario = scenario
        self.mouse = (0, 0)
        self.clicks = 0
        self.met: set[str] = set()  # the buttons that the mouse met
        self.window = bpy.context.window_manager.windows[0]
        self.area = next(area for area in self.window.screen.areas if area.type == "VIEW_3D")
        self.sidebar = next(region for region in self.area.regions if region.type == "UI")

    def open_sidebar(self, tab: str) -> Steps:
        self.area.spaces.active.show_region_ui = True
        yield
        # A sidebar that was never drawn has no tabs, and one that is drawn late forgets which was chosen.
        while self.sidebar.active_panel_category != tab:
            self.sidebar.active_panel_category = tab
            yield from self.wait(4)

    def click(self, name: str, columns: tuple[float, ...] = COLUMNS) -> Steps:
        """Click the sidebar's button of an operator or a property: `two_bone_ik.bake`, `two_bone_ik_overlay`.

        Where there are several of an operator: `two_bone_ik.settings_copy(sections={'REACH'})`.
        """
        yield from self.move_to(name, columns)
        yield from self.press("LEFTMOUSE")

    def move_to(self, name: str, columns: tuple[float, ...] = COLUMNS) -> Steps:
        """Find that button with the mouse, faster where it is known in which column."""
        # A full scene is drawn late, and with it what is under the mouse. What is below the window is scrolled to.
        for patience, scrolls in ((0, 0), (5, 0), (5, 20)):
            for _ in range(scrolls):
                yield from self._event("WHEELDOWNMOUSE", "PRESS")
            for place in self._places(name, columns):
                yield from self.move(*place)
                for _ in range(patience):
                    yield
                if self._is_over(name):
                    return
        self.screenshot("missing")
        raise AssertionError(f"No button of {name} in the sidebar")

    def move_to_top(self, name: str, columns: tuple[float, ...] = COLUMNS) -> Steps:
        """Move the mouse to the upper half of a button, faster where it is known in which column."""
        yield from self.move_to(name, columns)
        while self._is_over(name):
            yield from self.move(self.mouse[0], self.mouse[1] + STEP)
        yield from self.move_to(name, columns)

    @property
    def viewport(self) -> bpy.types.Region:
        return next(region for region in self.area.regions if region.type == "WINDOW")

    def override(self) -> object:
        """A context in which an operator acts as in the viewport."""
        return bpy.context.temp_override(window=self.window, area=self.area, region=self.viewport)

    def point(self, x: float, y: float) -> Steps:
        """Move the mouse to a place in the viewport, as parts of its width and height."""
        view = self.viewport
        yield from self.move(view.x + int(x * view.width), view.y + int(y * view.height))

    def point_at(self, place: Vector) -> Steps:
        """Move the mouse to where the viewport shows this place in the world."""
        x, y = location_3d_to_region_2d(self.viewport, self.area.spaces.active.region_3d, place)
        yield from self.point(x / self.viewport.width, y / self.viewport.height)

    def wait(self, steps: int = 6) -> Steps:
        """By default until what has changed is drawn."""
        for _ in range(steps):
            yield

    def press(self, key: str) -> Steps:
        """A click, or a key."""
        yield from self.hold(key)
        yield from self.release(key)

    def hold(self, key: str) -> Steps:
        """The first half of a click: what follows is a drag."""
        self.clicks += 1
        yield from self._event(key, "PRESS")

    def release(self, key: str) -> Steps:
        """The second half."""
        yield from self._event(key, "RELEASE")

    def undo(self) -> Steps:
        with bpy.context.temp_override(window=self.window):
            bpy.ops.ed.undo()
        yield

    def redo(self) -> Steps:
        with bpy.context.temp_override(window=self.window):
            bpy.ops.ed.redo()
        yield

    def screenshot(self, name: str) -> None:
        """Leaves out/SCENARIO-NAME-VERSION.png, where ImageMagick is there and the screen is one that it can read."""
        OUT.mkdir(exist_ok=True)
        version = ".".join(map(str, bpy.app.version[:2]))
        picture = OUT / f"{self.scenario}-{name}-{version}.png"
        if shutil.which("import"):
            subprocess.run(["import", "-window", "root", picture], stderr=subprocess.DEVNULL, check=False, timeout=30)

    def picture(self, name: str, left: int, bottom: int, width: int, height: int) -> None:
        """Leaves out/pictures/NAME.png: this part of the screen, for the manual."""
        path = OUT / "pictures" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        crop = f"{width}x{height}+{left}+{self.window.height - bottom - height}"
        # Few colors make small files; to strew them would make large ones.
        small = ("-crop", crop, "+repage", "+dither", "-colors", "192", f"png8:{path}")
        subprocess.run(["import", "-window", "root", *small], check=True, timeout=30)

    def sees(self, color: tuple[float, float, float]) -> bool:
        """True where the viewport shows this color, by a screenshot that is not kept."""
        path = Path(bpy.app.tempdir, "seen.png")
        subprocess.run(["import", "-window", "root", path], stderr=subprocess.DEVNULL, check=True, timeout=30)
        image = bpy.data.images.load(str(path))
        pixels = np.reshape(image.pixels[:], (-1, 4))[:, :3]
        bpy.data.images.remove(image)
        return np.count_nonzero(np.abs(pixels - color).max(axis=-1) < 0.02) > 20

    def _places(self, name: str, columns: tuple[float, ...]) -> list[tuple[int, int]]:
        """Places in the sidebar, close enough to meet every button: from its top, or from the place known last."""
        sidebar = self.sidebar
        rows = range(sidebar.y + sidebar.height, sidebar.y, -STEP)
        places = [(sidebar.x + int(column * sidebar.width), y) for column in columns for y in rows]
        if name not in PLACES:
            return places
        x, y = PLACES[name]
        return sorted(places, key=lambda place: (abs(place[0] - x), abs(place[1] - y)))

    def move(self, x: int, y: int) -> Steps:
        """Move the mouse to a pixel of the window."""
        self.mouse = (x, y)
        # The first enters the region or leaves a button, the second meets the next button.
        self.window.event_simulate("MOUSEMOVE", "NOTHING", x=x, y=y)
        yield from self._event("MOUSEMOVE", "NOTHING")

    def _event(self, key: str, value: str) -> Steps:
        x, y = self.mouse
        self.window.event_simulate(key, value, x=x, y=y)
        yield

    def _is_over(self, name: str) -> bool:
        """True where the mouse is on this button; where it meets whichever is remembered."""
        button = self.button()
        names = button, button.partition("(")[0]
        self.met.update(names)
        PLACES.update(dict.fromkeys(names, self.mouse))
        return name in names

    def button(self) -> str:
        """The call of the operator or the property whose button is under the mouse, "" where there is none."""
        with bpy.context.temp_override(window=self.window, area=self.area, region=self.sidebar):
            for copy in (bpy.ops.ui.copy_python_command_button, bpy.ops.ui.copy_data_path_button):
                if copy.poll():
                    copy()
                    return bpy.context.window_manager.clipboard.removeprefix("bpy.ops.")
        return ""
