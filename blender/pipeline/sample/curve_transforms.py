"""Own transforms of objects and bones, location, rotation and scale over frames, read off their F-curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import ID, FCurve, Object, PoseBone
from mathutils import Matrix

from ....solver.triad import product
from ....solver.values import Array
from ... import versions
from ..bones import transform
from ..bones.rotation_mode import rotation_matrices, rotation_name

Curves = dict[tuple[str, int], FCurve]


def curves_by_path(block: ID) -> Curves:
    """The F-curves of a data-block by RNA path and index."""
    return {(curve.data_path, curve.array_index): curve for curve in versions.curves(block)}


_LINEAR = {
    *("scale", "rotation_quaternion", "rotation_axis_angle", "rotation_euler"),
    *("delta_scale", "delta_rotation_quaternion", "delta_rotation_euler"),
}


class OwnTransforms:
    """Evaluates the channels of one data-block's owners over `n` frames; what has no F-curves is as it stands."""

    def __init__(self, block: ID, frames: Sequence[float]) -> None:
        self._curves = curves_by_path(block)
        self._animated = {path for path, _ in self._curves}
        self._frames = frames

    def bone(self, bone: PoseBone, with_rotation: bool) -> Array:
        """(n, 4, 4), or (1, 4, 4) where nothing moves: as `PoseBone.matrix_basis`, with or without rotation."""
        path = f"{bone.path_from_id()}."
        names = ("scale", rotation_name(bone.rotation_mode)) if with_rotation else ("scale",)
        moved = path + "location" in self._animated
        if not any(path + name in self._animated for name in names):
            standing = _standing(bone) if with_rotation else _unturned(bone)
            return transform.compose(standing[:, :3, :3], self._values(bone, path, "location")) if moved else standing
        linear = np.eye(3) * self._values(bone, path, "scale")[:, None, :]
        if with_rotation:
            linear = product(self._rotation(bone, path, bone.rotation_mode), linear)
        return transform.compose(linear, self._values(bone, path, "location"))

    def object(self, item: Object) -> Array:
        """(n, 4, 4), or (1, 4, 4): as `Object.matrix_basis`, delta transforms included."""
        moves = self._animated & {"location", "delta_location"}
        if not self._animated & _LINEAR:
            linear = _standing(item)[:, :3, :3]
        else:
            scale = self._values(item, "", "scale") * self._values(item, "", "delta_scale")
            turn = product(self._delta_rotation(item), self._rotation(item, "", item.rotation_mode))
            linear = turn * scale[:, None, :]
        if not moves:
            return transform.compose(linear, _standing(item)[:, :3, 3])
        moved = self._values(item, "", "location") + self._values(item, "", "delta_location")
        return transform.compose(linear, moved)

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


def _standing(owner: Object | PoseBone) -> Array:
    """(1, 4, 4) from its channels as they stand."""
    return np.array(owner.matrix_basis, dtype=np.float64)[None]


def _unturned(bone: PoseBone) -> Array:
    """(1, 4, 4) the same without rotation."""
    return np.array(Matrix.LocRotScale(bone.location, None, bone.scale), dtype=np.float64)[None]
