"""Finds the pose from which Blender's IK solver takes a chain to the wanted pose of its limb.

`IkChain` turns the chain about the line from root to tip and scales its bones until the evaluated chain fits; one that
shows the limb already is left as it is, and gets no keys.

Blender's solver takes at least twelve steps. On a nearly straight limb these are not exact: rounding of the distance to
the target moves the mid joint a thousand times as far. So the bones of a straight limb are made a hair too short for
their target, and the limb starts with the bend that the steps take away on top: its bend is then independent of the
distance.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...solver import rotation
from ...solver.values import Array, Integers
from ...solver.vectors import IN_LINE, norm, product, rejection, rotate_about, unit
from .. import inherit, transform
from ..transform import AT_REST, Basis
from ..values import Bone
from . import limb_pose
from .place_bones import CarriedBone, Control, Evaluation, place
from .switch_plan import Setting, SwitchPlan, joints_of, to_place

_FIT = 5e-5
"""Radians, and parts of the length: Blender's IK solver itself is off by more."""

_JUMPS = 0.1
"""A limb jumps after a frame if, halfway to the next one, its distance to that frame is below this part of the distance
to the next."""

_UNSEEN = np.array((1e-4, 1e-3, 5e-4))
"""Parts of the length, radians, and parts of the scale: keys that show a limb this close to its pose are kept."""

_STRAIGHT = 1.2e-3
"""Part of the limb's length: with its mid joint less far aside, the twelfth step is under 0.001 radians, the last."""

_SHORTER = 2e-5
"""Part by which the bones of a straight limb shrink, so that the target is too far."""

_STEPS = 7.7
"""How many times its final bend a straight limb starts with: each of twelve steps takes away 0.157 of it, which is what
Blender allows."""

_BENT = 4e-4
"""Part of the limb's length: the mid joint starts this far aside, because Blender's IK could not bend it from less."""


