"""Limbs with a layer of FK controls and a layer that IK moves: where the controls of one have to be to show the other.

A control lies to the bone that shows as both lie at rest. An IK chain bends as Blender's solver has it, so it is turned
about the line from root to tip, and its bones grow or shrink, until what is evaluated fits.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..solver.values import Array
from ..solver.vectors import cross, norm, product, rejection, unit
from . import inherit, limb_pose, transform
from .place_bones import Control
from .transform import Basis
from .values import Bone, Channel

_FIT = 5e-5
"""Radians, and parts of the length: Blender's IK solver itself is off by more."""

_STRAIGHT = 1e-4
"""Of the limb's length: with a mid joint less far aside, single precision does not tell bent from straight."""

_SHORTER = 2e-5
"""Part by which bones of a straight limb shrink: what is out of reach keeps it straight, whatever is rounded."""

_BENT = 7e-3
"""Part of the bend at rest with which a straight limb starts: one without any Blender's IK cannot bend."""

_AT_REST = Basis(location=np.zeros((1, 3)), rotation=np.eye(3)[None], scale=np.ones((1, 3)))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CarriedBone:
    """A bone with what carries it.

    parents : from its parent bone up
    offset : (4, 4) at rest, from the bone to the one that shows its place
    moves : False where it is connected to its parent
    """

    bone: Bone
    parents: tuple[Bone, ...]
    offset: Array
    moves: bool


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Setting:
    """A property that has one value over the frames: its RNA path, and the group of its keys."""

    path: str
    group: str
    value: float

    def channel(self, frames: Array) -> Channel:
        """Keys that hold the value from the first of the frames on."""
        held = np.ones(len(frames) - 1, dtype=np.bool_)
        values = np.full((len(frames), 1), self.value)
        return Channel(path=self.path, group=self.group, frames=frames, values=values, held=held)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LayerPlan:
    """One limb that is to show another layer.

    shown : bones by which the limb is judged, from the root bone to hand or foot, or to the toes
    before : of each of them the name of the bone that lies where it is to lie, and (4, 4) at rest from that one to it
    source : names of the controls of the layer that has shown it
    switch : says that the other layer shows
    along : is set with the switch
    controls : those of the other layer that follow, each with the name of the bone that it lies to as at rest
    shared : names of the bones that pose the limb whichever layer shows
    zero : controls that are to be at rest
    chain : root bone and end bone of an IK chain; none for FK
    rigid : by these IK does not stretch the two, each by another part; an IK chain that shows the pose does without
    swivel : control of the IK chain itself
    pole : pole control
    pole_on : (n,) True on frames on which it is the pole control that turns the chain
    """

    name: str
    shown: tuple[Bone, ...]
    before: tuple[tuple[str, Array], ...]
    source: frozenset[str]
    switch: Setting
    controls: tuple[tuple[CarriedBone, str], ...]
    along: tuple[Setting, ...] = ()
    shared: frozenset[str] = frozenset()
    zero: tuple[Bone, ...] = ()
    chain: tuple[CarriedBone, ...] = ()
    rigid: tuple[Setting, ...] = ()
    swivel: CarriedBone | None = None
    pole: CarriedBone | None = None
    pole_on: NDArray[np.bool_]

    @property
    def switches(self) -> tuple[Setting, ...]:
        """The switch and what is set with it."""
        return (self.switch, *self.along)

    @property
    def keyed(self) -> tuple[Bone, ...]:
        """All bones that get keys."""
        single = [carried.bone for carried in (self.swivel, self.pole) if carried]
        return (*(carried.bone for carried, _ in self.controls), *self.zero, *single, *self.sized[1:])

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
    def carriers(self) -> Iterator[Bone]:
        """All that carries a control."""
        for carried in (*(carried for carried, _ in self.controls), self.swivel, self.pole):
            yield from carried.parents if carried else ()


