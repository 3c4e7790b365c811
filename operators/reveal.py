"""Mend what hides a limb."""

from bpy.types import Context
from bpy.utils import register_classes_factory

from ..blender.armatures import Rig
from .common import ChainOperator, active_names, api


class TWO_BONE_IK_OT_reveal(ChainOperator):
    """Let the active limb show: unmute its chain, mute the constraint on top of it, or turn the rig's switch"""

    bl_idname = "two_bone_ik.reveal"
    bl_label = "Reveal Two-Bone IK Limb"

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.live import hiding
        from ..blender.live.limb_state import limb_states

        chain = rig.two_bone_ik_chains[active_names(rig)[0]]
        found = limb_states(rig, context.scene, context.view_layer.depsgraph)[chain.name]
        if chain.mute:
            chain.mute = False
        elif found.hiding is None:
            raise api.Refused("NOT_HIDDEN", chain=chain)
        else:
            for note in hiding.mend(rig, found.hiding):
                self.report({"INFO"}, note)


register, unregister = register_classes_factory((TWO_BONE_IK_OT_reveal,))
