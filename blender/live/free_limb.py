"""The bones of a limb that is pulled, solved and posed alone; `drag` takes its targets along."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Scene

from ...skeleton import chain_group, solve, transform
from ...skeleton.bone_channels import keyed_rows
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.steps import run
from ...skeleton.values import ChainPlan, Plan
from ...solver.values import Array, Bend, Plane
from ..bake import convert
from ..bake.build_plan import at_current_frame
from ..bake.write_channels import Channels
from ..curves import key_checks
from ..scene import dependencies, sampling
from ..scene.need import sample_need
from ..scene.ranks import ranked
from ..settings.key_settings import DEFAULTS


class FreeLimb:
    """One chain whose tip or mid joint is pulled: read and sampled once, solved and written as often as that moves.

    tip : where the tip is at first, in world space; the chain's target has no part in this
    raises : Refused where the chain cannot be posed, or with `insert_keys` not be keyed
    """

    def __init__(self, chain: ChainPlan, tip: Sequence[float], scene: Scene, *, insert_keys: bool) -> None:
        rig, ranks = chain.rig, ranked([chain], dependencies.links([chain]))
        self.plan = at_current_frame(Plan(rig=rig, name=rig.name, scene=scene, ranks=ranks, frames=np.empty(0)))
        paths = convert.paths(self.plan)
        key_checks.refuse_unsettable(rig, paths, self.plan.frames[0], insert_keys=insert_keys)
        self.paths = {(rig, path) for path in paths}

        self._samples = sampling.sample_current_frame(self.plan, sample_need(self.plan))
        [self._group] = chain_group.chain_groups([chain], self._samples, 1)
        self._goals = chain_group.goals(self._group, self._samples, 1)
        self.reach_for(tip)

    @property
    def chain(self) -> ChainPlan:
        """The chain as it is solved now."""
        return self._group.plan

    @property
    def angles(self) -> Array:
        """(2,) radians of root and hinge, as the chain is solved now."""
        return self._solved().angles()[0, 0]

    def reach_for(self, tip: Sequence[float]) -> None:
        """From now on the tip is there, in world space, or as near as it comes."""
        self._goals = replace(self._goals, target=self._from_world(tip))

    def bend_towards(self, pole: Sequence[float]) -> None:
        """From now on the chain bends towards this position in world space, or in a fixed plane to its side."""
        plane = Plane.REST if self.chain.options.plane == Plane.REST else Plane.POLE
        self._choose(plane=plane, bend=Bend.POSITIVE, pole_angle=0.0, pole_influence=1.0, softness=0.0)
        self._goals = replace(self._goals, pole=self._from_world(pole))

    def flip(self) -> None:
        """From now on the chain bends the other way."""
        self._choose(bend=Bend.NEGATIVE if self._solved().bend_sign > 0 else Bend.POSITIVE)

    def _choose(self, **options: Any) -> None:
        chain = replace(self.chain, options=replace(self.chain.options, **options))
        self._group = replace(self._group, plans=(chain,))

    def _from_world(self, position: Sequence[float]) -> Array:
        return transform.transform_points(self._group.from_world, np.array(position))

    def channels(self) -> Channels:
        """What poses the chain, on the current frame."""
        solved = [self._solved()]
        return {self.plan.rig: run(convert.channels(self.plan, solved, keyed_rows(self.plan, solved), DEFAULTS))}

    def _solved(self) -> SolvedGroup:
        solved = solve.solve_for(self._group, self._goals, self._samples)
        self._group = solved.group
        return solved
