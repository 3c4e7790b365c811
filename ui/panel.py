"""The panel in the sidebar of the 3D Viewport."""

from typing import Any

import bpy
from bpy.types import Context, Panel, UILayout
from bpy.utils import register_class, unregister_class

from .. import __package__ as base_package
from ..blender.armatures import Rig, as_rig
from ..blender.properties import active_chain


class TWO_BONE_IK_PT_chains(Panel):
    """The chains of the active armature, what they reach for, and the way to keys"""

    bl_label = "Two-Bone IK"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Animation"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return as_rig(context.object) is not None and context.mode in {"OBJECT", "POSE"}

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        rig = as_rig(context.object)
        if not rig.two_bone_ik_chains:
            _draw_first_steps(layout)
            return
        from ..blender.live import state
        from . import sections

        state.update(rig, context.scene, context.view_layer.depsgraph)
        _draw_list(layout, rig)
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop(rig, "two_bone_ik_live", toggle=True)
        row.prop(context.window_manager, "two_bone_ik_overlay", toggle=True)
        chain = active_chain(rig)
        if chain is not None:
            sections.draw_refusal(layout, context, rig, chain)
            sections.draw_side(layout, rig, chain)
            sections.draw_target(layout, chain)
            sections.draw_bones(layout, chain, rig)
            sections.draw_bend(layout, chain)
            sections.draw_reach(layout, chain)
        sections.draw_report(layout, context, rig)
        row = layout.row(align=True)
        row.operator("two_bone_ik.drag", text="Drag")
        row.operator("two_bone_ik.solve", text="Solve")
        row.operator("two_bone_ik.check", text="Check...")
        row.operator("two_bone_ik.bake", text="Bake...")


def register() -> None:
    """Show the panel in the tab that the preferences name."""
    addon: Any = bpy.context.preferences.addons.get(base_package)
    TWO_BONE_IK_PT_chains.bl_category = (addon and addon.preferences.tab) or "Animation"
    register_class(TWO_BONE_IK_PT_chains)


def unregister() -> None:
    """Show it no more."""
    unregister_class(TWO_BONE_IK_PT_chains)


def move_to_tab() -> None:
    """Show it in another tab, which the preferences name now."""
    unregister()
    register()


def _draw_first_steps(layout: UILayout) -> None:
    """For who has never been here."""
    layout.operator("two_bone_ik.chains_detect", text="Detect Limbs")
    layout.operator("two_bone_ik.chains_from_constraints", text="Take Over IK Constraints")
    layout.operator("two_bone_ik.chain_add", text="Add Chain from Active Bone")


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
