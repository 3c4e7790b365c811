"""Copies the settings of a chain to others, and mirrors them on the way to the other side, which may get a chain so.

Mirrored means across the plane x = 0 of the armature, as Blender mirrors: the limb of the other side then poses as the
mirror image. A rotation by an angle about an axis is in the mirror a rotation by the opposite angle about the mirrored
axis, so the pole angle changes its sign. Bend limits keep theirs, because the hinge axis is the opposite of the
mirrored one. An axis of the end bone goes with its roll: where no axis of the other end bone is the one that mirrors,
the nearest is taken, and `_difference` tells by how much it is off.
"""

from collections.abc import Collection
from dataclasses import replace
from math import degrees, radians
from typing import Any

import bpy
import numpy as np

from ...skeleton.values import AXES
from ...solver import reference_pose
from ...solver.values import Array, Bend, HingeAxis
from ...solver.vectors import cross, dot, norm
from ..armatures import Rig, is_rig
from ..bake.chain import rest_chain
from ..messages.refused import Refused, unknown_word
from ..messages.translation import translated
from ..options import OPTIONS, rows
from ..scene.bone import rest
from ..settings.properties import POINTS, TwoBoneIKChain, chain_of, root_name
from .detect import bone_names
from .field_values import set_fields, set_shares, shares_by_hand, unchanged_on_error
from .new_chains import add_chain

SECTIONS = {section: tuple(rows("chain", section=section)) for section, *_ in OPTIONS["chains"]["sections"]["items"]}
"""The sections of the panel, with the fields of each; targets belong to the first."""

_BONES = tuple(rows("chain", section="BONES", type="bone"))
_OWN = {*_BONES, "hinge_axis"}
"""They name bones and an axis of one limb, and are copied to the same limb of the other side only."""

_MIRROR = np.array((-1.0, 1.0, 1.0))

_ASKEW = radians(1.0)
"""Hinges that differ by less are told as mirrored: rolls are set by eye."""

_DIGITS = 6
"""Digits of angles that are compared: axes that are equally near but for rounding are taken in their order."""


def copy(
    rig: Rig, chain: TwoBoneIKChain, others: Collection[TwoBoneIKChain], sections: Collection[str]
) -> dict[str, str]:
    """Give other chains the settings of a chain in these sections; the one on the other side gets them mirrored.

    returns : by name of the other chains a sentence if their poses cannot be mirror images, otherwise ""
    raises : Refused where bones do not exist; then no chain has changed
    """
    mirrored = [other for other in others if other == _chain_of_other_side(rig, chain)]
    values = [_copied_values(rig, chain, other, sections, is_mirrored=other in mirrored) for other in others]
    # Those of a chain that gets no twist to spread stay.
    shares = _mirrored_shares(rig, chain) if mirrored and "BONES" in sections and chain.use_twist else None
    for other, fields in zip(others, values, strict=True):
        set_fields(other, fields)
    if shares is not None:
        set_shares(rig, mirrored, shares)
    return {other.name: _difference(rig, chain, other) if other in mirrored else "" for other in others}


def mirror(rig: Rig, chain: TwoBoneIKChain, sections: Collection[str]) -> dict[str, str]:
    """Give the chain on the other side the settings mirrored, as `copy` does; it is added where there is none.

    raises : Refused if there is no other side, and where bones do not exist
    """
    other, active = _chain_of_other_side(rig, chain), rig.two_bone_ik_active
    if other:
        return copy(rig, chain, [other], sections)
    with unchanged_on_error(rig):
        # Adding one moves the others in memory.
        names = chain.name, add_chain(rig, **_fields_of_other_side(rig, chain)).name
        chain, other = (rig.two_bone_ik_chains[name] for name in names)
        rig.two_bone_ik_active = active
        return copy(rig, chain, [other], sections)


def _chain_of_other_side(rig: Rig, chain: TwoBoneIKChain) -> TwoBoneIKChain | None:
    """The chain of the same limb on the other side, by the name of its end bone, otherwise by its own."""
    end = bone_names.other_side(chain.end_bone, rig.data.bones.keys())
    opposite = chain_of(rig, end) if end else None
    return opposite or rig.two_bone_ik_chains.get(bone_names.other_side(chain.name, rig.two_bone_ik_chains.keys()))


def _fields_of_other_side(rig: Rig, chain: TwoBoneIKChain) -> dict[str, Any]:
    """Name and bones of the chain that the other side lacks.

    raises : Refused if the bones are on no side, or the other side does not have them
    """
    end = bone_names.other_side(chain.end_bone, rig.data.bones.keys())
    if not end:
        raise Refused("NO_OTHER_SIDE.limb", chain=chain)
    name = next(bone_names.other_sides(chain.name, in_words=False), end)
    others = {field: getattr(chain, field) for field in SECTIONS["BONES"] if field not in _BONES}
    return {"end_bone": end, "name": name} | others | _bones(rig, chain)


def known_sections(sections: Any) -> list[str]:
    """These sections, of a collection or one alone; Refused for an unknown one."""
    names = list(sections) if isinstance(sections, Collection) and not isinstance(sections, str) else [sections]
    for section in names:
        if section not in SECTIONS:
            raise unknown_word("sections", section, SECTIONS)
    return names


