"""Let limbs follow while an animator works."""

from bpy.types import Context

from ..blender.armatures import Rig
from .armature_operator import ChainOperator, in_hand, registration, selected_with_chains


class TWO_BONE_IK_OT_live(ChainOperator):
    """Let the limbs of all selected armatures follow while targets and pole targets move, without keys; or no longer"""

    bl_idname = "two_bone_ik.live"
    bl_label = "Live Two-Bone IK"

    def rigs(self, context: Context) -> list[Rig]:
        self._live = not in_hand.rig_in_hand(context).two_bone_ik_live
        return selected_with_chains(context)

    def run(self, _context: Context, rig: Rig) -> None:
        rig.two_bone_ik_live = self._live


register, unregister = registration(globals())
