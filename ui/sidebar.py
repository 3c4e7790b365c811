"""What panels in the sidebar are made of: sections, keyed options, and text and buttons that fit however wide it is.

Each section is closed until it is needed, and fields appear when they mean something.
"""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from bpy.types import Context, UILayout

from ..blender.settings.properties import TwoBoneIKChain

ICON = 20.0
"""Pixels that an icon takes."""

_LETTER, _FRAME = 5.8, 52.0
"""Pixels of a letter in the panel, and of what the sidebar has beside a text, its tabs among it."""

_NARROW = 230.0
"""Pixels of a sidebar in which four buttons in a row would lose their words."""

_COPIED = ("TARGET", "BONES", "BEND", "REACH")
"""Sections whose settings can be copied to other chains."""


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


def draw_option(layout: UILayout, chain: TwoBoneIKChain, name: str, text: str | None = None) -> None:
    """A keyed option, with the dot to key it; it can be keyed where it is, on the end bone."""
    from ..blender.settings import keyed_options

    owner, field = keyed_options.owner(chain, name)
    row = layout.row(align=True)
    row.use_property_decorate = True
    row.prop(owner, field, text=text)


def section(layout: UILayout, title: str, *, closed: bool = True, count: int = 0) -> UILayout | None:
    """The body of a section, closed at first or not; None while it is. Its title shows a count that is not 0."""
    header, body = layout.panel(f"two_bone_ik_{title.lower().replace(' ', '_')}", default_closed=closed)
    header.label(text=title)
    if count:
        header.label(text=str(count), icon="ERROR", translate=False)
    if title.upper() in _COPIED:
        buttons = header.row(align=True)
        mirrored = buttons.operator("two_bone_ik.settings_copy", text="", icon="MOD_MIRROR", emboss=False)
        to_all = buttons.operator("two_bone_ik.settings_copy", text="", icon="DUPLICATE", emboss=False)
        mirrored.to, mirrored.sections = "OTHER_SIDE", {title.upper()}
        to_all.to, to_all.sections = "ALL", {title.upper()}
    return body.column() if body else None
