"""Transforms in the world into channels of targets: parents and delta transforms are taken off.

Targets may be parented to each other, as a pole target is to the foot that it belongs to. So each follows those that it
is parented to, from where these will then be.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np

from ..solver.values import Array
from ..solver.vectors import product
from . import inherit, transform
from .rotation_mode import rotation_matrices, rotation_values
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


Places: TypeAlias = Mapping[Point, WorldTransform]
"""Where each target has to be, by target."""


def world_transforms(goals: Iterable[TargetsFromPose]) -> dict[Point, WorldTransform]:
    """Where each target and pole target has to be; with orientation if the chain takes the rotation of its target."""
    transforms = {}
    for of_chain in goals:
        chain = of_chain.solved.plan
        orientation = of_chain.orientation if chain.use_rotation else None
        transforms[chain.target] = WorldTransform(location=of_chain.target, orientation=orientation)
        if chain.pole:
            transforms[chain.pole] = WorldTransform(location=of_chain.pole)
    return transforms


def world_transform(samples: Samples, point: Point, count: int) -> WorldTransform:
    """Where the point is now, on `count` frames."""
    world = np.broadcast_to(samples.world(point), (count, 4, 4))
    return WorldTransform(location=world[:, :3, 3], orientation=transform.orientation(world[:, :3, :3]))


def carried_by(samples: Samples, item: Key, carrier: Array) -> Samples:
    """The samples once something else, with matrices (n, 4, 4), carries an object with the same channels."""
    world = product(carrier, samples.basis[Point(item)].matrix)
    return replace(samples, to_world={**samples.to_world, item: world})


def without_scale(carrier: Array) -> Array:
    """(4, 4) what removes the scale of a carrier (n, 4, 4) on its first frame; the identity where it has none."""
    first = carrier[:1]
    rigid = transform.compose(transform.orientation(first[:, :3, :3]), first[:, :3, 3])
    off = product(transform.inverse(first), rigid)[0]
    return np.eye(4) if np.abs(off - np.eye(4)).max() < transform.UNSCALED else off


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeyedTarget:
    """An object or a bone that gets keys, as *read* has taken it from Blender.

    parents : the point itself, its parent, and so on up
    bone : None for an object
    group : name for the group of its F-curves
    location_path, rotation_path : RNA paths from the object
    delta_location, delta_rotation : (3,), (3, 3) what Blender adds to the object's own transform
    before : (3 or 4,) the value of the rotation from which its keys go on without a jump
    constrained : whether constraints may add something to its own transform; to an object's also muted ones, which keys
        may unmute
    arrives : for a control, the bone that goes along with it, and (4, 4) from that one to the target; None for a target
        that is keyed itself
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
    constrained: bool = False
    arrives: tuple[Point, Array] | None = None

    @property
    def placed(self) -> tuple[Point, ...]:
        """All whose place counts: what is keyed, and the bone that goes along with it."""
        return (self.parents[0], self.arrives[0]) if self.arrives else self.parents[:1]


KeyedTargets: TypeAlias = Mapping[Point, KeyedTarget]
"""How each target is keyed, by target."""


def placed(targets: KeyedTargets) -> set[Point]:
    """All whose place counts for these targets."""
    return {place for target in targets.values() for place in target.placed}


def target_channels(
    plan: Plan, transforms: Places, samples: Samples, targets: KeyedTargets
) -> dict[Key, list[Channel]]:
    """By object the channels that give it, or its bones, these transforms on every frame of the plan."""
    return by_object(channels_by_target(plan, transforms, samples, targets, {}))


def by_object(channels: Mapping[Point, Iterable[Channel]]) -> dict[Key, list[Channel]]:
    """The channels of all targets that are the same object, or its bones, in one list."""
    by_item: dict[Key, list[Channel]] = {}
    for point, of_point in channels.items():
        by_item.setdefault(point.object, []).extend(of_point)
    return by_item


