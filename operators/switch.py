"""Switch: let limbs of known rigs show their FK controls, or IK."""

from bpy.props import BoolProperty
from bpy.types import Context, Event
from bpy.utils import register_classes_factory

from ..blender.armatures import Rig
from ..blender.choices import choice
from .armature_operator import Result, api, in_hand, selected
from .progress import KeyOperator


class TWO_BONE_IK_OT_switch(KeyOperator):
    """Let limbs of a known rig show their FK controls, or IK, over a range: these are keyed so that the pose stays"""

    bl_idname = "two_bone_ik.switch"
    bl_label = "Switch Two-Bone IK Limbs"
    confirm_text = "Switch"
    needs_chains = False
    key_fields = ("keys", "tolerance", "key_type")

    direction: choice("layer", options={"SKIP_SAVE"})
    only_active: BoolProperty(
        name="Only Active Limb", description="Switch the limb of the selected bone alone", options={"SKIP_SAVE"}
    )

    def rigs(self, context: Context) -> list[Rig]:
        return [in_hand.rig_in_hand(context)] if self.only_active else selected(context)

    def invoke(self, context: Context, event: Event) -> Result:
        if self.properties.is_property_set("frame_start") and self.properties.is_property_set("frame_end"):
            self._window = context.window  # a button that names the frames has asked already
            self.show_range(context)
            return self.execute(context)
        return super().invoke(context, event)

    def request(self, context: Context, rig: Rig) -> "api.Request":
        return api.switching(
            rig,
            self.direction,
            [limb.name for limb in self._limbs(context, rig)] if self.only_active else None,
            self.frames(context),
            scene=context.scene,
            style=api.KeyStyle.of(self),
            sampling=self.sampling,
            measure=self.measure,
        )

    def draw_choices(self) -> None:
        self.layout.prop(self, "direction")
        super().draw_choices()

    def taking_part(self, context: Context, rig: Rig) -> tuple[list[str], list[str]]:
        return [limb.name for limb in self._limbs(context, rig)], []

    def _limbs(self, context: Context, rig: Rig) -> "tuple[api.KnownLimb, ...]":
        if self.only_active:
            return (api.known_limb_of(rig, in_hand.bone_in_hand(context)),)
        return api.known_limbs(rig)


register, unregister = register_classes_factory((TWO_BONE_IK_OT_switch,))
