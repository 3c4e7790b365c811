"""Show FK or IK on limbs of known rigs, and let a hidden limb show."""

from bpy.types import Context, Event

from ..blender.armatures import Rig
from ..blender.options import option
from .armature_operator import ArmatureOperator, ChainOperator, Result, api, in_hand, unkeyed_moves
from .progress import EachActionOperator, KeyOperator


class TWO_BONE_IK_OT_reveal(ChainOperator):
    """Let the active limb show: unmute its chain, mute the constraint on top of it, or set the rig's switch"""

    bl_label = "Reveal Two-Bone IK Limb"

    def run(self, context: Context, rig: Rig) -> "api.Report | None":
        from ..blender.status import hiding
        from ..blender.status.limb_state import limb_states

        chain = rig.two_bone_ik_chains[self.active_names(rig)[0]]
        state = limb_states(rig, context.scene, context.view_layer.depsgraph)[chain.name]
        if chain.mute:
            chain.mute = False
        elif state.hiding is None:
            raise api.Refused("NOT_HIDDEN", chain=chain)
        elif hiding.can_be_set(rig, state.hiding):
            for note in hiding.mend(rig, state.hiding):
                self.report({"INFO"}, note)
        else:
            limb, frame = api.known_limb_of(rig, chain.end_bone), context.scene.frame_current_final
            if self.window:
                unkeyed_moves.refuse(unkeyed_moves.of_limbs(rig, [limb]), context.evaluated_depsgraph_get())
            return api.switch(rig, "FK", [limb.name], (frame, frame), scene=context.scene)
        return None


class TWO_BONE_IK_OT_switch(EachActionOperator, KeyOperator):
    """Let limbs of a known rig show their FK controls, or IK, over a range: these are keyed so that the pose stays"""

    bl_label = "Switch Two-Bone IK Limbs"
    needs_chains = False
    key_fields = ("keys", "key_type")
    reads = ("BONE_KEYS",)

    keys: option("switch", "keys")
    direction: option("switch", "direction")
    only_active: option("switch", "only_active")

    def invoke(self, context: Context, event: Event) -> Result:
        if self.properties.is_property_set("frame_start") and self.properties.is_property_set("frame_end"):
            self.show_range("CUSTOM")  # a button that names the frames has asked already
            return ArmatureOperator.invoke(self, context, event)
        return super().invoke(context, event)

    def request(self, context: Context, rig: Rig) -> "api.Request | list[api.Request]":
        names = [limb.name for limb in self._limbs(context, rig)] if self.only_active else None
        return api.switch.request(rig, self.direction, names, **self.asked(context), **self.key_settings(context))

    def seen(self, context: Context, rig: Rig) -> "unkeyed_moves.Points":
        return unkeyed_moves.of_limbs(rig, self._limbs(context, rig))

    def draw_choices(self) -> None:
        self.layout.prop(self, "direction")
        super().draw_choices()

    def taking_part(self, context: Context, rig: Rig) -> tuple[list[str], list[str]]:
        return [limb.name for limb in self._limbs(context, rig)], []

    def _limbs(self, context: Context, rig: Rig) -> "tuple[api.KnownLimb, ...]":
        if self.only_active:
            return (api.known_limb_of(rig, in_hand.bone_in_hand(context)),)
        return api.known_limbs(rig)
