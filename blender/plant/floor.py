"""How high a floor is below points: the same everywhere, or that of a mesh as the scene shows it now."""

from functools import partial
from numbers import Real

import numpy as np
from bpy.types import Object, Scene
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...skeleton.feet.plant import Heights
from ...skeleton.transform import transform_points
from ...skeleton.values import Point
from ...solver.values import Array
from ..messages.refused import Refused
from ..scene import probe
from ..scene.need import SampleNeed

Floor = float | Object
"""As scripts give it: a height in the world, or a mesh object."""

_ABOVE = 0.15
"""Leg lengths above a point from where the floor below is looked for: captured feet sink in, but no step is so low."""

_FARTHEST = 1e6
"""Leg lengths from feet to floor: no user means more, and next to 1e16 a leg length is less than the last digit."""


def heights(floor: Floor, scene: Scene) -> Heights:
    """How high this floor is below points, as the scene shows it now.

    raises : Refused if it is neither a height nor a mesh; the function that it gives does where it is below no point
    """
    if isinstance(floor, Object):
        return partial(_below, floor, _tree(floor, scene))
    if not (isinstance(floor, Real) and np.isfinite(floor)):
        raise Refused("FLOOR_HEIGHT", value=floor)
    return partial(_level, float(floor))


def _level(height: float, points: Array, leg: float) -> Array:
    if np.abs(points[..., 2] - height).max(initial=0.0) > _FARTHEST * leg:
        raise Refused("FLOOR_HEIGHT", value=height)
    return np.full(points.shape[:-1], height)


def _below(floor: Object, tree: BVHTree, points: Array, leg: float) -> Array:
    down = Vector((0.0, 0.0, -1.0))
    starts = points.reshape(-1, 3) + np.array((0.0, 0.0, _ABOVE * leg))
    hits = (tree.ray_cast(Vector(start), down, _FARTHEST * leg)[0] for start in starts.tolist())
    found = np.array([np.nan if hit is None else hit.z for hit in hits])
    if np.isnan(found).all():
        raise Refused("FLOOR_MISSED", object=floor)
    return found.reshape(points.shape[:-1])


def _tree(item: Object, scene: Scene) -> BVHTree:
    """The evaluated mesh in the world."""
    if item.type != "MESH":
        raise Refused("FLOOR_NO_MESH", object=item)
    layer = scene.view_layers[0]
    with probe.probing(scene, SampleNeed.at([Point(item)])):
        layer.update()
        evaluated = item.evaluated_get(layer.depsgraph)
        mesh = evaluated.to_mesh()
        places = np.empty((len(mesh.vertices), 3), dtype=np.float32)
        mesh.vertices.foreach_get("co", places.reshape(-1))
        corners: list[tuple[int, ...]] = [tuple(polygon.vertices) for polygon in mesh.polygons]
        to_world = np.array(evaluated.matrix_world, dtype=np.float64)
        evaluated.to_mesh_clear()
    return BVHTree.FromPolygons(transform_points(to_world, places.astype(np.float64)).tolist(), corners)
