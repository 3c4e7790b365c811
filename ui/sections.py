"""The sections of the panel, each closed until it is needed; fields appear when they mean something."""

from math import degrees
from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.armatures import Rig, is_rig
from ..blender.bake import markers, report
from ..blender.bake.build_plan import frame_range
from ..blender.bake.rest_side import StraightRest, axis_label, straight_rest, undecided
from ..blender.hold import hold_state, holds
from ..blender.plant import contact_keys
from ..blender.rigs import rig_files
from ..blender.rigs.known_limbs import limbs_of
from ..blender.rigs.switch_property import shown_layer
from ..blender.settings import keyed_options
from ..blender.settings.properties import TwoBoneIKChain
from ..blender.status import in_hand
from ..blender.targets.create_targets import lacks
from ..blender.targets.made_for import made
from ..blender.targets.new_targets import Role
from .panel import draw_lines, is_narrow

_COPIED = ("TARGET", "BONES", "BEND", "REACH")
"""Sections whose settings can be copied to other chains."""


def draw_side(layout: UILayout, rig: Rig, chain: TwoBoneIKChain) -> None:
    """Which way to bend, where the rest pose hardly tells it."""
    angle = undecided(rig, chain)
    if angle is None:
        return
    column = layout.column(align=True)
    straight = straight_rest(rig, chain)
    if straight:
        about = _about(
            straight,
            straight.axis,
            "Straight at rest: bends about {}",
            "Straight at rest: bends about {} (towards viewer)",
        )
        column.label(text=about, translate=False)
        about = _about(straight, straight.other, "Bend about {}", "Bend about {} (Towards Viewer)")
        column.operator("two_bone_ik.side_decide", text=about, translate=False).axis = straight.other
    else:
        question = pgettext_iface("Bent by {:.1f}° at rest: which side?").format(degrees(angle))
        column.label(text=question, translate=False)
    row = column.row(align=True)
    row.operator("two_bone_ik.side_decide", text="By Keys")
    row.operator_menu_enum("two_bone_ik.side_decide", "axis", text="By Axis")


def _about(straight: StraightRest, axis: str, template: str, to_viewer: str) -> str:
    """The sentence with the axis, which in a drawing may point at the viewer."""
    return pgettext_iface(to_viewer if axis == straight.to_viewer else template).format(axis_label(axis))


def draw_target(layout: UILayout, context: Context, chain: TwoBoneIKChain) -> None:
    """What the tip reaches for and the mid joint bends towards, and how far the limb goes along."""
    column = _section(layout, "Target", closed=False)
    if column is None:
        return
    _draw_option(column, chain, "influence")
    for target, subtarget in (("target", "subtarget"), ("pole_target", "pole_subtarget")):
        column.prop(chain, target)
        owner = getattr(chain, target)
        if owner and owner.type == "ARMATURE":
            column.prop_search(chain, subtarget, owner.data, "bones", text="Bone")
    if chain.tip_bone:
        column.prop(chain, "use_rotation", text="Follow Rotation")
        if chain.use_rotation:
            _draw_option(column, chain, "rotation_influence")
    row = column.row(align=True)
    if lacks(chain, Role.TARGET):
        row.operator("two_bone_ik.create_targets", text="Create Targets").only_active = False
        posing = chain.id_data.mode == "POSE"  # there the usual targets are bones
        others = row.operator("two_bone_ik.create_targets", text="As Empties" if posing else "As Bones")
        others.kind, others.only_active = "EMPTIES" if posing else "BONES", False
        return
    row.operator("two_bone_ik.snap_targets", text="Snap to Pose").only_active = True
    if is_narrow(context):
        row = column.row(align=True)
    row.operator("two_bone_ik.bake_targets", text="Bake from Pose...")
    if made(chain, Role.TARGET):
        row.operator("two_bone_ik.remove_targets", text="", icon="X").only_active = True


