"""Let captured feet stand where they touch the ground, and set from when to when."""

from typing import Any, cast

import bpy
from bpy.app.translations import pgettext_iface, pgettext_tip
from bpy.types import Context, Event, OperatorProperties

from ..blender.armatures import Rig
from ..blender.options import option, rows, with_properties
from .armature_operator import ArmatureOperator, Result, api, contact_runs, in_hand, probe, unkeyed_moves
from .frame_range import usual_range
from .progress import EachActionOperator

_OF_RIG = rows("plant", owner="rig")
_OF_SCENE = rows("plant", owner="scene")
_OPTIONS = {name: row for name, row in rows("plant").items() if row["owner"] in ("rig", "scene", "operator")}
_STILLNESS = {name: row["stillness"] for name, row in _OPTIONS.items() if "stillness" in row}


@with_properties({name: option("plant", name, by_name=True, options={"SKIP_SAVE"}) for name in _OPTIONS})
class TWO_BONE_IK_OT_plant(EachActionOperator):
    """Key captured legs anew, in a copy of the action, so that feet stay where they stand. Pressed again, it begins
    from the captured motion, with the contacts as they are keyed now"""

    bl_label = "Plant Two-Bone IK Feet"
    needs_chains = False
    goes_by_keys = True
    usual = "BONE_KEYS"

    def seen(self, _context: Context, rig: Rig) -> "unkeyed_moves.Points":
        return unkeyed_moves.all_bones(rig)

    def invoke(self, context: Context, event: Event) -> Result:
        return ArmatureOperator.invoke(self, context, event)  # without a dialog

    def execute(self, context: Context) -> Result:
        self.show_range(usual_range(context, self.usual))
        rig, scene, options = in_hand.rig_in_hand(context), cast(Any, context.scene), cast(Any, self.properties)
        given = options.is_property_set
        level = {} if given("floor") or given("use_height") else _OF_SCENE
        for owner, names in ((rig, _OF_RIG), (scene, level)):
            for name in names:
                if name != "floor" and owner.is_property_set(f"two_bone_ik_{name}") and not given(name):
                    setattr(options, name, getattr(owner, f"two_bone_ik_{name}"))
        if scene.two_bone_ik_floor and not given("floor"):
            options.floor = scene.two_bone_ik_floor.name
        return super().execute(context)

    def request(self, context: Context, rig: Rig) -> "api.Request | list[api.Request]":
        from ..blender.targets.space import floor_named

        options: Any = self.properties
        own, prefix = (options, "") if rig == in_hand.rig_in_hand(context) else (cast(Any, rig), "two_bone_ik_")
        chosen = {name: getattr(own, prefix + name) for name in _OF_RIG if name not in _STILLNESS}
        chosen |= {name: getattr(options, name) for name in rows("plant", owner="operator")}
        chosen["hips"] = chosen["hips"] or None
        # Properties hold single precision: what nobody has changed keeps its double.
        thresholds = {field: prefix + name for name, field in _STILLNESS.items() if own.is_property_set(prefix + name)}
        asked = self.asked(context)
        if self.frame_range == "BONE_KEYS" and self.frame_step == 1.0:
            asked["frames"] = None
        return api.plant.request(
            rig,
            self.chains(rig),
            **asked,
            **self.scene_settings(context),
            floor=options.height if options.use_height else floor_named(options.floor),
            stillness=api.Stillness(**{field: getattr(own, name) for field, name in thresholds.items()}),
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
        super().draw_choices()

    def draw_chains(self, _context: Context) -> None:
        """None needs a target, so there is nothing to tell."""


class TWO_BONE_IK_OT_contact_select(ArmatureOperator):
    """Go to these frames of a contact and select them. Shift: select up to here"""

    bl_label = "Select Contact"
    bl_options = {"UNDO", "INTERNAL"}

    bone: option("contacts", "bone")
    frame: option("contacts", "frame")

    @classmethod
    def description(cls, context: Context, properties: OperatorProperties) -> str:
        wanted: Any = properties
        row = contact_runs.rows(in_hand.rig_in_hand(context)).get(wanted.bone)
        about = pgettext_tip(cls.__doc__ or "")
        if row is None:
            return about
        start, end, kind = contact_runs.run_at(row, wanted.frame)
        return f"{pgettext_iface(kind.capitalize())}, {start} - {end}. {about}"

    def invoke(self, context: Context, event: Event) -> Result:
        self._extends = event.shift
        return self.execute(context)

    def run(self, context: Context, rig: Any) -> None:
        if row := contact_runs.rows(rig).get(self.bone):
            start, end, _ = contact_runs.run_at(row, self.frame)
            if getattr(self, "_extends", False) and rig.two_bone_ik_contact_bone == self.bone:
                first, last = rig.two_bone_ik_contact_frames
                start, end = min(start, first), max(end, last)
            rig.two_bone_ik_contact_bone = self.bone
            rig.two_bone_ik_contact_frames = start, end
            probe.set_frame(context.scene, self.frame)


class TWO_BONE_IK_OT_contact_set(ArmatureOperator):
    """Key what the foot stands on over the selected frames. Before and after, it stands as it did"""

    bl_label = "Set Two-Bone IK Contact"

    bone: option("contacts", "bone")
    contact: option("pose_bone", "contact")
    frame_start: option("range", "frame_start")
    frame_end: option("range", "frame_end")

    def execute(self, context: Context) -> Result:
        given = self.properties.is_property_set
        bone, start, end = contact_runs.selected(in_hand.rig_in_hand(context), context.scene)
        self.bone = self.bone or bone
        self.frame_start = self.frame_start if given("frame_start") else start
        self.frame_end = max(self.frame_end if given("frame_end") else end, self.frame_start)
        return super().execute(context)

    def run(self, context: Context, rig: Rig) -> None:
        if self.bone not in rig.pose.bones:
            raise api.Refused("NO_CONTACT_BONE", object=rig, bone=self.bone)
        contact_runs.set_kind(rig, context.scene, self.bone, self.frame_start, self.frame_end, self.contact)
