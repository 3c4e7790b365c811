"""One limb pulled by its tip or its mid joint: solved from the pose in which it was, as often as that joint moves.

The target and pole target of its chain are taken along, and keyed at the end.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Scene

from ...skeleton.values import ChainPlan, Point
from ...solver.values import Plane, Reference, Unreachable
from ..armatures import Rig
from ..bake.build_plan import chosen_chains
from ..bake.chain import chain_plan, unlisted_chain
from ..bake.request import alone
from ..bake.write_channels import key_pose, pose_channels
from ..chains.detect.find_limbs import Limb
from ..chains.limbs import mid_and_tip, shows_ik
from ..curves import unkeyed_edits
from ..messages.refused import Refused, unless_gone
from ..rigs.built_limbs import built_limb
from ..rigs.known_limbs import known_by_end
from ..rigs.rig_files import KnownLimb
from ..rigs.switch_property import shown_control_set
from ..rna_paths import set_value_at, value_at
from ..scene.checks import refuse_unposable
from ..settings.key_settings import InsertKeys
from ..targets.targets_from_pose import FollowingTargets, snap_targets
from . import live
from .free_limb import FreeLimb
from .pulled_controls import PulledControls


class Drag:
    """Begins with the pose as it is, and poses the two bones of one limb; its chain's targets go along at once.

    Where a known rig shows IK, it moves the limb's controls of IK, and its FK controls stay; of a built limb it moves
    the targets. While it lasts, live limbs of the armature wait. It lasts until `finish` or `restore`.

    limb : the name of a chain, or a limb that has none; it gets none
    tip, mid : where the tip and the mid joint were, in world space
    insert_keys : key the limb in the end as far as that is asked for, and the chain's target with it
    raises : Refused where the limb cannot be posed or keyed
    """

    def __init__(self, rig: Rig, limb: str | Limb, scene: Scene, *, insert_keys: InsertKeys) -> None:
        refuse_unposable(rig)
        self._rig, self._scene, self._insert_keys = rig, scene, insert_keys
        self._chain = unlisted_chain(**limb.fields) if isinstance(limb, Limb) else chosen_chains(rig, [limb])[0]
        plan = _free(chain_plan(rig, self._chain, Point(rig)), has_pole=self._chain.pole_target is not None)
        in_ik = shows_ik(rig, known_by_end(rig).get(plan.end.name))
        shown = mid_and_tip(rig.pose.bones, self._chain, in_ik)
        joints: list[tuple[float, ...]] = [(rig.matrix_world @ joint).to_tuple() for joint in shown]
        self._in_ik = in_ik or self._built()
        self.mid, self.tip = joints
        self._limb = self._pulled(plan)
        self._before = {(item, path): tuple(value_at(item, path)) for item, path in self._limb.paths}
        self._flips, self._bent = 0, False
        self._targets = self._movable_targets()
        live.suspend(rig, self._chain.name)

    def _built(self) -> KnownLimb | None:
        """The limb where it is built, and follows its target at least in part."""
        limb = built_limb(self._rig, self._chain)
        return limb if limb and shown_control_set(self._rig, limb) != "FK" else None

    def _pulled(self, plan: ChainPlan) -> FreeLimb | PulledControls:
        """What poses the limb: where its rig shows IK, the FK bones would move, and what shows would not."""
        if self._in_ik:
            return PulledControls(plan, self._in_ik, self._scene, insert_keys=bool(self._insert_keys))
        return FreeLimb(plan, self.tip, self._scene, insert_keys=bool(self._insert_keys))

    def _movable_targets(self) -> FollowingTargets | None:
        """None where there are none, the rig's own controls are pulled, or one cannot be moved: `finish` tells why."""
        if self._in_ik or not self._chain.target:
            return None
        try:
            return FollowingTargets(self._rig, self._chain.name, self._scene, insert_keys=bool(self._insert_keys))
        except Refused:
            return None

    def to(self, position: Sequence[float]) -> None:
        """Pose the limb with its tip at this position in world space, or as near as it comes.

        raises : Refused where the position has NaN or infinity
        """
        self._limb.reach_for(self._finite(position))
        self._pose()

    def bend_towards(self, position: Sequence[float]) -> None:
        """Pose the limb so that it bends towards this position in world space; its tip stays.

        raises : Refused where the position has NaN or infinity
        """
        self._limb.bend_towards(self._finite(position))
        self._bent = True
        self._pose()

    def flip(self) -> None:
        """Bend the other way."""
        self._limb.flip()
        self._flips += 1
        self._pose()

    def _pose(self) -> None:
        pose_channels(self._limb.channels())
        if not self._targets:
            return
        try:
            self._targets.follow(self._limb.chain.options.bend if self._bends_otherwise else None)
        except Refused:  # as in `_movable_targets`
            self._targets.restore()
            self._targets = None

    @property
    def _bends_otherwise(self) -> bool:
        """Whether the chain is to bend to another side from now on."""
        return bool(self._flips % 2) and not (self._bent or self._in_ik)

    @property
    def angles(self) -> tuple[float, ...]:
        """Degrees of root and hinge, as `joint_angles` has them; of what shows where controls of IK are pulled."""
        return tuple(np.degrees(self._limb.angles).tolist())

    def restore(self) -> None:
        """Pose the limb as it was, to the bit, and put its targets back."""
        if self._targets:
            self._targets.restore()
        with unless_gone:
            for (item, path), values in self._before.items():
                set_value_at(item, path, values)
            live.resume(self._rig)

    def finish(self) -> list[str]:
        """Leave limb, target and pole target as they are, keyed where that was asked for.

        returns : sentences about what could not be done
        """
        try:
            if self._bends_otherwise:
                self._chain.bend = self._limb.chain.options.bend
            with alone():
                with unkeyed_edits.preserved() as keep:
                    notes = key_pose(self._limb.plan, self._limb.channels(), self._insert_keys, keep)
                return [*notes, *self._targets_brought_along()]
        finally:
            live.resume(self._rig)

    def _finite(self, position: Sequence[float]) -> Sequence[float]:
        if not np.isfinite(position).all():
            raise Refused("NOT_FINITE.pulled", chain=self._limb.chain, value=tuple(position))
        return position

    def _targets_brought_along(self) -> Sequence[str]:
        if self._in_ik or not self._chain.target:
            return ()
        try:
            report = snap_targets(self._rig, [self._chain.name], self._scene, insert_keys=self._insert_keys)
        except Refused as refusal:
            return (str(refusal),)
        # Without a pole target, the chain would not bend so again.
        return report.notes if self._bent and not self._chain.pole_target else ()


def _free(plan: ChainPlan, *, has_pole: bool) -> ChainPlan:
    """The plan of a chain that starts from its own pose and goes wherever it is pulled."""
    stretches = plan.options.unreachable == Unreachable.STRETCH
    options = replace(
        plan.options,
        plane=plan.options.plane if has_pole or plan.options.plane == Plane.REST else Plane.AIM,
        reference=Reference.POSE,
        unreachable=Unreachable.STRETCH if stretches else Unreachable.CLAMP,
        influence=1.0,
    )
    pole = plan.pole if has_pole else None
    animated = plan.animated - {"influence"}
    return replace(plan, options=options, animated=animated, target=Point(plan.rig), pole=pole, use_rotation=False)
