"""Rotations in the mode of their bone or object: the property, its values as matrices, and matrices as its values."""

import numpy as np

from ..solver import rotation
from ..solver.values import Array
from ..solver.vectors import norm

_ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


def rotation_name(mode: str) -> str:
    """The property that holds the rotation in this rotation mode."""
    return _ROTATIONS.get(mode, "rotation_euler")


def rotation_matrices(values: Array, mode: str) -> Array:
    """(n, 3, 3) of a property's values (n, 3 or 4) in this rotation mode, as Blender takes them."""
    if mode == "QUATERNION":
        length = norm(values)[..., None]
        if not length.all():
            values = np.where(length > 0.0, values, (0.0, 1.0, 0.0, 0.0))  # half a turn
            length = np.where(length > 0.0, length, 1.0)
        return rotation.from_quaternions(values / length)
    if mode == "AXIS_ANGLE":
        return rotation.from_axis_angles(values)
    return rotation.from_eulers(values, mode)


def rotation_values(matrices: Array, mode: str, before: Array | None) -> Array:
    """(n, 3 or 4) the property's values for rotations (n, 3, 3), without jumps, on from the value `before`."""
    if mode == "QUATERNION":
        return rotation.quaternions(matrices, before)
    if mode == "AXIS_ANGLE":
        return rotation.axis_angles(matrices, before)
    return rotation.eulers(matrices, mode, before)
