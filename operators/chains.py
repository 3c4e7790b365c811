"""Edit the list of chains of the active armature."""

from bpy.props import EnumProperty
from bpy.types import Context, Object

from .. import api
from ..blender.properties import HINGE_AXES, active_chain, is_from_library
from .common import ArmatureOperator, ChainOperator, active_names


class TWO_BONE_IK_OT_chain_add(ArmatureOperator):
    """Add a chain that ends with the active bone and starts with its parent"""

    bl_idname = "two_bone_ik.chain_add"
    bl_label = "Add Two-Bone IK Chain"

    @classmethod
    def missing(cls, context: Context) -> str:
        return super().missing(context) or ("" if context.object.data.bones.active else "Select the end bone of a limb")

    def run(self, context: Context, rig: Object) -> None:
        api.add_chain(rig, rig.data.bones.active.name)


class _ListOperator(ChainOperator):
    @classmethod
    def missing(cls, context: Context) -> str:
        missing = super().missing(context)
        if missing:
            return missing
        chain = active_chain(context.object)
        if chain is None:
            return "Select a chain in the list"
        return "The chain belongs to the library of the armature: mute it instead" if is_from_library(chain) else ""


class TWO_BONE_IK_OT_chain_remove(_ListOperator):
    """Remove the active chain; bones and keys stay as they are"""

    bl_idname = "two_bone_ik.chain_remove"
    bl_label = "Remove Two-Bone IK Chain"

    def run(self, context: Context, rig: Object) -> None:
        rig.two_bone_ik_chains.remove(rig.two_bone_ik_active)
        rig.two_bone_ik_active = min(rig.two_bone_ik_active, len(rig.two_bone_ik_chains) - 1)


class TWO_BONE_IK_OT_chain_move(_ListOperator):
    """Move the active chain in the list"""

    bl_idname = "two_bone_ik.chain_move"
    bl_label = "Move Two-Bone IK Chain"

    direction: EnumProperty(
        name="Direction",
        description="Where to move the chain",
        items=(("UP", "Up", "Towards the top of the list"), ("DOWN", "Down", "Towards the bottom of the list")),
    )

    def run(self, context: Context, rig: Object) -> None:
        step = -1 if self.direction == "UP" else 1
        index = min(max(rig.two_bone_ik_active + step, 0), len(rig.two_bone_ik_chains) - 1)
        rig.two_bone_ik_chains.move(rig.two_bone_ik_active, index)
        rig.two_bone_ik_active = index


class TWO_BONE_IK_OT_side_decide(ChainOperator):
    """Choose the side to which the active chain bends, for limbs that are all but straight at rest"""

    bl_idname = "two_bone_ik.side_decide"
    bl_label = "Decide Two-Bone IK Side"

    axis: EnumProperty(
        name="Axis",
        description="The axis of the end bone about which positive angles bend the chain",
        items=(
            ("KEYS", "By Keys", "The axis about which the keys of the chain's own bones bend it most"),
            *HINGE_AXES[1:],
        ),
        options={"SKIP_SAVE"},
    )

    def run(self, context: Context, rig: Object) -> None:
        api.decide_side(rig, active_names(rig), axis=self.axis)


class TWO_BONE_IK_OT_bend_limits_take(ChainOperator):
    """Limit the bend of the active chain by the IK limits of its end bone"""

    bl_idname = "two_bone_ik.bend_limits_take"
    bl_label = "Limit Bend by IK Limits"

    def run(self, context: Context, rig: Object) -> None:
        api.take_bend_limits(rig, active_names(rig))


CLASSES = (
    TWO_BONE_IK_OT_chain_add,
    TWO_BONE_IK_OT_chain_remove,
    TWO_BONE_IK_OT_chain_move,
    TWO_BONE_IK_OT_side_decide,
    TWO_BONE_IK_OT_bend_limits_take,
)
