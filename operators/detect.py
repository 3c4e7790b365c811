"""Chains for the limbs that the active armature has."""

from bpy.props import EnumProperty
from bpy.types import Context, Object

from .. import api
from ..blender.messages.translation import translated
from .common import ArmatureOperator, selected


class TWO_BONE_IK_OT_chains_detect(ArmatureOperator):
    """Find arms and legs by the names of the bones or by their structure, and add a chain for each that has none"""

    bl_idname = "two_bone_ik.chains_detect"
    bl_label = "Detect Two-Bone IK Limbs"

    # Who asked for fingers once does not ask for them each time.
    kinds: EnumProperty(
        name="Limbs",
        description="Which limbs to add",
        items=(
            ("ARMS", "Arms", "Arms, wings, and single limbs"),
            ("LEGS", "Legs", "Legs, and the forelegs of quadrupeds"),
            ("FINGERS", "Fingers", "Each with its first two bones"),
            ("SPINE", "Spine", "From the hips to the chest"),
        ),
        options={"ENUM_FLAG", "SKIP_SAVE"},
        default={"ARMS", "LEGS"},
    )

    def rigs(self, context: Context) -> list[Object]:
        return selected(context)

    def run(self, context: Context, rig: Object) -> None:
        added = api.add_detected(rig, self.kinds)
        names = ", ".join(limb.chain for limb in added)
        told = translated(
            "{rig}: added {chains}" if names else "{rig}: all limbs that are found have a chain",
            rig=rig.name,
            chains=names,
        )
        self.report({"INFO"}, told)


CLASSES = (TWO_BONE_IK_OT_chains_detect,)
