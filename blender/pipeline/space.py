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
from ...solver.vectors import cross, unit
from . import inherit
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

    plan : the chain
    chain, goals : what the solver takes
    basis : (n, 4, 4) each        own channels of the chain's bones, root bone first
    to_armature : (n, 4, 4)       from chain space
    to_world : (n, 3, 3)          from chain space, without its origin
    end : (n, 3, 3)               the end bone's rest orientation in chain space
    rigid : bool                  True where the chain's poses follow by rotations alone, whatever carries the chain
    """

    plan: ChainPlan
    chain: Chain
    goals: Goals
    basis: tuple[Array, ...]
    to_armature: Array
    to_world: Array
    end: Array
    rigid: bool


def chain_space(plan: ChainPlan, samples: Samples, count: int) -> ChainSpace:
    """Lengths, hinge axis, target, pole and own pose of one chain, from what was sampled over `count` frames."""
    basis = tuple(samples.basis[Point(plan.rig, name)] for name in plan.bones)
    parent = samples.pose[Point(plan.rig, plan.parent.name)] if plan.parent else None
    to_armature = inherit.pose(plan.root.bone, parent, _without(basis[0], linear=True))
    rigid = _is_rigid(plan, to_armature, basis)
    from_stage = _inverse(_stage(to_armature, rigid))
    unturned = (_unturned(basis[0]), *basis[1:-1], _unturned(basis[-1]))
    rest = from_stage @ _poses(plan, to_armature, rigid, unturned)[-1]
    end = _orientation(rest[..., :3, :3])
    tip = _place(from_stage, _tip(plan, _stage(to_armature, rigid) @ rest, samples))
    axis = end @ np.array(_AXES[HingeAxis(plan.hinge_axis)])
    own = None
    if plan.uses_pose:
        turned = from_stage @ _poses(plan, to_armature, rigid, basis)[-1]
        turns = (_orientation(basis[0][..., :3, :3]), _orientation(turned[..., :3, :3]) @ np.swapaxes(end, -1, -2))
        own = np.stack(np.broadcast_arrays(*turns), axis=-3)
    armature_to_world = samples.to_world[plan.rig]
    from_world = _inverse(armature_to_world @ to_armature)
    target = _place(from_world, samples.world(plan.target)[..., :3, 3])
    return ChainSpace(
        plan=plan,
        chain=Chain(
            joints=np.stack(np.broadcast_arrays(np.zeros(3), rest[..., :3, 3], tip), axis=-2),
            hinge_axis=axis,
            use_hinge_axis=plan.hinge_axis != HingeAxis.AUTO,
        ),
        goals=Goals(
            target=np.broadcast_to(target, (count, 3)),
            pole=_place(from_world, samples.world(plan.pole)[..., :3, 3]) if plan.pole else None,
            pose=own,
        ),
        basis=basis,
        to_armature=to_armature,
        to_world=armature_to_world[..., :3, :3] @ to_armature[..., :3, :3],
        end=end,
        rigid=rigid,
    )


def bases(space: ChainSpace, solution: Solution) -> tuple[Array, Array]:
    """(n, 3, 3) each: the own rotations of root bone and end bone that pose the chain as solved."""
    root, end = solution.rotations[..., 0, :, :], solution.rotations[..., 1, :, :] @ space.end
    carriers = _poses(space.plan, space.to_armature, space.rigid, (_turned(space.basis[0], root), *space.basis[1:-1]))
    unturned = inherit.pose(space.plan.end.bone, carriers[-1], np.eye(4))[..., :3, :3]
    if space.rigid:
        return root, np.swapaxes(unturned, -1, -2) @ end
    return root, _orientation(np.linalg.inv(unturned) @ space.to_armature[..., :3, :3] @ end)


def poses(space: ChainSpace, rotations: tuple[Array, Array]) -> dict[str, Array]:
    """(n, 4, 4) the pose, in armature space, of each of the chain's bones by name, with these own rotations."""
    first, *between, last = space.basis
    basis = (_turned(first, rotations[0]), *between, _turned(last, rotations[1]))
    found = _poses(space.plan, space.to_armature, space.rigid, basis)
    if space.rigid:
        found = [space.to_armature @ pose for pose in found]
    return dict(zip(space.plan.bones, found, strict=True))