def wanted(plan: LayerPlan, poses: Mapping[str, Array]) -> dict[str, Array]:
    """By bone (n, 4, 4) how those have to lie that show the limb, in armature space, from `poses` as they are now."""
    return {
        bone.name: product(poses[name], offset) for bone, (name, offset) in zip(plan.shown, plan.before, strict=True)
    }


def to_place(plan: LayerPlan, poses: Mapping[str, Array]) -> list[Control]:
    """The controls of the limb that follow from these `poses` (n, 4, 4) alone, in armature space."""
    return [
        Control(
            bone=carried.bone,
            parents=carried.parents,
            pose=product(poses[followed], carried.offset),
            moves=carried.moves,
        )
        for carried, followed in plan.controls
    ]


def _joints(plan: LayerPlan, poses: Mapping[str, Array]) -> Array:
    """(n, 3, 3) root, mid and tip."""
    return np.stack([poses[bone.name][:, :3, 3] for bone in plan.shown[:3]], axis=1)


def _lengths(joints: Array) -> tuple[Array, NDArray[np.bool_]]:
    """(n, 2) of the bones of an IK chain that is to have these joints (n, 3, 3), and (n,) where it is straight."""
    lengths = norm(np.diff(joints, axis=1))
    straight = limb_pose.mid_aside(joints) < _STRAIGHT * lengths.sum(axis=1)
    return np.where(straight[:, None], 1.0 - _SHORTER, 1.0) * lengths, straight


