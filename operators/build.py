"""Build limbs into the rig, so that they move without this extension, and take them out again."""

from bpy.types import Context

from ..blender.armatures import Rig
from .armature_operator import SelectedChainsOperator, api, unkeyed_moves
from .progress import RequestOperator


class TWO_BONE_IK_OT_build(RequestOperator, SelectedChainsOperator):
    """Build the limbs into the rig out of bones, constraints and drivers, so that they move without this extension"""

    bl_label = "Build into Rig"

    def seen(self, _context: Context, rig: Rig) -> "unkeyed_moves.Points":
        return unkeyed_moves.targets(rig, self.chains(rig))

    def request(self, context: Context, rig: Rig) -> "api.Request":
        return api.build.request(rig, self.chains(rig), scene=context.scene)


class TWO_BONE_IK_OT_unbuild(SelectedChainsOperator):
    """Take out of the rig what Build into Rig has built"""

    bl_label = "Remove from Rig"
    needs_chains = False

    def run(self, context: Context, rig: Rig) -> "api.Report":
        return api.unbuild(rig, self.chains(rig), scene=context.scene)
