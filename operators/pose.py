"""Pose the current frame, key a range, and mend what hides the pose."""

from typing import Any

from bpy.props import BoolProperty
from bpy.types import Addon, Context, Event
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.armatures import Rig
from ..blender.key_settings import DEFAULTS, KeyProperties
from .armature_operator import ChainOperator, Result, active_names, api, selected_with_chains
from .progress import KeyOperator


class TWO_BONE_IK_OT_solve(ChainOperator):
    """Pose all chains on the current frame; with auto keying on, key them as well"""

    bl_idname = "two_bone_ik.solve"
    bl_label = "Solve Two-Bone IK"

    def rigs(self, context: Context) -> list[Rig]:
        return api.followed_first(selected_with_chains(context))

    def run(self, context: Context, rig: Rig) -> "api.Report":
        insert_keys = context.scene.tool_settings.use_keyframe_insert_auto
        return api.solve(rig, scene=context.scene, insert_keys=insert_keys)


class TWO_BONE_IK_OT_flip_bend(ChainOperator):
    """Bend the active chain the other way and pose it so"""

    bl_idname = "two_bone_ik.flip_bend"
    bl_label = "Flip Two-Bone IK Bend"

    def run(self, context: Context, rig: Rig) -> "api.Report":
        return api.flip_bend(rig, active_names(rig), scene=context.scene)


class TWO_BONE_IK_OT_reveal(ChainOperator):
    """Let the active limb show: unmute its chain, mute the constraint on top of it, or turn the rig's switch"""

    bl_idname = "two_bone_ik.reveal"
    bl_label = "Reveal Two-Bone IK Limb"

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.live import hiding
        from ..blender.live.limb_state import limb_states

        chain = rig.two_bone_ik_chains[active_names(rig)[0]]
        found = limb_states(rig, context.scene, context.view_layer.depsgraph)[chain.name]
        if chain.mute:
            chain.mute = False
        elif found.hiding is None:
            raise api.Refused("NOT_HIDDEN", chain=chain)
        else:
            for note in hiding.mend(rig, found.hiding, chain.name, context.scene):
                self.report({"INFO"}, note)


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
        options: Any = self.properties  # each attribute of an operator takes Blender ten times as long
        return api.baking(
            rig,
            self.chains(rig),
            self.frames(context),
            scene=context.scene,
            style=api.KeyStyle.of(options),
            mute_constraints=options.mute_constraints,
            sampling=options.sampling,
            measure=options.measure,
            beside=self.rigs(context),
        )

    def draw_choices(self) -> None:
        super().draw_choices()
        self.layout.prop(self, "new_action")


register, unregister = register_classes_factory(
    (
        TWO_BONE_IK_OT_solve,
        TWO_BONE_IK_OT_flip_bend,
        TWO_BONE_IK_OT_reveal,
        TWO_BONE_IK_OT_bake,
    )
)
