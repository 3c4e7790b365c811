"""The order of the steps for a limb of a known rig that shows IK: its controls of IK are pulled, and the rig poses it.

The tip takes the control of hand or foot along. The mid joint takes the pole control along, round the line from root to
tip, or turns the limb's own control where the rig lets no pole bend the limb.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from bpy.types import Object, Scene

from ...skeleton import transform
from ...skeleton.chain_group import chain_groups
from ...skeleton.rotation_mode import rotation_values
from ...skeleton.target_channels import KeyedTarget, WorldTransform, by_object, channels_by_target, placed
from ...skeleton.values import ChainPlan, Channel, Point, Samples
from ...solver import rotation
from ...solver.diagnostics import joint_angles
from ...solver.values import Array, ReachWith
from ...solver.vectors import angle_about, cross, norm, product, rejection, unit
from ..bake.build_plan import limb_plan
from ..bake.write_channels import Channels, pose_channels
from ..curves import key_checks
from ..curves.keys import values_before
from ..messages.refused import Refused
from ..rigs import controls
from ..rigs.built_limbs import goals, is_built
from ..rigs.rig_files import KnownLimb
from ..rigs.switch_property import pole_on
from ..scene import sampling
from ..scene.bone import read_bone
from ..scene.need import pose_need
from ..targets.checks import keyed_target, pullable

_MOST = 8
"""Evaluations: Blender's IK turns a limb by less or more than its own control."""

_FIT = 1e-4
"""Radians: Blender's IK stops once a step is smaller than 0.001."""

_STRAIGHT = 1e-4
"""Part of the limb's length: a mid joint less far aside has no side."""


