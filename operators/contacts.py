"""Set from when to when feet stand, and show where they do."""

from typing import Any

from bpy.app.translations import pgettext_iface, pgettext_tip
from bpy.types import Context, Event, OperatorProperties

from ..blender.armatures import Rig
from ..blender.options import option
from .armature_operator import ArmatureOperator, Result, api, in_hand, redraw_views, registration


class TWO_BONE_IK_OT_contact_select(ArmatureOperator):
    """Go to these frames of a contact and select them. Shift: select up to here"""

    bl_idname = "two_bone_ik.contact_select"
    bl_label = "Select Contact"
    bl_options = {"UNDO", "INTERNAL"}

    bone: option("contacts", "bone")
    frame: option("contacts", "frame")

    @classmethod
    def description(cls, context: Context, properties: OperatorProperties) -> str:
        from ..blender.plant import contact_stretches

        wanted: Any = properties
        row = contact_stretches.rows(in_hand.rig_in_hand(context)).get(wanted.bone)
        about = pgettext_tip(cls.__doc__ or "")
        if row is None:
            return about
        start, end, kind = contact_stretches.stretch_at(row, wanted.frame)
        return f"{pgettext_iface(kind.capitalize())}, {start} - {end}. {about}"

    def invoke(self, context: Context, event: Event) -> Result:
        self._extends = event.shift
        return self.execute(context)

    def run(self, context: Context, rig: Any) -> None:
        from ..blender.plant import contact_stretches
        from ..blender.scene.probe import set_frame

        if row := contact_stretches.rows(rig).get(self.bone):
            start, end, _ = contact_stretches.stretch_at(row, self.frame)
            if getattr(self, "_extends", False) and rig.two_bone_ik_contact_bone == self.bone:
                start, end = min(start, rig.two_bone_ik_contact_start), max(end, rig.two_bone_ik_contact_end)
            rig.two_bone_ik_contact_bone = self.bone
            rig.two_bone_ik_contact_start, rig.two_bone_ik_contact_end = start, end
            set_frame(context.scene, self.frame)


class TWO_BONE_IK_OT_contact_set(ArmatureOperator):
    """Key what the foot stands on over the selected frames. Before and after, it stands as it did"""

    bl_idname = "two_bone_ik.contact_set"
    bl_label = "Set Two-Bone IK Contact"

    bone: option("contacts", "bone")
    contact: option("pose_bone", "contact")
    frame_start: option("range", "frame_start")
    frame_end: option("range", "frame_end")

    def execute(self, context: Context) -> Result:
        from ..blender.plant import contact_stretches

        given = self.properties.is_property_set
        bone, start, end = contact_stretches.selected(in_hand.rig_in_hand(context), context.scene)
        self.bone = self.bone or bone
        self.frame_start = self.frame_start if given("frame_start") else start
        self.frame_end = max(self.frame_end if given("frame_end") else end, self.frame_start)
        return super().execute(context)

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.plant import contact_stretches

        if self.bone not in rig.pose.bones:
            raise api.Refused("NO_CONTACT_BONE", object=rig, bone=self.bone)
        contact_stretches.set_kind(rig, context.scene, self.bone, self.frame_start, self.frame_end, self.contact)


class TWO_BONE_IK_OT_foot_paths(ArmatureOperator):
    """Show over which paths feet go, as planted and as captured, and where they stand over the range; or hide them"""

    bl_idname = "two_bone_ik.foot_paths"
    bl_label = "Show Two-Bone IK Foot Paths"
    bl_options = set()  # it changes nothing

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.plant import foot_paths

        manager: Any = context.window_manager
        if foot_paths.paths(rig):
            foot_paths.forget(rig)
        else:
            foot_paths.sample(rig, context.scene)
            manager.two_bone_ik_overlay = True
        redraw_views()


register, unregister = registration(globals())