class IkChain:
    """The IK chain of one limb. It moves the controls, turns the chain and scales it until the limb fits.

    bases : of the controls that follow from the pose of the chain and are not placed
    begun : False as long as the keys that exist may show the limb in its wanted pose
    fits : True once nothing is left to mend
    suspects : rows of the frames on which the last evaluation was farthest off, in place, direction or scale
    """

    def __init__(self, plan: SwitchPlan, poses: Mapping[str, Array], own: Mapping[str, Basis]) -> None:
        """own : the present keyed bases of swivel and end bone"""
        self._plan, self._poses, self._own = plan, poses, own
        self._along = plan.shared.intersection(carried.bone.name for carried in plan.controls)
        self._wanted = joints_of(plan, poses)
        self._aside = limb_pose.aside(self._wanted, poses[plan.shown[0].name][:, :3, 2])
        self._axes = unit(self._wanted[:, 2] - self._wanted[:, 0])
        lengths = norm(np.diff(self._wanted, axis=1))
        self._length = lengths.sum(axis=1)
        # (n,) the distance of the mid joints from the line, and how many times as far they start.
        self._mid = limb_pose.mid_aside(self._wanted)
        self._straight = self._mid < _STRAIGHT * self._length
        self._steps = np.where(self._straight, _STEPS, 1.0)
        # Between frames the swivel may count as well, on the way to a frame on which the pole counts.
        self._swivels = not plan.pole_on.all()
        self._angle = np.zeros(len(self._wanted))
        self._sizes = np.where(self._straight, 1.0 - _SHORTER, 1.0)[:, None].repeat(2, axis=1)
        self._lengths = self._sizes * lengths
        self.bases: dict[str, Basis] = {}
        self.begun = self.fits = self._again = False
        self.suspects: frozenset[int] = frozenset()

    def controls(self, poses: Mapping[str, Array], waiting: Collection[str]) -> list[Control]:
        """The controls to be placed now that the chain has these `poses`; `waiting` names those still to place."""
        if not (self.begun or self.fits or self._shows(poses)):
            self.begun = True
            return [*to_place(self._plan, self._poses), *self._turned(poses)]
        if self.fits or (self.begun and self._plan.controls[0].bone.name in waiting):
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
        # Bones that both control sets carry hang on the limb itself, so they are placed once more after it has moved.
        near, bones = _FIT if self.begun else _UNSEEN[:, None], [control.bone for control in carried]
        self.fits = self._again or not bones or bool((self._off(poses, bones) <= near).all())
        self._again = True
        return [] if self.fits else carried

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that the chain needs besides the switch."""
        if not self.begun:
            return ()
        return (*self._plan.rigid, *(self._plan.far if self._reaches_farther() else ()))

    def between(self, rows: Integers, evaluated: Evaluation) -> dict[str, Array]:
        """By RNA path, the values of swivel, end bone and pole halfway after the frames of these rows (m,).

        evaluated : halfway; its poses (m, 4, 4) are the wanted ones of the bones that show the limb, the coming ones
            of all others
        """
        here = joints_of(self._plan, evaluated.poses)
        before, after = (norm(here - self._wanted[at]).max(axis=1) for at in (rows, rows + 1))
        jumps = before < _JUMPS * after

        def halfway(values: Array) -> Array:
            if len(values) == 1:
                return values
            before_jump = values[rows] + 0.5 * (values[rows] - values[np.maximum(rows - 1, 0)])
            return np.where(
                jumps.reshape(-1, *[1] * (values.ndim - 1)), before_jump, 0.5 * (values[rows] + values[rows + 1])
            )

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
        """Whether the keys that its controls have already show the limb in its wanted pose."""
        own = [bone for bone in self._plan.shown if bone.name not in self._along]
        return not (self._off(poses, own) > _UNSEEN[:, None]).any()

    def _off(self, poses: Mapping[str, Array], bones: Sequence[Bone]) -> Array:
        """(3, n) the largest error of these bones: in parts of the limb's length, radians, and parts of the scale."""
        moved, turned, scaled = limb_pose.differences(bones, poses, self._poses)
        return np.stack((moved / self._length, turned, scaled)).max(axis=1)

    def _reaches_farther(self) -> bool:
        """Whether the tip, on any frame, is farther from the root than the bones reach with their lengths at rest."""
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
        """The largest error of a straight limb's mid joint, as part of its length; sets its next bend to start with."""
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
        """The bases of swivel and end bone that pose the chain as it has to be before IK moves it.

        From another bend Blender's IK stops 0.1 degrees short of straight. A pole turns the chain in any case.
        """
        above = poses[swivel.parents[0].name][:, None] if swivel.parents else None
        least = np.where(self._straight, _BENT * self._length, 0.0)
        more = np.maximum(self._steps * self._mid, least) - self._mid
        upper, lower = limb_pose.bending(self._wanted, self._bent_to(), more)
        # Turning a folded bone about its own axis would move the tip away, and IK would undo that.
        angle = np.where(self._plan.pole_on, 0.0, self._angle)
        start = self._wanted_pose(swivel, product(rotation.about(self._axes, angle), upper))
        root, end = map(self._wanted_pose, self._plan.chain, (upper, lower))
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
        """(n, 3) unit vectors to the side to which the limb bends; on frames without any bend, to the side of rest."""
        root, below = self._plan.chain[0], self._plan.chain[1].bone.offset[:3, 1]
        at_rest = -below * (1.0, 0.0, 1.0) if norm(below[[0, 2]]) > IN_LINE else np.array((0.0, 0.0, 1.0))
        usual = transform.transform_vectors(self._wanted_pose(root, np.eye(3))[:, :3, :3], at_rest)
        mids = self._wanted[:, 1] - self._wanted[:, 0]
        bent = _STEPS * self._mid > _BENT * self._length
        return unit(rejection(np.where(bent[:, None], mids, usual), self._axes))

    def _wanted_pose(self, carried: CarriedBone, turn: Array) -> Array:
        """(n, 4, 4) the turned pose of a bone that keeps its offset at rest to the one that it follows."""
        pose = product(self._poses[carried.follows], carried.offset)
        return transform.compose(product(turn, pose[:, :3, :3]), pose[:, :3, 3])

    def _poled(self) -> list[Control]:
        """The pole control, where it bends the chain."""
        if not (self._plan.pole and self._plan.pole_on.any()):
            return []
        root, mid, _ = np.moveaxis(self._wanted, 1, 0)
        aside = rotate_about(self._aside, self._axes, np.where(self._plan.pole_on, self._angle, 0.0))
        pose = transform.translation(mid - rejection(mid - root, self._axes) + self._length[:, None] * aside)
        return [Control(carried=self._plan.pole, pose=pose, turns=False)]
