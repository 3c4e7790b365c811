"""The data that pass between the steps: *read* gives bones and plan, *sample* the samples, *convert* the channels.

They are frozen, and nothing here looks into Blender again.
"""

import itertools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from ..solver.values import Array, Bend, HingeAxis, Hock, Integers, Mask, Options, ReachWith, Reference, Unreachable
from .rotation_mode import rotation_name
from .transform import AT_REST, Basis, affine_product

AXES = {
    HingeAxis.AUTO: (1.0, 0.0, 0.0),
    HingeAxis.X: (1.0, 0.0, 0.0),
    HingeAxis.Z: (0.0, 0.0, 1.0),
    HingeAxis.NEG_X: (-1.0, 0.0, 0.0),
    HingeAxis.NEG_Z: (0.0, 0.0, -1.0),
}
"""The hinge axis in the end bone's space."""

OF_BONES = ("rotation_influence", "hock_angle")
"""Numbers of a chain that are none of the solver's options; they may be another on each frame as well."""

MERGE = 0.01
"""Frames: Blender merges keys that are closer than this."""

Key: TypeAlias = Any
"""An object or a scene of Blender's: here it is compared and hashed, and nothing more."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bone:
    """One bone of an armature object: its rest, its rules of inheritance, and where its rotation is kept.

    path : RNA path of the pose bone, from the armature object
    length : armature units
    offset : (4, 4) at rest, from the bone to its parent bone; to the armature where it has none
    rotation_mode, use_inherit_rotation, use_local_location, inherit_scale : Blender's
    parent_rest : (3, 3) how the parent bone points at rest, in armature space, of bones that do not inherit rotation
    """

    name: str
    path: str
    length: float
    has_parent: bool
    offset: Array
    rotation_mode: str = "QUATERNION"
    use_inherit_rotation: bool = True
    use_local_location: bool = True
    inherit_scale: str = "FULL"
    parent_rest: Array = field(default_factory=lambda: AT_REST.rotation[0])

    @property
    def rules(self) -> Hashable:
        """What bones have to share to be posed side by side."""
        return self.has_parent, self.use_inherit_rotation, self.use_local_location, self.inherit_scale

    @property
    def tail(self) -> tuple[float, float, float]:
        """The bone's tail in its own space."""
        return 0.0, self.length, 0.0

    @property
    def rotation_path(self) -> str:
        """RNA path, from the armature object, of the property that holds the bone's rotation."""
        return f"{self.path}.{rotation_name(self.rotation_mode)}"

    @property
    def location_path(self) -> str:
        """RNA path, from the armature object, of the bone's location."""
        return f"{self.path}.location"

    @property
    def scale_path(self) -> str:
        """RNA path, from the armature object, of the bone's scale."""
        return f"{self.path}.scale"


class Point(NamedTuple):
    """An object, or with `bone` a bone of an armature object: a key to what was sampled of it."""

    object: Key
    bone: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TwistBone:
    """A bone that takes its share of a twist.

    upper : True for the twist of the root bone against its parent, False for that of the tip bone against the end bone
    in_line : True for a bone of the chain, or below it, that carries the next; False for one at the side
    by_place : the part of the twist that its place gives it, from 0 at the upper joint to 1 at the lower joint
    share : the part that it has, from 0 to 1; below 0 the one by its place
    animated : True if `share` may differ from frame to frame
    """

    bone: Bone
    upper: bool
    in_line: bool
    by_place: float
    share: float = -1.0
    animated: bool = False


