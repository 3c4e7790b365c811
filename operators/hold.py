"""Let targets stay where they are, update their holds, and remove them."""

from collections.abc import Sequence

from bpy.types import Context

from ..blender.armatures import Rig
from ..blender.options import option
from .armature_operator import ChainOperator, Result, SelectedChainsOperator, api, holds, in_hand, space, unkeyed_moves
from .progress import RequestOperator


class _HoldsOperator(RequestOperator, SelectedChainsOperator):
    def groups(self, rigs: list[Rig]) -> list[list[Rig]]:
        return [[rig] for rig in rigs]

    def seen(self, context: Context, rig: Rig) -> "unkeyed_moves.Points":
        yield from unkeyed_moves.targets(rig, self.chains(rig))
        if onto := space.space_point(holds.hold_to(context.scene)):
            yield onto


class TWO_BONE_IK_OT_hold(_HoldsOperator):
    """Let the target stay where it is, in the world or on what Hold to names. It takes the range of its selected keys,
    else the preview range, else the frames to come"""

    bl_label = "Hold Two-Bone IK Target"

    only_active: option("hold", "only_active")
    frame_start: option("hold", "frame_start")
    frame_end: option("hold", "frame_end")
    frame: option("hold", "frame")
    rotation: option("hold", "rotation")
    ease: option("hold", "ease")

    def execute(self, context: Context) -> Result:
        scene, is_set = context.scene, self.properties.is_property_set
        start, end = holds.usual_frames(in_hand.rig_in_hand(context), scene)
        self.frame_start = self.frame_start if is_set("frame_start") else start
        self.frame_end = self.frame_end if is_set("frame_end") else max(end, self.frame_start)
        if not is_set("frame"):
            shown = self.frame_start <= scene.frame_current <= self.frame_end
            self.frame = scene.frame_current if shown else self.frame_start
        return super().execute(context)

    def seen_on(self, _context: Context) -> "Sequence[float]":
        return self.frame_start, self.frame_end

    def request(self, context: Context, rig: Rig) -> "api.Request":
        return api.hold.request(
            rig,
            self.chains(rig),
            (self.frame_start, self.frame_end),
            space=holds.hold_to(context.scene),
            rotation=self.rotation,
            at=self.frame,
            ease=tuple(self.ease),
            scene=context.scene,
        )


class TWO_BONE_IK_OT_holds_update(_HoldsOperator):
    """Make all holds anew from the keys before them, as what they hold on to may have moved since"""

    bl_label = "Update Two-Bone IK Holds"

    def request(self, context: Context, rig: Rig) -> "api.Request":
        return api.update_holds.request(rig, self.chains(rig), scene=context.scene)


class TWO_BONE_IK_OT_hold_remove(ChainOperator):
    """Remove a hold of the active chain's target, or all of them, and give back the keys from before"""

    bl_label = "Remove Two-Bone IK Hold"

    index: option("hold", "index")

    def run(self, context: Context, rig: Rig) -> None:
        index = None if self.index < 0 else self.index
        api.remove_hold(rig, self.active_names(rig)[0], index, scene=context.scene)
