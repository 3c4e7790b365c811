"""Legs and arms whose feet and hands are to stand, with or without chains, and the hips above them.

Each is solved in the plane of its pose as captured: the options for it are chosen here.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from numbers import Real
from typing import Any

import bpy
import numpy as np
from bpy.types import FCurve
from mathutils import Vector

from ...skeleton.feet.feet import BonePoint, Contact, Foot, Hips, is_at
from ...skeleton.values import Bone, ChainPlan, Point
from ...solver.values import Options, Plane, Reference
from ..armatures import Rig
from ..bake.chain import TOLERANCE, chain_plan, unlisted_chain
from ..chains.detect.find_limbs import Kind, Limb, limbs, toe_of
from ..curves.key_checks import refuse_unplayable
from ..messages.refused import Refused
from ..messages.translation import known_words, nearest_name, translated
from ..scene.bone import read_bone
from ..settings.properties import chain_of
from .checks import acting

_IN_FRONT = 0.25
"""Part of the foot's length: a toe begins at least so far in front of the foot's head."""

_ACROSS = 0.5
"""Part of its length by which a heel bone at most goes up or down if it lies across the foot."""

FoundLimbs = Mapping[str, Limb]
"""Limbs by name, as `found_limbs` gives them: once for a request, as it takes long in a rig of many bones."""


def feet_of(rig: Rig, found: FoundLimbs, names: Sequence[str]) -> tuple[Foot, ...]:
    """The limbs of these names, of chains or of those that were found.

    raises : Refused where there is none of a name, or where one has no such bones
    """
    known = dict.fromkeys((*found, *(chain.name for chain in rig.two_bone_ik_chains)))
    for name in names:
        if name not in known:
            raise Refused("UNKNOWN_LIMB", object=rig, value=name, known=known_words(name, known))
    others = {limb.end_bone for limb in found.values() if limb.kind != Kind.LEGS}
    return tuple(
        _foot(rig, chain, is_hand=chain.end.name in others, has_heel=not _has_hock(rig, chain.name, found))
        for chain in [_chain(rig, name, found) for name in names]
    )


def found_limbs(rig: Rig) -> FoundLimbs:
    """The arms, legs and spine of the armature, by name."""
    found: dict[str, Limb] = {}
    for limb in limbs(rig, {Kind.ARMS, Kind.LEGS, Kind.SPINE}):
        name = limb.chain or limb.name
        found[limb.end_bone if name in found else name] = limb  # a spider has several of one name
    return found


def names_by_end(rig: Rig, found: FoundLimbs) -> dict[str, str]:
    """The name of a limb by its end bone."""
    names = {limb.end_bone: name for name, limb in found.items()}
    return names | {chain.end_bone: chain.name for chain in rig.two_bone_ik_chains}


def _chain(rig: Rig, name: str, found: Any) -> ChainPlan:
    """The limb, solved from its own pose. Of its chain only hinge and twist count, not the target."""
    listed: Any = rig.two_bone_ik_chains.get(name) or found[name]
    # Otherwise feet would turn. A leg without a toe stands on its third bone.
    tip = listed.tip_bone or (found[name].tip_bone if name in found else "") or listed.hock_bone
    chain = chain_of(rig, listed.end_bone)
    # A third bone, which twists, is carried as captured.
    own = {"hinge_axis": chain.hinge_axis, "use_twist": chain.use_twist and not chain.hock_bone} if chain else {}
    limb = unlisted_chain(name=name, root_bone=listed.root_bone, end_bone=listed.end_bone, tip_bone=tip, **own)
    options = Options(reference=Reference.POSE, plane=Plane.AIM, tolerance=TOLERANCE)
    plan = chain_plan(rig, limb, Point(rig))
    return replace(plan, pole=None, options=options, use_rotation=bool(plan.below))


def _has_hock(rig: Rig, name: str, found: FoundLimbs) -> bool:
    """Whether the limb is a leg with a hock, which stands on its toe."""
    listed: Any = rig.two_bone_ik_chains.get(name)
    if listed and (listed.hock_bone or listed.tip_bone):
        return bool(listed.hock_bone)
    return name in found and bool(found[name].hock_bone)


def _foot(rig: Rig, chain: ChainPlan, *, is_hand: bool, has_heel: bool) -> Foot:
    end = BonePoint(chain.end.name, chain.end.tail)
    if not chain.below:
        return Foot(chain=chain, points=(end, end), ends=(end,), is_hand=is_hand)
    bone = rig.data.bones[chain.tip_bone]
    heels = [child for child in bone.children if "heel" in child.name.lower()]
    toe = None if is_hand else toe_of(bone, bone.children)
    ball = BonePoint(toe.name) if toe else _tail(bone)
    if not has_heel:
        heel = ball
    elif heels:
        heel = _heel(heels[0], rig.data.bones[chain.root.name].head_local - bone.head_local)
    else:
        heel = BonePoint(bone.name)
    parts = (bone, *bone.children_recursive)
    ends = (*map(_tail, parts), *(BonePoint(part.name) for part in parts[1:]))
    return Foot(chain=chain, points=(ball, heel), ends=ends, is_hand=is_hand)


def _tail(bone: bpy.types.Bone) -> BonePoint:
    return BonePoint(bone.name, (0.0, bone.length, 0.0))


def _heel(bone: bpy.types.Bone, up: Vector) -> BonePoint:
    """The lower end of a heel bone, or its middle if it lies across the foot."""
    rise = (bone.tail_local - bone.head_local).dot(up.normalized())
    if abs(rise) < _ACROSS * bone.length:
        return BonePoint(bone.name, (0.0, 0.5 * bone.length, 0.0))
    return _tail(bone) if rise < 0.0 else BonePoint(bone.name)


def with_contacts(rig: Rig, feet: Sequence[Foot], contacts: Sequence[Contact]) -> tuple[Foot, ...]:
    """The feet, standing on the points of these contacts; Refused for contacts that are none of theirs."""
    known = {foot.chain.name: foot for foot in feet}
    for contact in contacts if isinstance(contacts, Collection) else [contacts]:
        if not (isinstance(contact, Contact) and _are_numbers(contact[1:3]) and isinstance(contact.bone, str)):
            raise Refused("NOT_A_CONTACT", object=rig, value=contact)
        if contact.chain not in known:
            raise Refused("UNKNOWN_LIMB", object=rig, value=contact.chain, known=known_words(contact.chain, known))
        if not contact.start <= contact.end:
            raise Refused("CONTACT_FRAMES", object=rig, value=contact.start, limb=contact.chain, end=contact.end)
        if np.shape(contact.offset) != (3,) or not _are_numbers(contact.offset):
            raise Refused("CONTACT_POINT", object=rig, bone=contact.bone, value=contact.offset, limb=contact.chain)
        if not moves(known[contact.chain], contact.bone):
            own = (bone for bone in rig.data.bones.keys() if moves(known[contact.chain], bone))
            nearest = nearest_name(str(contact.bone), own)
            raise Refused("CONTACT_BONE", object=rig, bone=contact.bone, limb=contact.chain, nearest=nearest)
    return tuple(_standing_on(rig, foot, [each for each in contacts if each.chain == foot.chain.name]) for foot in feet)


def _are_numbers(values: Iterable[object]) -> bool:
    return all(isinstance(value, Real) and isfinite(value) for value in values)


def moves(foot: Foot, name: str) -> bool:
    """Whether the limb's end bone is the bone of this name, or above it."""
    end, bone = foot.chain.end.name, foot.chain.rig.data.bones.get(name)
    return bone is not None and end in (name, *(above.name for above in bone.parent_recursive))


