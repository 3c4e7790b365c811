"""The IK chain of a limb, posed as Blender's solver bends it: where it has to start so as to end where it is wanted.

It is turned about the line from root to tip, and its bones grow or shrink, until what is evaluated fits. Blender's
solver takes twelve steps at least. Where a limb is nearly straight these are not exact: what rounding leaves of the way
to the target moves the mid joint a thousand times as far. So a straight limb reaches for what is a hair too far, and
starts from as much more bend as these steps take away: then its bend does not depend on how far the target is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...solver import rotation
from ...solver.values import Array
from ...solver.vectors import IN_LINE, norm, product, rejection, rotate_about, unit
from .. import inherit, transform
from ..transform import AT_REST, Basis
from ..values import Bone
from . import limb_pose
from .place_bones import Control, Evaluated, place
from .switch_plan import CarriedBone, Setting, SwitchPlan, joints_of, to_place

_FIT = 5e-5
"""Radians, and parts of the length: Blender's IK solver itself is off by more."""

_JUMPS = 0.1
"""A limb jumps if it is this much nearer to the first of two frames halfway: until then it goes on as before."""

_UNSEEN = np.array((1e-4, 1e-3, 5e-4))
"""Parts of the length, radians, and parts of the scale: keys that show a limb so near to its pose are kept."""

_STRAIGHT = 1.2e-3
"""Part of the limb's length: with a mid joint less far aside, the twelfth step is under 0.001 radians, so the last."""

_SHORTER = 2e-5
"""Part by which bones of a straight limb shrink, to reach for what is too far."""

_STEPS = 7.7
"""Twelve steps towards what is too far leave this part of the bend: each takes away 0.157, which Blender allows."""

_BENT = 4e-4
"""Part of the limb's length: the mid joint starts this far aside, since from less Blender's IK could not bend it."""


