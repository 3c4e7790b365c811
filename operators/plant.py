"""Let captured feet stand where they touch the ground."""

from typing import Any, cast

import bpy
from bpy.types import Context, Event

from ..blender.armatures import Rig
from ..blender.options import option, rows, with_properties
from .armature_operator import Result, api, in_hand, registration
from .frame_range import usual_range
from .progress import ProgressOperator

_OF_RIG = rows("plant", owner="rig")
_OF_SCENE = rows("plant", owner="scene")
_OPTIONS = {name: row for name, row in rows("plant").items() if row["owner"] in ("rig", "scene", "operator")}
_STILLNESS = {name: row["stillness"] for name, row in _OPTIONS.items() if "stillness" in row}


@with_properties({name: option("plant", name, by_name=True, options={"SKIP_SAVE"}) for name in _OPTIONS})
class TWO_BONE_IK_OT_plant(ProgressOperator):
    """Key captured legs anew, in a copy of the action, so that feet stay where they stand. Pressed again, it begins
    from the captured motion, with the contacts as they are keyed now"""

    bl_idname = "two_bone_ik.plant"
    bl_label = "Plant Two-Bone IK Feet"
    needs_chains = False

    def usual_range(self, context: Context) -> str:
        usual = usual_range(context)
        return "BONE_KEYS" if usual == "SCENE" else usual

    def invoke(self, context: Context, _event: Event) -> Result:
        self._window = context.window
        return self.execute(context)

    def execute(self, context: Context) -> Result:
        self.show_range(context)
        rig, scene, options = in_hand.rig_in_hand(context), cast(Any, context.scene), cast(Any, self.properties)
        given = options.is_property_set
        level = {} if given("floor") or given("use_height") else _OF_SCENE
        for owner, names in ((rig, _OF_RIG), (scene, level)):
            for name in names:
                if name != "floor" and owner.is_property_set(f"two_bone_ik_{name}") and not given(name):
                    setattr(options, name, getattr(owner, f"two_bone_ik_{name}"))
        if scene.two_bone_ik_floor and not given("floor"):
            options.floor = scene.two_bone_ik_floor.name
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
                    kind = getattr(bone, contact_keys.FIELD).capitalize()
                    raise api.Refused("CONTACT_UNKEYED", object=rig, bone=bone.name, value=kind)
                bone.keyframe_insert(contact_keys.FIELD, group=contact_keys.GROUP)

    def request(self, context: Context, rig: Rig) -> "api.Request":
        from ..blender.targets.space import floor_named

        options: Any = self.properties
        own, prefix = (options, "") if rig == in_hand.rig_in_hand(context) else (cast(Any, rig), "two_bone_ik_")
        chosen = {name: getattr(own, prefix + name) for name in _OF_RIG if name not in _STILLNESS}
        chosen |= {name: getattr(options, name) for name in rows("plant", owner="operator")}
        chosen["hips"] = chosen["hips"] or None
        # Properties hold single precision: what nobody has changed keeps its double.
        thresholds = {field: prefix + name for name, field in _STILLNESS.items() if own.is_property_set(prefix + name)}
        all_keys = self.frame_range == "BONE_KEYS" and self.frame_step == 1.0
        return api.plant.request(
            rig,
            self.chains(rig),
            None if all_keys else self.frames(context),
            scene=context.scene,
            floor=options.height if options.use_height else floor_named(options.floor),
            stillness=api.Stillness(**{field: getattr(own, name) for field, name in thresholds.items()}),
            sampling=self.sampling,
            measure=self.measure,
            **{_OPTIONS[name].get("keyword", name): value for name, value in chosen.items()},
        )

    def draw_choices(self) -> None:
        layout, options = self.layout, cast(Any, self.properties)
        for name, row in _OPTIONS.items():
            if row["type"] == "words":
                layout.row().prop(self, name, expand=True)
            elif row["type"] == "bone":
                layout.prop_search(self, name, in_hand.rig_in_hand(bpy.context).data, "bones")
            elif name == "use_height":
                layout.prop(self, name)
                if not options.use_height:
                    layout.prop_search(self, "floor", bpy.data, "objects")
            elif name != "floor" and (name != "height" or options.use_height):
                layout.prop(self, name)

    def draw_chains(self, _context: Context) -> None:
        """None needs a target, so there is nothing to tell."""


register, unregister = registration(globals())
