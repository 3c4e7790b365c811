"""What a request will do, frozen before anything starts: *read* makes it, the later steps only use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from ..solver.values import Array, Bend, HingeAxis, Options, Reference, Unreachable
from .bone import Bone

AXES = {
    HingeAxis.AUTO: (1.0, 0.0, 0.0),
    HingeAxis.X: (1.0, 0.0, 0.0),
    HingeAxis.Z: (0.0, 0.0, 1.0),
    HingeAxis.NEG_X: (-1.0, 0.0, 0.0),
    HingeAxis.NEG_Z: (0.0, 0.0, -1.0),
}
"""The hinge axis in the end bone's space."""

Key: TypeAlias = Any
"""An object or a scene of Blender's: here it is compared and hashed, and nothing more."""


class Point(NamedTuple):
    """An object, or with `bone` a bone of an armature object: a key to what was sampled of it."""

    object: Key
    bone: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainPlan:
    """One chain.

    bones : from the root bone to the end bone, with any twist bones in between
    below : from the end bone's child to the tip bone; empty if the end bone's tail is the tip
    parent : the root bone's parent bone
    target_keys : (m,) the frames to key, or None for all
    dependents : objects and bones that later chains depend on and that this chain moves because they are parented to
        it; for each the bones from its nearest bone above up to one of the chain's
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
    target_keys: Array | None = None
    dependents: Mapping[Point, tuple[Bone, ...]] = field(default_factory=dict)

    @property
    def root(self) -> Bone:
        """The root bone."""
        return self.bones[0]

    @property
    def end(self) -> Bone:
        """The end bone."""
        return self.bones[-1]

    @property
    def tip_bone(self) -> str:
        """Name of the bone whose head is the tip; "" if there is none."""
        return self.below[-1].name if self.below else ""

    @property
    def uses_pose(self) -> bool:
        """True if the solution depends on the input pose."""
        options = self.options
        return (
            options.reference == Reference.POSE
            or options.bend == Bend.NEAREST
            or options.use_extension_limit
            or options.influence < 1.0
        )

    @property
    def stretches(self) -> bool:
        """True if a bake keys scale."""
        return self.options.unreachable == Unreachable.STRETCH

    @property
    def needs_rotation(self) -> tuple[str, ...]:
        """Names of the bones whose rotation in the input pose the solution depends on."""
        bones = (*(self.bones if self.uses_pose else self.bones[1:-1]), *self.below[:-1])
        tips = self.below[-1:] if self.use_rotation and self.rotation_influence < 1.0 else ()
        return tuple(bone.name for bone in (*bones, *tips))

    @property
    def oriented(self) -> tuple[str, ...]:
        """Names of the bones whose orientation the chain decides, or relies on: all from root to tip."""
        below = self.below if self.use_rotation else self.below[:-1]
        return tuple(bone.name for bone in (*self.bones, *below))

    @property
    def keyed(self) -> tuple[Bone, ...]:
        """The bones that a bake keys."""
        return self.root, self.end, *(self.below[-1:] if self.use_rotation else ())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Plan:
    """All chains of one armature object, in ranks: a chain is moved only by chains of earlier ranks.

    name : of the armature object, for reports: a frame handler may remove the object while it is measured
    frames : (n,)     all that are solved
    step : the request asks for every so many of them, from the first on; those between are there for reduced keys
    """

    rig: Key
    name: str
    scene: Key
    ranks: tuple[tuple[ChainPlan, ...], ...]
    frames: Array
    step: int = 1

    @property
    def chains(self) -> tuple[ChainPlan, ...]:
        """All of them, each after those that move it."""
        return tuple(chain for rank in self.ranks for chain in rank)

    @property
    def asked(self) -> slice:
        """Picks those of all `frames` that the request asks for."""
        return slice(None, None, self.step)
