"""The list of chains."""

from bpy.types import Context, UILayout, UIList
from bpy.utils import register_classes_factory

from ..blender.armatures import Rig
from ..blender.properties import TwoBoneIKChain, is_from_library

_LETTER, _ICON, _MARGIN, _BESIDE = 6.5, 20.0, 14.0, 95.0
"""Widths in pixels: of a letter, of an icon, around a text, and of what the sidebar has beside a row of the list."""


class TWO_BONE_IK_UL_chains(UIList):
    """Chains by name, each with its state and its switch"""

    def draw_item(  # type: ignore[override]  # Blender hands over only as many as there are
        self,
        context: Context,
        layout: UILayout,
        rig: Rig,
        chain: TwoBoneIKChain,
        _icon: int,
        _active_owner: Rig,
        _active_field: str,
    ) -> None:
        # The panel with this list has imported it.
        from . import limb_notice

        found = limb_notice.look(context, rig)[chain.name]
        width = max(context.region.width / context.preferences.system.ui_scale - _BESIDE, 4.0 * _ICON)
        text, icon = limb_notice.short(context, found), limb_notice.ICONS[found.state]
        room = _ICON + _MARGIN + _LETTER * len(text)
        # The name keeps half of the row.
        if room > width / 2.0:
            text, room = "", 2.0 * _ICON
        elif room + _ICON > width / 2.0:
            icon = "NONE"
        else:
            room += _ICON

        row = layout.split(factor=1.0 - room / width, align=True)
        row.active = not chain.mute
        if is_from_library(chain):
            row.label(text=chain.name, icon="LIBRARY_DATA_OVERRIDE", translate=False)
        else:
            row.prop(chain, "name", text="", emboss=False, icon="CON_KINEMATIC")
        shown = row.row(align=True)
        shown.alignment = "RIGHT"
        shown.label(text=text, icon=icon, translate=False)
        shown.prop(chain, "mute", text="", emboss=False, icon="CHECKBOX_DEHLT" if chain.mute else "CHECKBOX_HLT")


register, unregister = register_classes_factory((TWO_BONE_IK_UL_chains,))
