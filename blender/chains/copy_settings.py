"""Copies the settings of a chain to others, and mirrors them on the way to the other side.

Mirrored means across the plane x = 0 of the armature, as Blender mirrors: the limb of the other side then poses as the
mirror image, whatever the roll of its bones. A rotation by an angle about an axis is in the mirror a rotation by the
opposite angle about the mirrored axis, so the pole angle changes its sign. Bend limits keep theirs, because the hinge
axis is the opposite of the mirrored one.
"""

from collections.abc import Collection
from dataclasses import replace
from math import acos, degrees
from typing import Any

import bpy
import numpy as np

from ...skeleton.values import AXES
from ...solver import reference
from ...solver.values import Array, Bend, HingeAxis
from ..armatures import Rig, is_rig
from ..messages.refused import Refused, unknown_word
from ..messages.translation import translated
from ..pipeline.read.bone import rest
from ..pipeline.read.chain import root_name
from ..pipeline.read.rest_side import rest_chain
from ..properties import TwoBoneIKChain, chain_of
from .detect import bone_names

SECTIONS = {
    "TARGET": ("influence", "use_rotation", "rotation_influence"),
    "BONES": ("root_bone", "tip_bone"),
    "BEND": (
        *("bend", "plane", "pole_angle", "pole_influence", "pole_smoothing", "hinge_axis"),
        *("reference", "use_bend_limits", "bend_min", "bend_max"),
    ),
    "REACH": ("unreachable", "max_stretch", "softness", "use_extension_limit"),
}
"""The sections of the panel, with the fields of each; those of `_GOALS` belong to the first."""

_GOALS = (("target", "subtarget"), ("pole_target", "pole_subtarget"))
_OWN = {"root_bone", "tip_bone", "hinge_axis"}
"""They name bones and an axis of one limb, and are copied to the same limb of the other side only."""

_MIRROR = np.array((-1.0, 1.0, 1.0))


def chain_of_other_side(rig: Rig, chain: TwoBoneIKChain) -> TwoBoneIKChain | None:
    """The chain of the same limb on the other side, by the name of its end bone, or else by its own."""
    end = bone_names.other_side(chain.end_bone, rig.data.bones.keys())
    found = chain_of(rig, end) if end else None
    return found or rig.two_bone_ik_chains.get(bone_names.other_side(chain.name, rig.two_bone_ik_chains.keys()))


def fields_of_other_side(rig: Rig, chain: TwoBoneIKChain) -> dict[str, Any]:
    """Name and bones of the chain that the other side lacks.

    raises : Refused if the bones are on no side, or the other side does not have them
    """
    end = bone_names.other_side(chain.end_bone, rig.data.bones.keys())
    if not end:
        raise Refused("NO_OTHER_SIDE.limb", chain=chain)
    name = next(bone_names.other_sides(chain.name, in_words=False), end)
    return {"end_bone": end, "name": name} | _bones(rig, chain)


def known_sections(sections: Any) -> list[str]:
    """These sections, of a collection or one alone; Refused for an unknown one."""
    found = list(sections) if isinstance(sections, Collection) and not isinstance(sections, str) else [sections]
    for section in found:
        if section not in SECTIONS:
            raise unknown_word("sections", section, SECTIONS)
    return found


def copied_values(rig: Rig, chain: TwoBoneIKChain, other: TwoBoneIKChain, sections: Collection[str]) -> dict[str, Any]:
    """What the fields of `other` are to be, so that it has the settings of `chain` in these sections.

    raises : Refused if bones do not exist, or make no chain
    """
    is_mirrored = other == chain_of_other_side(rig, chain)
    names = [name for section in sections for name in SECTIONS[section]]
    values = {name: getattr(chain, name) for name in names if name not in _OWN}
    if "pole_angle" in values and (is_mirrored or {_side(chain), _side(other)} == {"L", "R"}):
        values["pole_angle"] = -chain.pole_angle
    if is_mirrored and "BONES" in sections:
        values |= _bones(rig, chain)
    if is_mirrored and "TARGET" in sections:
        values |= _goals(chain)
    if is_mirrored and "BEND" in sections:
        values["hinge_axis"] = _hinge_axis(rig, chain, other)
    if "bend" in values:
        values["bend"] = _bend(chain, other, values.get("hinge_axis"))
    if not values.get("tip_bone", other.tip_bone):
        values.pop("use_rotation", None)  # there is no bone to turn
    return values


