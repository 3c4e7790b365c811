"""Which bones make up the limb in hand, which way it bends, and how far it reaches."""

from math import degrees
from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.armatures import Rig
from ..blender.bake.chain import SLIGHT, StraightRest, axis_label, straight_rest, twists_found, undecided
from ..blender.messages.refused import Refused
from ..blender.settings.properties import TwoBoneIKChain
from . import limb_notice
from .sidebar import draw_option, section


def draw_side(layout: UILayout, rig: Rig, chain: TwoBoneIKChain) -> None:
    """Which way to bend, where the rest pose hardly tells it."""
    angle = undecided(rig, chain)
    if angle is None:
        return
    column = layout.column(align=True)
    straight = straight_rest(rig, chain)
    if straight:
        bends = "Straight at rest: bends about {}", "Straight at rest: bends about {} (towards viewer)"
        about = _about(straight, straight.axis, *bends)
        column.label(text=about, translate=False)
        about = _about(straight, straight.other, "Bend about {}", "Bend about {} (Towards Viewer)")
        column.operator("two_bone_ik.side_decide", text=about, translate=False).axis = straight.other
    elif angle >= SLIGHT:
        column.label(text="Bent against the knee: which side?")
    else:
        question = pgettext_iface("Bent by {:.1f}° at rest: which side?").format(degrees(angle))
        column.label(text=question, translate=False)
    row = column.row(align=True)
    row.operator("two_bone_ik.side_decide", text="By Keys")
    row.operator_menu_enum("two_bone_ik.side_decide", "axis", text="By Axis")


def _about(straight: StraightRest, axis: str, template: str, to_viewer: str) -> str:
    """The sentence with the axis, which in a drawing may point at the viewer."""
    return pgettext_iface(to_viewer if axis == straight.to_viewer else template).format(axis_label(axis))


def draw_bones(layout: UILayout, chain: TwoBoneIKChain, rig: Rig) -> None:
    """Which bones make up the limb."""
    body = section(layout, "Bones")
    if body:
        for field in ("root_bone", "end_bone", "tip_bone", "hock_bone"):
            body.prop_search(chain, field, rig.data, "bones")
        if chain.hock_bone:
            body.prop(chain, "hock")
            draw_option(body, chain, "hock_angle")
        body.prop(chain, "use_twist")
        if chain.use_twist:
            _draw_twists(body, chain, rig)


def _draw_twists(layout: UILayout, chain: TwoBoneIKChain, rig: Rig) -> None:
    """The twist bones that are found, each with its share, which can be set by hand and keyed."""
    try:
        found = twists_found(rig, chain)
    except Refused:
        return  # what is wrong with its bones is told above
    column = layout.column(align=True)
    for place in found.bones:
        bone: Any = rig.pose.bones[place.name]
        is_auto = bone.two_bone_ik_twist < 0.0
        row = column.row(align=True)
        row.use_property_decorate = True
        row.label(text=f"{place.name}: {place.by_place:.2f}" if is_auto else place.name, translate=False)
        if not is_auto:
            row.prop(bone, "two_bone_ik_twist", text="")
        icon: Any = "CHECKBOX_HLT" if is_auto else "CHECKBOX_DEHLT"
        auto = row.operator("two_bone_ik.twist_share", text="Auto", icon=icon, emboss=False)
        auto.twist_bone, auto.twist_share = place.name, place.by_place if is_auto else -1.0
    for name in found.left_alone:
        column.label(text=pgettext_iface("{}: left alone").format(name), translate=False, icon="CONSTRAINT_BONE")
    if not found.bones and not found.left_alone:
        column.label(text="No twist bones")


def draw_bend(layout: UILayout, context: Context, chain: TwoBoneIKChain) -> None:
    """Which way it bends, and by how much now."""
    body = section(layout, "Bend")
    if body:
        body.label(text=limb_notice.angles(limb_notice.look(context, chain.id_data)[chain.name]), translate=False)
        row = body.row(align=True)
        row.prop(chain, "bend")
        row.operator("two_bone_ik.flip_bend", text="", icon="UV_SYNC_SELECT")
        body.prop(chain, "plane")
        if chain.pole_target:
            for option in ("pole_angle", "pole_influence", "pole_pin"):
                draw_option(body, chain, option)
            body.prop(chain, "pole_smoothing")
        for field in ("hinge_axis", "reference", "use_bend_limits"):
            body.prop(chain, field)
        if chain.use_bend_limits:
            limits = body.column(align=True)
            draw_option(limits, chain, "bend_min", text="Minimum")
            draw_option(limits, chain, "bend_max", text="Maximum")


def draw_reach(layout: UILayout, chain: TwoBoneIKChain) -> None:
    """How far it reaches, and what it does beyond."""
    body = section(layout, "Reach")
    if body:
        body.prop(chain, "unreachable")
        if chain.unreachable == "STRETCH" or chain.pole_pin > 0.0:
            draw_option(body, chain, "max_stretch", text="Maximum Stretch")
        draw_option(body, chain, "softness")
        body.prop(chain, "use_extension_limit")