class Turned(NamedTuple):
    """Radians by which half a limb is twisted, whole turns count; and (3, 3) the rotation that has this twist on the
    frame before, from which the shortest way leads on. None if there is no such frame: the next twist is the nearest.
    """

    angle: float = 0.0
    rotation: Array | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainPlan:
    """One chain.

    bones : from the root bone to the end bone, with any twist bones in between
    below : from the end bone's child to the tip bone; empty if the end bone's tail is the tip
    hock : what the third bone of a leg turns with; None for a limb of two bones
    hock_bone : the name of that bone, which is one of those below
    hock_angle : radians by which that bone is turned first
    reach_with : what comes to the target, of a chain that uses its rotation
    parent : the root bone's parent bone
    animated : names of the numbers, among the options and the rotation influence, that may differ from frame to frame
    key_frames : (m,) the frames to key, or None for all
    dependents : objects and bones that later chains depend on and that this chain moves because they are parented to
        it; for each, the bones from the nearest one above it up to one of the chain's
    twists : bones that take a share of a twist: first those in line, from the root on
    turned : by half, the upper one as True, the twists from which those of the first frame go on; by default 0
    """

    name: str
    rig: Key
    bones: tuple[Bone, ...]
    below: tuple[Bone, ...]
    parent: Point | None
    target: Point
    pole: Point | None
    hinge_axis: str
    options: Options
    use_rotation: bool
    rotation_influence: float
    hock: Hock | None = None
    hock_bone: str = ""
    hock_angle: float = 0.0
    reach_with: ReachWith = ReachWith.JOINT
    animated: frozenset[str] = frozenset()
    key_frames: Array | None = None
    dependents: Mapping[Point, tuple[Bone, ...]] = field(default_factory=dict)
    twists: tuple[TwistBone, ...] = ()
    turned: Mapping[bool, Turned] = field(default_factory=dict)

    @property
    def targets(self) -> tuple[Point, ...]:
        """The target, and the pole target if there is one."""
        return (self.target, self.pole) if self.pole else (self.target,)

    @property
    def root(self) -> Bone:
        """The root bone."""
        return self.bones[0]

    @property
    def end(self) -> Bone:
        """The end bone."""
        return self.bones[-1]

    @cached_property
    def third(self) -> tuple[Bone, ...]:
        """The bone between the end bone and the tip of a leg with a hock; empty for other limbs."""
        return tuple(bone for bone in self.below if bone.name == self.hock_bone)

    @property
    def tip_bone(self) -> str:
        """Name of the bone whose head is the tip; "" if there is none."""
        return self.below[-1].name if self.below and self.below[-1].name != self.hock_bone else ""

    @property
    def bearing(self) -> tuple[Bone, ...]:
        """The bones below the end bone that bear the tip."""
        return self.below[:-1] if self.tip_bone else self.below

    @property
    def twisting(self) -> tuple[Bone, ...]:
        """The bones below the end bone down to that which twists them: the tip bone, or the third bone of a leg."""
        return self.below[: self.below.index(self.third[0]) + 1] if self.third else self.below

    @property
    def tip_place(self) -> tuple[str, tuple[float, float, float]]:
        """The bone that has the tip, by its name, and where it is in the bone's space."""
        last = self.below[-1] if self.below else self.end
        return last.name, (0.0, 0.0, 0.0) if self.tip_bone else last.tail

    @property
    def by_tail(self) -> bool:
        """True if the tail of the tip bone comes to the target, where that turns it; otherwise the tip does."""
        return self.use_rotation and self.reach_with == ReachWith.TAIL

    @property
    def uses_pose(self) -> bool:
        """True if the solution depends on the input pose."""
        options = self.options
        from_pose = options.reference == Reference.POSE or options.bend == Bend.NEAREST
        return from_pose or options.use_extension_limit or self.may_fall_short("influence")

    def number(self, name: str) -> float:
        """One of the numbers that `animated` may name, as it is where nothing animates it."""
        return getattr(self if name in OF_BONES else self.options, name)

    def may_fall_short(self, name: str) -> bool:
        """True if this influence is below 1, or may be on some frame."""
        return name in self.animated or self.number(name) < 1.0

    @property
    def pole_pins(self) -> bool:
        """True if the mid joint is pinned to the pole, or may be on some frame."""
        return "pole_pin" in self.animated or self.number("pole_pin") > 0.0

    @cached_property
    def scaled(self) -> tuple[Bone, ...]:
        """The bones whose scale a bake keys: none unless the chain stretches, or is pinned to its pole."""
        stretches = self.options.unreachable == Unreachable.STRETCH
        return (self.root, self.end, *self.third) if stretches or self.pole_pins else ()

    @property
    def needs_rotation(self) -> tuple[str, ...]:
        """Names of the bones whose rotation in the input pose the solution depends on."""
        between = (*self.bones[1:-1], *(bone for bone in self.bearing if bone not in self.third))
        # Where the chain stretches, the line that a bone in line turns about depends on the pose.
        turning = bool(self.scaled) and any(twist.in_line for twist in self.twists)
        bones = (*self.bones, *self.bearing) if self.uses_pose or turning else between
        partly = self.may_fall_short("influence") or self.may_fall_short("rotation_influence")
        twists_below = not self.third and any(not twist.upper for twist in self.twists)
        needs_tip = partly if self.use_rotation else twists_below
        tips = self.below[-1:] if needs_tip else ()
        at_side = [twist.bone for twist in self.twists if not twist.in_line and self.may_fall_short("influence")]
        return tuple(bone.name for bone in (*bones, *tips, *at_side))

    @property
    def oriented(self) -> tuple[str, ...]:
        """Names of the bones whose orientation the chain decides, or relies on: all from root to tip."""
        return tuple(bone.name for bone in self.carrying if self.turns_tip or bone.name != self.tip_bone)

    @property
    def turns_tip(self) -> bool:
        """True if the tip bone is keyed: it follows the target's rotation, or twist bones below would turn it."""
        return self.use_rotation or any(twist.in_line and not twist.upper for twist in self.twists)

    @cached_property
    def limb(self) -> tuple[Bone, ...]:
        """The bones that a bake keys, but for the twist bones."""
        return self.root, self.end, *self.third, *(self.below[-1:] if self.turns_tip else ())

    @cached_property
    def carrying(self) -> tuple[Bone, ...]:
        """All bones of the limb: from root to tip, and its twist bones at the side."""
        return (*self.bones, *self.below, *(twist.bone for twist in self.twists if not twist.in_line))

    @cached_property
    def keyed(self) -> tuple[Bone, ...]:
        """The bones that a bake keys."""
        return *self.limb, *(twist.bone for twist in self.twists)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Plan:
    """All chains of one armature object, in ranks: a chain is moved only by chains of earlier ranks.

    name : of the armature object, for reports: a frame handler may remove the object while it is measured
    frames : (n,)     all that are solved
    frame_rate : frames a second
    step : the request asks for one in this many of them, from the first on; those between are there for reduced keys
    left_out : names of chains that the request would take too if they had a target and lacked no bone
    lacking : by name of those that lack a bone its name, "" if it has none
    """

    rig: Key
    name: str
    scene: Key
    ranks: tuple[tuple[ChainPlan, ...], ...]
    frames: Array
    frame_rate: float = 24.0
    step: int = 1
    left_out: tuple[str, ...] = ()
    lacking: Mapping[str, str] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """How many of the frames make a second."""
        step = float(self.frames[1] - self.frames[0]) if len(self.frames) > 1 else 1.0
        return self.frame_rate / step

    @property
    def seconds(self) -> Array:
        """(n,) the time of all frames."""
        return self.frames / self.frame_rate

    @property
    def chains(self) -> tuple[ChainPlan, ...]:
        """All of them, each after those that move it."""
        return tuple(itertools.chain.from_iterable(self.ranks))

    def rows_to_key(self, chain: ChainPlan) -> Integers:
        """(m,) which of the frames are to get keys for this chain."""
        rows = np.arange(len(self.frames))
        return rows if chain.key_frames is None else rows[np.isin(self.frames, chain.key_frames)]

    @property
    def requested(self) -> slice:
        """Picks those of all `frames` that the request asks for."""
        return slice(None, None, self.step)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Samples:
    """Over the frames of the plan: matrices (n, 4, 4), or (1, 4, 4) if one is the same on all of them.

    to_world : from an object's space to the world
    pose : from a bone's space to its armature's
    basis : of a bone or an object; without rotation if no chain needs it
    numbers : by end bone and name, what of its chain's numbers is animated: (n,), or (1,)
    """

    to_world: dict[Key, Array]
    pose: dict[Point, Array]
    basis: dict[Point, Basis]
    numbers: dict[Point, dict[str, Array]] = field(default_factory=dict)

    def of(self, item: Key, other: Key) -> Self:
        """These samples as those of the object `other`, which takes the place of `item`."""

        def at(point: Point) -> Point:
            return Point(other, point.bone) if point.object == item else point

        return replace(
            self,
            to_world={at(Point(key)).object: matrices for key, matrices in self.to_world.items()},
            pose={at(point): matrices for point, matrices in self.pose.items()},
            basis={at(point): basis for point, basis in self.basis.items()},
        )

    def __or__(self, other: Self) -> Self:
        """The samples of both."""
        both = {part.name: getattr(self, part.name) | getattr(other, part.name) for part in fields(self)}
        return replace(self, **both)

    def world(self, point: Point) -> Array:
        """(n, 4, 4) from the space of an object or a bone to the world."""
        to_world = self.to_world[point.object]
        return affine_product(to_world, self.pose[point]) if point.bone else to_world


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Channel:
    """All keys of one animated property of a bone or an object.

    path : RNA path from the object, such as `pose.bones["forearm.L"].rotation_quaternion` or `location`
    group : what names the group of the F-curves: the bone, or for an object Blender's own "Object Transforms"
    frames : (m,)        rising, may be fractional
    values : (m, k)      a column for each index of the property; finite
    slopes : (m - 1, 2, k)   change a frame where the curve leaves each key and where it arrives at the next, where it
        is Bezier and counts; otherwise None
    constant : (m - 1,)      True where the values stay until the next key; None where they never do
    kept : runs of frames, each as its first and last one, on which the curves keep the keys that they have
    """

    path: str
    group: str
    frames: Array
    values: Array
    slopes: Array | None = None
    constant: Mask | None = None
    kept: tuple[tuple[float, float], ...] = ()

    @property
    def rises(self) -> Array:
        """(m - 1, 2, k) the slopes; those of straight lines where it has none."""
        straight = np.diff(self.values, axis=0) / np.diff(self.frames)[:, None]
        return np.stack((straight, straight), axis=1) if self.slopes is None else self.slopes

    @property
    def stays(self) -> Mask:
        """(m - 1,) True where the values stay until the next key."""
        return np.zeros(max(0, len(self.frames) - 1), dtype=np.bool_) if self.constant is None else self.constant

    def on_rows(self, rows: Integers | slice) -> Self:
        """The keys on these rows of its frames; each keeps the slopes beside it. For a channel without `constant`."""
        slopes, keyed = self.slopes, np.arange(len(self.frames))[rows]
        if slopes is not None:
            slopes = np.stack((slopes[keyed[:-1], 0], slopes[keyed[1:] - 1, 1]), axis=1)
        return replace(self, frames=self.frames[rows], values=self.values[rows], slopes=slopes)
