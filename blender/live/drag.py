"""One limb pulled by its tip: solved from the pose in which it stood, as often as the place changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Object, Scene

from ...skeleton import bone_channels, chain_group, transform, uneven_scale
from ...skeleton.channel import Channel
from ...skeleton.plan import ChainPlan, Point
from ...skeleton.solved_group import SolvedGroup
from ...solver.values import Bend, Plane, Reference, Unreachable
from ..messages.refused import Refused, unless_gone
from ..pipeline import requests, targets_from_pose, write
from ..pipeline.checks import keys
from ..pipeline.read.build_plan import build_plan
from ..pipeline.read.chosen_chains import chosen_chains
from ..pipeline.sample.sampling import sample_current_frame
from ..rna_paths import owner_and_property
from . import state


class Drag:
    """Begins with the pose as it stands, and poses the two bones of one chain; targets stay out of it until `finish`.

    While it lasts, live limbs of the armature wait. It lasts until `finish` or `restore`.

    tip : where the tip was, in world space
    insert_keys : key the chain in the end, and its target with it
    raises : Refused where the chain cannot be posed or keyed
    """

    def __init__(self, rig: Object, name: str, scene: Scene, *, insert_keys: bool) -> None:
        self._rig, self._scene, self._insert_keys = rig, scene, insert_keys
        self._chain = chosen_chains(rig, [name])[0]
        plan = requests.at_current_frame(build_plan(rig, [name], None, scene, stand_in=Point(rig)))
        free = _free(plan.chains[0], has_pole=self._chain.pole_target is not None)
        plan = replace(plan, ranks=((free,),))
        keys.refuse_unsettable(rig, requests.paths(plan), insert_keys=insert_keys)
        self._plan, self._samples = plan, sample_current_frame(plan)
        [self._here] = chain_group.chain_groups([free], self._samples, 1)
        self._goals = chain_group.goals(self._here, self._samples, 1)
        self._before = {path: tuple(rig.path_resolve(path)) for path in requests.paths(plan)}
        self._flips = 0
        end, tip_bone = free.end, free.tip_bone
        self.tip = tuple(rig.matrix_world @ (rig.pose.bones[tip_bone].head if tip_bone else end.tail))
        self._place = self.tip
        state.suspend(rig)

    def to(self, place: Sequence[float]) -> None:
        """Pose the chain with its tip at this place in world space, or as near as it comes.

        raises : Refused where the place holds NaN or infinity
        """
        if not np.isfinite(place).all():
            raise Refused("NOT_FINITE", chain=self._chain, value=tuple(place)).saying(
                'The tip of chain "{chain}" of "{object}" cannot be pulled to {value}: give three finite numbers'
            )
        self._place = tuple(place)
        write.pose(self._rig, self._channels())

    def flip(self) -> None:
        """Bend the other way."""
        bend = requests.bend_of(self._solved().one(0))
        options = replace(self._here.plan.options, bend=Bend.NEGATIVE if bend > 0 else Bend.POSITIVE)
        self._here = replace(self._here, plans=(replace(self._here.plan, options=options),))
        self._flips += 1
        self.to(self._place)

    def restore(self) -> None:
        """Pose the chain as it was, to the bit."""
        with unless_gone:
            for path, values in self._before.items():
                owner, name = owner_and_property(path)
                setattr(self._rig.path_resolve(owner), name, values)
            state.resume(self._rig)

    def finish(self) -> list[str]:
        """Leave the chain as it is posed, keyed where that was asked for, and bring its target along.

        returns : sentences about what could not be done
        """
        try:
            return [*self._keyed(), *self._target_brought_along()]
        finally:
            state.resume(self._rig)

    def _keyed(self) -> list[str]:
        if self._flips % 2:
            self._chain.bend = self._here.plan.options.bend
        return requests.key_pose(self._plan, self._channels()) if self._insert_keys else []

    def _target_brought_along(self) -> list[str]:
        if not self._chain.target:
            return []
        try:
            targets_from_pose.snap_targets(self._rig, [self._chain.name], self._scene, insert_keys=self._insert_keys)
        except Refused as refusal:
            return [str(refusal)]
        return []

    def _channels(self) -> list[Channel]:
        return bone_channels.channels(self._plan, [self._solved()])[0]

    def _solved(self) -> SolvedGroup:
        target = transform.transform_points(self._here.from_world, np.array(self._place))
        solved = uneven_scale.solve_group(self._here, replace(self._goals, target=target), self._samples)
        self._here = solved.here
        return solved


def _free(plan: ChainPlan, *, has_pole: bool) -> ChainPlan:
    """The plan of a chain that starts from its own pose and goes wherever the tip is pulled."""
    options = plan.options
    stretches = options.unreachable == Unreachable.STRETCH
    options = replace(
        options,
        plane=options.plane if has_pole or options.plane == Plane.REST else Plane.AIM,
        reference=Reference.POSE,
        unreachable=Unreachable.STRETCH if stretches else Unreachable.CLAMP,
        influence=1.0,
    )
    return replace(plan, options=options, pole=plan.pole if has_pole else None, use_rotation=False)
