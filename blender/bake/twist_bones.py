"""The twist bones of a limb: which bones between its joints take a share of the twist, and how much.

Bones at the side are children of the root bone or the end bone that deform. Bones in line carry the next: they are
those between the root bone and the end bone, and between this and the tip bone. All begin near the line from joint to
joint.
"""

import re
from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Bone as RigBone
from bpy.types import Constraint, PoseBone

from ...skeleton.rotation_mode import rotation_name
from ...skeleton.values import ChainPlan, TwistBone
from ...solver import twist
from .. import versions
from ..armatures import Rig
from ..scene import dependencies
from ..scene.bone import read_bone, rest

_NEAR = 0.02
"""Part of the distance of the joints: a twist bone begins no farther from the line between them."""

_ROUNDING = 1e-5
"""Part of that distance: places are single precision."""

_TWIST = re.compile("twist|roll", re.IGNORECASE)
_NUB = re.compile(r"(nub|[._ -]end)([._ -]?(l|r|left|right|\d+))*$", re.IGNORECASE)
"""Names of the bones that exporters put at the ends."""


class Place(NamedTuple):
    """A twist bone as it was found: see `TwistBone`."""

    name: str
    upper: bool
    in_line: bool
    by_place: float


class FoundBones(NamedTuple):
    """Twist bones, and names of those that are left alone: others turn them, or not all pass on how they turn."""

    bones: list[Place]
    left_alone: list[str]

    @property
    def names(self) -> list[str]:
        """The names of all these bones."""
        return [*(place.name for place in self.bones), *self.left_alone]


def read(chain: ChainPlan) -> tuple[TwistBone, ...]:
    """The twist bones of a chain of which all else was read."""
    known = {bone.name: bone for bone in (*chain.bones, *chain.below)}
    pose_bones: Any = chain.rig.pose.bones
    return tuple(
        TwistBone(
            bone=known.get(place.name) or read_bone(chain.rig, place.name),
            upper=place.upper,
            in_line=place.in_line,
            by_place=place.by_place,
            share=pose_bones[place.name].two_bone_ik_twist,
        )
        for place in found_for(chain).bones
    )


def found(rig: Rig, bones: Sequence[str], below: Sequence[str], *, hock: bool) -> FoundBones:
    """The twist bones of a limb, which is given by names. Bones in line come first, from the root on.

    hock : True if `below` ends with the third bone of a leg; bones that carry it are none, as they turn the triangle
    """
    of_halves = [_of_half(rig, bones, bones[1:-1], upper=True)]
    if below:
        of_halves.append(_of_half(rig, (bones[-1], *below), () if hock else below[:-1], upper=False))
    places = sorted((place for part in of_halves for place in part.bones), key=lambda place: not place.in_line)
    return FoundBones(places, [name for part in of_halves for name in part.left_alone])


def found_for(chain: ChainPlan) -> FoundBones:
    """The twist bones of a chain that was read, as `found` gives them."""
    bones, below = ([bone.name for bone in part] for part in (chain.bones, chain.twisting))
    return found(chain.rig, bones, below, hock=bool(chain.third))


def _of_half(rig: Rig, bones: Sequence[str], between: Sequence[str], *, upper: bool) -> FoundBones:
    """The twist bones between the heads of the first and the last of `bones`, each of which carries the next.

    between : those of them that may take a share
    """
    data = rig.data.bones
    line = [data[name] for name in between]
    at_side = [bone for bone in data[bones[0]].children if bone.name not in bones and _is_twist(bone)]
    if not (line or at_side):  # most limbs have none
        return FoundBones([], [])
    start, end = (rest(data[name])[:3, 3] for name in (bones[0], bones[-1]))
    if not np.linalg.norm(end - start) > 0.0:
        return FoundBones([], [])
    at = {bone.name: place for bone in (*line, *at_side) if (place := _place(bone, start, end)) is not None}
    left_alone = turned_by_others(rig, at)
    if not all(data[name].use_inherit_rotation for name in between):
        # One that does not turn with the bone before it would be taken off the line, and the joint with it.
        left_alone.update(between)
    free = [name for name in at if name not in left_alone]
    in_line = [name for name in free if name in between]
    by_place = twist.shares([at[name] for name in in_line], upper=upper, in_line=True).tolist() if in_line else []
    places = [Place(name, upper, True, part) for name, part in zip(in_line, by_place, strict=True)]
    places += [Place(name, upper, False, at[name]) for name in free if name not in between]
    return FoundBones(places, [name for name in at if name in left_alone])


def _is_twist(bone: RigBone) -> bool:
    """Whether a child of the root bone or the end bone may be one, by all but its place."""
    named = bool(_TWIST.search(bone.name))
    return bone.use_deform and (named or not bone.children) and not _NUB.search(bone.name)


def _place(bone: RigBone, start: np.ndarray, end: np.ndarray) -> float | None:
    """From 0 to 1 along the line between two joints; None where the bone begins elsewhere."""
    place, off = twist.place(rest(bone)[:3, 3], start, end)
    if off > _NEAR or not -_ROUNDING <= place <= 1.0 + _ROUNDING:
        return None
    return float(np.clip(place, 0.0, 1.0))


_MOVING = {"COPY_LOCATION", "COPY_SCALE", "LIMIT_LOCATION", "LIMIT_SCALE", "LIMIT_DISTANCE", "MAINTAIN_VOLUME"}
"""Constraints that turn no bone."""


def turned_by_others(rig: Rig, names: Collection[str]) -> set[str]:
    """Which of these bones constraints or drivers turn; panels ask often, so no more of the rig is looked at."""
    bones: list[RigBone] = [rig.data.bones[name] for name in names if name in rig.data.bones]
    turned = {bone.name for bone in bones if _is_driven(rig, bone.name)}
    # Inverse Kinematics turns the bones above its own, too.
    below = (bone.name for bone in dependencies.reached(bones, attrgetter("children")))
    posed = (rig.pose.bones[name] for name in below if name in rig.pose.bones)
    for bone, constraint in dependencies.constrained(rig, posed):
        if _turns(rig, constraint):
            turned |= dependencies.moved_by(bone, constraint).intersection(names)
    return turned


def _is_driven(rig: Rig, name: str) -> bool:
    bone: PoseBone | None = rig.pose.bones.get(name)
    if not (bone and rig.animation_data):
        return False
    path = f"{bone.path_from_id()}.{rotation_name(bone.rotation_mode)}"
    return any(rig.animation_data.drivers.find(path, index=index) for index in range(4))


def _turns(rig: Rig, constraint: Constraint) -> bool:
    built = constraint.name.startswith(dependencies.BUILT)  # which turns it as we would
    if built or constraint.mute or not constraint.is_valid or constraint.type in _MOVING:
        return False
    return constraint.influence > 0.0 or versions.is_ever_animated(rig, f"{constraint.path_from_id()}.influence")
