"""Own transforms of bones and objects as they now are, with the rotation that a scale of zero takes out of a matrix."""

from typing import Any

import numpy as np
from bpy.types import Object, PoseBone

from ...skeleton.rotation_mode import rotation_matrices, rotation_name
from ...skeleton.transform import Basis, compose
from ...solver.values import Array
from ...solver.vectors import product
from ..versions import matrix_rows


def current(owner: Object | PoseBone) -> Basis:
    """On one frame."""
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
