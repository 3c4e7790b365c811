"""Chain space: the root joint is the origin, the axes are the root bone's, at rest on its parent.

There the solver's rotation of the root bone is its own channel, and whatever scale or shear the parent and the armature
object bring is left outside: lengths and handedness are read in this one space.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ....solver.triad import product
from ....solver.values import Array, Chain, Goals, HingeAxis, Solution
from ..batches import batches, stacked
from ..bones import inherit, transform
from ..plan import ChainPlan, Point
from ..samples import Samples
from .stage import Stage, stage

AXES = {
    HingeAxis.AUTO: (1.0, 0.0, 0.0),
    HingeAxis.X: (1.0, 0.0, 0.0),
    HingeAxis.Z: (0.0, 0.0, 1.0),
    HingeAxis.NEG_X: (-1.0, 0.0, 0.0),
    HingeAxis.NEG_Z: (0.0, 0.0, -1.0),
}
"""The hinge axis in the end bone's space."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainSpace:
    """One chain on its way to the solver and back; `n` may be 1 where nothing moves.

    chain, goals : what the solver takes
    basis : (n, 4, 4) each        own channels of the chain's bones, root bone first
    stage : where they are posed
    to_world : (n, 3, 3)          from chain space, without its origin
    end : (n, 3, 3)               the end bone's rest orientation in chain space
    """

    plan: ChainPlan
    chain: Chain
    goals: Goals
    basis: tuple[Array, ...]
    stage: Stage
    to_world: Array
    end: Array


def chain_spaces(plans: Sequence[ChainPlan], samples: Samples, count: int) -> list[ChainSpace]:
    """Lengths, hinge axis, target, pole and own pose of each chain, from what was sampled over `count` frames."""
    found: dict[str, ChainSpace] = {}
    for part in batches(plans, _kind, rows=count):
        found |= zip((plan.name for plan in part), _side_by_side(part, samples, count), strict=True)
    return [found[plan.name] for plan in plans]


def chain_space(plan: ChainPlan, samples: Samples, count: int) -> ChainSpace:
    """The same for one."""
    return _side_by_side([plan], samples, count)[0]


def _kind(plan: ChainPlan) -> Hashable:
    bones = (plan.rig.data.bones[name] for name in (*plan.bones, *plan.below))
    return plan.stretches, plan.uses_pose, plan.pole is None, len(plan.bones), *map(inherit.rules, bones)


def _side_by_side(plans: Sequence[ChainPlan], samples: Samples, count: int) -> list[ChainSpace]:
    """Of chains of one kind; every array has them on an axis behind the frames."""
    first, rig = plans[0], plans[0].rig
    columns = list(zip(*((*plan.bones, *plan.below[:-1]) for plan in plans), strict=True))
    bones = tuple(tuple(rig.data.bones[name] for name in column) for column in columns)
    basis = tuple(stacked(map(partial(_basis, samples=samples), plans, column)) for column in columns)
    parents = [samples.pose[Point(rig, plan.parent.name)] for plan in plans if plan.parent]
    parent = stacked(parents) if parents else None
    here = stage(bones, parent, basis, len(first.bones), stretches=first.stretches)
    if not here.rigid and len(plans) > 1:
        return [chain_space(plan, samples, count) for plan in plans]
    basis = basis[: len(first.bones)]
    to_space = here.to_space
    rest = here.posed((transform.unturned(basis[0]), *basis[1:-1], transform.unturned(basis[-1])))[-1]
    end = transform.orientation(product(to_space[..., :3, :3], rest[..., :3, :3]))
    tips = stacked(tip(plan, rest[:, row], samples) for row, plan in enumerate(plans))
    mid, end_tip = (transform.place(to_space, point) for point in (rest[..., :3, 3], tips))
    joints = np.zeros((*np.broadcast_shapes(mid.shape, end_tip.shape), 3), order="F")
    joints[..., 1, :], joints[..., 2, :] = mid, end_tip
    hinge_axis = transform.mapped(end, np.array([AXES[HingeAxis(plan.hinge_axis)] for plan in plans]))
    to_world = product(samples.to_world[rig][:, None], here.to_armature)
    from_world = transform.inverse(to_world)
    target = _seen([plan.target for plan in plans], from_world, samples)
    target = np.broadcast_to(target, (count, *target.shape[1:]))
    poles = [plan.pole for plan in plans if plan.pole]
    pole = _seen(poles, from_world, samples) if poles else None
    pose = _own_pose(here, basis, end) if first.uses_pose else None
    return [
        ChainSpace(
            plan=plan,
            chain=Chain(
                joints=joints[:, row],
                hinge_axis=hinge_axis[:, row],
                use_hinge_axis=plan.hinge_axis != HingeAxis.AUTO,
            ),
            goals=Goals(
                target=target[:, row],
                pole=None if pole is None else pole[:, row],
                pose=None if pose is None else pose[:, row],
            ),
            basis=tuple(own[:, row] for own in basis),
            stage=here.one(row),
            to_world=to_world[:, row, :3, :3],
            end=end[:, row],
        )
        for row, plan in enumerate(plans)
    ]


