"""What is under way, written over every 3D View at a size that one can read from a chair."""

from collections.abc import Sequence

import blf
import bpy
from bpy.types import SpaceView3D

from .armature_operator import redraw_views

_SIZE = 20.0
_FONT = 0

_lines: list[str] = []
_handles: list[object] = []


def show(lines: Sequence[str]) -> None:
    """Show these lines, one below the other, until others are shown; none at all end it."""
    _lines[:] = lines
    if lines and not _handles:
        _handles.append(SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL"))
    while _handles and not lines:
        SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    redraw_views()


def _draw() -> None:
    size, region = _SIZE * bpy.context.preferences.system.ui_scale, bpy.context.region
    blf.size(_FONT, size)
    blf.color(_FONT, 1.0, 1.0, 1.0, 1.0)
    blf.enable(_FONT, blf.SHADOW)
    blf.shadow(_FONT, 5, 0.0, 0.0, 0.0, 1.0)
    for row, line in enumerate(reversed(_lines)):
        width, _ = blf.dimensions(_FONT, line)
        blf.position(_FONT, 0.5 * (region.width - width), (2.0 + 1.5 * row) * size, 0.0)
        blf.draw(_FONT, line)
    blf.disable(_FONT, blf.SHADOW)
