"""A menu in Blender's own: without it, menu search finds nothing."""

from bpy.types import Context, Menu, VIEW3D_MT_object_animation, VIEW3D_MT_pose_ik
from bpy.utils import register_class, unregister_class

_MENUS = (VIEW3D_MT_pose_ik, VIEW3D_MT_object_animation)


class TWO_BONE_IK_MT_chains(Menu):
    """All that can be done with limbs of two bones"""

    bl_label = "Two-Bone IK"

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.operator("two_bone_ik.chains_detect")
        layout.operator("two_bone_ik.chains_from_constraints")
        layout.operator("two_bone_ik.chain_add")
        layout.operator("two_bone_ik.chain_remove")
        layout.operator("two_bone_ik.chain_move", text="Move Two-Bone IK Chain Up").direction = "UP"
        layout.operator("two_bone_ik.chain_move", text="Move Two-Bone IK Chain Down").direction = "DOWN"
        layout.separator()
        layout.operator_menu_enum("two_bone_ik.create_targets", "kind")
        layout.operator("two_bone_ik.remove_targets")
        layout.operator("two_bone_ik.snap_targets")
        layout.operator("two_bone_ik.bake_targets", text="Bake Two-Bone IK Targets from Pose...")
        layout.operator("two_bone_ik.change_target_space", text="Change Two-Bone IK Target Space...")
        layout.operator("two_bone_ik.pin")
        layout.operator("two_bone_ik.pin", text="Pin Two-Bone IK Limbs over Range...").over_range = True
        layout.operator("two_bone_ik.hold")
        layout.operator("two_bone_ik.holds_update")
        layout.operator("two_bone_ik.hold_remove")
        layout.operator("two_bone_ik.plant")
        layout.separator()
        layout.operator("two_bone_ik.drag")
        layout.operator("two_bone_ik.solve")
        layout.operator("two_bone_ik.flip_bend")
        layout.operator("two_bone_ik.reveal")
        layout.operator("two_bone_ik.settings_copy", text="Copy Two-Bone IK Settings to All")
        mirrored = layout.operator("two_bone_ik.settings_copy", text="Copy Two-Bone IK Settings to Other Side")
        mirrored.to = "OTHER_SIDE"
        layout.operator("two_bone_ik.side_decide")
        layout.operator("two_bone_ik.bend_limits_take")
        layout.separator()
        layout.operator("two_bone_ik.check", text="Check Two-Bone IK...")
        layout.operator("two_bone_ik.markers_remove")
        layout.operator("two_bone_ik.bake", text="Bake Two-Bone IK...")
        layout.operator("two_bone_ik.worst_frame")
        layout.separator()
        layout.operator("two_bone_ik.switch", text="Switch Two-Bone IK Limbs to FK...").direction = "FK"
        layout.operator("two_bone_ik.switch", text="Switch Two-Bone IK Limbs to IK...").direction = "IK"


def _draw(menu: Menu, context: Context) -> None:
    from ..blender.in_hand import rig_in_hand

    if rig_in_hand(context):
        menu.layout.separator()
        menu.layout.menu("TWO_BONE_IK_MT_chains")


def register() -> None:
    """Append the menu."""
    register_class(TWO_BONE_IK_MT_chains)
    for menu in _MENUS:
        menu.append(_draw)


def unregister() -> None:
    """Remove it."""
    for menu in _MENUS:
        menu.remove(_draw)
    unregister_class(TWO_BONE_IK_MT_chains)
