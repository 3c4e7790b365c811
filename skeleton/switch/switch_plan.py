"""Limbs with FK controls and controls that IK moves: where those of one set have to be to show the pose of the other.

A control has the place relative to the bone that shows that it has at rest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ...solver.values import Array, Mask
from ...solver.vectors import product
from ..transform import transform_points
from ..values import Bone, Channel, Point
from .place_bones import CarriedBone, Control


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Setting:
    """A property that has one value over the frames: its RNA path, and the group of its keys."""

    path: str
    group: str
    value: float

    def channel(self, frames: Array) -> Channel:
        """Keys that hold the value from the first of the frames on."""
        constant = np.ones(len(frames) - 1, dtype=np.bool_)
        values = np.full((len(frames), 1), self.value)
        return Channel(path=self.path, group=self.group, frames=frames, values=values, constant=constant)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SwitchPlan:
    """One limb that is to show another control set.

    shown : bones by which the limb is judged, from the root bone to hand or foot, or to the toes; then those that
        both control sets carry along
    joints : root, mid and tip, each as a bone by name and a place in its space
    before : of each of them the name of the bone that lies where it is to lie, and (4, 4) at rest from that one to it
    source : the controls of the control set that has shown it
    switch : says that the other control set shows
    along : is set with the switch
    controls : those of the other control set that follow; none of a built limb that is to follow its target
    shared : names of the bones that pose the limb whichever control set shows
    zero : controls that are to be at rest
    chain : root bone and end bone of an IK chain; none for FK
    rigid : by these IK does not stretch the two, each by another part; an IK chain that shows the pose does without
    far : lets the IK chain reach farther than its bones do at rest
    swivel : control of the IK chain itself
    pole : pole control
    pole_on : (n,) True on frames on which it is the pole control that turns the chain
    """

    name: str
    shown: tuple[Bone, ...]
    joints: tuple[tuple[str, tuple[float, float, float]], ...]
    before: tuple[tuple[str, Array], ...]
    source: frozenset[Point]
    switch: Setting
    controls: tuple[CarriedBone, ...]
    along: tuple[Setting, ...] = ()
    shared: frozenset[str] = frozenset()
    zero: tuple[Bone, ...] = ()
    chain: tuple[CarriedBone, ...] = ()
    rigid: tuple[Setting, ...] = ()
    far: tuple[Setting, ...] = ()
    swivel: CarriedBone | None = None
    pole: CarriedBone | None = None
    pole_on: Mask

    @property
    def switches(self) -> tuple[Setting, ...]:
        """The switch and what is set with it."""
        return (self.switch, *self.along)

    @property
    def keyed(self) -> tuple[Bone, ...]:
        """All bones that get keys."""
        single = [carried.bone for carried in (self.swivel, self.pole) if carried]
        return (*(carried.bone for carried in self.controls), *self.zero, *single, *self.sized[1:])

    def paths(self, bone: Bone) -> tuple[str, ...]:
        """RNA paths of what gets keys of one of these bones."""
        if self.pole and bone.name == self.pole.bone.name:
            return (bone.location_path,)
        if bone.name in (other.name for other in self.sized[1:]):
            return bone.rotation_path, bone.scale_path
        return bone.location_path, bone.rotation_path, bone.scale_path

    @property
    def sized(self) -> tuple[Bone, ...]:
        """Swivel and end bone, which set the sizes of an IK chain's bones, and how they lie before IK moves them."""
        return (self.swivel.bone, self.chain[1].bone) if self.swivel else ()

    @property
    def spaces(self) -> set[str]:
        """Names of the parents of controls, in whose space these have their keys."""
        return {bone.name for carried in self.carried for bone in carried.parents[:1]}

    @property
    def carried(self) -> Iterator[CarriedBone]:
        """All controls that have to be placed, with what carries them."""
        return filter(None, (*self.controls, self.swivel, self.pole))


def wanted(plan: SwitchPlan, poses: Mapping[str, Array]) -> dict[str, Array]:
    """By bone (n, 4, 4) how those have to lie that show the limb, in armature space, from `poses` as they are now."""
    before = zip(plan.shown, plan.before, strict=True)
    return {bone.name: product(poses[name], offset) for bone, (name, offset) in before}


def joints_of(plan: SwitchPlan, poses: Mapping[str, Array]) -> Array:
    """(n, 3, 3) root, mid and tip of the limb, in armature space."""
    return np.stack([transform_points(poses[name], np.array([place])) for name, place in plan.joints], axis=1)


def to_place(plan: SwitchPlan, poses: Mapping[str, Array]) -> list[Control]:
    """The controls of the limb that follow from these `poses` (n, 4, 4) alone, in armature space."""
    return [Control(carried=each, pose=product(poses[each.follows], each.offset)) for each in plan.controls]