def _standing_on(rig: Rig, foot: Foot, contacts: Sequence[Contact]) -> Foot:
    others = [each for each in contacts if not any(is_at(each, point) for point in foot.points)]
    used = {point for point in foot.points if any(is_at(each, point) for each in contacts)}
    new = [*dict.fromkeys(BonePoint(each.bone, (x, y, z)) for each in others for x, y, z in [map(float, each.offset)])]
    if len(used) + len(new) > 2:
        raise Refused("CONTACT_POINTS", object=rig, value=len(used) + len(new), limb=foot.chain.name)
    (ball, heel), free = foot.points, iter(new)
    ball = ball if ball in used else next(free, ball)
    # A point on which users let a foot stand belongs to its sole.
    return replace(foot, points=(ball, next(free, heel)), ends=(*foot.ends, *new))


def hips_of(
    rig: Rig, found: FoundLimbs, feet: Sequence[Foot], name: str | None, curves: Iterable[FCurve]
) -> tuple[Hips | None, str]:
    """The hips' bone; if it cannot be moved, why not.

    By default it is the nearest above all legs and arms of the body that is neither connected nor locked: a pelvis may
    lie beside the spine. If there is none, it is the nearest such bone above the legs.

    curves : of what was captured
    raises : Refused where a bone that is named is not above them, or not there
    """
    above = [_above(rig, foot.chain.root.name) for foot in feet]
    legs = [bones for foot, bones in zip(feet, above, strict=True) if not foot.is_hand]
    bones = rig.data.bones.keys()
    common = [bone for bone in (legs[0] if legs else bones) if all(bone in each for each in legs)]
    if name is not None and name not in common:
        raise Refused("HIPS_ELSEWHERE", object=rig, bone=name, nearest=nearest_name(name, common or bones))
    if not legs:
        return None, ""  # hands alone move nothing but arms
    loose = [bone for bone in common if not rig.data.bones[bone].use_connect]
    free = [bone for bone in loose if not any(rig.pose.bones[bone].lock_location)]
    ends = [limb.end_bone for limb in found.values() if limb.kind in (Kind.ARMS, Kind.LEGS)]
    body = set(common).intersection(*(_above(rig, end) for end in ends))
    chosen = name or next((bone for bone in free if bone in body), next(iter(free or loose), ""))
    reason = _obstacle(rig, chosen, curves) if chosen else translated("part.hips_none")
    if reason:
        return None, reason
    parent = rig.data.bones[chosen].parent
    carries = frozenset(foot.chain.name for foot, bones in zip(feet, above, strict=True) if chosen in bones)
    return Hips(bone=read_bone(rig, chosen), parent=Point(rig, parent.name) if parent else None, carries=carries), ""


