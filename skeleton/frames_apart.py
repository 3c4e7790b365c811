"""Frames side by side like limbs, never along time: each is solved as if it were the only one.

So a pose depends neither on the frames around it nor on the order in which they are visited.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..solver.values import Array, Goals, Solution
from . import chain_group, transform, twist, uneven_scale
from .bone_channels import bone_bases, shown_limb_bases
from .chain_group import ChainGroup
from .solve import flat_told, solving
from .solved_group import SolvedGroup
from .steps import run
from .transform import Basis, each_array
from .values import Bone, ChainPlan, Key, Plan, Point, Samples


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PosedBone:
    """One bone of a limb on all frames.

    basis : what is to be written
    pose : (n, 4, 4) or (1, 4, 4), in armature space
    """

    basis: Basis
    pose: Array


def solve_apart(plan: Plan, samples: Samples) -> list[SolvedGroup]:
    """All chains of the plan, as they are solved on each of its frames alone."""
    return run(solving(plan, samples, solve=_solve_group))


def posed_bones(solved: SolvedGroup) -> dict[Point, PosedBone]:
    """The bones that are keyed, as they are once they are posed so."""
    columns = bone_bases(solved, apart=True)
    poses = twist.poses(solved, columns)
    return {
        Point(plan.rig, bone.name): PosedBone(basis=basis.column(row), pose=pose[:, row])
        for row, plan in enumerate(solved.plans)
        for bone, basis, pose in zip(plan.keyed, columns, poses, strict=True)
    }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Spreading:
    """Chains side by side that spread their twist, solved on all frames."""

    solved: SolvedGroup

    def rotations(self, row: int, values: Mapping[Bone, Sequence[float]]) -> dict[Bone, Array]:
        """(3, 3) of all keyed bones on one frame, going on from these values of the twist bones' rotations."""
        solved, at = self.solved, transform.on_rows(slice(row, row + 1))
        group, samples, solution = solved.group.each(at), solved.samples.each(at), each_array(at, solved.solution)
        solved = replace(solved, group=group, samples=samples, solution=solution)
        bases = bone_bases(solved, twist.starts(solved, values))
        return {
            bone: basis.rotation[0, column]
            for column, plan in enumerate(solved.plans)
            for bone, basis in zip(plan.keyed, bases, strict=True)
        }


def spreading(solved: Iterable[SolvedGroup], rig: Key) -> list[Spreading]:
    """Those of an armature object's chains that spread their twist."""
    found = []
    for group in solved:
        columns = [column for column, plan in enumerate(group.plans) if plan.rig == rig and plan.twists]
        if columns:
            points = {point for column in columns for point in _needed(group.plans[column])}
            found.append(Spreading(solved=replace(group.only(columns), samples=group.samples.about(points))))
    return found


def _needed(plan: ChainPlan) -> list[Point]:
    """The points whose samples pose a solved chain."""
    bones = (Point(plan.rig, bone.name) for bone in plan.carrying)
    return [Point(plan.rig), plan.target, Point(plan.target.object), *bones]


def tip_places(solved: SolvedGroup) -> dict[Point, Array]:
    """(n, 4, 4) or (1, 4, 4) in armature space, of the bones whose heads are the tips: where their heads are."""
    group, plans, (root, end, *below) = solved.group, solved.plans, shown_limb_bases(solved)
    if not solved.plan.tip_bone:
        return {}
    third = below[0] if group.third else None
    pose = group.kinematics.poses((root, *group.basis[1:-1], end))[-1]
    places = group.kinematics.in_armature(transform.translation(chain_group.tip(plans, pose, solved.samples, third)))
    return {Point(plan.rig, plan.tip_bone): places[:, row] for row, plan in enumerate(plans)}


def _solve_group(group: ChainGroup, samples: Samples, count: int, seconds: Array | None) -> SolvedGroup:
    """As `solve.solve_group`, with the frames apart."""
    goals = chain_group.goals(group, samples, count, seconds)
    if group.kinematics.rigid:
        solution = _beside(group, goals)
    else:
        group = uneven_scale.with_grown(group, samples)  # by which its solution is posed
        solution = _row_by_row(group, goals, samples, count)
    solved = SolvedGroup(group=group, goals=goals, solution=solution, samples=samples)
    return flat_told(solved) if group.flat.any() else solved


def _beside(group: ChainGroup, goals: Goals) -> Solution:
    """The solver sees one frame, and behind it an axis of what are our frames."""

    def beside(values: Array) -> Array:
        return values[None]

    solution = group.each(beside).solve(each_array(beside, goals))
    return each_array(lambda values: values[0], solution)


def _row_by_row(group: ChainGroup, goals: Goals, samples: Samples, count: int) -> Solution:
    """Bones that change length are fitted to their own pose: one frame after another."""
    items = {point.object for plan in group.plans for point in (Point(plan.rig), plan.target)}
    needed = Samples(
        to_world={item: samples.to_world[item] for item in items},
        pose={point: pose for point, pose in samples.pose.items() if point.object in items},
        basis={point: basis for point, basis in samples.basis.items() if point.object in items},
    )
    rows = []
    for row in range(count):

        def only(values: Array, row: int = row) -> Array:
            return values[row : row + 1] if len(values) > 1 else values

        solved = uneven_scale.solve_group(group.each(only), each_array(only, goals), needed.each(only))
        rows.append(solved.solution)
    joined: dict[str, Any] = {
        field.name: np.concatenate([getattr(row, field.name) for row in rows]) for field in fields(Solution)
    }
    return Solution(**joined)
