"""Pose the current frame, key a range, let feet stand, switch limbs of known rigs, and mend what hides the pose."""

from typing import Any, cast

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Addon, Context, Event
from bpy.utils import register_classes_factory

from .. import __package__ as base_package
from ..blender.armatures import Rig
from ..blender.choices import choice
from ..blender.settings.hold_and_plant_properties import PLANT_FLOOR, PLANTED_RIG, PLANTED_SCENE, plant_option
from ..blender.settings.key_settings import DEFAULTS, KeyProperties
from .armature_operator import ChainOperator, Result, active_names, api, in_hand, selected_with_chains
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
        from ..blender.status import hiding
        from ..blender.status.limb_state import limb_states

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

    def shown_choices(self) -> list[str]:
        from ..blender.chains.limbs import hiding_constraints

        mutes = any(hiding_constraints(rig) for rig in self.rigs(bpy.context))
        return [name for name in super().shown_choices() if name != "mute_constraints" or mutes]


def _flag(name: str, description: str) -> Any:
    """A property that each press sets anew."""
    return BoolProperty(name=name, description=description, options={"SKIP_SAVE"})


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

    plants: plant_option("plants", {"SKIP_SAVE"})
    hips: plant_option("hips", {"SKIP_SAVE"})
    sideways: plant_option("sideways", {"SKIP_SAVE"})
    keep: plant_option("keep", {"SKIP_SAVE"})
    floor: StringProperty(**PLANT_FLOOR, options={"SKIP_SAVE"})
    use_height: plant_option("use_height", {"SKIP_SAVE"})
    height: plant_option("height", {"SKIP_SAVE"})
    flat_feet: plant_option("flat_feet", {"SKIP_SAVE"})
    find: _flag("Find Contacts", "Find contacts anew, also where somebody has keyed them")
    contact_speed: plant_option("contact_speed", {"SKIP_SAVE"})
    contact_height: plant_option("contact_height", {"SKIP_SAVE"})
    shortest_contact: plant_option("shortest_contact", {"SKIP_SAVE"})
    shortest_gap: plant_option("shortest_gap", {"SKIP_SAVE"})
    leave_targets: _flag("Leave Targets", "Give the limbs targets as well, keyed as they now move")

    def usual_range(self, context: Context) -> str:
        usual = usual_range(context)
        return "BONE_KEYS" if usual == "SCENE" else usual

    def invoke(self, context: Context, _event: Event) -> Result:
        self._window = context.window
        return self.execute(context)

    def execute(self, context: Context) -> Result:
        self.show_range(context)
        rig, scene = in_hand.rig_in_hand(context), cast(Any, context.scene)
        given = self.properties.is_property_set
        floor = () if given("floor") or given("use_height") else PLANTED_SCENE
        for owner, names in ((rig, PLANTED_RIG), (scene, floor)):
            for name in names:
                if owner.is_property_set(f"two_bone_ik_{name}") and not given(name):
                    setattr(self, name, getattr(owner, f"two_bone_ik_{name}"))
        if scene.two_bone_ik_floor and not given("floor"):
            self.floor = scene.two_bone_ik_floor.name
        return super().execute(context)

    def request(self, context: Context, rig: Rig) -> "api.Request":
        from ..blender.targets.space import floor_named

        own: Any = self.properties if rig == in_hand.rig_in_hand(context) else rig
        prefix = "" if own == self.properties else "two_bone_ik_"
        chosen = {name: getattr(own, prefix + name) for name in PLANTED_RIG}
        # Properties hold single precision: what nobody has changed keeps its double.
        changed = {field: chosen[name] for name, field in _STILLNESS.items() if own.is_property_set(prefix + name)}
        all_keys = self.frame_range == "BONE_KEYS" and self.frame_step == 1.0
        return api.planting(
            rig,
            self.chains(rig),
            None if all_keys else self.frames(context),
            scene=context.scene,
            find=self.find,
            limbs=chosen["plants"],
            hips=chosen["hips"] or None,
            sideways=chosen["sideways"],
            keep=chosen["keep"],
            floor=self.height if self.use_height else floor_named(self.floor),
            flat_feet=chosen["flat_feet"],
            stillness=api.Stillness(**changed),
            leave_targets=self.leave_targets,
            sampling=self.sampling,
            measure=self.measure,
        )

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
