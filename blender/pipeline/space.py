"""Chain space: the root joint is the origin, the axes are the root bone's, at rest on its parent.

There the solver's rotation of the root bone is its own channel, and whatever scale or shear the parent and the armature
object bring is left outside: lengths and handedness are read in this one space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...solver import reach
from ...solver.values import Array, Chain, Goals, HingeAxis, Solution, Status
from . import inherit, transform
from .plan import ChainPlan, Point
from .samples import Samples

_AXES = {
    HingeAxis.AUTO: (1.0, 0.0, 0.0),
    HingeAxis.X: (1.0, 0.0, 0.0),
    HingeAxis.Z: (0.0, 0.0, 1.0),
    HingeAxis.NEG_X: (-1.0, 0.0, 0.0),
    HingeAxis.NEG_Z: (0.0, 0.0, -1.0),
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainSpace:
    """One chain on its way to the solver and back; `n` may be 1 where nothing moves.

    A chain whose poses follow by rotations alone, whatever carries it, is posed right in chain space; any other in the
    space of its armature, where Blender's rules of inheritance hold. That space is its stage.

    plan : the chain
    chain, goals : what the solver takes
    basis : (n, 4, 4) each        own channels of the chain's bones, root bone first
    stage : (n, 4, 4)             from chain space to the stage
    to_armature : (n, 4, 4)       from chain space
    to_world : (n, 3, 3)          from chain space, without its origin
    end : (n, 3, 3)               the end bone's rest orientation in chain space
    rigid : bool                  True where the stage is chain space
    """

    plan: ChainPlan
    chain: Chain
    goals: Goals
    basis: tuple[Array, ...]
    stage: Array
    to_armature: Array
    to_world: Array
    end: Array
    rigid: bool

    def in_armature(self, pose: Array) -> Array:
        """(n, 4, 4) a pose on the stage, in armature space."""
        return self.to_armature @ pose if self.rigid else pose


def chain_space(plan: ChainPlan, samples: Samples, count: int) -> ChainSpace:
    """Lengths, hinge axis, target, pole and own pose of one chain, from what was sampled over `count` frames."""
    basis = tuple(_basis(plan, name, samples) for name in plan.bones)
    parent = samples.pose[Point(plan.rig, plan.parent.name)] if plan.parent else None
    to_armature = inherit.pose(plan.root.bone, parent, transform.moved_only(basis[0]))
    to_world = samples.to_world[plan.rig] @ to_armature
    rigid = _is_rigid(plan, to_armature, basis)
    stage = np.eye(4) if rigid else to_armature
    rest = _rest(plan, stage, basis)
    end = transform.orientation((np.linalg.inv(stage) @ rest)[..., :3, :3])
    return ChainSpace(
        plan=plan,
        chain=Chain(
            joints=_joints(plan, stage, rest, samples),
            hinge_axis=end @ np.array(_AXES[HingeAxis(plan.hinge_axis)]),
            use_hinge_axis=plan.hinge_axis != HingeAxis.AUTO,
        ),
        goals=_goals(plan, samples, to_world, count, _own_pose(plan, stage, basis, end) if plan.uses_pose else None),
        basis=basis,
        stage=stage,
        to_armature=to_armature,
        to_world=to_world[..., :3, :3],
        end=end,
        rigid=rigid,
    )


def posed(plan: ChainPlan, stage: Array, basis: tuple[Array, ...]) -> list[Array]:
    """(n, 4, 4) on the stage, the pose of each of the chain's bones, as many as own channels are given."""
    found = [stage @ transform.unmoved(basis[0])]
    for name, own in zip(plan.bones[1:], basis[1:], strict=False):
        found.append(inherit.pose(plan.rig.data.bones[name], found[-1], own))
    return found


def out_of_reach(solution: Solution) -> NDArray[np.bool_]:
    """(n,) True where the target lies outside the annulus."""
    return (solution.status == Status.TOO_FAR) | (solution.status == Status.TOO_CLOSE)


def distances(here: ChainSpace, frame: int) -> tuple[float, float, float]:
    """Root to target, least and greatest reach on one frame, in world units along the line to the target."""
    count = len(here.goals.target)
    target = here.goals.target[frame]
    joints = np.broadcast_to(here.chain.joints, (count, 3, 3))[frame]
    inner, outer = reach.annulus(np.linalg.norm(np.diff(joints, axis=0), axis=-1))
    distance = float(np.linalg.norm(target))
    in_world = float(np.linalg.norm(np.broadcast_to(here.to_world, (count, 3, 3))[frame] @ target))
    unit_length = in_world / distance if distance else 1.0
    return in_world, float(inner) * unit_length, float(outer) * unit_length


def _basis(plan: ChainPlan, name: str, samples: Samples) -> Array:
    """Own channels of a bone of the chain; where the chain stretches, without the length that the last bake gave it."""
    basis = samples.basis[Point(plan.rig, name)]
    if not plan.stretches or name not in (plan.bones[0], plan.bones[-1]):
        return basis
    factors = transform.scale(basis)
    turn = transform.orientation(basis[..., :3, :3])
    return transform.turned(transform.scaled(basis, factors / transform.along_bone(factors[..., 1])), turn)


def _is_rigid(plan: ChainPlan, to_armature: Array, basis: tuple[Array, ...]) -> bool:
    if plan.stretches or any(map(inherit.is_scaled, basis)):
        return False
    below = [plan.rig.data.bones[name] for name in plan.bones[1:]]
    return all(inherit.is_plain(bone, to_armature) for bone in below)


def _rest(plan: ChainPlan, stage: Array, basis: tuple[Array, ...]) -> Array:
    """(n, 4, 4) on the stage, the end bone where root bone and end bone are not turned."""
    return posed(plan, stage, (transform.unturned(basis[0]), *basis[1:-1], transform.unturned(basis[-1])))[-1]


def _joints(plan: ChainPlan, stage: Array, end: Array, samples: Samples) -> Array:
    """(n, 3, 3) root, mid and tip in chain space, where the end bone's pose is `end` on the stage."""
    if plan.tip_bone:
        moved = transform.moved_only(samples.basis[Point(plan.rig, plan.tip_bone)])
        tip = inherit.pose(plan.rig.data.bones[plan.tip_bone], end, moved)[..., :3, 3]
    else:
        tip = transform.place(end, np.array((0.0, plan.end.bone.length, 0.0)))
    mid, tip = (transform.place(np.linalg.inv(stage), point) for point in (end[..., :3, 3], tip))
    return np.stack(np.broadcast_arrays(np.zeros(3), mid, tip), axis=-2)


def _own_pose(plan: ChainPlan, stage: Array, basis: tuple[Array, ...], end: Array) -> Array:
    """(n, 2, 3, 3) rotations from rest of root and end bone in the chain's own pose."""
    last = transform.orientation((np.linalg.inv(stage) @ posed(plan, stage, basis)[-1])[..., :3, :3])
    turns = (transform.orientation(basis[0][..., :3, :3]), last @ np.swapaxes(end, -1, -2))
    return np.stack(np.broadcast_arrays(*turns), axis=-3)


def _goals(plan: ChainPlan, samples: Samples, to_world: Array, count: int, pose: Array | None) -> Goals:
    from_world = np.linalg.inv(to_world)
    target = transform.place(from_world, samples.world(plan.target)[..., :3, 3])
    pole = transform.place(from_world, samples.world(plan.pole)[..., :3, 3]) if plan.pole else None
    return Goals(target=np.broadcast_to(target, (count, 3)), pole=pole, pose=pose)