def _above(rig: Rig, bone: str) -> list[str]:
    """Names of the bones above this one, from the nearest on."""
    return [above.name for above in rig.data.bones[bone].parent_recursive]


def _obstacle(rig: Rig, name: str, curves: Iterable[FCurve]) -> str:
    """Why keys cannot move this bone; "" if they can."""
    bone = rig.pose.bones[name]
    if bone.bone.use_connect:
        return translated("part.hips_connected", bone=name)
    if any(bone.lock_location):
        return translated("part.hips_locked", bone=name)
    if found := acting(rig, name):
        return translated("part.hips_constrained", bone=name, name=found[0].name)
    return _unplayable(rig, f"{bone.path_from_id()}.location", curves)


def with_free_toes(rig: Rig, feet: Iterable[Foot], curves: Sequence[FCurve]) -> tuple[tuple[Foot, ...], list[str]]:
    """The feet with those of their toes that can be keyed in these captured curves, and the names of the others."""
    found, stiff = [], list[str]()
    for foot in feet:
        toes = list(_toes(rig, foot)) if foot.chain.below and foot.is_planted and not foot.is_hand else []
        free = [toe for toe in toes if not _unplayable(rig, toe.rotation_path, curves)]
        found.append(replace(foot, toes=tuple(free)))
        stiff += [toe.name for toe in toes if toe not in free]
    return tuple(found), stiff


def _unplayable(rig: Rig, path: str, curves: Iterable[FCurve]) -> str:
    """Why keys of this property would not play; "" if they do."""
    try:
        refuse_unplayable(rig, {path}, curves)
    except Refused as refused:
        return str(refused)
    return ""


def _toes(rig: Rig, foot: Foot) -> Iterator[Bone]:
    """All that is below the foot apart from its heel; what lies along it goes with it.

    What the foot stands on turns with the foot alone, otherwise it would slide.
    """
    heel, above = foot.points[1].bone, rig.data.bones[foot.chain.tip_bone]
    for bone in above.children:
        is_in_front = (bone.head_local - above.head_local).length > _IN_FRONT * above.length
        below = {child.name for child in bone.children_recursive}
        has_point = any(place.bone in below or (place.bone == bone.name and any(place.offset)) for place in foot.points)
        if is_in_front and bone.name != heel and not has_point and not acting(rig, bone.name):
            yield read_bone(rig, bone.name)
