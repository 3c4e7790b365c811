"""Chains that were solved side by side: what they share, and each of them alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..solver.diagnostics import joint_angles
from ..solver.values import Array, Goals, Mask, Plane, Solution, Unreachable
from ..solver.vectors import rejection, unit
from .chain_group import ChainGroup
from .transform import each_array, on_columns, on_rows
from .values import ChainPlan, Plan, Point, Samples


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SolvedGroup:
    """Chains side by side, their goals and their solution, all with the axis of the chains behind the frames.

    samples : as the chains of earlier ranks left them
    """

    group: ChainGroup
    goals: Goals
    solution: Solution
    samples: Samples

    @property
    def plans(self) -> tuple[ChainPlan, ...]:
        """(c,) the plans of the chains."""
        return self.group.plans

    @property
    def plan(self) -> ChainPlan:
        """The plan of the first chain; the options of all are the same."""
        return self.group.plan

    def only(self, columns: Sequence[int]) -> "SolvedGroup":
        """Some of the chains."""
        at = on_columns(columns)
        goals, solution = each_array(at, (self.goals, self.solution))
        return replace(self, group=self.group.only(columns), goals=goals, solution=solution)

    @property
    def with_what_is_read(self) -> "SolvedGroup":
        """These chains without samples that nothing but the solver reads, such as the places of most targets."""
        turned, samples = self.plan.use_rotation or self.group.flat.any(), self.samples
        targets = [plan.target for plan in self.plans if turned]
        poles = [plan.pole for plan in self.plans if plan.pole and plan.pole_pins]
        read = {*(Point(plan.rig) for plan in self.plans), *targets, *poles}
        to_world = {point.object: samples.to_world[point.object] for point in read}
        pose = {point: samples.pose[point] for point in read if point.bone}
        own = {Point(plan.rig, bone.name) for plan in self.plans for bone in plan.carrying}
        basis = {point: samples.basis[point] for point in own}
        return replace(self, samples=replace(samples, to_world=to_world, pose=pose, basis=basis))

    def on_rows(self, rows: slice) -> "SolvedGroup":
        """These chains on some of the frames, in memory of their own, and laid out there as they were."""

        def at(values: NDArray[Any]) -> NDArray[Any]:
            return on_rows(rows)(values).copy(order="K")

        return each_array(at, self)

    def angles(self, joints: Array | None = None) -> Array:
        """(n, c, 2) of root and hinge in radians, see `joint_angles`; of other joints (n, c, k, 3) in chain space."""
        group, solution, options = self.group, self.solution, self.plan.options
        # The solver's hinge angle is that of other joints with a hock, below uneven scale, and where a pose is held.
        others = group.third or not group.kinematics.rigid or options.unreachable == Unreachable.HOLD
        known = None if others or joints is not None else solution.hinge_angle
        rest = (group.joints if group.third else group.chain.joints)[..., 1, :]
        joints = solution.joints if joints is None else joints
        return joint_angles(rest, joints, solution.hinge, in_plane=options.plane == Plane.REST, turn=known)

    @property
    def out_of_reach(self) -> Mask:
        """(n, c) True on the frames on which the target lies outside the annulus."""
        return self.solution.shortfall > 0.0

    def distances(self, frame: int) -> tuple[float, float, float]:
        """Root to target, least and greatest reach of the first chain on one frame.

        In world units along the line to the target.
        """
        group, solution = self.group, self.solution
        to_world = group.to_world[frame if len(group.to_world) > 1 else 0, 0, :3, :3]
        target = solution.target[frame, 0]
        # A target on the root lies on no line: any line serves.
        line = target if target.any() else group.chain.joints[0, 0, 1]
        world_length = float(np.linalg.norm(to_world @ line) / np.linalg.norm(line)) if line.any() else 1.0
        inner, outer = (world_length * float(reach) for reach in solution.reach[frame, 0])
        return world_length * float(np.linalg.norm(target)), inner, outer

    @property
    def bend_sign(self) -> int:
        """How the first chain bends on the first frame: +1 or -1, with a pole target +1 towards it."""
        if self.goals.pole is None:
            return 1 if self.solution.hinge_angle[0, 0] >= 0.0 else -1
        joints = self.solution.joints[0, 0]
        line = joints[-1] - joints[0]
        corner = self.group.sides(np.diff(joints, axis=0))[0]
        bent, towards = (rejection(point, unit(line)) for point in (corner, self.goals.pole[0, 0]))
        return 1 if bent @ towards >= 0.0 else -1


def one_by_one(plan: Plan, solved: Iterable[SolvedGroup]) -> list[SolvedGroup]:
    """The solved chains in the plan's order, each as a group of one."""
    places = {(chain.rig, chain.name): (group, row) for group in solved for row, chain in enumerate(group.plans)}
    groups_and_rows = (places.get((chain.rig, chain.name)) for chain in plan.chains)
    return [group.only([row]) for group, row in filter(None, groups_and_rows)]


def requested(plan: Plan, solved: list[SolvedGroup]) -> tuple[Plan, list[SolvedGroup]]:
    """Plan and chains on the frames that the request asks for; on all where twists go on from frame to frame."""
    if plan.step == 1 or any(chain.twists for chain in plan.chains):
        return plan, solved
    frames = plan.frames[plan.requested]
    return replace(plan, frames=frames, step=1), [group.on_rows(plan.requested) for group in solved]
