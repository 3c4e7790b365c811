"""The sections that the panel is made of, and a keyed option in them.

Each is closed until it is needed, and fields appear when they mean something.
"""

from bpy.types import UILayout

from ..blender.settings import keyed_options
from ..blender.settings.properties import TwoBoneIKChain

_COPIED = ("TARGET", "BONES", "BEND", "REACH")
"""Sections whose settings can be copied to other chains."""


def draw_option(layout: UILayout, chain: TwoBoneIKChain, name: str, text: str | None = None) -> None:
    """A keyed option, with the dot to key it; it can be keyed where it is, on the end bone."""
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
