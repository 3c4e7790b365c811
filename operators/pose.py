"""Pose the current frame, key a range, let feet stand, switch limbs of known rigs, and mend what hides the pose."""

from typing import Any, cast

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty
from bpy.types import Addon, Context, Event
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.armatures import Rig
from ..blender.choices import choice
from ..blender.key_settings import DEFAULTS, KeyProperties
from .common import ChainOperator, Result, active_names, api, in_hand, selected, selected_with_chains
from .frame_range import usual_range
from .progress import KeyOperator, ProgressOperator


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
        return api.baking(
            rig,
            self.chains(rig),
            self.frames(context),
            scene=context.scene,
            style=api.KeyStyle.of(self),
            mute_constraints=self.mute_constraints,
            sampling=self.sampling,
            measure=self.measure,
            beside=self.rigs(context),
        )

    def draw_choices(self) -> None:
        super().draw_choices()
        self.layout.prop(self, "new_action")


def _flag(name: str, description: str) -> Any:
    """A property that each press sets anew."""
    return BoolProperty(name=name, description=description, options={"SKIP_SAVE"})


def _stillness(name: str, description: str, default: float, unit: Any = "NONE") -> Any:
    """A property for a field of `api.Stillness`, whose default it has."""
    return FloatProperty(
        name=name,
        description=description,
        default=default,
        unit=unit,
        min=0.001,
        soft_max=1.0,
        precision=3,
        step=1,
        options={"SKIP_SAVE"},
    )


_STILLNESS = {
    "contact_speed": "speed",
    "contact_height": "height",
    "shortest_contact": "contact",
    "shortest_gap": "gap",
}
"""Fields of `api.Stillness` by the properties of the operator below."""


class TWO_BONE_IK_OT_plant(ProgressOperator):
    """Key captured legs anew, in a copy of the action, so that feet stay where they stand. Pressed again, it begins
    from the captured motion, with the contacts as they are keyed now"""

    bl_idname = "two_bone_ik.plant"
    bl_label = "Plant Two-Bone IK Feet"
    needs_chains = False

    plants: choice("plants", options={"ENUM_FLAG", "SKIP_SAVE"}, default={"LEGS"})
    hips: StringProperty(
        name="Hips",
        description="The bone to lower. Empty for the nearest that carries legs and arms",
        options={"SKIP_SAVE"},
    )
    sideways: _flag("Sideways", "Let the hips move sideways as well, so that they go down less")
    keep: choice("keep", options={"ENUM_FLAG", "SKIP_SAVE"})
    floor: StringProperty(
        name="Floor", description="The object to stand on. Empty for level ground", options={"SKIP_SAVE"}
    )
    flat_feet: _flag("Flat Feet", "Turn feet so that they lie flat, as at rest, while ball and heel stand")
    use_height: _flag("Floor Height", "Take level ground at a height, instead of finding it")
    height: FloatProperty(
        name="Height", description="Height of the level ground", subtype="DISTANCE", options={"SKIP_SAVE"}
    )
    find: _flag("Find Contacts", "Find contacts anew, also where they are keyed")
    contact_speed: _stillness("Contact Speed", "What is faster does not stand, in leg lengths a second", 0.15)
    contact_height: _stillness("Contact Height", "What is higher above the ground does not stand, in leg lengths", 0.03)
    shortest_contact: _stillness("Shortest Contact", "A foot stands for so long at least", 0.1, "TIME_ABSOLUTE")
    shortest_gap: _stillness(
        "Shortest Gap", "A foot is free for so long at least, between two contacts", 0.06, "TIME_ABSOLUTE"
    )
    leave_targets: _flag("Leave Targets", "Give the limbs targets as well, keyed as they now move")

    def rigs(self, context: Context) -> list[Rig]:
        return super().rigs(context) if self.only_active else selected(context)

    def usual_range(self, context: Context) -> str:
        usual = usual_range(context)
        return "BONE_KEYS" if usual == "SCENE" else usual

    def invoke(self, context: Context, _event: Event) -> Result:
        self._window = context.window
        return self.execute(context)

    def execute(self, context: Context) -> Result:
        self.show_range(context)
        rig, scene = in_hand.rig_in_hand(context), cast(Any, context.scene)
        in_panel = {
            "plants": rig.two_bone_ik_plants,
            "hips": rig.two_bone_ik_hips,
            "sideways": rig.two_bone_ik_sideways,
            "keep": rig.two_bone_ik_keep,
            "flat_feet": rig.two_bone_ik_flat_feet,
            "floor": scene.two_bone_ik_floor.name if scene.two_bone_ik_floor else "",
        }
        for name, value in in_panel.items():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        return super().execute(context)

    def request(self, context: Context, rig: Rig) -> "api.Request":
        from ..blender.pipeline.read.space import floor_named

        in_panel = rig == in_hand.rig_in_hand(context)
        all_keys = self.frame_range == "BONE_KEYS" and self.frame_step == 1.0
        return api.planting(
            rig,
            self.chains(rig),
            None if all_keys else self.frames(context),
            scene=context.scene,
            find=self.find,
            limbs=self.plants if in_panel else rig.two_bone_ik_plants,
            hips=(self.hips if in_panel else rig.two_bone_ik_hips) or None,
            sideways=self.sideways if in_panel else rig.two_bone_ik_sideways,
            keep=self.keep if in_panel else rig.two_bone_ik_keep,
            floor=self.height if self.use_height else floor_named(self.floor),
            flat_feet=self.flat_feet if in_panel else rig.two_bone_ik_flat_feet,
            stillness=self.stillness(),
            leave_targets=self.leave_targets,
            sampling=self.sampling,
            measure=self.measure,
        )

    def stillness(self) -> "api.Stillness":
        # Properties hold single precision: what nobody has changed keeps its double.
        changed = {field: name for name, field in _STILLNESS.items() if self.properties.is_property_set(name)}
        return api.Stillness(**{field: getattr(self, name) for field, name in changed.items()})

    def draw_choices(self) -> None:
        layout = self.layout
        layout.row().prop(self, "plants", expand=True)
        layout.prop_search(self, "hips", in_hand.rig_in_hand(bpy.context).data, "bones")
        layout.prop(self, "sideways")
        layout.row().prop(self, "keep", expand=True)
        layout.prop(self, "use_height")
        if self.use_height:
            layout.prop(self, "height")
        else:
            layout.prop_search(self, "floor", bpy.data, "objects")
        layout.prop(self, "flat_feet")
        layout.prop(self, "find")
        for name in _STILLNESS:
            layout.prop(self, name)
        layout.prop(self, "leave_targets")

    def draw_chains(self, _context: Context) -> None:
        """None needs a target, so there is nothing to tell."""


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


register, unregister = register_classes_factory(
    (
        TWO_BONE_IK_OT_solve,
        TWO_BONE_IK_OT_flip_bend,
        TWO_BONE_IK_OT_reveal,
        TWO_BONE_IK_OT_bake,
        TWO_BONE_IK_OT_plant,
        TWO_BONE_IK_OT_switch,
    )
)
