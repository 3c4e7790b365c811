"""Places in the world into channels of targets: what carries a target is undone, delta transforms are left out.

Targets may hang on each other, as a pole does on the foot that it belongs to. So each is placed after those that it
hangs on, from where these then are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Object

from ..blender.pipeline.read import dependencies
from ..solver.triad import product
from ..solver.values import Array
from . import inherit, transform
from .basis import Basis
from .bone_channels import values_before
from .channel import Channel
from .plan import Plan, Point
from .rotation_mode import rotation_matrices, rotation_name, rotation_values
from .samples import Samples
from .targets_from_pose import TargetsFromPose


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WorldTransform:
    """Where a target has to be, in the world: location (n, 3), and orientation (n, 3, 3) where it counts."""

    location: Array
    orientation: Array | None = None


def world_transforms(found: Iterable[TargetsFromPose]) -> dict[Point, WorldTransform]:
    """Where each target and pole target has to be; the orientation counts where a chain follows it."""
    places = {}
    for one in found:
        chain = one.solved.plan
        places[chain.target] = WorldTransform(
            location=one.target, orientation=one.orientation if chain.use_rotation else None
        )
        if chain.pole:
            places[chain.pole] = WorldTransform(location=one.pole)
    return places


def target_channels(
    plan: Plan, places: Mapping[Point, WorldTransform], samples: Samples
) -> dict[Object, list[Channel]]:
    """By object the channels that take it, or its bones, to their places on every frame of the plan."""
    moved: dict[Point, Array] = {}
    channels: dict[Object, list[Channel]] = {}
    for point in sorted(places, key=lambda point: len(dependencies.with_parents(point))):
        place = _bone_placed if point.bone else _object_placed
        basis, moved[point] = place(point, places[point], samples, moved)
        turns = places[point].orientation is not None
        channels.setdefault(point.object, []).extend(_channels(plan, point, basis, turns=turns))
    return channels


def target_path(point: Point, name: str) -> str:
    """RNA path, from the object, of a property of the object itself or of its bone."""
    return f"{point.object.pose.bones[point.bone].path_from_id()}.{name}" if point.bone else name


def rotation_of(point: Point) -> tuple[str, str]:
    """The rotation mode of the object or its bone, and the property that then holds the rotation."""
    mode = (point.object.pose.bones[point.bone] if point.bone else point.object).rotation_mode
    return mode, rotation_name(mode)


def _object_placed(
    point: Point, place: WorldTransform, samples: Samples, moved: dict[Point, Array]
) -> tuple[Basis, Array]:
    """Own channels of an object in its place, and itself in the world (n, 4, 4)."""
    own = samples.basis[point]
    above = product(_now(point, samples, moved), transform.inverse(own.matrix))
    from_world = transform.inverse(above)
    if place.orientation is not None:
        wanted = product(from_world[..., :3, :3], place.orientation)
        own = replace(own, rotation=transform.rotation(wanted, own.scale))
    basis = replace(own, location=transform.transform_points(from_world, place.location))
    return basis, product(above, basis.matrix)


def _bone_placed(
    point: Point, place: WorldTransform, samples: Samples, moved: dict[Point, Array]
) -> tuple[Basis, Array]:
    """The same for a bone."""
    bone, own = point.object.data.bones[point.bone], samples.basis[point]
    to_world = _now(Point(point.object), samples, moved)
    from_world = transform.inverse(to_world)
    parent = None
    if bone.parent:
        parent = product(from_world, _now(Point(point.object, bone.parent.name), samples, moved))
    if place.orientation is not None:
        wanted = transform.orientation(product(from_world[..., :3, :3], place.orientation))
        own = replace(own, rotation=inherit.rotation(bone, parent, own.scale, wanted))
    head = transform.transform_points(from_world, place.location)
    basis = replace(own, location=inherit.location(bone, parent, head))
    return basis, product(to_world, inherit.pose(bone, parent, basis.matrix))


def _now(point: Point, samples: Samples, moved: dict[Point, Array]) -> Array:
    """(n, 4, 4) to the world, once the targets that the point hangs on have moved."""
    for above in dependencies.with_parents(point):
        if above in moved:
            return product(moved[above], product(transform.inverse(samples.world(above)), samples.world(point)))
    return samples.world(point)


def _channels(plan: Plan, point: Point, basis: Basis, *, turns: bool) -> Iterator[Channel]:
    shift, turn = (np.zeros(3), np.eye(3)) if point.bone else _delta(point.object)

    def channel(name: str, values: Array) -> Channel:
        return Channel(
            path=target_path(point, name),
            group=point.bone or "Object Transforms",
            frames=plan.frames,
            values=np.broadcast_to(values, (len(plan.frames), values.shape[-1])),
        )

    yield channel("location", basis.location - shift)
    if turns:
        mode, name = rotation_of(point)
        own = product(turn.T, basis.rotation)
        (before,) = values_before(point.object, [target_path(point, name)], plan.frames[0])
        yield channel(name, rotation_values(own, mode, before))


def _delta(item: Object) -> tuple[Array, Array]:
    """Location (3,) and rotation (3, 3) that Blender adds to the object's own."""
    location = np.array(item.delta_location, dtype=np.float64)
    if item.rotation_mode == "AXIS_ANGLE":
        return location, np.eye(3)  # Blender has no such property in RNA
    values = item.delta_rotation_quaternion if item.rotation_mode == "QUATERNION" else item.delta_rotation_euler
    return location, rotation_matrices(np.array(values, dtype=np.float64)[None], item.rotation_mode)[0]
