"""Chain space: the root joint is the origin, the axes are the root bone's, at rest on its parent.

There the solver's rotation of the root bone is its own channel, and whatever scale or shear the parent and the armature
object bring is left outside: lengths and handedness are read in this one space.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ..solver import PreparedChain, prepare
from ..solver.triad import product
from ..solver.values import Array, Chain, Goals, HingeAxis, Solution
from . import inherit, transform
from .basis import Basis
from .batches import batches, stacked
from .kinematics import ChainKinematics, chain_kinematics
from .plan import AXES, ChainPlan, Point
from .samples import Samples


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainGroup:
    """Chains of one kind, side by side on an axis behind `n`, which may be 1 where nothing moves.

    plans : (c,)
    chain : what the solver takes
    basis : own channels of the chains' bones, root bones first
    kinematics : where they are posed
    to_world, from_world : (n, c, 4, 4)
    end : (n, c, 3, 3)               the end bone's rest orientation in chain space
    """

    plans: tuple[ChainPlan, ...]
    chain: Chain
    basis: tuple[Basis, ...]
    kinematics: ChainKinematics
    to_world: Array
    from_world: Array
    end: Array

    @property
    def plan(self) -> ChainPlan:
        """The first; the options of all are the same."""
        return self.plans[0]

    @cached_property
    def prepared(self) -> PreparedChain:
        """The chain as the solver takes it again and again."""
        return prepare(self.chain)

    def one(self, row: int) -> ChainGroup:
        """One of the chains, without that axis."""
        return ChainGroup(
            plans=(self.plans[row],),
            chain=Chain(
                joints=self.chain.joints[:, row],
                hinge_axis=self.chain.hinge_axis[:, row],
                use_hinge_axis=self.chain.use_hinge_axis,
            ),
            basis=tuple(own.each(lambda values: values[:, row]) for own in self.basis),
            kinematics=self.kinematics.one(row),
            to_world=self.to_world[:, row],
            from_world=self.from_world[:, row],
            end=self.end[:, row],
        )


def chain_groups(plans: Iterable[ChainPlan], samples: Samples, count: int) -> Iterator[ChainGroup]:
    """All chains in as few as can be, from what was sampled over `count` frames."""
    for part in batches(plans, _kind, rows=count):
        here = _side_by_side(part, samples)
        # One that is posed by rules of inheritance would have them all posed so.
        yield from [here] if here.kinematics.rigid else (_side_by_side([plan], samples) for plan in part)


def goals(here: ChainGroup, samples: Samples, count: int) -> Goals:
    """What the chains reach for on `count` frames, and with which own pose they start where that has a say."""
    target = _seen([plan.target for plan in here.plans], here.from_world, samples)
    poles = [plan.pole for plan in here.plans if plan.pole]
    return Goals(
        target=np.broadcast_to(target, (count, *target.shape[1:])),
        pole=_seen(poles, here.from_world, samples) if poles else None,
        pose=_own_pose(here) if here.plan.uses_pose else None,
    )


def _kind(plan: ChainPlan) -> Hashable:
    bones = (plan.rig.data.bones[name] for name in (*plan.bones, *plan.below))
    choices = plan.options, plan.hinge_axis != HingeAxis.AUTO, plan.use_rotation, plan.rotation_influence
    return *choices, plan.pole is None, len(plan.bones), *map(inherit.rules, bones)


def _side_by_side(plans: Sequence[ChainPlan], samples: Samples) -> ChainGroup:
    first, rig = plans[0], plans[0].rig
    columns = list(zip(*((*plan.bones, *plan.below[:-1]) for plan in plans), strict=True))
    bones = tuple(tuple(rig.data.bones[name] for name in column) for column in columns)
    basis = tuple(Basis.side_by_side(map(partial(_basis, samples=samples), plans, column)) for column in columns)
    parents = [samples.pose[plan.parent] for plan in plans if plan.parent]
    parent = stacked(parents) if parents else None
    here = chain_kinematics(bones, parent, basis, len(first.bones), stretches=first.stretches)
    basis = basis[: len(first.bones)]
    rest = here.posed((basis[0].unturned, *basis[1:-1], basis[-1].unturned))[-1]
    tips = tip(plans, rest, samples)
    if not here.rigid:
        to_space = transform.inverse(here.to_armature)
        rest, tips = product(to_space, rest), transform.transform_points(to_space, tips)
    mid, end = rest[..., :3, 3], transform.orientation(rest[..., :3, :3])
    joints = np.zeros((*np.broadcast_shapes(mid.shape, tips.shape), 3), order="F")
    joints[..., 1, :], joints[..., 2, :] = mid, tips
    hinge_axis = transform.transform_vectors(end, np.array([AXES[HingeAxis(plan.hinge_axis)] for plan in plans]))
    to_world = product(samples.to_world[rig][:, None], here.to_armature)
    return ChainGroup(
        plans=tuple(plans),
        chain=Chain(joints=joints, hinge_axis=hinge_axis, use_hinge_axis=first.hinge_axis != HingeAxis.AUTO),
        basis=basis,
        kinematics=here,
        to_world=to_world,
        from_world=transform.inverse(to_world),
        end=end,
    )


def out_of_reach(solution: Solution) -> NDArray[np.bool_]:
    """(n,) True where the target lies outside the annulus."""
    return solution.shortfall > 0.0


def distances(here: ChainGroup, solution: Solution, frame: int) -> tuple[float, float, float]:
    """Root to target, least and greatest reach of one chain on one frame, world units along the line to the target."""
    to_world = np.broadcast_to(here.to_world, (len(solution.target), 4, 4))[frame, :3, :3]
    target = solution.target[frame]
    # A target on the root lies on no line; any will do.
    line = target if target.any() else here.chain.joints.reshape(-1, 3, 3)[0, 1]
    world_length = float(np.linalg.norm(to_world @ line) / np.linalg.norm(line)) if line.any() else 1.0
    inner, outer = (world_length * float(reach) for reach in solution.reach[frame])
    return world_length * float(np.linalg.norm(target)), inner, outer


def _basis(plan: ChainPlan, name: str, samples: Samples) -> Basis:
    """Own channels of a bone of the chain; where the chain stretches, without the length that the last bake gave it."""
    basis = samples.basis[Point(plan.rig, name)]
    if not plan.stretches or name not in (plan.bones[0], plan.bones[-1]):
        return basis
    unstretched = basis.scale.copy()
    unstretched[..., 1] = np.copysign(1.0, unstretched[..., 1])
    return replace(basis, scale=unstretched)


def tip(plans: Sequence[ChainPlan], end: Array, samples: Samples) -> Array:
    """(n, c, 3) the tips on the stage, where the pose of the end bones is `end` (n, c, 4, 4)."""
    if not plans[0].tip_bone:
        return transform.transform_points(end, np.array([tail(plan) for plan in plans]))
    bones = tuple(plan.rig.data.bones[plan.tip_bone] for plan in plans)
    moved = transform.moved(below(plans, -1, samples).location)
    return inherit.pose(bones, tip_parent(plans, end, samples), moved)[..., :3, 3]


def tail(plan: ChainPlan) -> tuple[float, float, float]:
    """The end bone's tail in its own space."""
    return 0.0, plan.end.bone.length, 0.0


