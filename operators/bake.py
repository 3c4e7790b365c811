"""Key a range of frames."""

from bpy.props import BoolProperty
from bpy.types import Addon, Context, Event
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.armatures import Rig
from ..blender.key_settings import DEFAULTS, KeyProperties
from .common import Result, api
from .progress import KeyOperator


class TWO_BONE_IK_OT_bake(KeyProperties, KeyOperator):
    """Key the bones of all chains over a range of frames"""

    bl_idname = "two_bone_ik.bake"
    bl_label = "Bake Two-Bone IK"
    confirm_text = "Bake"

    new_action: BoolProperty(
        name="New Action",
        description="Key a copy of the action, and leave the action as it is",
        default=DEFAULTS.new_action,
    )

    def invoke(self, context: Context, event: Event) -> Result:
        addon: Addon | None = context.preferences.addons.get(base_package)
        for name in self.key_fields if addon else ():
            if not self.properties.is_property_set(name):
                setattr(self, name, getattr(addon.preferences, name))
        return super().invoke(context, event)

    def request(self, context: Context, rig: Rig) -> "api.Request":
        return api.baking(
            rig,
            self.chains(rig),
            self.frames(context),
            scene=context.scene,
            style=api.KeyStyle.of(self),
            mute_constraints=self.mute_constraints,
            sampling=self.sampling,
            measure=self.measure,
            beside=[other for other in self.rigs(context) if other != rig],
        )

    def draw_choices(self) -> None:
        super().draw_choices()
        self.layout.prop(self, "new_action")


register, unregister = register_classes_factory((TWO_BONE_IK_OT_bake,))
