"""Transforms in the world into channels of targets: parents and delta transforms are taken off.

Targets may be parented to each other, as a pole target is to the foot that it belongs to. So each follows those that it
is parented to, from where these will then be.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..solver.values import Array
from ..solver.vectors import product
from . import inherit, transform
from .rotation_mode import rotation_values
from .targets_from_pose import TargetsFromPose
from .transform import Basis
from .values import Bone, Channel, Key, Plan, Point, Samples

_OBJECT = Bone(name="", path="", length=0.0, has_parent=False, offset=np.eye(4))
"""Stands for an object: what it is parented to gives the space that its basis is applied in."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WorldTransform:
    """Where a target has to be, in the world: location (n, 3), and orientation (n, 3, 3) if the chain takes it."""

    location: Array
    orientation: Array | None = None


def world_transforms(found: Iterable[TargetsFromPose]) -> dict[Point, WorldTransform]:
    """Of each target and pole target; with orientation if the chain takes the rotation of its target."""
    transforms = {}
    for one in found:
        chain = one.solved.plan
        transforms[chain.target] = WorldTransform(
            location=one.target, orientation=one.orientation if chain.use_rotation else None
        )
        if chain.pole:
            transforms[chain.pole] = WorldTransform(location=one.pole)
    return transforms


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeyedTarget:
    """An object or a bone that gets keys, as *read* has taken it from Blender.

    parents : the point itself, its parent, and so on up
    bone : None for an object
    group : name for the group of its F-curves
    location_path, rotation_path : RNA paths from the object
    delta_location, delta_rotation : (3,), (3, 3) what Blender adds to the object's own transform
    before : (3 or 4,) the value of the rotation from which its keys go on without a jump
    """

    parents: tuple[Point, ...]
    bone: Bone | None
    group: str
    location_path: str
    rotation_path: str
    rotation_mode: str
    delta_location: Array
    delta_rotation: Array
    before: Array


def target_channels(
    plan: Plan, transforms: Mapping[Point, WorldTransform], samples: Samples, targets: Mapping[Point, KeyedTarget]
) -> dict[Key, list[Channel]]:
    """By object the channels that give it, or its bones, these transforms on every frame of the plan."""
    moved: dict[Point, Array] = {}
    channels: dict[Key, list[Channel]] = {}
    for point in sorted(transforms, key=lambda point: len(targets[point].parents)):
        target, wanted = targets[point], transforms[point]
        basis, moved[point] = _basis(target, wanted, samples, moved)
        rotates = wanted.orientation is not None
        channels.setdefault(point.object, []).extend(_channels(plan, target, basis, rotates=rotates))
    return channels


def _basis(
    target: KeyedTarget, wanted: WorldTransform, samples: Samples, moved: Mapping[Point, Array]
) -> tuple[Basis, Array]:
    """The basis that gives an object or a bone this transform, and its matrix in the world (n, 4, 4)."""
    point, parent = target.parents[0], None
    bones, basis = (target.bone or _OBJECT,), Basis.side_by_side([samples.basis[point]])
    if target.bone:
        armature = [place.bone for place in target.parents].index("")
        to_world = _to_world(target.parents[armature:], samples, moved)[:, None]
    else:
        to_world = product(_to_world(target.parents, samples, moved)[:, None], transform.inverse(basis.matrix))
    from_world = transform.inverse(to_world)
    if bones[0].has_parent:
        parent = product(from_world, _to_world(target.parents[1:], samples, moved)[:, None])
    if wanted.orientation is not None:
        orientation = transform.orientation(product(from_world[..., :3, :3], wanted.orientation[:, None]))
        basis = replace(basis, rotation=inherit.rotation(bones, parent, basis.scale, orientation))
    head = transform.transform_points(from_world, wanted.location[:, None])
    basis = replace(basis, location=inherit.location(bones, parent, head))
    pose = inherit.pose(bones, parent, basis.matrix)
    return basis.column(0), product(to_world, pose)[:, 0]


def _to_world(points: Sequence[Point], samples: Samples, moved: Mapping[Point, Array]) -> Array:
    """(n, 4, 4) of the first of the points, each the parent of the one before it, once the targets have `moved`."""
    point = points[0]
    for parent in points:
        if parent in moved:
            return product(moved[parent], product(transform.inverse(samples.world(parent)), samples.world(point)))
    return samples.world(point)


def _channels(plan: Plan, target: KeyedTarget, basis: Basis, *, rotates: bool) -> Iterator[Channel]:
    def channel(path: str, values: Array) -> Channel:
        values = np.broadcast_to(values, (len(plan.frames), values.shape[-1]))
        return Channel(path=path, group=target.group, frames=plan.frames, values=values)

    yield channel(target.location_path, basis.location - target.delta_location)
    if rotates:
        rotation = product(target.delta_rotation.T, basis.rotation)
        yield channel(target.rotation_path, rotation_values(rotation, target.rotation_mode, target.before))
