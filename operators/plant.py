"""Let captured feet stand where they touch the ground."""

from typing import Any, cast

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event
from bpy.utils import register_classes_factory

from ..blender.armatures import Rig
from ..blender.settings.hold_and_plant_properties import PLANT_FLOOR, PLANTED_RIG, PLANTED_SCENE, plant_option
from .armature_operator import (
    Result,
    api,
    in_hand,
)
from .frame_range import usual_range
from .progress import ProgressOperator


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
        with self.refusals_told():
            self._key_changes(context)
            return super().execute(context)
        return {"CANCELLED"}

    def _key_changes(self, context: Context) -> None:
        """Key contacts that were changed without a key, as auto keying would; if it is off, refuse to drop them."""
        from ..blender.plant import contact_keys, contact_stretches

        for rig in self.rigs(context):
            for bone in contact_stretches.unkeyed(rig, context.scene):
                if not context.scene.tool_settings.use_keyframe_insert_auto:
                    kind = bone.two_bone_ik_contact.capitalize()
                    raise api.Refused("CONTACT_UNKEYED", object=rig, bone=bone.name, value=kind)
                bone.keyframe_insert("two_bone_ik_contact", group=contact_keys.GROUP)

    def request(self, context: Context, rig: Rig) -> "api.Request":
        from ..blender.targets.space import floor_named

        own: Any = self.properties if rig == in_hand.rig_in_hand(context) else rig
        prefix = "" if own == self.properties else "two_bone_ik_"
        chosen = {name: getattr(own, prefix + name) for name in PLANTED_RIG}
        # Properties hold single precision: what nobody has changed keeps its double.
        changed = {field: chosen[name] for name, field in _STILLNESS.items() if own.is_property_set(prefix + name)}
        all_keys = self.frame_range == "BONE_KEYS" and self.frame_step == 1.0
        return api.plant.request(
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


register, unregister = register_classes_factory((TWO_BONE_IK_OT_plant,))
