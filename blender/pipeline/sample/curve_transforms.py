"""Own transforms of objects and bones, location, rotation and scale over frames, read off their F-curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import ID, FCurve, Object, PoseBone
from mathutils import Matrix, Vector

from ....skeleton.rotation_mode import rotation_matrices, rotation_name
from ....skeleton.transform import Basis
from ....solver.values import Array
from ....solver.vectors import product
from ... import versions

Curves = dict[tuple[str, int], FCurve]


def curves_by_path(block: ID) -> Curves:
    """The F-curves of a data-block by RNA path and index."""
    return {(curve.data_path, curve.array_index): curve for curve in versions.curves(block)}


_ROTATIONS = {
    *("rotation_quaternion", "rotation_axis_angle", "rotation_euler"),
    *("delta_rotation_quaternion", "delta_rotation_euler"),
}


class OwnTransforms:
    """Evaluates the channels of one data-block's owners over `n` frames; what has no F-curves is as it stands."""

    def __init__(self, block: ID, frames: Sequence[float]) -> None:
        self._curves = curves_by_path(block)
        self._animated = {path for path, _ in self._curves}
        self._frames = frames

    def bone(self, bone: PoseBone, with_rotation: bool) -> Basis:
        """As `PoseBone.matrix_basis` has them, with or without rotation."""
        path = f"{bone.path_from_id()}."
        return Basis(
            # Blender leaves out what a connected bone has.
            location=np.zeros((1, 3)) if bone.bone.use_connect else self._values(bone, path, "location"),
            rotation=self._bone_rotation(bone, path) if with_rotation else np.eye(3)[None],
            scale=self._values(bone, path, "scale"),
        )

    def object(self, item: Object) -> Basis:
        """As `Object.matrix_basis` has them, delta transforms included."""
        return Basis(
            location=self._values(item, "", "location") + self._values(item, "", "delta_location"),
            rotation=self._object_rotation(item),
            scale=self._values(item, "", "scale") * self._values(item, "", "delta_scale"),
        )

    def _bone_rotation(self, bone: PoseBone, path: str) -> Array:
        if path + rotation_name(bone.rotation_mode) not in self._animated:
            return _standing(bone.matrix_basis, bone.scale)
        return self._rotation(bone, path, bone.rotation_mode)

    def _object_rotation(self, item: Object) -> Array:
        if not self._animated & _ROTATIONS:
            return _standing(item.matrix_basis, item.scale * item.delta_scale)
        return product(self._delta_rotation(item), self._rotation(item, "", item.rotation_mode))

    def _rotation(self, owner: Object | PoseBone, path: str, mode: str) -> Array:
        return rotation_matrices(self._values(owner, path, rotation_name(mode)), mode)

    def _delta_rotation(self, item: Object) -> Array:
        if item.rotation_mode == "QUATERNION":
            return rotation_matrices(self._values(item, "", "delta_rotation_quaternion"), "QUATERNION")
        if item.rotation_mode == "AXIS_ANGLE":
            return np.eye(3)[None]  # Blender has no such property in RNA
        return rotation_matrices(self._values(item, "", "delta_rotation_euler"), item.rotation_mode)

    def _values(self, owner: Object | PoseBone, path: str, name: str) -> Array:
        """(n, k) the property on every frame, or (1, k) where it has no F-curves."""
        standing = np.array(getattr(owner, name), dtype=np.float64)
        if path + name not in self._animated:
            return standing[None]
        values = np.empty((len(self._frames), len(standing)), order="F")
        for index, value in enumerate(standing):
            curve = self._curves.get((path + name, index))
            values[:, index] = np.fromiter(map(curve.evaluate, self._frames), float, len(values)) if curve else value
        return values


def _standing(matrix_basis: Matrix, scale: Vector) -> Array:
    """(1, 3, 3) the rotation that stands."""
    basis = Basis.of(*(np.array(value, dtype=np.float64)[None] for value in (matrix_basis, scale)))
    return basis.rotation