def tip_parent(plans: Sequence[ChainPlan], end: Array, samples: Samples) -> Array:
    """(n, c, 4, 4) the pose of what carries the tip bones, where that of the end bones is `end`."""
    for index in range(len(plans[0].below) - 1):
        bones = tuple(plan.rig.data.bones[plan.below[index]] for plan in plans)
        end = inherit.pose(bones, end, below(plans, index, samples).matrix)
    return end


def below(plans: Iterable[ChainPlan], index: int, samples: Samples) -> Basis:
    """Own channels of the bone at `index` of those from the end bone's child to the tip bone, side by side."""
    return Basis.side_by_side(samples.basis[Point(plan.rig, plan.below[index])] for plan in plans)


def _own_pose(here: ChainGroup) -> Array:
    """(n, c, 2, 3, 3) rotations from rest of root and end bone in the chain's own pose."""
    last = here.kinematics.posed(here.basis)[-1]
    if not here.kinematics.rigid:
        last = product(transform.inverse(here.kinematics.to_armature), last)
    turned = product(transform.orientation(last[..., :3, :3]), np.swapaxes(here.end, -1, -2))
    turns = (here.basis[0].rotation, turned)
    return np.stack(np.broadcast_arrays(*turns), axis=-3)


def _seen(points: Iterable[Point], from_world: Array, samples: Samples) -> Array:
    """(n, c, 3) where in each chain's space its point is."""
    return transform.transform_points(from_world, stacked(samples.world(point)[..., :3, 3] for point in points))