def _copied_values(
    rig: Rig, chain: TwoBoneIKChain, other: TwoBoneIKChain, sections: Collection[str], *, is_mirrored: bool
) -> dict[str, Any]:
    """What the fields of `other` are to be, so that it has the settings of `chain` in these sections.

    raises : Refused if bones do not exist, or make no chain
    """
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
        # There is no bone to turn.
        values = {name: value for name, value in values.items() if name not in ("use_rotation", "reach_with")}
    return values


def _difference(rig: Rig, chain: TwoBoneIKChain, other: TwoBoneIKChain) -> str:
    """A sentence if the limb on the other side is no mirror image at rest, so that its poses cannot be; else ""."""
    (links, hinges), (other_links, other_hinges) = (_at_rest(rig, limb) for limb in (chain, other))
    named = {"other": other.name, "chain": chain.name}
    angle = _angle(links * _MIRROR, other_links)
    if angle >= reference_pose.SLIGHT:
        return translated("note.no_mirror_image", **named, angle=degrees(angle))
    angle = _angle(-_MIRROR * hinges, other_hinges)
    return translated("note.no_mirrored_hinge", **named, angle=degrees(angle)) if angle > _ASKEW else ""


def _angle(directions: Array, others: Array) -> float:
    """The largest angle between unit vectors (2, 3) and others, radians."""
    return float(np.arctan2(norm(cross(directions, others)), dot(directions, others)).max())


def _side(chain: TwoBoneIKChain) -> str:
    return bone_names.side(chain.name) or bone_names.side(chain.end_bone)


def _mirrored_shares(rig: Rig, chain: TwoBoneIKChain) -> dict[str, float]:
    """The shares set by hand, by twist bones of the other side; Refused if that lacks one."""
    by_name = {_bone_of_other_side(rig, chain, bone): share for bone, share in shares_by_hand(rig, chain).items()}
    return {bone: share for bone, share in by_name.items() if bone}


def _bones(rig: Rig, chain: TwoBoneIKChain) -> dict[str, Any]:
    """Bones of the other side, by name; a bone whose name tells no side is left out."""
    others = {field: _bone_of_other_side(rig, chain, getattr(chain, field)) for field in _BONES}
    return {field: other for field, other in others.items() if other or not getattr(chain, field)}


def _bone_of_other_side(rig: Rig, chain: TwoBoneIKChain, bone: str) -> str:
    """Its name, "" if that of `bone` tells no side; Refused if there is no such bone."""
    other = bone_names.other_side(bone, rig.data.bones.keys())
    if bone_names.side(bone) and not other:
        raise Refused("NO_OTHER_SIDE.bone", chain=chain, bone=bone)
    return other


def _goals(chain: TwoBoneIKChain) -> dict[str, Any]:
    """Target and pole target of the other side, by name; what has no counterpart is left as the other chain has it."""
    values: dict[str, Any] = {}
    for object_field, bone_field in POINTS.items():
        item, bone = getattr(chain, object_field), getattr(chain, bone_field)
        if item is None:
            continue
        other_name = bone_names.other_side(item.name, bpy.data.objects.keys(), in_words=False)
        other = bpy.data.objects.get(other_name) or item
        bones = other.data.bones.keys() if is_rig(other) else []
        other_bone = bone_names.other_side(bone, bones) or (bone if other != item else "")
        if other != item or other_bone:
            values |= {object_field: other, bone_field: other_bone}
    return values


def _hinge_axis(rig: Rig, chain: TwoBoneIKChain, other: TwoBoneIKChain) -> HingeAxis:
    """The axis of the other chain's end bone that is nearest to the mirror image of this chain's hinge."""
    _, hinges = _at_rest(rig, chain)

    def off(axis: HingeAxis) -> float:
        return round(_angle(-_MIRROR * hinges, _at_rest(rig, other, axis)[1]), _DIGITS)

    auto, *axes = HingeAxis
    if chain.hinge_axis != HingeAxis.AUTO:
        return min(axes, key=off)
    if off(auto) < radians(45.0) and not reference_pose.is_slight(reference_pose.rest(rest_chain(rig, other)[0])):
        return auto  # the bend of the rest pose tells more than any axis
    return min((auto, *axes), key=off)


def _bend(chain: TwoBoneIKChain, other: TwoBoneIKChain, hinge_axis: str | None) -> Bend:
    bend = Bend(chain.bend)
    # Positive is how a decided side is kept. Where Auto has become an axis, the rest pose tells the wrong side.
    keeps_side = other.bend == Bend.POSITIVE and hinge_axis is None
    gets_axis = chain.hinge_axis == HingeAxis.AUTO and hinge_axis not in (None, HingeAxis.AUTO)
    return Bend.POSITIVE if bend == Bend.REST and (keeps_side or gets_axis) else bend


def _at_rest(rig: Rig, chain: TwoBoneIKChain, axis: HingeAxis | None = None) -> tuple[Array, Array]:
    """Directions (2, 3) of the bones and their hinges (2, 3) at rest, in armature space.

    axis : taken in place of the chain's own hinge axis
    """
    limb, orientation = rest_chain(rig, chain)
    if axis:
        limb = replace(limb, hinge_axis=orientation @ AXES[axis], use_hinge_axis=axis != HingeAxis.AUTO)
    pose = reference_pose.rest(limb)
    to_armature = rest(rig.data.bones[root_name(rig, chain)])[:3, :3]
    return pose.links @ to_armature.T, pose.hinges @ to_armature.T
