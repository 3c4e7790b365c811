"""Copy what belongs to a report of a fault."""

from bpy.types import Context, Operator

from .armature_operator import Result, in_hand, registration


class TWO_BONE_IK_OT_system_info_copy(Operator):
    """Copy versions and the settings of chains to the clipboard, without names and paths, for the report of a fault"""

    bl_idname = "two_bone_ik.system_info_copy"
    bl_label = "Copy Two-Bone IK System Info"

    def execute(self, context: Context) -> Result:
        from ..blender.status.system_info import system_info

        context.window_manager.clipboard = system_info(in_hand.rig_in_hand(context))
        return {"FINISHED"}


register, unregister = registration(globals())
