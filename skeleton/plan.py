"""What is to be done, frozen before anything starts: `read` makes it, the other steps only look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from bpy.types import Object, PoseBone, Scene

from ..solver.values import Array, Bend, HingeAxis, Options, Reference, Unreachable

AXES = {
    HingeAxis.AUTO: (1.0, 0.0, 0.0),
    HingeAxis.X: (1.0, 0.0, 0.0),
    HingeAxis.Z: (0.0, 0.0, 1.0),
    HingeAxis.NEG_X: (-1.0, 0.0, 0.0),
    HingeAxis.NEG_Z: (0.0, 0.0, -1.0),
}
"""The hinge axis in the end bone's space."""


class Point(NamedTuple):
    """Something in the scene that has a place: an object, or with `bone` a bone of an armature object."""

    object: Object
    bone: str = ""

    def __str__(self) -> str:
        return f"{self.object.name}, {self.bone}" if self.bone else self.object.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPlan:
    """One chain.

    bones : names from the root bone to the end bone, with any twist bones in between
    below : names from the end bone's child to the tip bone; empty where the end bone's tail is the tip
    parent : the bone that carries the chain
    target_keys : (m,) the frames to key, or None for all
    """

    name: str
    rig: Object
    bones: tuple[str, ...]
    below: tuple[str, ...]
    parent: Point | None
    target: Point
    pole: Point | None
    hinge_axis: str
    options: Options
    use_rotation: bool
    rotation_influence: float
    target_keys: Array | None = field(default=None, compare=False)

    @property
    def root(self) -> PoseBone:
        """The root bone."""
        return self.rig.pose.bones[self.bones[0]]

    @property
    def end(self) -> PoseBone:
        """The end bone."""
        return self.rig.pose.bones[self.bones[-1]]

    @property
    def tip_bone(self) -> str:
        """The bone whose head is the tip; "" where there is none."""
        return self.below[-1] if self.below else ""

    @property
    def uses_pose(self) -> bool:
        """True where the chain's own pose before the solve has a say."""
        options = self.options
        return (
            options.reference == Reference.POSE
            or options.bend == Bend.NEAREST
            or options.use_extension_limit
            or options.influence < 1.0
        )

    @property
    def stretches(self) -> bool:
        """True where a bake keys scale."""
        return self.options.unreachable == Unreachable.STRETCH

    @property
    def turned(self) -> tuple[str, ...]:
        """The bones whose own rotation has a say: those that are not keyed, and all where it counts."""
        own = (*(self.bones if self.uses_pose else self.bones[1:-1]), *self.below[:-1])
        return (*own, self.tip_bone) if self.use_rotation and self.rotation_influence < 1.0 else own

    @property
    def posed(self) -> tuple[str, ...]:
        """The bones whose orientation the chain decides, or takes as it finds it: all from root to tip."""
        return (*self.bones, *self.below) if self.use_rotation else (*self.bones, *self.below[:-1])

    @property
    def keyed(self) -> tuple[PoseBone, ...]:
        """The bones that a bake keys."""
        names = (self.bones[0], self.bones[-1], *([self.tip_bone] if self.use_rotation else []))
        return tuple(self.rig.pose.bones[name] for name in names)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Plan:
    """All chains of one armature object, in ranks: only chains of ranks before move a chain.

    name : of the armature object, for reports: a frame handler may remove the object while it is measured
    frames : (n,)     all that are solved
    step : every so many of them one was asked for, from the first on; what lies between is there for reduced keys
    """

    rig: Object
    name: str
    scene: Scene
    ranks: tuple[tuple[ChainPlan, ...], ...]
    frames: Array
    step: int = 1

    @property
    def chains(self) -> tuple[ChainPlan, ...]:
        """Each after those that move it."""
        return tuple(chain for rank in self.ranks for chain in rank)

    @property
    def asked(self) -> slice:
        """Picks of all `frames` those that were asked for."""
        return slice(None, None, self.step)
