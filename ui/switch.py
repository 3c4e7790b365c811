"""Which control sets limbs of a known rig show, and the buttons that switch them."""

from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.armatures import Rig
from ..blender.rigs import rig_files
from ..blender.rigs.known_limbs import switchable_limbs
from ..blender.rigs.switch_property import shown_control_set
from ..blender.status import in_hand
from .sidebar import button_row, draw_lines, section


def draw(layout: UILayout, context: Context, rig: Rig) -> None:
    """The buttons that switch all limbs of a known rig, or the one in hand, and which of them show FK and which IK."""
    limbs, left_out = switchable_limbs(rig), rig_files.notes()
    body = section(layout, "Switch", closed=False, count=len(left_out))
    if body is None:
        return
    frames = _frames(context.scene)
    draw_lines(body, context, [*left_out, pgettext_iface("Frames {} - {}").format(*frames)])
    body.prop(context.scene, "two_bone_ik_switch_frames")
    bone = in_hand.bone_in_hand(context)
    selected = next((limb.name for limb in limbs if bone in limb.named), "")
    column = body.column(align=True)
    for name in ("", selected or pgettext_iface("Selected Limb")):
        row = button_row(column, is_first=not name and not rig.two_bone_ik_chains)
        row.enabled = bool(selected) or not name
        row.label(text=name or pgettext_iface("All Limbs"), translate=False)
        for control_set, text in (("FK", "To FK"), ("IK", "To IK")):
            button = row.operator("two_bone_ik.switch", text=text)
            button.direction, button.only_active = control_set, bool(name)
            button.frame_start, button.frame_end = frames
    shown: dict[str, list[str]] = {"FK": [], "IK": [], "": []}
    for limb in limbs:
        shown[shown_control_set(rig, limb)].append(limb.name)
    states = {"FK": "In FK: {}", "IK": "In IK: {}", "": "Between FK and IK: {}"}
    # A control set that none shows keeps its row, so that what is below stays in place.
    lines = [
        pgettext_iface(states[control_set]).format(", ".join(names) or "-")
        for control_set, names in shown.items()
        if names or control_set
    ]
    draw_lines(body, context, lines)


def _frames(scene: Any) -> tuple[int, int]:
    """First and last of those that the buttons switch."""
    preview = "preview_" if scene.use_preview_range else ""
    start, end = (getattr(scene, f"frame_{preview}{name}") for name in ("start", "end"))
    here, chosen = scene.frame_current, scene.two_bone_ik_switch_frames
    return (start, end) if chosen == "RANGE" else (here, here if chosen == "HERE" else max(here, end))


def draw_faulty_rigs(layout: UILayout, context: Context) -> None:
    """What is wrong with files of rigs that the user has added, where they may be why this rig is not known."""
    left_out = rig_files.notes()
    body = section(layout, "Switch", closed=False, count=len(left_out)) if left_out else None
    if body:
        draw_lines(body, context, left_out)
