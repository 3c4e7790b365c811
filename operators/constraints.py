"""Chains in place of the IK constraints that the active armature has."""

from bpy.types import Context, Object

from .. import api
from ..blender.messages.translation import translated
from .common import ArmatureOperator, selected


class TWO_BONE_IK_OT_chains_from_constraints(ArmatureOperator):
    """Add a chain for each IK constraint of two bones, posing the limb as the constraint does"""

    bl_idname = "two_bone_ik.chains_from_constraints"
    bl_label = "Two-Bone IK Chains from Constraints"

    def rigs(self, context: Context) -> list[Object]:
        return selected(context)

    def run(self, context: Context, rig: Object) -> None:
        found = api.chains_from_constraints(rig, scene=context.scene)
        for takeover in found:
            for line in takeover.lines():
                self.report({"WARNING"} if takeover.differs else {"INFO"}, line)
        names = ", ".join(takeover.chain for takeover in found if takeover.chain)
        told = translated(
            "Added {chains}" if names else "No IK constraint of two bones acts without a chain", chains=names
        )
        self.report({"INFO"}, told)


CLASSES = (TWO_BONE_IK_OT_chains_from_constraints,)