class IkChain:
    """The IK chain of a limb, whose controls are moved, and which is turned and sized, until it fits.

    bases : of controls that are not placed, but follow from how the chain is posed
    begun : False as long as what is keyed already may show the limb as it is to
    fits : True once there is nothing to mend
    """

    def __init__(self, plan: LayerPlan, poses: Mapping[str, Array], own: Mapping[str, Basis]) -> None:
        """own : of swivel and end bone, as they are keyed now"""
        self._plan, self._poses, self._own = plan, poses, own
        # (n, 3, 3) root, mid and tip
        self._wanted = _joints(plan, poses)
        self._aside = limb_pose.aside(self._wanted, poses[plan.shown[0].name][:, :3, 2])
        self._lengths, self._straight = _lengths(self._wanted)
        self._angle = np.zeros(len(self._wanted))
        self._sizes = np.where(self._straight, 1.0 - _SHORTER, 1.0)[:, None].repeat(2, axis=1)
        self.bases: dict[str, Basis] = {}
        self.begun = self.fits = False

    def controls(self, poses: Mapping[str, Array], waiting: Collection[str]) -> list[Control]:
        """What has to be placed, now that the chain is posed so; `waiting` are controls that still are to be."""
        if not self.begun and not self.fits:
            self.fits = self._shows(poses)
            self.begun = not self.fits
            return [*to_place(self._plan, self._poses), *self._turned(poses)] if self.begun else []
        if self.fits or self._plan.controls[0][0].bone.name in waiting:
            return []
        self.fits = self._fitted(poses)
        return [] if self.fits else self._turned(poses)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is set for it besides the switch."""
        return self._plan.rigid if self.begun else ()

    def sizes_between(self, rows: NDArray[np.intp], poses: Mapping[str, Array]) -> dict[str, Array]:
        """By RNA path (m, 3) the scales of swivel and end bone halfway behind the frames of these rows (m,).

        poses : (m, 4, 4) there, by bone
        """
        lengths, between = self._lengths, _lengths(_joints(self._plan, poses))[0]
        found = {}
        for row, bone in enumerate(self._plan.sized):
            # The end bone takes over the size of the one above.
            on, half = (each[:, row] / (each[:, 0] if row else 1.0) for each in (lengths, between))
            scale = self.bases[bone.name].scale
            found[bone.scale_path] = (scale[rows] + scale[rows + 1]) * (half / (on[rows] + on[rows + 1]))[:, None]
        return found

    def _shows(self, poses: Mapping[str, Array]) -> bool:
        """Whether the limb shows as it is to, with what its controls are keyed to already."""
        size = norm(np.diff(self._wanted, axis=1)).sum(axis=1)
        for bone in self._plan.shown:
            moved, turned, scaled = limb_pose.differences(poses[bone.name], self._poses[bone.name], np.array(bone.tail))
            if max((moved / size).max(), turned.max(), scaled.max()) > _FIT:
                return False
        return True

    def _fitted(self, poses: Mapping[str, Array]) -> bool:
        root, end = (poses[carried.bone.name] for carried in self._plan.chain)
        tip = transform.transform_points(end, np.array(self._plan.chain[1].bone.tail))
        joints = np.stack((root[:, :3, 3], end[:, :3, 3], tip), axis=1)
        angle = limb_pose.swivel(joints, self._wanted, root, self._poses[self._plan.shown[0].name])
        lengths = norm(np.diff(joints, axis=1))
        ratio = np.where(lengths > 0.0, self._lengths / np.where(lengths > 0.0, lengths, 1.0), 1.0)
        self._angle += angle
        self._sizes *= ratio
        sized = np.abs(ratio - 1.0).max() if self._plan.swivel else 0.0
        return bool(max(np.abs(angle).max(), sized) < _FIT)

    def _turned(self, poses: Mapping[str, Array]) -> list[Control]:
        plan = self._plan
        self.bases = {bone.name: _AT_REST for bone in plan.zero}
        if plan.swivel:
            self.bases |= self._before_ik(plan.swivel, poses)
        return self._poled()

    def _before_ik(self, swivel: CarriedBone, poses: Mapping[str, Array]) -> dict[str, Basis]:
        """Swivel and end bone, so that the chain is posed as it is to be before IK moves it: where Blender's IK starts
        from another bend, it stops 0.1 degrees short of straight. A pole turns the chain anyway.
        """
        above = poses[swivel.parents[0].name][:, None] if swivel.parents else None
        root, end = (self._wanted_pose(each, row) for row, each in enumerate(self._plan.chain))
        own, below = (self._own[bone.name] for bone in self._plan.sized)
        at_start = inherit.basis((swivel.bone,), above, self._wanted_pose(swivel, 0)[:, None]).rotation[:, 0]
        turned = product(at_start, limb_pose.about_y(self._angle))
        bend = inherit.basis((self._plan.chain[1].bone,), root[:, None], end[:, None]).rotation[:, 0]
        a_little = transform.orientation((1.0 - _BENT) * bend + _BENT * np.eye(3))
        return {
            swivel.bone.name: Basis(
                location=inherit.location((swivel.bone,), above, self._wanted[:, None, 0])[:, 0],
                rotation=np.where(self._plan.pole_on[:, None, None], own.rotation, turned),
                scale=own.scale * self._sizes[:, :1],
            ),
            self._plan.chain[1].bone.name: Basis(
                location=below.location,
                rotation=np.where(self._straight[:, None, None], a_little, bend),
                scale=below.scale * self._sizes[:, 1:] / self._sizes[:, :1],
            ),
        }

    def _wanted_pose(self, carried: CarriedBone, row: int) -> Array:
        """(n, 4, 4) where a bone has to be that lies to this one of those that show the limb as at rest."""
        return product(self._poses[self._plan.shown[row].name], carried.offset)

    def _poled(self) -> list[Control]:
        """The pole control, where it bends the chain."""
        if not (self._plan.pole and self._plan.pole_on.any()):
            return []
        root, mid, tip = np.moveaxis(self._wanted, 1, 0)
        axis = unit(tip - root)
        angle = np.where(self._plan.pole_on, self._angle, 0.0)[:, None]
        aside = self._aside * np.cos(angle) + cross(axis, self._aside) * np.sin(angle)
        far = norm(mid - root) + norm(tip - mid)
        pose = transform.translation(mid - rejection(mid - root, axis) + far[:, None] * aside)
        pole = self._plan.pole
        return [Control(bone=pole.bone, parents=pole.parents, pose=pose, turns=False)]
