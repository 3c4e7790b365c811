"""Pose the current frame, key a range, check it, and go from a report to what it tells."""

from dataclasses import replace

import bpy
from bpy.props import FloatProperty
from bpy.types import Addon, Context, Event, Operator

from .. import __package__ as base_package
from ..blender.armatures import Rig
from ..blender.options import option
from ..blender.settings.key_settings import KeyProperties
from .armature_operator import ChainOperator, Result, api, auto_keying, probe, unkeyed_moves
from .frame_range import RangeOperator
from .progress import EachActionOperator, KeyOperator


class TWO_BONE_IK_OT_solve(ChainOperator):
    """Pose all chains on the current frame; with auto keying on, key them as well"""

    bl_label = "Solve Two-Bone IK"
    takes_selected = True

    def rigs(self, context: Context) -> list[Rig]:
        return api.followed_first(super().rigs(context))

    def run(self, context: Context, rig: Rig) -> "api.Report":
        return api.solve(rig, scene=context.scene, insert_keys=auto_keying(context))


class TWO_BONE_IK_OT_flip_bend(ChainOperator):
    """Bend the active chain the other way and pose it so"""

    bl_label = "Flip Two-Bone IK Bend"

    def run(self, context: Context, rig: Rig) -> "api.Report":
        return api.flip_bend(rig, self.active_names(rig), scene=context.scene)


class TWO_BONE_IK_OT_bake(KeyProperties, EachActionOperator, KeyOperator):
    """Key the bones of all chains over a range of frames"""

    bl_label = "Bake Two-Bone IK"
    goes_by_keys = True

    new_action: option("keys", "new_action")

    def invoke(self, context: Context, event: Event) -> Result:
        addon: Addon | None = context.preferences.addons.get(base_package)
        for name in self.key_fields if addon else ():
            if not self.properties.is_property_set(name):
                setattr(self, name, getattr(addon.preferences, name))
        return super().invoke(context, event)

    def request(self, context: Context, rig: Rig) -> "api.Request | list[api.Request]":
        options = {**self.key_settings(context), "new_action": self.new_action}
        return api.bake.request(rig, self.chains(rig), **self.asked(context), **options)

    def seen(self, _context: Context, rig: Rig) -> "unkeyed_moves.Points":
        return unkeyed_moves.sources(rig, self.chains(rig))

    def groups(self, rigs: list[Rig]) -> list[tuple[Rig, ...]]:
        """First those whose limbs others follow; those that follow each other are told."""
        from ..blender.bake.build_plan import after_followed

        groups, refusals = after_followed(dict.fromkeys(rigs))
        for refusal in refusals:
            self.report({"ERROR"}, str(refusal))
        return groups

    def draw_choices(self) -> None:
        super().draw_choices()
        self.layout.prop(self, "new_action")

    def key_choices(self) -> list[str]:
        from ..blender.chains.limbs import ik_hiding_chains

        mutes = any(ik_hiding_chains(rig) for rig in self.rigs(bpy.context))
        return [name for name in super().key_choices() if name != "mute_constraints" or mutes]


class TWO_BONE_IK_OT_check(RangeOperator):
    """Tell on which frames targets are out of reach or limbs flip, without a key"""

    bl_label = "Check Two-Bone IK"

    add_markers: option("range", "add_markers")

    def run(self, context: Context, rig: Rig) -> "api.Report":
        chains, frames = self.chains(rig), self.frames(context)
        report = api.check(
            rig, chains, frames, scene=context.scene, sampling=self.sampling, add_markers=self.add_markers
        )
        if self.window is None:
            return report
        points = unkeyed_moves.sources(rig, chains)
        moved = unkeyed_moves.alerts(points, context.evaluated_depsgraph_get(), frames)
        return replace(report, notes=(*report.notes, *moved))

    def draw_choices(self) -> None:
        self.layout.prop(self, "add_markers")


class TWO_BONE_IK_OT_markers_remove(ChainOperator):
    """Remove the timeline markers that checks of this armature have added"""

    bl_label = "Remove Two-Bone IK Markers"
    takes_selected = True

    def run(self, context: Context, rig: Rig) -> None:
        api.remove_markers(rig, scene=context.scene)


class TWO_BONE_IK_OT_go_to_frame(Operator):
    """Go to the frame on which this shows most"""

    bl_label = "Go to Frame"
    bl_options = {"UNDO", "INTERNAL"}

    frame: FloatProperty(name="Frame", description="The frame to go to", options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Result:
        probe.set_frame(context.scene, self.frame)
        return {"FINISHED"}