def difference(rig: Rig, chain: TwoBoneIKChain, other: TwoBoneIKChain) -> str:
    """A sentence if the limb on the other side is no mirror image at rest, so that its poses cannot be; else ""."""
    if other != chain_of_other_side(rig, chain):
        return ""
    limbs = [_at_rest(rig, each) for each in (chain, other)]
    cosine = np.einsum("ij,ij->i", limbs[0][0] * _MIRROR, limbs[1][0]).min()
    angle = acos(min(1.0, float(cosine)))
    if angle < reference.SLIGHT:
        return ""
    return translated("note.no_mirror_image", other=other.name, chain=chain.name, angle=degrees(angle))


def _side(chain: TwoBoneIKChain) -> str:
    return bone_names.side(chain.name) or bone_names.side(chain.end_bone)


def _bones(rig: Rig, chain: TwoBoneIKChain) -> dict[str, str]:
    """Root bone and tip bone of the other side, by name; a bone whose name tells no side is left out."""
    found = {}
    for field in SECTIONS["BONES"]:
        bone = getattr(chain, field)
        other = bone_names.other_side(bone, rig.data.bones.keys())
        if other or not bone:
            found[field] = other
        elif bone_names.side(bone):
            raise Refused("NO_OTHER_SIDE.bone", chain=chain, bone=bone)
    return found


def _goals(chain: TwoBoneIKChain) -> dict[str, Any]:
    """Target and pole target of the other side, by name; what has no counterpart is left as the other chain has it."""
    found: dict[str, Any] = {}
    for object_field, bone_field in _GOALS:
        item, bone = getattr(chain, object_field), getattr(chain, bone_field)
        if item is None:
            continue
        other_name = bone_names.other_side(item.name, bpy.data.objects.keys(), in_words=False)
        other = bpy.data.objects.get(other_name) or item
        bones = other.data.bones.keys() if is_rig(other) else []
        other_bone = bone_names.other_side(bone, bones) or (bone if other != item else "")
        if other != item or other_bone:
            found |= {object_field: other, bone_field: other_bone}
    return found


def _hinge_axis(rig: Rig, chain: TwoBoneIKChain, other: TwoBoneIKChain) -> HingeAxis:
    """The axis of the other chain's end bone that is the mirror image of the axis about which this chain bends."""
    _, hinge = _at_rest(rig, chain)
    mirrored = -_MIRROR * hinge
    _, auto = _at_rest(rig, other, HingeAxis.AUTO)
    if chain.hinge_axis == HingeAxis.AUTO and auto @ mirrored > np.sqrt(0.5):
        return HingeAxis.AUTO
    end = rest(rig.data.bones[other.end_bone])[:3, :3]
    return max(list(HingeAxis)[1:], key=lambda axis: float(end @ np.array(AXES[axis]) @ mirrored))


def _bend(chain: TwoBoneIKChain, other: TwoBoneIKChain, hinge_axis: str | None) -> Bend:
    bend = Bend(chain.bend)
    # Positive is how a decided side is kept. Where Auto has become an axis, the rest pose tells the wrong side.
    keeps_side = other.bend == Bend.POSITIVE and hinge_axis is None
    gets_axis = chain.hinge_axis == HingeAxis.AUTO and hinge_axis not in (None, HingeAxis.AUTO)
    return Bend.POSITIVE if bend == Bend.REST and (keeps_side or gets_axis) else bend


def _at_rest(rig: Rig, chain: TwoBoneIKChain, axis: HingeAxis | None = None) -> tuple[Array, Array]:
    """Directions (2, 3) of the bones and the end bone's hinge (3,) at rest, in armature space.

    axis : taken in place of the chain's own hinge axis
    """
    limb, orientation = rest_chain(rig, chain)
    if axis:
        limb = replace(limb, hinge_axis=orientation @ AXES[axis], use_hinge_axis=axis != HingeAxis.AUTO)
    pose = reference.rest(limb)
    to_armature = rest(rig.data.bones[root_name(rig, chain)])[:3, :3]
    return pose.links @ to_armature.T, to_armature @ pose.hinges[1]