def channels_by_target(
    plan: Plan, transforms: Places, samples: Samples, targets: KeyedTargets, others: Mapping[Point, Array]
) -> dict[Point, list[Channel]]:
    """By target, each after those that carry it, the channels that give it its transform on every frame.

    others : (n, 4, 4) where other targets are once they are keyed
    """
    moved = dict(others)
    channels: dict[Point, list[Channel]] = {}
    for point in sorted(transforms, key=lambda point: len(targets[point].parents)):
        target, goal = targets[point], transforms[point]
        carried = CarriedTarget.of(target, samples, moved)
        basis = carried.basis_for(goal)
        moved |= carried.worlds(point, basis)
        rotates = goal.orientation is not None
        channels[point] = list(_channels(plan, target, basis.column(0), rotates=rotates))
    return channels


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CarriedTarget:
    """A target on what carries it: from its basis to the world, and back.

    sampled : (n, 1, ...)             its basis
    parent : (n, 1, 4, 4) or None     the pose of its parent bone, in armature space
    to_world : (n, 1, 4, 4)           from the armature, or from the space that an object's basis is applied in
    arrival : (n, 4, 4) each or None  of a control that is keyed for a target, and of what arrives with it, both as
                                      sampled, in the world
    """

    target: KeyedTarget
    sampled: Basis
    parent: Array | None
    to_world: Array
    arrival: tuple[Array, Array] | None

    @classmethod
    def of(cls, target: KeyedTarget, samples: Samples, moved: Mapping[Point, Array]) -> Self:
        """The target once others have `moved`: to (n, 4, 4) in the world."""
        point, parent = target.parents[0], None
        sampled = Basis.side_by_side([samples.basis[point]])
        if target.bone:
            armature = [place.bone for place in target.parents].index("")
            to_world = _to_world(target.parents[armature:], samples, moved)[:, None]
        elif len(target.parents) == 1 and not target.constrained:
            to_world = np.eye(4)[None, None]  # far away, single precision is no place to measure it from
        else:
            to_world = product(_to_world(target.parents, samples, moved)[:, None], transform.inverse(sampled.matrix))
        if target.bone and target.bone.has_parent:
            carrier = _to_world(target.parents[1:], samples, moved)[:, None]
            parent = product(transform.inverse(to_world), carrier)
        if target.bone and target.constrained:
            own = inherit.pose((target.bone,), parent, sampled.matrix)
            to_world = product(to_world, product(samples.pose[point][:, None], transform.inverse(own)))
        arrival = None
        if target.arrives:
            with_it, offset = target.arrives
            arrival = samples.world(point), product(samples.world(with_it), offset)
        return cls(target=target, sampled=sampled, parent=parent, to_world=to_world, arrival=arrival)

    @property
    def _bones(self) -> inherit.Bones:
        return (self.target.bone or _OBJECT,)

    def basis_for(self, goal: WorldTransform) -> Basis:
        """(n, 1, ...) the basis that gives it this transform, or gives it to what arrives with it."""
        goal = self._of_control(goal)
        from_world, basis = transform.inverse(self.to_world), self.sampled
        if goal.orientation is not None:
            orientation = transform.orientation(product(from_world[..., :3, :3], goal.orientation[:, None]))
            basis = replace(basis, rotation=inherit.rotation(self._bones, self.parent, basis.scale, orientation))
        head = transform.transform_points(from_world, goal.location[:, None])
        return replace(basis, location=inherit.location(self._bones, self.parent, head))

    def basis_of(self, location: Array, rotation: Array | None = None) -> Basis:
        """(n, 1, ...) the basis that these values (n, k) of its channels give it."""
        basis = replace(self.sampled, location=(location + self.target.delta_location)[:, None])
        if rotation is None:
            return basis
        turn = product(self.target.delta_rotation, rotation_matrices(rotation, self.target.rotation_mode))
        return replace(basis, rotation=turn[:, None])

    def _of_control(self, goal: WorldTransform) -> WorldTransform:
        """Where the control has to be, so that what arrives with it is where it is wanted."""
        if not self.arrival:
            return goal
        control, arriving = self.arrival
        offset = arriving[:, :3, 3] - control[:, :3, 3]
        if goal.orientation is None:
            return replace(goal, location=goal.location - offset)
        before, arrived = (transform.orientation(world[:, :3, :3]) for world in self.arrival)
        turn = product(goal.orientation, np.swapaxes(arrived, -1, -2))
        location = goal.location - transform.transform_vectors(turn, offset)
        return WorldTransform(location=location, orientation=product(turn, before))

    def worlds(self, point: Point, basis: Basis) -> dict[Point, Array]:
        """(n, 4, 4) with this basis where what is keyed is, and the target `point` that arrives with it."""
        keyed = product(self.to_world, inherit.pose(self._bones, self.parent, basis.matrix))[:, 0]
        if not self.arrival:
            return {point: keyed}
        control, arriving = self.arrival
        way = product(transform.inverse(control), arriving)
        return {self.target.parents[0]: keyed, point: product(keyed, way)}


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