class PulledControls:
    """The controls of one limb, or the targets of one that was built: sampled once, moved as often as it is pulled.

    chain : on the FK controls of the limb; its options and targets are ignored
    raises : Refused where no one control moves the limb, or it cannot be moved, or with `insert_keys` not be keyed
    """

    def __init__(self, chain: ChainPlan, limb: KnownLimb, scene: Scene, *, insert_keys: bool) -> None:
        built = is_built(chain.rig, limb)
        if not (built or limb.control):
            raise Refused("PULLED_IK.tip", chain=chain, switch=limb.switch, value=limb.fk_value)
        self.chain = chain
        self._limb, self._insert_keys = limb, insert_keys
        now = scene.frame_current_final
        self.plan = limb_plan(chain.rig, [chain], (now, now), scene)
        poled = limb.pole and pole_on(chain.rig, limb, self.plan.frames)[0]
        known = Point(chain.rig, limb.followed), *([Point(chain.rig, limb.pole)] if poled else [])
        self._target, *poles = goals(chain.rig, limb) if built else known
        self._targets = {self._target: self._pullable(self._target)}
        self._pole = next(iter(poles), None)
        self._shown = [(Point(chain.rig, name), (0.0, 0.0, 0.0)) for name in limb.showing_ik[:3]]
        if built:
            name, place = chain.tip_place
            self._shown[2:] = [(Point(chain.rig, name), place)]
        self._swivel = read_bone(chain.rig, limb.swivel) if limb.swivel and not poled else None
        self._start, self._lever = self._sampled(), np.zeros(3)
        if built and chain.reach_with == ReachWith.TAIL:
            tip = product(self._start.to_world[chain.rig], self._start.pose[self._shown[2][0]])
            self._lever = chain.below[-1].length * tip[0, :3, 1]
        self._moved: dict[Point, list[Channel]] = {}

    @property
    def paths(self) -> set[tuple[Object, str]]:
        """All that may be set: what has it, and its RNA path."""
        moved = [controls.keyed_point(point) for point in (self._target, self._pole) if point]
        locations = {(point.object, keyed_target(point, 0.0).location_path) for point in moved}
        return locations | ({(self.chain.rig, self._swivel.rotation_path)} if self._swivel else set())

    @property
    def angles(self) -> Array:
        """(2,) radians of root and hinge of the limb that shows, see `joint_angles`; here neither has a sign."""
        samples = self._sampled()
        [group] = chain_groups([self.chain], samples, 1)
        shown = transform.transform_points(samples.to_world[self.chain.rig], np.array(list(self._joints(samples))))
        joints = transform.transform_points(group.from_world[0, 0], shown.reshape(3, 3))
        hinge = cross(joints[1] - joints[0], joints[2] - joints[1])
        return joint_angles(group.joints[0, 0, 1], joints[None], hinge[None], in_plane=False)[0]

    def reach_for(self, tip: Sequence[float]) -> None:
        """From now on the control is where the tip is at this position, in world space."""
        self._move(self._target, np.array([tip]) + self._lever, self._start)

    def bend_towards(self, pole: Sequence[float]) -> None:
        """Bend the limb towards this position in world space, as near as the rig comes.

        raises : Refused where nothing in the rig turns the limb, or where that cannot be set or keyed
        """
        self._refuse_unturnable()
        before, turned, share = 0.0, 0.0, 1.0  # the share of the control's turn that the limb takes
        for _ in range(_MOST):
            samples = self._sampled()
            angle = self._angle(samples, transform.transform_points(self._from_world(samples), np.array([pole])))
            if abs(angle) < _FIT:
                return
            if turned and abs(before - angle) > _FIT:
                share = np.clip((before - angle) / turned, 0.25, 4.0)
            before, turned = angle, angle / share
            self._turn(samples, turned)
            pose_channels(self.channels())

    def flip(self) -> None:
        """Bend the limb to the other side; see `bend_towards`."""
        samples = self._sampled()
        root, mid, tip = self._joints(samples)
        opposite = mid - 2.0 * rejection(mid - root, unit(tip - root))
        [place] = transform.transform_points(samples.to_world[self.chain.rig], opposite[None])
        self.bend_towards(place.tolist())

    def channels(self) -> Channels:
        """The channels of the controls that were pulled, on the current frame."""
        return by_object(self._moved)

    def _pullable(self, point: Point) -> KeyedTarget:
        return pullable(self.chain, point, self.plan.frames[0], insert_keys=self._insert_keys)

    def _refuse_unturnable(self) -> None:
        if self._pole:
            self._targets.setdefault(self._pole, self._pullable(self._pole))
        elif self._swivel:
            paths, frame = {self._swivel.rotation_path}, self.plan.frames[0]
            key_checks.refuse_unsettable(self.chain.rig, paths, frame, insert_keys=self._insert_keys)
        else:
            raise Refused("PULLED_IK.mid", chain=self.chain, switch=self._limb.switch, value=self._limb.fk_value)

    def _sampled(self) -> Samples:
        """The scene as it is now."""
        turned = [Point(self.chain.rig, self._swivel.name)] if self._swivel else []
        points = {*placed(self._targets), *turned, *(point for point, _ in self._shown)}
        return sampling.sample_current_frame(self.plan, pose_need(self.plan, points))

    def _joints(self, samples: Samples) -> Iterable[Array]:
        """(3,) each, in armature space: root, mid and tip of the limb as it shows."""
        return (transform.transform_points(samples.pose[point], np.array([at]))[0] for point, at in self._shown)

    def _from_world(self, samples: Samples) -> Array:
        return transform.inverse(samples.to_world[self.chain.rig])

    def _angle(self, samples: Samples, towards: Array) -> float:
        """By which the mid joint has to turn about the line to the tip; 0 where it has no side, or is to have none.

        towards : (1, 3)     in armature space
        """
        root, mid, tip = self._joints(samples)
        axis = unit(tip - root)
        now, then = (rejection(place - root, axis) for place in (mid, towards[0]))
        length = norm(mid - root) + norm(tip - mid)
        return float(angle_about(axis, now, then)) if min(norm(now), norm(then)) > _STRAIGHT * length else 0.0

    def _turn(self, samples: Samples, angle: float) -> None:
        """Turn what bends the limb by this angle, from where it is."""
        root, _, tip = self._joints(samples)
        if self._pole:
            turn = rotation.from_axis_angles(np.array([[angle, *unit(tip - root)]]))
            place = transform.transform_points(self._from_world(samples), samples.world(self._pole)[:, :3, 3])
            place = root + transform.transform_vectors(turn, place - root)
            self._move(self._pole, transform.transform_points(samples.to_world[self.chain.rig], place), samples)
        elif self._swivel:
            bone, point = self._swivel, Point(self.chain.rig, self._swivel.name)
            turn = rotation.from_axis_angles(np.array([[angle, 0.0, 1.0, 0.0]]))
            before = values_before(self.chain.rig, [bone.rotation_path], self.plan.frames[0])[bone.rotation_path]
            values = rotation_values(product(samples.basis[point].rotation, turn), bone.rotation_mode, before)
            channel = Channel(path=bone.rotation_path, group=bone.name, frames=self.plan.frames, values=values)
            self._moved[point] = [channel]

    def _move(self, point: Point, place: Array, samples: Samples) -> None:
        """place : (1, 3)     in the world"""
        wanted = {point: WorldTransform(location=place)}
        self._moved |= channels_by_target(self.plan, wanted, samples, self._targets, {})
