"""The own pose of bones that are posed without keys.

A pose that was written is not the chain's own: a chain that starts from its own pose would start from its own solution,
and creep. So where rotation has a say, what stood before is remembered for as long as what was written stands, by the
bones as well, so that undo and loading bring back both.
"""

from __future__ import annotations

import numpy as np
from bpy.types import Object, PoseBone

from ...skeleton import transform
from ...skeleton.basis import Basis
from ...skeleton.plan import Point
from ...solver.values import Array

_SAME = 1e-6
"""Between elements of matrices: what was written comes back from Blender in single precision."""

# By `session_uid` of armature objects and bone: the matrix (4, 4) that was written, and what stood before.
_own: dict[tuple[int, str], tuple[Array, Basis]] = {}


def begin(rig: Object) -> None:
    """The pose that stands is the bones' own from now on, unless it was written here."""
    for bone in rig.pose.bones if rig.pose else ():
        if (rig.session_uid, bone.name) not in _own:
            bone.property_unset("two_bone_ik_own")


def remember(bone: PoseBone, before: Basis) -> None:
    """Of a bone that was posed here, the one frame of own channels `before`."""
    _own[bone.id_data.session_uid, bone.name] = np.array(bone.matrix_basis, dtype=np.float64), before
    if not _same(np.array(bone.two_bone_ik_own), before.matrix):
        bone.two_bone_ik_own = before.matrix[0]


def pose_before(point: Point, basis: Basis) -> Basis:
    """Own channels, on one frame, of a bone that shows with this `basis`."""
    known = _own.get((point.object.session_uid, point.bone))
    if known:
        written, before = known
        return before if _same(written, basis.matrix) else basis
    bone = point.object.pose.bones[point.bone]
    if point.object.two_bone_ik_live and bone.is_property_set("two_bone_ik_own"):
        own = np.array(bone.two_bone_ik_own, dtype=np.float64)[None]
        return Basis.of(own, np.copysign(transform.lengths(own[..., :3, :3]), basis.scale))
    return basis


def forget() -> None:
    """Another file, or another state of it: what was written last says nothing."""
    _own.clear()


def _same(one: Array, other: Array) -> bool:
    return bool(np.abs(one - other).max() < _SAME)
