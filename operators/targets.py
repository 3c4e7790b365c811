"""Targets for what is posed already: create, snap and key them, and pin limbs to them."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object

from ..blender.armatures import Rig, is_rig
from ..blender.options import option
from .armature_operator import Result, SelectedChainsOperator, api, auto_keying, in_hand, space, unkeyed_moves
from .progress import KeyOperator

if TYPE_CHECKING:
    from ..api.options import TargetOptions


class _MakesTargets(SelectedChainsOperator):
    """What targets are made of: as chosen, otherwise bones in Pose Mode, where a click selects no empty.

    The property shows the kind that was taken, and a choice is what differs from it. It is not remembered: the next
    armature may be in another mode.
    """

    kind: option("targets", "kind")
    usual_kind: option("targets", "usual_kind")

    def execute(self, context: Context) -> Result:
        if self.kind == self.usual_kind or not self.properties.is_property_set("kind"):
            self.kind = self.usual_kind = "BONES" if in_hand.rig_in_hand(context).mode == "POSE" else "EMPTIES"
        return super().execute(context)

    def kind_options(self) -> "TargetOptions":
        """The kind; the usual one gives way where it is impossible."""
        return {"kind": self.kind, "or_empties": self.kind == self.usual_kind}


class TWO_BONE_IK_OT_create_targets(_MakesTargets):
    """Create the target and pole target that chains lack, as empties or as bones, so that the pose does not move"""

    bl_label = "Create Two-Bone IK Targets"

    def reports(self, context: Context, rigs: list[Rig]) -> "Iterable[api.Report | None]":
        """For all at once, as each further one would make Blender evaluate again; one by one if any is refused."""
        if len(rigs) > 1:
            with suppress(api.Refused):
                return api.create_targets(rigs, scene=context.scene, **self.kind_options())
        return super().reports(context, rigs)

    def run(self, context: Context, rig: Rig) -> "api.Report":
        return api.create_targets(rig, self.chains(rig), scene=context.scene, **self.kind_options())


class TWO_BONE_IK_OT_snap_targets(SelectedChainsOperator):
    """Move target and pole target to where the pose already is; with auto keying on, key them as well"""

    bl_label = "Snap Two-Bone IK Targets to Pose"

    def run(self, context: Context, rig: Rig) -> "api.Report":
        return api.snap_targets(rig, self.chains(rig), scene=context.scene, insert_keys=auto_keying(context))


class TWO_BONE_IK_OT_bake_targets(KeyOperator):
    """Key target and pole target over a range of frames so that they follow the pose"""

    bl_label = "Bake Two-Bone IK Targets from Pose"
    reads = ("BONE_KEYS",)

    def seen(self, _context: Context, rig: Rig) -> "unkeyed_moves.Points":
        yield from unkeyed_moves.targets(rig, self.chains(rig))
        yield from unkeyed_moves.bones(rig, self.chains(rig))

    def request(self, context: Context, rig: Rig) -> "api.Request":
        return api.bake_targets.request(rig, self.chains(rig), self.frames(context), **self.key_settings(context))


class TWO_BONE_IK_OT_change_target_space(KeyOperator):
    """Hang target and pole target on the world, an object or a bone, and key them so that they move as before"""

    bl_label = "Change Two-Bone IK Target Space"
    reads = ("TARGET_KEYS",)

    space: option("targets", "space")
    space_bone: option("targets", "space_bone")

    def seen(self, _context: Context, rig: Rig) -> "unkeyed_moves.Points":
        yield from unkeyed_moves.targets(rig, self.chains(rig))
        if onto := space.space_point(space.space_named(self.space, self.space_bone)):
            yield onto

    def seen_on(self, _context: Context) -> None:
        """All frames: what carries a target does so on all."""

    def request(self, context: Context, rig: Rig) -> "api.Request":
        return api.change_target_space.request(
            rig,
            self.chains(rig),
            self.frames(context),
            space=space.space_named(self.space, self.space_bone),
            style=api.KeyStyle.of(self),
            **self.scene_settings(context),
        )

    def draw_choices(self) -> None:
        self.layout.prop_search(self, "space", bpy.data, "objects")
        item: Object | None = bpy.data.objects.get(self.space)
        if is_rig(item):
            self.layout.prop_search(self, "space_bone", item.data, "bones")
        super().draw_choices()


class TWO_BONE_IK_OT_pin(_MakesTargets):
    """Put targets where hands and feet are and switch Live on, so that these stay while you move the body"""

    bl_label = "Pin Two-Bone IK Limbs"
    needs_chains = False  # limbs without chains get them

    def run(self, context: Context, rig: Rig) -> "api.Report":
        keyed = auto_keying(context)
        return api.pin(rig, self.chains(rig), scene=context.scene, insert_keys=keyed, **self.kind_options())
