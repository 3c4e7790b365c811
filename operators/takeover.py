"""Chains from IK constraints."""

from bpy.types import Context

from ..blender.armatures import Rig
from .armature_operator import ArmatureOperator, api, show_in_panel


class TWO_BONE_IK_OT_chains_from_constraints(ArmatureOperator):
    """Add a chain for each IK constraint of two bones, or of a leg of three, posing the limb as the constraint does"""

    bl_label = "Two-Bone IK Chains from Constraints"
    takes_selected = True

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.bake.report import Report
        from ..blender.messages.translation import Alert

        takeovers = api.chains_from_constraints(rig, scene=context.scene)
        names = ", ".join(takeover.chain for takeover in takeovers if takeover.chain)
        self.inform("note.added_to" if names else "note.no_constraint", rig=rig.name, chains=names)
        # The last line shows in the status bar: a difference, if there is one.
        ordered = sorted(takeovers, key=lambda takeover: bool(takeover.differs))
        for takeover in ordered:
            for line in takeover.lines():
                self.report({"WARNING"} if takeover.differs else {"INFO"}, line)
        notes = tuple((Alert if taken.differs else str)(" ".join(map(str.strip, taken.lines()))) for taken in ordered)
        show_in_panel(Report(rig=rig.name, chains=(), notes=notes, operation="Take Over IK Constraints"))
