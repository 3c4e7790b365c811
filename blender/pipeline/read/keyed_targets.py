"""Targets that are to be keyed, as the arithmetic takes them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bpy.types import Object

from ....skeleton.rotation_mode import rotation_matrices, rotation_name
from ....skeleton.target_channels import KeyedTarget
from ....skeleton.values import Point
from ....solver.values import Array
from ...armatures import Rig
from . import dependencies
from .bone import read_bone
from .values_before import values_before


def keyed_targets(points: Iterable[Point], start: float) -> dict[Point, KeyedTarget]:
    """For each object or bone how it is to be keyed, from frame `start` on."""
    return {point: _keyed_target(point, start) for point in points}


def _keyed_target(point: Point, start: float) -> KeyedTarget:
    item: Rig = point.object
    bone = read_bone(item, point.bone) if point.bone else None
    rotation_path = bone.rotation_path if bone else rotation_name(item.rotation_mode)
    delta_location, delta_rotation = (np.zeros(3), np.eye(3)) if bone else _delta(item)
    return KeyedTarget(
        parents=tuple(dependencies.with_parents(point)),
        bone=bone,
        group=point.bone or "Object Transforms",
        location_path=f"{bone.path}.location" if bone else "location",
        rotation_path=rotation_path,
        rotation_mode=bone.rotation_mode if bone else item.rotation_mode,
        delta_location=delta_location,
        delta_rotation=delta_rotation,
        before=values_before(item, [rotation_path], start)[rotation_path],
    )


def _delta(item: Object) -> tuple[Array, Array]:
    """Location (3,) and rotation (3, 3) that Blender adds to the object's own."""
    location = np.array(item.delta_location, dtype=np.float64)
    if item.rotation_mode == "AXIS_ANGLE":
        return location, np.eye(3)  # Blender has no such property in RNA
    values = item.delta_rotation_quaternion if item.rotation_mode == "QUATERNION" else item.delta_rotation_euler
    return location, rotation_matrices(np.array(values, dtype=np.float64)[None], item.rotation_mode)[0]