class IkChain:
    """The IK chain of a limb, whose controls are moved, and which is turned and sized, until it fits.

    bases : of controls that are not placed, but follow from how the chain is posed
    begun : False as long as what is keyed already may show the limb as it is to
    fits : True once there is nothing to mend
    suspects : rows of the frames on which the limb, as evaluated last, is farthest off: a place, a direction, a scale
    """

    def __init__(self, plan: SwitchPlan, poses: Mapping[str, Array], own: Mapping[str, Basis]) -> None:
        """own : of swivel and end bone, as they are keyed now"""
        self._plan, self._poses, self._own = plan, poses, own
        self._along = plan.shared.intersection(carried.bone.name for carried, _ in plan.controls)
        self._wanted = joints_of(plan, poses)
        self._aside = limb_pose.aside(self._wanted, poses[plan.shown[0].name][:, :3, 2])
        lengths = norm(np.diff(self._wanted, axis=1))
        self._length = lengths.sum(axis=1)
        # (n,) how far aside mid joints are, and how many times as far they start
        self._mid = limb_pose.mid_aside(self._wanted)
        self._straight = self._mid < _STRAIGHT * self._length
        self._steps = np.where(self._straight, _STEPS, 1.0)
        # Between frames too a swivel may count that is on its way to a frame on which the pole does.
        self._swivels = not plan.pole_on.all()
        self._angle = np.zeros(len(self._wanted))
        self._sizes = np.where(self._straight, 1.0 - _SHORTER, 1.0)[:, None].repeat(2, axis=1)
        self._lengths = self._sizes * lengths
        self.bases: dict[str, Basis] = {}
        self.begun = self.fits = self._again = False
        self.suspects: frozenset[int] = frozenset()

    def controls(self, poses: Mapping[str, Array], waiting: Collection[str]) -> list[Control]:
        """What has to be placed, now that the chain is posed so; `waiting` are controls that still are to be."""
        if not (self.begun or self.fits or self._shows(poses)):
            self.begun = True
            return [*to_place(self._plan, self._poses), *self._turned(poses)]
        if self.fits or (self.begun and self._plan.controls[0][0].bone.name in waiting):
            return []
        off = self._off(poses, self._plan.shown)
        self.suspects = frozenset(off.argmax(axis=1)[off.max(axis=1) > _FIT].tolist())
        carried = [
            control
            for control in to_place(self._plan, self._poses)
            if control.bone.name in self._along and control.bone.name not in waiting
        ]
        if self.begun and not self._fitted(poses):
            return [*carried, *self._turned(poses)]
        # What both control sets carry hangs on the limb itself, and is placed once more where that has come to lie.
        near, bones = _FIT if self.begun else _UNSEEN[:, None], [control.bone for control in carried]
        self.fits = self._again or not bones or bool((self._off(poses, bones) <= near).all())
        self._again = True
        return [] if self.fits else carried

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is set for it besides the switch."""
        if not self.begun:
            return ()
        return (*self._plan.rigid, *(self._plan.far if self._reaches_farther() else ()))

    def between(self, rows: NDArray[np.intp], evaluated: Evaluated) -> dict[str, Array]:
        """By RNA path what is known of swivel, end bone and pole halfway behind the frames of these rows (m,).

        evaluated : there; its poses (m, 4, 4), of what shows the limb as they are wanted, of others as they will be
        """

        here = joints_of(self._plan, evaluated.poses)
        before, after = (norm(here - self._wanted[at]).max(axis=1) for at in (rows, rows + 1))
        jumps = before < _JUMPS * after

        def halfway(values: Array) -> Array:
            if len(values) == 1:
                return values
            ahead = values[rows] + 0.5 * (values[rows] - values[np.maximum(rows - 1, 0)])
            return np.where(jumps.reshape(-1, *[1] * (values.ndim - 1)), ahead, 0.5 * (values[rows] + values[rows + 1]))

        own = {name: transform.each_array(halfway, basis) for name, basis in self._own.items()}
        own = {name: replace(basis, rotation=transform.orientation(basis.rotation)) for name, basis in own.items()}
        half = IkChain(replace(self._plan, pole_on=self._plan.pole_on[rows]), evaluated.poses, own)
        half._steps = np.where(half._straight, halfway(np.where(self._straight, self._steps, _STEPS)), 1.0)
        half._swivels = self._swivels
        half._angle = halfway(np.unwrap(self._angle))
        half._sizes = halfway(self._sizes) * half._lengths / halfway(self._lengths)
        poles = half._poled()
        bases, _ = place(poles, evaluated)
        by_path = {pole.bone.location_path: bases[pole.bone.name].location for pole in poles if pole.bone.name in bases}
        if not self._plan.swivel:
            return by_path
        bases = half._before_ik(self._plan.swivel, evaluated.poses)
        for bone in self._plan.sized:
            by_path |= {bone.rotation_path: bases[bone.name].rotation, bone.scale_path: bases[bone.name].scale}
        return by_path

    def _shows(self, poses: Mapping[str, Array]) -> bool:
        """Whether the limb shows as it is to, with what its own controls are keyed to already."""
        own = [bone for bone in self._plan.shown if bone.name not in self._along]
        return not (self._off(poses, own) > _UNSEEN[:, None]).any()

    def _off(self, poses: Mapping[str, Array], bones: Sequence[Bone]) -> Array:
        """(3, n) by how much any of these bones is off: parts of the limb's length, radians, and parts of its scale."""
        moved, turned, scaled = limb_pose.differences(bones, poses, self._poses)
        return np.stack((moved / self._length, turned, scaled)).max(axis=1)

    def _reaches_farther(self) -> bool:
        """Whether the tip is farther from the root, on any frame, than bones of the lengths at rest reach."""
        if not self._plan.swivel:
            return False
        above = self._plan.swivel.parents[:1]
        scale = transform.lengths(self._poses[above[0].name][:, :3, :3])[:, 1] if above else 1.0
        rest = sum(carried.bone.length for carried in self._plan.chain)
        return bool((norm(self._wanted[:, 2] - self._wanted[:, 0]) > (1.0 + _FIT) * rest * scale).any())

    def _fitted(self, poses: Mapping[str, Array]) -> bool:
        root, end = (poses[carried.bone.name] for carried in self._plan.chain)
        tip = transform.transform_points(end, np.array(self._plan.chain[1].bone.tail))
        joints = np.stack((root[:, :3, 3], end[:, :3, 3], tip), axis=1)
        angle = limb_pose.swivel(joints, self._wanted, root, self._poses[self._plan.shown[0].name])
        lengths = norm(np.diff(joints, axis=1))
        ratio = np.where(lengths > 0.0, self._lengths / np.where(lengths > 0.0, lengths, 1.0), 1.0)
        self._angle += angle
        self._sizes *= ratio
        if not self._plan.swivel:
            return bool(np.abs(angle).max() < _FIT)
        return bool(max(np.abs(angle).max(), np.abs(ratio - 1.0).max(), self._more_bent(joints)) < _FIT)

    def _more_bent(self, joints: Array) -> float:
        """How far mid joints are off, in parts of the limb's length: straight limbs are to start from another bend."""
        now = limb_pose.mid_aside(joints)
        ratio = np.where(now > 0.0, self._mid / np.where(now > 0.0, now, 1.0), 1.0).clip(0.5, 2.0)
        self._steps = np.where(self._straight, ratio, 1.0) * self._steps
        return float((np.where(self._straight, np.abs(now - self._mid), 0.0) / self._length).max())

    def _turned(self, poses: Mapping[str, Array]) -> list[Control]:
        plan = self._plan
        self.bases = {bone.name: AT_REST for bone in plan.zero}
        if plan.swivel:
            self.bases |= self._before_ik(plan.swivel, poses)
        return self._poled()

    def _before_ik(self, swivel: CarriedBone, poses: Mapping[str, Array]) -> dict[str, Basis]:
        """Swivel and end bone, so that the chain is posed as it is to be before IK moves it: where Blender's IK starts
        from another bend, it stops 0.1 degrees short of straight. A pole turns the chain anyway.
        """
        above = poses[swivel.parents[0].name][:, None] if swivel.parents else None
        least = np.where(self._straight, _BENT * self._length, 0.0)
        more = np.maximum(self._steps * self._mid, least) - self._mid
        upper, lower = limb_pose.bending(self._wanted, self._bent_to(), more)
        axes = unit(self._wanted[:, 2] - self._wanted[:, 0])
        # A turn about a folded bone's own axis would take the tip away, and IK would undo it.
        angle = np.where(self._plan.pole_on, 0.0, self._angle)
        turn = rotation.from_axis_angles(np.column_stack((angle, axes)))
        start = self._wanted_pose(swivel, 0, product(turn, upper))
        root, end = (self._wanted_pose(*each) for each in zip(self._plan.chain, (0, 1), (upper, lower), strict=True))
        own, below = (self._own[bone.name] for bone in self._plan.sized)
        turned = inherit.basis((swivel.bone,), above, start[:, None]).rotation[:, 0]
        return {
            swivel.bone.name: Basis(
                location=inherit.location((swivel.bone,), above, self._wanted[:, None, 0])[:, 0],
                rotation=turned if self._swivels else own.rotation,
                scale=own.scale * self._sizes[:, :1],
            ),
            self._plan.chain[1].bone.name: Basis(
                location=below.location,
                rotation=inherit.basis((self._plan.chain[1].bone,), root[:, None], end[:, None]).rotation[:, 0],
                scale=below.scale * self._sizes[:, 1:] / self._sizes[:, :1],
            ),
        }

    def _bent_to(self) -> Array:
        """(n, 3) unit vectors to the side to which limbs bend; those that are not bent at all, to that of rest."""
        root, below = self._plan.chain[0], self._plan.chain[1].bone.offset[:3, 1]
        at_rest = -below * (1.0, 0.0, 1.0) if norm(below[[0, 2]]) > IN_LINE else np.array((0.0, 0.0, 1.0))
        usual = transform.transform_vectors(self._wanted_pose(root, 0, np.eye(3))[:, :3, :3], at_rest)
        mids = self._wanted[:, 1] - self._wanted[:, 0]
        axis = unit(self._wanted[:, 2] - self._wanted[:, 0])
        bent = _STEPS * self._mid > _BENT * self._length
        return unit(rejection(np.where(bent[:, None], mids, usual), axis))

    def _wanted_pose(self, carried: CarriedBone, row: int, turn: Array) -> Array:
        """(n, 4, 4) where a bone has to be that lies to this one of those that show the limb as at rest, turned."""
        pose = product(self._poses[self._plan.shown[row].name], carried.offset)
        return transform.compose(product(turn, pose[:, :3, :3]), pose[:, :3, 3])

    def _poled(self) -> list[Control]:
        """The pole control, where it bends the chain."""
        if not (self._plan.pole and self._plan.pole_on.any()):
            return []
        root, mid, tip = np.moveaxis(self._wanted, 1, 0)
        axis = unit(tip - root)
        aside = rotate_about(self._aside, axis, np.where(self._plan.pole_on, self._angle, 0.0))
        far = norm(mid - root) + norm(tip - mid)
        pose = transform.translation(mid - rejection(mid - root, axis) + far[:, None] * aside)
        pole = self._plan.pole
        return [Control(bone=pole.bone, parents=pole.parents, pose=pose, turns=False)]