def out_of_reach(solution: Solution) -> NDArray[np.bool_]:
    """(n,) True where the target lies outside the annulus."""
    return (solution.status == Status.TOO_FAR) | (solution.status == Status.TOO_CLOSE)


def distances(space: ChainSpace, frame: int) -> tuple[float, float, float]:
    """Root to target, least and greatest reach on one frame, in world units along the line to the target."""
    count = len(space.goals.target)
    target = space.goals.target[frame]
    joints = np.broadcast_to(space.chain.joints, (count, 3, 3))[frame]
    inner, outer = reach.annulus(np.linalg.norm(np.diff(joints, axis=0), axis=-1))
    distance = float(np.linalg.norm(target))
    in_world = float(np.linalg.norm(np.broadcast_to(space.to_world, (count, 3, 3))[frame] @ target))
    unit_length = in_world / distance if distance else 1.0
    return in_world, float(inner) * unit_length, float(outer) * unit_length


def _is_rigid(plan: ChainPlan, to_armature: Array, basis: tuple[Array, ...]) -> bool:
    if any(map(inherit.is_scaled, basis)):
        return False
    below = [plan.rig.data.bones[name] for name in plan.bones[1:]]
    return all(inherit.is_plain(bone, to_armature) for bone in below)


def _stage(to_armature: Array, rigid: bool) -> Array:
    """From chain space to where the chain is posed: chain space itself, or where that would not do, the armature's."""
    return np.eye(4) if rigid else to_armature


def _poses(plan: ChainPlan, to_armature: Array, rigid: bool, basis: tuple[Array, ...]) -> list[Array]:
    """(n, 4, 4) the pose of each of the chain's bones, as many as own channels are given, on the stage."""
    found = [_stage(to_armature, rigid) @ _without(basis[0], location=True)]
    for name, own in zip(plan.bones[1:], basis[1:], strict=False):
        found.append(inherit.pose(plan.rig.data.bones[name], found[-1], own))
    return found


def _tip(plan: ChainPlan, end: Array, samples: Samples) -> Array:
    """(n, 3) the tip, where the end bone's pose is `end`."""
    if not plan.tip_bone:
        return _place(end, np.array((0.0, plan.end.bone.length, 0.0)))
    moved = _without(samples.basis[Point(plan.rig, plan.tip_bone)], linear=True)
    return inherit.pose(plan.rig.data.bones[plan.tip_bone], end, moved)[..., :3, 3]


def _without(basis: Array, *, linear: bool = False, location: bool = False) -> Array:
    """Own channels without rotation and scale, or without location."""
    result = basis.copy()
    if linear:
        result[..., :3, :3] = np.eye(3)
    if location:
        result[..., :3, 3] = 0.0
    return result


def _unturned(basis: Array) -> Array:
    """Own channels without rotation."""
    return _turned(basis, np.eye(3))


def _turned(basis: Array, rotation: Array) -> Array:
    """Own channels with another rotation in place of theirs."""
    linear = rotation * np.linalg.norm(basis[..., :3, :3], axis=-2)[..., None, :]
    result = np.empty((*linear.shape[:-2], 4, 4))
    result[..., :3, :3], result[..., :3, 3], result[..., 3, :] = linear, basis[..., :3, 3], (0.0, 0.0, 0.0, 1.0)
    return result


def _orientation(linear: Array) -> Array:
    """(..., 3, 3) the rotation in a linear map: the bone's own direction, y, is kept, and x as near as can be."""
    y = unit(linear[..., 1])
    z = unit(cross(linear[..., 0], y))
    return np.stack((cross(y, z), y, z), axis=-1)


def _inverse(matrix: Array) -> Array:
    inverse: Array = np.linalg.inv(matrix)
    return inverse


def _place(matrix: Array, points: Array) -> Array:
    """(n, 3) points carried over by (n, 4, 4)."""
    return (matrix[..., :3, :3] @ points[..., None])[..., 0] + matrix[..., :3, 3]
