"""The pose that bones had before Live posed them.

Live limbs overwrite the pose. A chain that starts from the current pose would then start from its own last solution and
drift. So rotation and scale from before are kept, each until something else sets it. The bone keeps them in a property,
so that undo and loading a file bring back both.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...skeleton import transform
from ...skeleton.transform import Basis
from ...skeleton.values import Bone, Point
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..session import session
from ..settings import bone_marks
from .bone import current, current_rows

PoseBefore = Callable[[Point, Basis], Basis]
"""(bone, sampled basis) -> basis to start from; for live limbs the one before Live posed them."""

_SAME = 1e-6
"""Between elements of matrices: what was written comes back from Blender in single precision."""

# By `session_uid` of armature objects and bone: `_rows` of the pose that Live wrote, and the pose from before.
_before: dict[tuple[int, str], tuple[tuple[Array, Array], Basis]] = session.of_state({})


def begin(rig: Rig) -> None:
    """Forget what the bones keep from earlier, unless Live has posed them since the file was opened."""
    for bone in rig.pose.bones if rig.pose else ():
        if (rig.session_uid, bone.name) not in _before:
            bone.property_unset("two_bone_ik_own")


def remember(bone: Any, before: Basis) -> None:
    """Keep the pose that a bone had before Live posed it: `before`, of one frame."""
    _before[bone.id_data.session_uid, bone.name] = _rows(bone), before
    if not _same(np.array(bone.two_bone_ik_own), before.matrix):
        # Blender reads an array set by rows as columns.
        bone.two_bone_ik_own = before.matrix[0].T


def take_keys(rig: Rig, bones: Iterable[Bone]) -> None:
    """Blender has just set these bones to their keys. These count also where a bake gave them the pose that Live wrote.

    A rotation with keys in some of its channels alone is still Live's in the others.
    """
    find = versions.curve_finder(rig)

    def keyed(path: str) -> list[bool]:
        elements = range(len(rig.path_resolve(path)))
        return [bool((curve := find(path, index=index)) and versions.plays(curve)) for index in elements]

    for bone in bones:
        owner: Any = rig.pose.bones.get(bone.name)
        if owner and (known := _before.get((rig.session_uid, bone.name))):
            (rows, before), own = known, current(owner)
            scale = np.where(keyed(bone.scale_path), own.scale, before.scale)
            rotation = own.rotation if all(keyed(bone.rotation_path)) else before.rotation
            _before[rig.session_uid, bone.name] = rows, Basis(location=before.location, rotation=rotation, scale=scale)


def pose_before(point: Point, basis: Basis) -> Basis:
    """The pose that a bone had before Live posed it, but for what differs from what Live set.

    That was posed by hand since, or has keys. Live sets no location. Keys of the scale alone say nothing of the
    rotation, nor those of one axis of another.
    """
    rig: Rig = point.object
    bone: Any = rig.pose.bones[point.bone]
    if (rig.session_uid, point.bone) in _before:
        rows, before = _before[rig.session_uid, point.bone]
    elif rig.two_bone_ik_live and bone.is_property_set("two_bone_ik_own"):
        own, rows = np.array(bone.two_bone_ik_own, dtype=np.float64)[None], _rows(bone)
        before = Basis.of(own, np.copysign(transform.lengths(own[..., :3, :3]), rows[1]))
    else:
        return basis
    rotation, scale = before.rotation, before.scale
    if not (_same(rows[0], basis.matrix) and _same(rows[1], basis.scale)):
        written = Basis.of(*rows)
        rotation = rotation if _same(written.rotation, basis.rotation) else basis.rotation
        scale = np.where((np.abs(written.scale - basis.scale) < _SAME).all(axis=0), scale, basis.scale)
    return Basis(location=basis.location, rotation=rotation, scale=scale)


@contextmanager
def posing(rig: Rig) -> Iterator[PoseBefore]:
    """Gives what `pose_before` gives. Bones posed while it is open are posed from there, for Live as well."""
    sampled: dict[Point, tuple[Basis, Basis]] = {}

    def starts_from(point: Point, basis: Basis) -> Basis:
        sampled[point] = basis, pose_before(point, basis)
        return sampled[point][1]

    yield starts_from
    for point, (basis, before) in sampled.items() if rig.two_bone_ik_live else ():
        bone = rig.pose.bones[point.bone]
        if point.object == rig and not _same(np.array(bone.matrix_basis), basis.matrix):
            remember(bone, before)


def _renamed(rig: Rig, names: bone_marks.Names) -> None:
    """What bones keep goes along with them."""
    uid = rig.session_uid
    kept = {names.get(bone, bone): _before.pop((uid, bone)) for key, bone in [*_before] if key == uid}
    _before.update({(uid, bone): before for bone, before in kept.items()})


bone_marks.listeners.append(_renamed)


def _rows(bone: Any) -> tuple[Array, Array]:
    """(1, 4, 4) and (1, 3) of `current_rows`"""
    matrix, scale = (np.array(value, dtype=np.float64)[None] for value in current_rows(bone))
    return matrix, scale


def _same(matrix: Array, other: Array) -> bool:
    return bool(np.abs(matrix - other).max() < _SAME)
