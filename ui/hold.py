"""Where the target of the limb in hand stays."""

from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.armatures import Rig, is_rig
from ..blender.hold import holds
from ..blender.settings.properties import TwoBoneIKChain
from ..blender.status.hold_state import hold_states
from .sidebar import section


def draw(layout: UILayout, context: Context, rig: Rig, chain: TwoBoneIKChain) -> None:
    """Where the target stays, and its holds."""
    # A view layer that was never evaluated has none.
    depsgraph = context.view_layer.depsgraph
    states = list(hold_states(chain, depsgraph)) if depsgraph else []
    body = section(layout, "Hold", count=sum(out_of_date for _, out_of_date in states))
    if body is None:
        return
    scene: Any = context.scene
    if chain.target is None:
        body.label(text="No target to hold yet")
        body.operator("two_bone_ik.create_targets", text="Create Target").only_active = True
        return
    body.prop(scene, "two_bone_ik_hold_to")
    if is_rig(scene.two_bone_ik_hold_to):
        body.prop_search(scene, "two_bone_ik_hold_to_bone", scene.two_bone_ik_hold_to.data, "bones")
    text = pgettext_iface("Hold Frames {} - {}").format(*holds.usual_frames(rig, context.scene))
    body.operator("two_bone_ik.hold", text=text, translate=False)
    for index, (name, out_of_date) in enumerate(states):
        row = body.row(align=True)
        row.label(text=name, icon="ERROR" if out_of_date else "PINNED", translate=False)
        if out_of_date:
            row.label(text="Out of date")
        row.operator("two_bone_ik.hold_remove", text="", icon="X", emboss=False).index = index
    if states:
        body.operator("two_bone_ik.holds_update", text="Update Holds")
