"""How a bone's pose follows from its parent's and its own channels, on all frames at once.

For plain inheritance it is one product of matrices. Every other combination of Inherit Rotation, Inherit Scale and
Local Location is Blender's own affair: `Bone.convert_local_to_pose`, frame by frame.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

import numpy as np
from bpy.types import Bone
from mathutils import Matrix

from ..solver.triad import product
from ..solver.values import Array
from . import transform

Bones: TypeAlias = Bone | tuple[Bone, ...]
"""A bone, or several side by side that inherit by the same rules: then every array (n, ...) is (n, c, ...)."""


def rest(bone: Bone) -> Array:
    """(4, 4) from the bone to its armature, at rest."""
    return np.array(bone.matrix_local, dtype=np.float64)


def rules(bone: Bone) -> Hashable:
    """What bones have to share to be posed side by side."""
    return bone.parent is None, bone.use_inherit_rotation, bone.use_local_location, bone.inherit_scale


def offset(bone: Bones) -> Array:
    """(4, 4) from the bone to its parent bone, at rest; to the armature where it has none."""
    if isinstance(bone, tuple):
        return np.stack([offset(one) for one in bone])
    if bone.parent is None:
        return rest(bone)
    matrix = bone.matrix.to_4x4()
    matrix.translation = bone.head
    # The head is given from the parent's tail.
    matrix[1][3] += bone.parent.length
    return np.array(matrix, dtype=np.float64)


def pose(bone: Bones, parent: Array | None, basis: Array) -> Array:
    """(n, 4, 4) from the bone to its armature.

    parent : (n, 4, 4) or None     pose of its parent bone, in armature space
    basis : (n, 4, 4) or (4, 4)    its own channels, as `matrix_basis`
    """
    if is_plain(bone, parent):
        own = product(offset(bone), basis)
        return own if parent is None else product(parent, own)
    return _converted(bone, parent, basis)


def rotation_base(bone: Bones, parent: Array | None, location: Array) -> Array:
    """(n, 4, 4) in armature space, what the own rotation of a bone at its own `location` (n, 3) is applied on."""
    found = pose(bone, parent, transform.moved(location))
    if _any(bone).inherit_scale != "ALIGNED":
        return found
    # Aligned scale comes after the own rotation, along the bone's own axes, and is never negative.
    return transform.compose(transform.unscaled(found[..., :3, :3]), found[..., :3, 3])


def rotation(bone: Bones, parent: Array | None, scale: Array, wanted: Array) -> Array:
    """(n, 3, 3) the own rotation that points the x and y axis of the bone as `wanted` (n, 3, 3) has them.

    scale : (n, 3)      the bone's own, whose signs turn its axes round
    wanted : in armature space
    """
    above = rotation_base(bone, parent, np.zeros(3))[..., :3, :3]
    return transform.rotation(product(transform.inverse(above), wanted), scale)


def location(bone: Bone, parent: Array | None, head: Array) -> Array:
    """(n, 3) the own location that puts the bone's head at `head` (n, 3), in armature space."""
    # However a bone inherits, its head is where its parent puts it, and linear in its own location from there.
    start = pose(bone, parent, np.eye(4))[..., :3, 3]
    moves = [pose(bone, parent, transform.moved(axis))[..., :3, 3] - start for axis in np.eye(3)]
    return transform.transform_vectors(transform.inverse(np.stack(moves, axis=-1)), head - start)


def is_plain(bone: Bones, parent: Array | None) -> bool:
    """True where the bone's pose, on this pose of its parent, is one product of matrices."""
    one = _any(bone)
    if parent is None:
        return one.use_local_location
    plain = one.use_inherit_rotation and one.use_local_location
    return plain and (one.inherit_scale == "FULL" or not is_scaled(parent))


def is_scaled(matrices: Array) -> bool:
    """True where any of these (..., 4, 4) does more than turn and move."""
    linear = matrices[..., :3, :3]
    return bool(np.abs(product(np.swapaxes(linear, -1, -2), linear) - np.eye(3)).max(initial=0.0) > transform.UNSCALED)


def _any(bone: Bones) -> Bone:
    return bone[0] if isinstance(bone, tuple) else bone


def _converted(bone: Bones, parent: Array | None, basis: Array) -> Array:
    if isinstance(bone, tuple):
        parents = [None] * len(bone) if parent is None else np.moveaxis(parent, 1, 0)
        basis = np.broadcast_to(basis, np.broadcast_shapes(basis.shape, (1, len(bone), 4, 4)))
        return np.stack(list(map(_converted, bone, parents, np.moveaxis(basis, 1, 0))), axis=1)
    count = np.broadcast_shapes(basis.shape, (1, 4, 4) if parent is None else parent.shape)[0]
    own = [Matrix(rows) for rows in np.broadcast_to(basis, (count, 4, 4)).tolist()]
    if parent is None:
        return np.array([bone.convert_local_to_pose(matrix, bone.matrix_local) for matrix in own], dtype=np.float64)
    above = [Matrix(rows) for rows in np.broadcast_to(parent, (count, 4, 4)).tolist()]
    frame = {"parent_matrix_local": bone.parent.matrix_local}
    return np.array(
        [
            bone.convert_local_to_pose(matrix, bone.matrix_local, parent_matrix=carrier, **frame)
            for matrix, carrier in zip(own, above, strict=True)
        ],
        dtype=np.float64,
    )
