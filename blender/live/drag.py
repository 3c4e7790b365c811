"""One limb dragged by its tip: solved from the pose in which it stood, as often as the tip moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from bpy.types import Scene

from ...skeleton.values import ChainPlan
from ...solver.values import Plane, Reference, Unreachable
from ..armatures import Rig
from ..messages.refused import Refused, unless_gone
from ..pipeline import requests
from ..pipeline.read.chosen_chains import chosen_chains
from ..rna_paths import owner_and_property
from . import state


class Drag:
    """Begins with the pose as it stands, and poses the two bones of one chain; targets stay out of it until `finish`.

    While it lasts, live limbs of the armature wait. It lasts until `finish` or `restore`.

    tip : where the tip was, in world space
    insert_keys : key the chain in the end, and its target with it
    raises : Refused where the chain cannot be posed or keyed
    """

    def __init__(self, rig: Rig, name: str, scene: Scene, *, insert_keys: bool) -> None:
        self._rig, self._scene, self._insert_keys = rig, scene, insert_keys
        self._chain = chosen_chains(rig, [name])[0]
        free = partial(_free, has_pole=self._chain.pole_target is not None)
        self._limb = requests.FreeTip(rig, name, scene, free, insert_keys=insert_keys)
        self._before: dict[str, tuple[float, ...]] = {path: tuple(rig.path_resolve(path)) for path in self._limb.paths}
        self._flips = 0
        end, tip_bone = rig.pose.bones[self._chain.end_bone], self._chain.tip_bone
        self.tip = tuple(rig.matrix_world @ (rig.pose.bones[tip_bone].head if tip_bone else end.tail))
        self._position = self.tip
        state.suspend(rig)

    def to(self, position: Sequence[float]) -> None:
        """Pose the chain with its tip at this position in world space, or as near as it comes.

        raises : Refused where the position holds NaN or infinity
        """
        if not np.isfinite(position).all():
            raise Refused("NOT_FINITE.pulled", chain=self._chain, value=tuple(position))
        self._position = tuple(position)
        self._limb.pose(self._position)

    def flip(self) -> None:
        """Bend the other way."""
        self._limb.flip(self._position)
        self._flips += 1
        self.to(self._position)

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
            if self._flips % 2:
                self._chain.bend = self._limb.bend
            notes = self._limb.key(self._position) if self._insert_keys else []
            return [*notes, *self._target_brought_along()]
        finally:
            state.resume(self._rig)

    def _target_brought_along(self) -> list[str]:
        if not self._chain.target:
            return []
        try:
            requests.snap_targets(self._rig, [self._chain.name], self._scene, insert_keys=self._insert_keys)
        except Refused as refusal:
            return [str(refusal)]
        return []


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