def draw_hold(layout: UILayout, context: Context, rig: Rig, chain: TwoBoneIKChain) -> None:
    """Where the target stays, and its holds."""
    # A view layer that was never evaluated has none.
    depsgraph = context.view_layer.depsgraph
    found = list(hold_state.states(chain, depsgraph)) if depsgraph else []
    body = _section(layout, "Hold", count=sum(out_of_date for _, out_of_date in found))
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
    for index, (name, out_of_date) in enumerate(found):
        row = body.row(align=True)
        row.label(text=name, icon="ERROR" if out_of_date else "PINNED", translate=False)
        if out_of_date:
            row.label(text="Out of date")
        row.operator("two_bone_ik.hold_remove", text="", icon="X", emboss=False).index = index
    if found:
        body.operator("two_bone_ik.holds_update", text="Update Holds")


def draw_bones(layout: UILayout, chain: TwoBoneIKChain, rig: Rig) -> None:
    """Which bones make up the limb."""
    body = _section(layout, "Bones")
    if body:
        for field in ("root_bone", "end_bone", "tip_bone"):
            body.prop_search(chain, field, rig.data, "bones")


def draw_bend(layout: UILayout, chain: TwoBoneIKChain) -> None:
    """Which way it bends."""
    body = _section(layout, "Bend")
    if body:
        row = body.row(align=True)
        row.prop(chain, "bend")
        row.operator("two_bone_ik.flip_bend", text="", icon="UV_SYNC_SELECT")
        body.prop(chain, "plane")
        if chain.pole_target:
            _draw_option(body, chain, "pole_angle")
            _draw_option(body, chain, "pole_influence")
            body.prop(chain, "pole_smoothing")
        body.prop(chain, "hinge_axis")
        body.prop(chain, "reference")
        body.prop(chain, "use_bend_limits")
        if chain.use_bend_limits:
            limits = body.column(align=True)
            _draw_option(limits, chain, "bend_min", text="Minimum")
            _draw_option(limits, chain, "bend_max", text="Maximum")
            limits.operator("two_bone_ik.bend_limits_take", text="Take from IK Limits")


def draw_reach(layout: UILayout, chain: TwoBoneIKChain) -> None:
    """How far it reaches, and what it does beyond."""
    body = _section(layout, "Reach")
    if body:
        body.prop(chain, "unreachable")
        if chain.unreachable == "STRETCH":
            _draw_option(body, chain, "max_stretch", text="Maximum")
        _draw_option(body, chain, "softness")
        body.prop(chain, "use_extension_limit")


def draw_plant(layout: UILayout, context: Context, rig: Rig, chain: TwoBoneIKChain) -> None:
    """What lets the captured limb stand still; nothing for a limb without keys."""
    if not contact_keys.is_captured(chain):
        return
    body = _section(layout, "Plant")
    if body is None:
        return
    body.row().prop(rig, "two_bone_ik_plants", expand=True)
    text = pgettext_iface("Plant Frames {} - {}").format(*contact_keys.usual_frames(rig, context.scene))
    body.operator("two_bone_ik.plant", text=text, translate=False)
    action: Any = rig.animation_data.action
    if source := action and action.two_bone_ik_source:
        draw_lines(body, context, [pgettext_iface('Planted from "{}"').format(source.name)])
    row = body.row()
    row.use_property_decorate = True
    row.prop(rig.pose.bones[chain.end_bone], "two_bone_ik_contact")
    _draw_plant_options(body, context, rig)
    thresholds = _section(body, "Contacts")
    for name in ("contact_speed", "contact_height", "shortest_contact", "shortest_gap") if thresholds else ():
        thresholds.prop(rig, f"two_bone_ik_{name}")


def _draw_plant_options(layout: UILayout, context: Context, rig: Rig) -> None:
    """What nobody needs on the first press."""
    body = _section(layout, "Hips and Floor")
    if body is None:
        return
    body.prop_search(rig, "two_bone_ik_hips", rig.data, "bones")
    body.prop(rig, "two_bone_ik_sideways")
    body.row().prop(rig, "two_bone_ik_keep", expand=True)
    scene: Any = context.scene
    body.prop(scene, "two_bone_ik_use_height")
    body.prop(scene, "two_bone_ik_height" if scene.two_bone_ik_use_height else "two_bone_ik_floor")
    body.prop(rig, "two_bone_ik_flat_feet")


