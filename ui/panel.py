"""The panel in the sidebar of the 3D Viewport, and the list of chains in it."""

from typing import Any

import bpy
from bpy.app.translations import pgettext_iface
from bpy.types import Context, Panel, UILayout, UIList
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.armatures import Rig
from ..blender.settings.properties import TwoBoneIKChain, is_from_library
from .sidebar import ICON, button_row, draw_lines, is_narrow, sidebar_width

PIN, PLANT, SWITCH = "two_bone_ik.pin", "two_bone_ik.plant", "two_bone_ik.switch"
TAKE_OVER = "two_bone_ik.chains_from_constraints"

_LETTER, _MARGIN, _BESIDE = 6.5, 14.0, 67.0
"""Pixels, in a row of the list, of a letter and the space around a text, and what the sidebar has beside the list."""


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
        beside = _BESIDE if is_narrow(context) else _BESIDE + ICON + 8.0
        width = max(sidebar_width(context) - beside, 4.0 * ICON)
        text, icon = limb_notice.short(context, found), limb_notice.icon(found)
        room = ICON + _MARGIN + _LETTER * len(text)
        # The name keeps half of the row.
        if room > width / 2.0:
            text, room = "", 2.0 * ICON
        elif room + ICON > width / 2.0:
            icon = "NONE"
        else:
            room += ICON

        row = layout.split(factor=1.0 - room / width, align=True) if text else layout.row(align=True)
        row.active = not chain.mute
        # Of a short row the name needs all that there is.
        is_short = width - room < ICON + _MARGIN + _LETTER * len(chain.name)
        if is_from_library(chain):
            row.label(text=chain.name, icon="NONE" if is_short else "LIBRARY_DATA_OVERRIDE", translate=False)
        else:
            row.prop(chain, "name", text="", emboss=False, icon="NONE" if is_short else "CON_KINEMATIC")
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
        from ..blender.status import in_hand

        if missing := in_hand.missing(context):
            draw_lines(layout, context, [pgettext_iface(missing)], indent="")
            layout.operator("two_bone_ik.plant_capture", text="Plant a Capture...")
            return
        rig = in_hand.rig_in_hand(context)
        # A target may be selected, and then nothing else tells whose it is.
        layout.label(text=rig.name, icon="ARMATURE_DATA", translate=False)
        from ..blender.rigs.known_limbs import switchable_limbs
        from . import bake, chains, hold, limb_notice, plant, switch, targets

        if linked := in_hand.linked(rig):
            draw_lines(layout, context, [pgettext_iface(linked)])
        is_known = bool(switchable_limbs(rig))
        if is_known:
            switch.draw(layout, context, rig)
        if not rig.two_bone_ik_chains:
            begins_with = first_step(rig)
            plant.draw(layout, context, rig, is_first=begins_with == PLANT)
            _draw_first_steps(layout, rig, begins_with)
        else:
            _draw_list(layout, context, rig)
            _draw_actions(layout, context, rig)
        if chain := in_hand.chain_in_hand(context):
            limb_notice.draw(layout, context, chain)
            chains.draw_side(layout, rig, chain)
            targets.draw(layout, context, chain)
            plant.draw(layout, context, rig)
            hold.draw(layout, context, rig, chain)
            chains.draw_bones(layout, chain, rig)
            chains.draw_bend(layout, context, chain)
            chains.draw_reach(layout, chain)
        if not is_known:
            switch.draw_faulty_rigs(layout, context)
        bake.draw(layout, context, rig)


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


def first_step(rig: Rig) -> str:
    """The operator with which work begins on an armature that has no chains."""
    from ..blender.plant.contact_keys import is_captured
    from ..blender.rigs.known_limbs import switchable_limbs
    from ..blender.takeover.takeover import has_constraints

    if switchable_limbs(rig):
        return SWITCH
    if is_captured(rig):
        return PLANT
    return TAKE_OVER if has_constraints(rig) else PIN


def _draw_first_steps(layout: UILayout, rig: Rig, begins_with: str) -> None:
    """Shown to first-time users; what fits the armature comes first."""
    from ..blender.takeover.takeover import has_constraints

    steps = {PIN: "Pin Hands and Feet", "two_bone_ik.chains_detect": "Detect Limbs"}
    if begins_with != SWITCH and has_constraints(rig):
        steps = {TAKE_OVER: "Take Over IK Constraints", **steps}
    for operator, text in (steps | {"two_bone_ik.chain_add": "Add Chain from Active Bone"}).items():
        button_row(layout, is_first=operator == begins_with).operator(operator, text=text)


def _draw_list(layout: UILayout, context: Context, rig: Rig) -> None:
    # In a narrow sidebar the buttons are below the list, and the names have their place.
    narrow = is_narrow(context)
    row = layout.column() if narrow else layout.row()
    row.template_list("TWO_BONE_IK_UL_chains", "", rig, "two_bone_ik_chains", rig, "two_bone_ik_active", rows=5)
    buttons = row.row(align=True) if narrow else row.column(align=True)
    buttons.operator("two_bone_ik.chain_add", text="", icon="ADD")
    buttons.operator("two_bone_ik.chain_remove", text="", icon="REMOVE")
    buttons.menu("TWO_BONE_IK_MT_chains", text="", icon="DOWNARROW_HLT")
    if not narrow:
        buttons.separator()
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_UP").direction = "UP"
    buttons.operator("two_bone_ik.chain_move", text="", icon="TRIA_DOWN").direction = "DOWN"


def _draw_actions(layout: UILayout, context: Context, rig: Rig) -> None:
    """Above the sections, so that they stay in place when one opens."""
    narrow = is_narrow(context)
    row = layout.row(align=True)
    row.use_property_split = False
    row.operator("two_bone_ik.live", text="Live", depress=rig.two_bone_ik_live)
    row.operator("two_bone_ik.pin", text="Pin")
    if narrow:
        row = layout.row(align=True)
        row.use_property_split = False
    row.prop(context.window_manager, "two_bone_ik_overlay", toggle=True)
    row = layout.row(align=True)
    row.operator("two_bone_ik.drag", text="Drag")
    row.operator("two_bone_ik.solve", text="Solve")
    row = layout.row(align=True)
    row.operator("two_bone_ik.check", text="Check...")
    row.operator("two_bone_ik.build", text="Build")
    row.operator("two_bone_ik.bake", text="Bake...")
