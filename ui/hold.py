"""Where the target of the limb in hand stays."""

from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.armatures import Rig, is_rig
from ..blender.hold import holds
from ..blender.scene.dependencies import target_of
from ..blender.settings.properties import TwoBoneIKChain, holds_of
from .sidebar import section


def draw(layout: UILayout, context: Context, rig: Rig, chain: TwoBoneIKChain) -> None:
    """Where the target stays, and its holds."""
    body = section(layout, "Hold")
    if body is None:
        return
    scene: Any = context.scene
    target = target_of(chain, "target")
    if target is None:
        body.label(text="No target to hold yet")
        body.operator("two_bone_ik.create_targets", text="Create Target").only_active = True
        return
    body.prop(scene, "two_bone_ik_hold_to")
    if is_rig(scene.two_bone_ik_hold_to):
        body.prop_search(scene, "two_bone_ik_hold_to_bone", scene.two_bone_ik_hold_to.data, "bones")
    text = pgettext_iface("Hold Frames {} - {}").format(*holds.usual_frames(rig, context.scene))
    body.operator("two_bone_ik.hold", text=text, translate=False)
    records = holds_of(target)
    for index, record in enumerate(records):
        row = body.row(align=True)
        row.label(text=record.name, icon="PINNED", translate=False)
        row.operator("two_bone_ik.hold_remove", text="", icon="X", emboss=False).index = index
    if records:
        body.operator("two_bone_ik.holds_update", text="Update Holds")
