"""What bones that are targets look like: a cube and a sphere of wire, each shared by all bones of its kind."""

from math import cos, sin, tau
from typing import Any

import bpy
from bpy.types import Object

from .made_for import is_marked, mark
from .new_targets import Role

_NAMES = {Role.TARGET: "Two-Bone IK Target", Role.POLE: "Two-Bone IK Pole"}
_CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
_STEPS = 24

Wire = tuple[list[tuple[float, float, float]], list[tuple[int, int]]]
"""Points and edges, as large as a bone is long."""


def shape(role: Role) -> Object:
    """The shape, which lies in no collection; made where the file has none."""
    name = _NAMES[role]
    existing = next((item for item in bpy.data.objects if _is_shape(item) and item.data.name.startswith(name)), None)
    if existing:
        return existing
    mesh = bpy.data.meshes.new(name)
    points, edges = _cube() if role is Role.TARGET else _sphere()
    mesh.from_pydata(points, edges, [])
    item = bpy.data.objects.new(name, mesh)
    mark(item, name)
    return item


def remove_unused() -> None:
    """Remove the shapes that no bone has any more."""
    for item in [item for item in bpy.data.objects if _is_shape(item) and not item.users]:
        mesh: Any = item.data
        bpy.data.objects.remove(item)
        bpy.data.meshes.remove(mesh)


def _is_shape(item: Object) -> bool:
    return item.type == "MESH" and is_marked(item) and item.is_editable


def _cube() -> Wire:
    edges = [(i, i ^ bit) for i in range(8) for bit in (1, 2, 4) if i < i ^ bit]
    return _CORNERS, edges


def _sphere() -> Wire:
    """A circle about each axis."""
    flat = [(0.5 * cos(tau * step / _STEPS), 0.5 * sin(tau * step / _STEPS)) for step in range(_STEPS)]
    points = [point for a, b in flat for point in ((0.0, a, b), (a, 0.0, b), (a, b, 0.0))]
    return points, [(i, (i + 3) % len(points)) for i in range(len(points))]
