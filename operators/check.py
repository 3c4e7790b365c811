"""The report of a bake without its keys, and the way from a report to what it tells of."""

from bpy.props import BoolProperty, FloatProperty
from bpy.types import Context, Operator
from bpy.utils import register_classes_factory

from ..blender.armatures import Rig
from .armature_operator import ArmatureOperator, ChainOperator, Result, api, selected_with_chains
from .frame_range import RangeOperator


class TWO_BONE_IK_OT_check(RangeOperator):
    """Tell on which frames targets are out of reach or limbs flip, without a key"""

    bl_idname = "two_bone_ik.check"
    bl_label = "Check Two-Bone IK"
    confirm_text = "Check"

    add_markers: BoolProperty(
        name="Add Markers", description="Mark these frames on the timeline, in place of the last check's markers"
    )

    def run(self, context: Context, rig: Rig) -> "api.Report":
        return api.check(
            rig,
            self.chains(rig),
            self.frames(context),
            scene=context.scene,
            sampling=self.sampling,
            add_markers=self.add_markers,
        )

    def draw_choices(self) -> None:
        self.layout.prop(self, "add_markers")


class TWO_BONE_IK_OT_markers_remove(ChainOperator):
    """Remove the timeline markers that checks of this armature have added"""

    bl_idname = "two_bone_ik.markers_remove"
    bl_label = "Remove Two-Bone IK Markers"

    def rigs(self, context: Context) -> list[Rig]:
        return selected_with_chains(context)

    def run(self, context: Context, rig: Rig) -> None:
        api.remove_markers(rig, scene=context.scene)


class TWO_BONE_IK_OT_worst_frame(ArmatureOperator):
    """Go to the frame on which, as the report has it, a limb is farthest from how it was solved"""

    bl_idname = "two_bone_ik.worst_frame"
    bl_label = "Go to Worst Two-Bone IK Frame"

    @classmethod
    def lacks(cls, context: Context, rig: Rig) -> str:
        return super().lacks(context, rig) or (
            "" if _worst(rig) else "The last report of the armature tells of no limb that is posed otherwise"
        )

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.scene.probe import set_frame

        if worst := _worst(rig):
            frame, _ = worst
            set_frame(context.scene, frame)


class TWO_BONE_IK_OT_go_to_frame(Operator):
    """Go to the frame on which this shows most"""

    bl_idname = "two_bone_ik.go_to_frame"
    bl_label = "Go to Frame"
    bl_options = {"UNDO", "INTERNAL"}

    frame: FloatProperty(name="Frame", description="The frame to go to", options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Result:
        from ..blender.scene.probe import set_frame

        set_frame(context.scene, self.frame)
        return {"FINISHED"}


def _worst(rig: Rig) -> tuple[float, float] | None:
    """Frame and distance at which the last report has a limb farthest off; None without such a report."""
    from ..blender.bake.report import last

    report = last(rig)
    return report.worst if report else None


register, unregister = register_classes_factory(
    (
        TWO_BONE_IK_OT_check,
        TWO_BONE_IK_OT_markers_remove,
        TWO_BONE_IK_OT_worst_frame,
        TWO_BONE_IK_OT_go_to_frame,
    )
)
