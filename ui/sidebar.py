"""What fits the sidebar, however wide it is: text in lines, and rows of buttons."""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from bpy.types import Context, UILayout

ICON = 20.0
"""Pixels that an icon takes."""

_LETTER, _FRAME = 5.8, 52.0
"""Of a text in the panel, in pixels: a letter, and what the sidebar has beside the text, its tabs among it."""

_NARROW = 230.0
"""Pixels of a sidebar in which four buttons in a row would lose their words."""


def sidebar_width(context: Context) -> float:
    """In the pixels that it has where nothing is scaled."""
    return context.region.width / context.preferences.system.ui_scale


def is_narrow(context: Context) -> bool:
    """True where the sidebar has no room for long rows."""
    return sidebar_width(context) < _NARROW


def button_row(layout: UILayout, *, is_first: bool) -> UILayout:
    """Has room for a large button, if work begins with it."""
    row = layout.row(align=True)
    row.scale_y = 1.5 if is_first else 1.0
    return row


def draw_lines(
    layout: UILayout, context: Context, lines: Iterable[str], indent: str = "    ", frame: float | None = None
) -> None:
    """Text in lines that fit the sidebar; lines that go on begin with `indent`. A click on them goes to the frame."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    room = 0.0 if frame is None else ICON
    for line in lines:
        for number, part in enumerate(wrapped(context, line, indent, room)):
            if frame is None:
                column.label(text=part, translate=False)
            else:
                row = column.row()
                row.alignment = "LEFT"
                # The sign shows that it is a button.
                icon: Any = "BLANK1" if number else "TIME"
                button = row.operator("two_bone_ik.go_to_frame", text=part, translate=False, emboss=False, icon=icon)
                button.frame = frame


def wrapped(context: Context, text: str, indent: str = "", room: float = 0.0) -> list[str]:
    """The text in lines that fit the sidebar, beside something that is `room` pixels wide."""
    width = int((sidebar_width(context) - _FRAME - room) / _LETTER)
    return wrap(text, max(width, 12), subsequent_indent=indent)