def out_of_reach(solution: Solution) -> NDArray[np.bool_]:
    """(n,) True where the target lies outside the annulus; one on the root may as well."""
    return solution.shortfall > 0.0


def distances(here: ChainSpace, solution: Solution, frame: int) -> tuple[float, float, float]:
    """Root to target, least and greatest reach on one frame, in world units along the line to the target."""
    to_world = np.broadcast_to(here.to_world, (len(solution.target), 3, 3))[frame]
    target = solution.target[frame]
    # A target on the root lies on no line; any will do.
    line = target if target.any() else here.chain.joints.reshape(-1, 3, 3)[0, 1]
    world_length = float(np.linalg.norm(to_world @ line) / np.linalg.norm(line)) if line.any() else 1.0
    inner, outer = (world_length * float(reach) for reach in solution.reach[frame])
    return world_length * float(np.linalg.norm(target)), inner, outer


def _basis(plan: ChainPlan, name: str, samples: Samples) -> Array:
    """Own channels of a bone of the chain; where the chain stretches, without the length that the last bake gave it."""
    basis = samples.basis[Point(plan.rig, name)]
    if not plan.stretches or name not in (plan.bones[0], plan.bones[-1]):
        return basis
    factors = transform.scale(basis)
    factors[..., 1] = 1.0
    return transform.turned(transform.scaled(basis, factors), transform.orientation(basis[..., :3, :3]))


def tip(plan: ChainPlan, end: Array, samples: Samples) -> Array:
    """(n, 3) the tip on the stage, where the end bone's pose is `end`."""
    if not plan.tip_bone:
        return tail(plan, end)
    moved = transform.moved_only(samples.basis[Point(plan.rig, plan.tip_bone)])
    return inherit.pose(plan.rig.data.bones[plan.tip_bone], tip_parent(plan, end, samples), moved)[..., :3, 3]


def tail(plan: ChainPlan, end: Array) -> Array:
    """(n, 3) the end bone's tail, where its pose is `end`."""
    return transform.place(end, np.array((0.0, plan.end.bone.length, 0.0)))


def tip_parent(plan: ChainPlan, end: Array, samples: Samples) -> Array:
    """(n, 4, 4) the pose of what carries the tip bone, where the end bone's pose is `end`."""
    for name in plan.below[:-1]:
        end = inherit.pose(plan.rig.data.bones[name], end, samples.basis[Point(plan.rig, name)])
    return end


def _own_pose(here: Stage, basis: tuple[Array, ...], end: Array) -> Array:
    """(n, 2, 3, 3) rotations from rest of root and end bone in the chain's own pose."""
    last = transform.orientation(product(here.to_space, here.posed(basis)[-1])[..., :3, :3])
    turns = (transform.orientation(basis[0][..., :3, :3]), product(last, np.swapaxes(end, -1, -2)))
    return np.stack(np.broadcast_arrays(*turns), axis=-3)


def _seen(points: Iterable[Point], from_world: Array, samples: Samples) -> Array:
    """(n, c, 3) where in each chain's space its point is."""
    return transform.place(from_world, stacked(samples.world(point)[..., :3, 3] for point in points))
