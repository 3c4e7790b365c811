"""How high a floor is below points: the same everywhere, or that of a mesh as the scene shows it now."""

import numpy as np
from bpy.types import Object, Scene
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ....skeleton.transform import transform_points
from ....solver.values import Array
from ...messages.refused import Refused
from . import probe
from .request import SampleRequest

Floor = float | Object
"""As scripts give it: a height in the world, or a mesh object."""

_ABOVE = 0.15
"""Leg lengths above a point from where the floor below is looked for: captured feet sink in, but no step is so low."""


def heights(floor: Floor, points: Array, leg: float, scene: Scene) -> Array:
    """(...) height of the floor below points (..., 3); where a mesh has none, a leg below the lowest that it has.

    raises : Refused where a mesh is below none of them, or where it is not a mesh
    """
    if not isinstance(floor, Object):
        if not np.isfinite(floor):
            raise Refused("FLOOR_HEIGHT", value=floor)
        return np.full(points.shape[:-1], float(floor))
    tree = _tree(floor, scene)
    down = Vector((0.0, 0.0, -1.0))
    starts = points.reshape(-1, 3) + np.array((0.0, 0.0, _ABOVE * leg))
    hits = (tree.ray_cast(Vector(start), down)[0] for start in starts.tolist())
    found = np.array([np.nan if hit is None else hit.z for hit in hits])
    if np.isnan(found).all():
        raise Refused("FLOOR_MISSED", object=floor)
    found[np.isnan(found)] = np.nanmin(found) - leg
    return found.reshape(points.shape[:-1])


def _tree(item: Object, scene: Scene) -> BVHTree:
    """The evaluated mesh in the world."""
    if item.type != "MESH":
        raise Refused("FLOOR_NO_MESH", object=item)
    layer = scene.view_layers[0]
    with probe.probing(scene, SampleRequest(objects=frozenset({item}), bones=frozenset())):
        layer.update()
        evaluated = item.evaluated_get(layer.depsgraph)
        mesh = evaluated.to_mesh()
        places = np.empty((len(mesh.vertices), 3), dtype=np.float32)
        mesh.vertices.foreach_get("co", places.reshape(-1))
        corners: list[tuple[int, ...]] = [tuple(polygon.vertices) for polygon in mesh.polygons]
        to_world = np.array(evaluated.matrix_world, dtype=np.float64)
        evaluated.to_mesh_clear()
    return BVHTree.FromPolygons(transform_points(to_world, places.astype(np.float64)).tolist(), corners)
