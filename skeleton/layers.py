"""Limbs with a layer of FK controls and a layer that IK moves: where the controls of one have to be to show the other.

A control lies to the bone that shows as both lie at rest. An IK chain bends as Blender's solver has it, so it is turned
about the line from root to tip, and its bones grow or shrink, until what is evaluated fits.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..solver.values import Array
from ..solver.vectors import cross, norm, product, rejection, unit
from . import inherit, limb_pose, transform
from .place_bones import Control
from .rotation_mode import rotation_values
from .transform import Basis
from .values import Bone, Channel

_FIT = 5e-5
"""Radians, and parts of the length: Blender's IK solver itself is off by more."""

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
    controls : those of the other layer that follow, each with the name of the bone that it lies to as at rest
    shared : names of the bones that pose the limb whichever layer shows
    zero : controls that are to be at rest
    chain : root bone and end bone of an IK chain; empty for FK
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
    shared: frozenset[str] = frozenset()
    zero: tuple[Bone, ...] = ()
    chain: tuple[Bone, ...] = ()
    rigid: tuple[Setting, ...] = ()
    swivel: CarriedBone | None = None
    pole: CarriedBone | None = None
    pole_on: NDArray[np.bool_]

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
            return (bone.scale_path,)
        return bone.location_path, bone.rotation_path, bone.scale_path

    @property
    def sized(self) -> tuple[Bone, ...]:
        """Swivel and end bone, which set the sizes of an IK chain's bones."""
        return (self.swivel.bone, self.chain[1]) if self.swivel else ()

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
        self._wanted = np.stack([poses[bone.name][:, :3, 3] for bone in plan.shown[:3]], axis=1)
        self._aside = limb_pose.aside(self._wanted, poses[plan.shown[0].name][:, :3, 2])
        self._angle, self._sizes = np.zeros(len(self._wanted)), np.ones((len(self._wanted), 2))
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

    def _shows(self, poses: Mapping[str, Array]) -> bool:
        """Whether the limb shows as it is to, with what its controls are keyed to already."""
        size = norm(np.diff(self._wanted, axis=1)).sum(axis=1)
        for bone in self._plan.shown:
            moved, turned, scaled = limb_pose.differences(poses[bone.name], self._poses[bone.name], np.array(bone.tail))
            if max((moved / size).max(), turned.max(), scaled.max()) > _FIT:
                return False
        return True

    def _fitted(self, poses: Mapping[str, Array]) -> bool:
        root, end = (poses[bone.name] for bone in self._plan.chain)
        tip = transform.transform_points(end, np.array(self._plan.chain[1].tail))
        joints = np.stack((root[:, :3, 3], end[:, :3, 3], tip), axis=1)
        angle = limb_pose.swivel(joints, self._wanted, root, self._poses[self._plan.shown[0].name])
        wanted, lengths = (norm(np.diff(each, axis=1)) for each in (self._wanted, joints))
        ratio = np.where(lengths > 0.0, wanted / np.where(lengths > 0.0, lengths, 1.0), 1.0)
        self._angle += angle
        self._sizes *= ratio
        sized = np.abs(ratio - 1.0).max() if self._plan.swivel else 0.0
        return bool(max(np.abs(angle).max(), sized) < _FIT)

    def _turned(self, poses: Mapping[str, Array]) -> list[Control]:
        plan = self._plan
        self.bases = {bone.name: _AT_REST for bone in plan.zero}
        if plan.swivel:
            bone, parents, end = plan.swivel.bone, plan.swivel.parents, plan.chain[1]
            parent = poses[parents[0].name][:, None] if parents else None
            head = inherit.location((bone,), parent, self._wanted[:, None, 0])[:, 0]
            turn = limb_pose.about_y(np.where(plan.pole_on, 0.0, self._angle))
            own, below = self._own[bone.name], self._own[end.name]
            scale = own.scale * self._sizes[:, :1]
            self.bases[bone.name] = Basis(location=head, rotation=product(own.rotation, turn), scale=scale)
            self.bases[end.name] = replace(below, scale=below.scale * self._sizes[:, 1:] / self._sizes[:, :1])
        return self._poled()

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


def basis_channels(bone: Bone, basis: Basis, frames: Array, before: Array, corners: NDArray[np.bool_]) -> list[Channel]:
    """Location, rotation and scale of a bone on these frames, the rotation on from the value `before`.

    corners : (n,) True where what is followed may take a turn, as curves do on a key; on the frames beside it does not
    """
    values = {
        bone.location_path: basis.location,
        bone.rotation_path: rotation_values(basis.rotation, bone.rotation_mode, before),
        bone.scale_path: basis.scale,
    }
    found = []
    for path, value in values.items():
        value = np.repeat(value, len(frames) // len(value), axis=0)
        slopes = _slopes(value, frames, corners) if len(frames) > 2 else None
        found.append(Channel(path=path, group=bone.name, frames=frames, values=value, slopes=slopes))
    return found


def _slopes(values: Array, frames: Array, corners: NDArray[np.bool_]) -> Array:
    """(n - 1, 2, k) how `values` (n, k) on these frames leave one frame and arrive at the next."""
    step = np.diff(frames)[:, None]
    change = np.diff(values, axis=0) / step
    smooth = np.gradient(values, frames, axis=0, edge_order=2)
    # Of the parabola through a frame and the two beside it.
    bend = np.diff(change, axis=0) / (step[:-1] + step[1:])
    ahead, behind = smooth[:-1].copy(), smooth[1:].copy()
    ahead[:-1][corners[:-2]] = (change[:-1] - step[:-1] * bend)[corners[:-2]]
    behind[1:][corners[2:]] = (change[1:] + step[1:] * bend)[corners[2:]]
    return np.stack((ahead, behind), axis=1)
