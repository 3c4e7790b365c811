"""Key a range of frames."""

from bpy.props import BoolProperty, EnumProperty, FloatProperty
from bpy.types import Context, Keyframe

from .. import api
from .gradual import GradualOperator


def _keyframe_items(field: str, *identifiers: str) -> tuple[tuple[str, str, str, str, int], ...]:
    """Blender's own words and icons for a choice; all there are where no identifiers are given."""
    items = Keyframe.bl_rna.properties[field].enum_items
    return tuple(
        (item.identifier, item.name, item.description, item.icon, item.value)
        for item in items
        if not identifiers or item.identifier in identifiers
    )


class TWO_BONE_IK_OT_bake(GradualOperator):
    """Key the bones of all chains over a range of frames"""

    bl_idname = "two_bone_ik.bake"
    bl_label = "Bake Two-Bone IK"
    confirm_text = "Bake"

    keys: EnumProperty(
        name="Keys",
        description="Which frames get keys",
        items=(
            ("EVERY_FRAME", "Every Frame", "Each frame of the range"),
            ("TARGET_KEYS", "Target Keys", "The frames on which target or pole target have keys"),
            ("REDUCED", "Reduced", "As few as keep the joints within a tolerance on every frame"),
        ),
    )
    tolerance: FloatProperty(
        name="Tolerance",
        description="How far a joint may be off on any frame",
        subtype="DISTANCE",
        default=0.001,
        min=1e-6,
        soft_max=0.1,
        precision=4,
    )
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

    def steps(self, context: Context) -> api.Steps:
        style = api.KeyStyle(
            keys=api.Keys(self.keys),
            tolerance=self.tolerance,
            interpolation=self.interpolation,
            key_type=self.key_type,
            new_action=self.new_action,
        )
        rig = context.object
        return (
            yield from api.baking(
                rig,
                self.chains(rig),
                self.frames(context),
                scene=context.scene,
                style=style,
                mute_constraints=self.mute_constraints,
                sampling=self.sampling,
            )
        )

    def draw_choices(self) -> None:
        layout = self.layout
        layout.separator()
        layout.prop(self, "keys")
        if self.keys == "REDUCED":
            layout.prop(self, "tolerance")
        layout.prop(self, "interpolation")
        layout.prop(self, "key_type")
        layout.prop(self, "new_action")
        layout.separator()
        layout.prop(self, "mute_constraints")


CLASSES = (TWO_BONE_IK_OT_bake,)