def draw_switch(layout: UILayout, context: Context, rig: Rig) -> None:
    """The buttons that switch all limbs of a known rig, or the one in hand, and which of them show FK and which IK."""
    limbs, left_out = limbs_of(rig), rig_files.notes()
    body = _section(layout, "Switch", closed=False, count=len(left_out))
    if body is None:
        return
    frames = [int(frame) for frame in frame_range(rig, None, context.scene)[:2]]
    draw_lines(body, context, [*left_out, pgettext_iface("Frames {} - {}").format(*frames)])
    bone = in_hand.bone_in_hand(context)
    selected = next((limb.name for limb in limbs if bone in limb.named), "")
    column = body.column(align=True)
    for name in ("", selected or pgettext_iface("Selected Limb")):
        row = column.row(align=True)
        row.enabled = bool(selected) or not name
        row.label(text=name or pgettext_iface("All Limbs"), translate=False)
        for layer, text in (("FK", "To FK"), ("IK", "To IK")):
            button = row.operator("two_bone_ik.switch", text=text)
            button.direction, button.only_active = layer, bool(name)
            button.frame_start, button.frame_end = frames
    shown: dict[str, list[str]] = {"FK": [], "IK": [], "": []}
    for limb in limbs:
        shown[shown_layer(rig, limb)].append(limb.name)
    states = {"FK": "In FK: {}", "IK": "In IK: {}", "": "Between FK and IK: {}"}
    # A layer that none shows keeps its row, so that what is below stays in place.
    lines = [
        pgettext_iface(states[layer]).format(", ".join(names) or "-")
        for layer, names in shown.items()
        if names or layer
    ]
    draw_lines(body, context, lines)


def draw_faulty_rigs(layout: UILayout, context: Context) -> None:
    """What is wrong with files of rigs that the user has added, where they may be why this rig is not known."""
    left_out = rig_files.notes()
    body = _section(layout, "Switch", closed=False, count=len(left_out)) if left_out else None
    if body:
        draw_lines(body, context, left_out)


def draw_report(layout: UILayout, context: Context, rig: Rig) -> None:
    """What the last bake or check of this armature has found."""
    found = report.last(rig)
    if found is None:
        return
    body = _section(layout, "Report", count=found.to_know)
    if body:
        draw_lines(body, context, [found.title])
        for finding in found.findings():
            draw_lines(body, context, [finding.text], frame=finding.frame)
        if markers.of(context.scene, rig.name):
            body.operator("two_bone_ik.markers_remove", text="Remove Markers")


def _draw_option(layout: UILayout, chain: TwoBoneIKChain, name: str, text: str | None = None) -> None:
    """A keyed option, with the dot to key it; it can be keyed where it is, on the end bone."""
    owner, field = keyed_options.owner(chain, name)
    row = layout.row(align=True)
    row.use_property_decorate = True
    row.prop(owner, field, text=text)


def _section(layout: UILayout, title: str, *, closed: bool = True, count: int = 0) -> UILayout | None:
    """The body of a section, closed at first or not; None while it is. Its title shows a count that is not 0."""
    header, body = layout.panel(f"two_bone_ik_{title.lower().replace(' ', '_')}", default_closed=closed)
    header.label(text=title)
    if count:
        header.label(text=str(count), icon="ERROR", translate=False)
    if title.upper() in _COPIED:
        buttons = header.row(align=True)
        mirrored = buttons.operator("two_bone_ik.settings_copy", text="", icon="MOD_MIRROR", emboss=False)
        to_all = buttons.operator("two_bone_ik.settings_copy", text="", icon="DUPLICATE", emboss=False)
        mirrored.to, mirrored.sections = "OTHER_SIDE", {title.upper()}
        to_all.to, to_all.sections = "ALL", {title.upper()}
    return body.column() if body else None
