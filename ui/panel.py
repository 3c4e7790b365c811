"""The panel in the sidebar of the 3D Viewport, and the list of chains in it."""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface
from bpy.types import Context, Panel, UILayout, UIList
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.armatures import Rig
from ..blender.properties import TwoBoneIKChain, is_from_library

_LETTER = 7.0
"""Width of a letter in pixels, with what the panel leaves free beside its text."""

_ROW_LETTER, _ICON, _MARGIN, _BESIDE = 6.5, 20.0, 14.0, 95.0
"""Of a row of the list, in pixels: a letter, an icon, around a text, and what the sidebar has beside the row."""


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
        from . import limb_notice

        found = limb_notice.look(context, rig)[chain.name]
        width = max(context.region.width / context.preferences.system.ui_scale - _BESIDE, 4.0 * _ICON)
        text, icon = limb_notice.short(context, found), limb_notice.icon(found)
        room = _ICON + _MARGIN + _ROW_LETTER * len(text)
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


class TWO_BONE_IK_PT_chains(Panel):
    """The chains of the armature in hand, what they reach for, and the way to keys"""

    bl_label = "Two-Bone IK"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Animation"

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        from ..blender import in_hand

        if missing := in_hand.missing(context):
            draw_lines(layout, context, [pgettext_iface(missing)], indent="")
            return
        rig = in_hand.rig_in_hand(context)
        # A target may be selected, and then nothing else tells whose it is.
        layout.label(text=rig.name, icon="ARMATURE_DATA", translate=False)
        from . import limb_notice, sections

        if not rig.two_bone_ik_chains:
            _draw_first_steps(layout, rig)
            sections.draw_switch(layout, context, rig)
            sections.draw_report(layout, context, rig)
            return
        _draw_list(layout, rig)
        _draw_actions(layout, context, rig)
        if limb := in_hand.limb_in_hand(context):
            chain = rig.two_bone_ik_chains[limb[1]]
            limb_notice.draw(layout, context, chain)
            sections.draw_side(layout, rig, chain)
            sections.draw_plant(layout, context, rig, chain)
            sections.draw_target(layout, chain)
            sections.draw_hold(layout, context, rig, chain)
            sections.draw_bones(layout, chain, rig)
            sections.draw_bend(layout, chain)
            sections.draw_reach(layout, chain)
        sections.draw_switch(layout, context, rig)
        sections.draw_report(layout, context, rig)


_register, unregister = register_classes_factory((TWO_BONE_IK_UL_chains, TWO_BONE_IK_PT_chains))


def register() -> None:
    """Show the panel in the tab that the preferences name."""
    addon: Any = bpy.context.preferences.addons.get(base_package)
    TWO_BONE_IK_PT_chains.bl_category = (addon and addon.preferences.tab) or "Animation"
    _register()


def move_to_tab() -> None:
    """Show it in another tab, which the preferences name now."""
    unregister()
    register()


def _draw_first_steps(layout: UILayout, rig: Rig) -> None:
    """For who has never been here."""
    from ..blender import contact_keys

    layout.operator("two_bone_ik.chains_detect", text="Detect Limbs")
    layout.operator("two_bone_ik.chains_from_constraints", text="Take Over IK Constraints")
    layout.operator("two_bone_ik.chain_add", text="Add Chain from Active Bone")
    layout.operator("two_bone_ik.pin", text="Pin Hands and Feet")
    if contact_keys.is_keyed(rig):
        layout.operator("two_bone_ik.plant", text="Plant Feet")


def _draw_list(layout: UILayout, rig: Rig) -> None:
    row = layout.row()
    row.template_list("TWO_BONE_IK_UL_chains", "", rig, "two_bone_ik_chains", rig, "two_bone_ik_active", rows=5)
    buttons = row.column(align=True)
    buttons.operator("two_bone_ik.chain_add", text="", icon="ADD")
    buttons.operator("two_bone_ik.chain_remove", text="", icon="REMOVE")
    buttons.menu("TWO_BONE_IK_MT_chains", text="", icon="DOWNARROW_HLT")
    buttons.separator()
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_DOWN").direction = "DOWN"


def _draw_actions(layout: UILayout, context: Context, rig: Rig) -> None:
    """Above the sections, so that they stay in place when one opens."""
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(rig, "two_bone_ik_live", toggle=True)
    row.operator("two_bone_ik.pin", text="Pin")
    row.prop(context.window_manager, "two_bone_ik_overlay", toggle=True)
    row = layout.row(align=True)
    row.operator("two_bone_ik.drag", text="Drag")
    row.operator("two_bone_ik.solve", text="Solve")
    row.operator("two_bone_ik.check", text="Check...")
    row.operator("two_bone_ik.bake", text="Bake...")


def draw_lines(
    layout: UILayout, context: Context, lines: Iterable[str], indent: str = "    ", frame: float | None = None
) -> None:
    """Text, broken where the sidebar ends; what is broken goes on with `indent`. A click on it goes to the frame."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    width = int(context.region.width / context.preferences.system.ui_scale / _LETTER)
    for line in lines:
        for part in wrap(line, max(width, 20), subsequent_indent=indent):
            if frame is None:
                column.label(text=part, translate=False)
            else:
                row = column.row()
                row.alignment = "LEFT"
                row.operator("two_bone_ik.go_to_frame", text=part, translate=False, emboss=False).frame = frame
