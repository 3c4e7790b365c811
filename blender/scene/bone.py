"""What bones are at rest, as the frozen `Bone` that the arithmetic takes; what transforms bones and objects have now.

Their own transforms come with the rotation that a scale of zero takes out of a matrix.
"""

from typing import Any, cast

import bpy
import numpy as np
from bpy.types import Object, PoseBone
from mathutils import Matrix

from ...skeleton.rotation_mode import rotation_matrices, rotation_name
from ...skeleton.transform import AT_REST, Basis, compose
from ...skeleton.values import Bone, Point
from ...solver.values import Array
from ...solver.vectors import product
from ..armatures import Rig
from ..versions import matrix_rows


def read_bone(rig: Rig, name: str, *, parent: str | None = None) -> Bone:
    """The bone of this name of an armature object that has a pose.

    parent : the name of another parent bone that it is to get, "" for none
    """
    bone, pose_bone = rig.data.bones[name], rig.pose.bones[name]
    above, inherits = bone.parent if parent is None else rig.data.bones.get(parent), bone.use_inherit_rotation
    return Bone(
        name=name,
        path=pose_bone.path_from_id(),
        length=bone.length,
        has_parent=above is not None,
        offset=_offset(bone, above) if parent is None else _offset_to(bone, above),
        rotation_mode=pose_bone.rotation_mode,
        use_inherit_rotation=inherits,
        use_local_location=bone.use_local_location,
        inherit_scale=bone.inherit_scale,
        parent_rest=AT_REST.rotation[0] if inherits or not above else rest(above)[:3, :3],
    )


def bone_or_object(point: Point) -> PoseBone | Object:
    """The bone that the point names, otherwise its object: what has its channels and constraints."""
    return point.object.pose.bones[point.bone] if point.bone else point.object


def rest(bone: bpy.types.Bone) -> Array:
    """(4, 4) from the bone to its armature, at rest."""
    return np.array(matrix_rows(bone.matrix_local), dtype=np.float64)


def from_bone(item: Object) -> Array:
    """(4, 4) from the space that the basis of an object is applied in to the bone that it is a child of."""
    bone = cast(Rig, item.parent).data.bones[item.parent_bone]
    matrix = bone.matrix_local.inverted() if bone.use_relative_parent else Matrix.Translation((0.0, bone.length, 0.0))
    return np.array(matrix, dtype=np.float64)


def _offset(bone: bpy.types.Bone, parent: bpy.types.Bone | None) -> Array:
    if parent is None:
        return rest(bone)
    matrix = bone.matrix.to_4x4()
    matrix.translation = bone.head
    # The head is given from the parent's tail.
    matrix[1][3] += parent.length
    return np.array(matrix_rows(matrix), dtype=np.float64)


def _offset_to(bone: bpy.types.Bone, parent: bpy.types.Bone | None) -> Array:
    return np.linalg.inv(rest(parent)) @ rest(bone) if parent else rest(bone)


def current(owner: Object | PoseBone) -> Basis:
    """The own transform of a bone or an object, on one frame."""
    return Basis.of(*(np.array(value, dtype=np.float64)[None] for value in current_rows(owner)))


def current_rows(owner: Object | PoseBone) -> tuple[Any, Any]:
    """The rows of `matrix_basis`, and the scale in it; where that is zero along an axis, the matrix has one there."""
    scale = owner.scale if isinstance(owner, PoseBone) else owner.scale * owner.delta_scale
    rows = matrix_rows(owner.matrix_basis)
    if all(scale[:]):
        return rows, scale
    location = np.array(rows, dtype=np.float64)[:3, 3]
    return compose(_rotation(owner) * np.copysign(1.0, np.array(scale)), location), scale


def _rotation(owner: Object | PoseBone) -> Array:
    """(3, 3) by the channels of its rotation mode, delta transforms included."""
    own, *delta = (
        rotation_matrices(np.array(getattr(owner, name), dtype=np.float64)[None], owner.rotation_mode)[0]
        for name in (rotation_name(owner.rotation_mode), f"delta_{rotation_name(owner.rotation_mode)}")
        if hasattr(owner, name)
    )
    return product(delta[0], own) if delta else own
