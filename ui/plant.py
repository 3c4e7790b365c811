"""What lets captured limbs stand still, with chains and without."""

from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.armatures import Rig
from ..blender.plant import contact_keys
from ..blender.takes.fit_scene import misfit
from . import contacts
from .sidebar import button_row, draw_lines, section


def draw(layout: UILayout, context: Context, rig: Rig, *, is_first: bool = False) -> None:
    """Nothing for a character that nobody has captured. Open at first where there is no list of chains above it."""
    if not contact_keys.is_captured(rig):
        return
    body = section(layout, "Plant", closed=bool(rig.two_bone_ik_chains))
    if body is None:
        return
    body.row().prop(rig, "two_bone_ik_plants", expand=True)
    text = pgettext_iface("Plant Frames {} - {}").format(*contact_keys.usual_frames(rig, context.scene))
    button_row(body, is_first=is_first).operator("two_bone_ik.plant", text=text, translate=False)
    action: Any = rig.animation_data.action
    if source := action and action.two_bone_ik_source:
        draw_lines(body, context, [pgettext_iface('Planted from "{}"').format(source.name)])
        if time := misfit(rig, context.scene):
            text = pgettext_iface("Fit Scene to {} - {}").format(time.start, time.end)
            body.operator("two_bone_ik.fit_scene", text=text, translate=False)
        if not rig.two_bone_ik_chains:  # with chains it is above the sections
            row = body.row()
            row.use_property_split = False
            row.prop(context.window_manager, "two_bone_ik_overlay", toggle=True)
    contacts.draw(body, context, rig)
    _draw_options(body, context, rig)
    thresholds = section(body, "Thresholds")
    for name in ("contact_speed", "contact_height", "shortest_contact", "shortest_gap") if thresholds else ():
        thresholds.prop(rig, f"two_bone_ik_{name}")


def _draw_options(layout: UILayout, context: Context, rig: Rig) -> None:
    """Settings that a first press does not need."""
    body = section(layout, "Hips and Floor")
    if body is None:
        return
    body.prop_search(rig, "two_bone_ik_hips", rig.data, "bones")
    body.row().prop(rig, "two_bone_ik_keep", expand=True)
    scene: Any = context.scene
    body.prop(scene, "two_bone_ik_use_height")
    body.prop(scene, "two_bone_ik_height" if scene.two_bone_ik_use_height else "two_bone_ik_floor")
