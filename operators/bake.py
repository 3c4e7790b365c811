"""Pose the current frame, or key a range of frames."""

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Context, Event, Keyframe, Object

from .. import api
from ..blender.errors import Refused
from ..blender.properties import active_chain
from ..blender.report import Report
from .common import ChainOperator


def _keyframe_items(field: str, *identifiers: str) -> tuple[tuple[str, str, str, str, int], ...]:
    """Blender's own words and icons for a choice; all there are where no identifiers are given."""
    items = Keyframe.bl_rna.properties[field].enum_items
    return tuple(
        (item.identifier, item.name, item.description, item.icon, item.value)
        for item in items
        if not identifiers or item.identifier in identifiers
    )


class TWO_BONE_IK_OT_solve(ChainOperator):
    """Pose all chains on the current frame; with auto keying on, key them as well"""

    bl_idname = "two_bone_ik.solve"
    bl_label = "Solve Two-Bone IK"

    def run(self, context: Context) -> Report:
        insert_keys = context.scene.tool_settings.use_keyframe_insert_auto
        return api.solve(context.object, scene=context.scene, insert_keys=insert_keys)


class TWO_BONE_IK_OT_bake(ChainOperator):
    """Key the bones of all chains over a range of frames"""

    bl_idname = "two_bone_ik.bake"
    bl_label = "Bake Two-Bone IK"

    # The range is that of the scene each time, not that of the last bake.
    frame_start: IntProperty(name="Frame Start", description="First frame to key", default=1, options={"SKIP_SAVE"})
    frame_end: IntProperty(name="End", description="Last frame to key", default=250, options={"SKIP_SAVE"})
    frame_step: FloatProperty(
        name="Step", description="Frames from one key to the next", default=1.0, min=0.01, soft_min=0.1, soft_max=10.0
    )
    only_active: BoolProperty(name="Only Active Chain", description="Leave all other chains as they are")
    interpolation: EnumProperty(
        name="Interpolation",
        description="How values pass from one key to the next",
        items=_keyframe_items("interpolation", "CONSTANT", "LINEAR", "BEZIER"),
        default="BEZIER",
    )
    key_type: EnumProperty(name="Key Type", description="Type of the new keys", items=_keyframe_items("type"))
    new_action: BoolProperty(name="New Action", description="Key a copy of the action, and leave the action as it is")
    mute_constraints: BoolProperty(
        name="Mute IK Constraints",
        description="Mute inverse kinematics constraints on these bones, which would act on top of the keys",
        default=True,
    )
    sampling: EnumProperty(
        name="Sampling",
        description="How the motion of targets is read",
        items=(
            ("AUTO", "Auto", "The fastest way that is right for these targets"),
            ("CURVES", "Curves", "Read F-curves and evaluate nothing. For targets that move by keys alone"),
            ("ISOLATED", "Isolated", "Evaluate only what the targets depend on"),
            ("SCENE", "Scene", "Play the whole scene. For targets moved by physics or by scripts"),
        ),
    )

    def invoke(self, context: Context, _event: Event) -> set[str]:
        self._fill_range(context)
        return context.window_manager.invoke_props_dialog(self, confirm_text="Bake")

    def run(self, context: Context) -> Report:
        self._fill_range(context)
        rig = context.object
        return api.bake(
            rig,
            self._chains(rig),
            (self.frame_start, self.frame_end, self.frame_step),
            scene=context.scene,
            interpolation=self.interpolation,
            key_type=self.key_type,
            new_action=self.new_action,
            mute_constraints=self.mute_constraints,
            sampling=self.sampling,
        )

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column(align=True)
        column.prop(self, "frame_start")
        column.prop(self, "frame_end")
        column.prop(self, "frame_step")
        layout.prop(self, "only_active")
        layout.separator()
        layout.prop(self, "interpolation")
        layout.prop(self, "key_type")
        layout.prop(self, "new_action")
        layout.separator()
        layout.prop(self, "mute_constraints")
        layout.prop(self, "sampling")

    def _chains(self, rig: Object) -> list[str] | None:
        if not self.only_active:
            return None
        chain = active_chain(rig)
        if chain is None:
            sentence = f'"{rig.name}" has no active chain: select one in the list'
            raise Refused(sentence, kind="NO_ACTIVE_CHAIN", object=rig.name)
        return [chain.name]

    def _fill_range(self, context: Context) -> None:
        """Take the ends that nobody has set from the scene, or from its preview range where that is on."""
        scene = context.scene
        preview = scene.use_preview_range
        if not self.properties.is_property_set("frame_start"):
            self.frame_start = scene.frame_preview_start if preview else scene.frame_start
        if not self.properties.is_property_set("frame_end"):
            self.frame_end = scene.frame_preview_end if preview else scene.frame_end


CLASSES = (TWO_BONE_IK_OT_solve, TWO_BONE_IK_OT_bake)
