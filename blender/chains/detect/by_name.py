"""Finds limbs by the names of their bones: an upper part, below it a lower part, and below that hand or foot."""

import re
from collections import defaultdict
from collections.abc import Iterable
from math import pi, radians

from bpy.types import Bone

from ...armatures import Rig
from . import bone_names
from .bone_names import LimbBones, Part, Role, bones_named

_SHARE, _IN_LINE = 0.2, radians(5.0)
"""A bone above counts as a twist bone if it is at least this share of the limb's length and within this angle of it; a
hip joint is not."""

_ROPE = 5
"""This many bones with the same name, none of them named as upper or lower part, are a rope and no limb."""


def limbs(rig: Rig) -> list[LimbBones]:
    """All limbs and fingers. Where a rig has a limb in several sets of bones, the one that takes keys."""
    parts = {bone: part for bone in rig.data.bones if (part := bone_names.part(bone.name))}
    by_label = defaultdict(list)
    for group in _groups(parts):
        if limb := _limb(group, parts):
            # Bones that no constraint overrides come first, and FK controls before others.
            rank = sum(is_driven(rig, bone) for bone in (limb.root, limb.end)), parts[limb.end].bone_set
            by_label[limb.label].append((rank, limb))
    return [limb for ranked in by_label.values() for rank, limb in ranked if rank == min(rank for rank, _ in ranked)]


def _groups(parts: dict[Bone, Part]) -> Iterable[list[Bone]]:
    """Groups of bones with the same label, in the same set, below one of them; nearer ones come first."""
    kinds = {bone: (part.label, part.bone_set) for bone, part in parts.items()}
    groups = defaultdict(list)
    for bone, kind in kinds.items():
        above = [other for other in bone.parent_recursive if kinds.get(other) == kind]
        groups[above[-1] if above else bone].append(bone)
    return (sorted(group, key=_depth) for group in groups.values())


def _depth(bone: Bone) -> int:
    return len(bone.parent_recursive)


def _limb(group: list[Bone], parts: dict[Bone, Part]) -> LimbBones | None:
    roles = {role: [bone for bone in group if parts[bone].role == role] for role in Role}
    vague, lower = roles[Role.ANY], roles[Role.LOWER]
    if not (roles[Role.UPPER] or lower) and len(vague) >= _ROPE:
        return None
    # The shoulder of some skeletons is the joint from which the upper arm goes.
    roots = roles[Role.UPPER] or vague or (roles[Role.BASE] if lower else [])
    ends = [bone for bone in lower or vague if roots and roots[0] in bone.parent_recursive]
    if not ends:
        return None
    label = parts[roots[0]].label
    if label.name in bone_names.FINGERS and not _on_a_hand(roots[0]):
        return None
    with_tips = [(bone, _tip(bone, group, parts)) for bone in ends]
    # A helper at the knee may be named as the shin is, but no foot hangs on it.
    end, tip = next(((bone, tip) for bone, tip in with_tips if tip), with_tips[0])
    root = _last([bone for bone in roots if bone in end.parent_recursive], end)
    return LimbBones(label=label, root=root, end=end, tip=tip, why=f"Named so: {bones_named(root, end, tip)}")


def _last(row: list[Bone], end: Bone) -> Bone:
    """The last bone of a row named as a limb's root, or the first of those in the row that lie in line with it."""
    *above, root = row
    for bone in reversed(above):
        link, limb = root.head_local - bone.head_local, end.head_local - root.head_local
        if link.length < _SHARE * limb.length or link.angle(limb, pi) > _IN_LINE:
            break
        root = bone
    return root


def _on_a_hand(finger: Bone) -> bool:
    for bone in finger.parent_recursive:
        if re.search("foot|toe|paw", bone.name, re.IGNORECASE):
            return False
        if re.search("hand|wrist", bone.name, re.IGNORECASE):
            return True
    return True


def finger_carrier(finger: Bone) -> Bone | None:
    """The hand on which a finger hangs, or its parent if no bone is named so; None if the bone is of no finger."""
    if not _is_finger(finger):
        return None
    above = [bone for bone in finger.parent_recursive if not _is_finger(bone)]
    hands = (bone for bone in above if re.search("hand|wrist", bone.name, re.IGNORECASE))
    return next(hands, above[0] if above else None)


def _is_finger(bone: Bone) -> bool:
    part = bone_names.part(bone.name)
    return part is not None and part.label.name in bone_names.FINGERS and _on_a_hand(bone)


def _tip(end: Bone, group: list[Bone], parts: dict[Bone, Part]) -> Bone | None:
    """Hand or foot by name, otherwise the bone that continues the end bone; None if the end bone is the last."""
    mine = parts[end]
    hands = [
        bone
        for bone, part in parts.items()
        if part.role == Role.TIP
        and (part.label.side, part.bone_set) == (mine.label.side, mine.bone_set)
        and end in bone.parent_recursive
    ]
    if hands:
        return min(hands, key=_depth)
    same = [bone for bone in group if end in bone.parent_recursive]
    following = [
        bone
        for bone in end.children
        if not bone_names.is_no_limb(bone.name) and (bone.head_local - end.head_local).length >= 0.5 * end.length
    ]
    return next(iter(same or following), None)


def is_driven(rig: Rig, bone: Bone) -> bool:
    """True if a constraint of the bone may override its keys."""
    acting = (constraint.type for constraint in rig.pose.bones[bone.name].constraints if not constraint.mute)
    return any(kind != "IK" and not kind.startswith("LIMIT") for kind in acting)
