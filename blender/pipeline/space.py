"""Chain space: the root joint is the origin, the axes are the root bone's, at rest on its parent.

There the solver's rotation of the root bone is its own channel, and whatever scale or shear the parent and the armature
object bring is left outside: lengths and handedness are read in this one space.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...solver import reach
from ...solver.values import Array, Chain, Goals, HingeAxis, Solution, Status
from . import follow, inherit
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
    basis : (n, 4, 4) each         own channels of the chain's bones, root bone first
    parent : (n, 4, 4) or None     pose of the bone that carries the chain, in armature space
    to_armature : (n, 3, 3)        from chain space, without its origin
    to_world : (n, 3, 3)           likewise
    end : (n, 3, 3)                the end bone's rest orientation in chain space
    """

    plan: ChainPlan
    chain: Chain
    goals: Goals
    basis: tuple[Array, ...]
    parent: Array | None
    to_armature: Array
    to_world: Array
    end: Array


def chain_space(plan: ChainPlan, samples: Samples, count: int) -> ChainSpace:
    """Lengths, hinge axis, target, pole and own pose of one chain, from what was sampled over `count` frames."""
    basis = tuple(samples.basis[Point(plan.rig, name)] for name in plan.bones)
    parent = samples.pose[Point(plan.rig, plan.parent.name)] if plan.parent else None
    origin = inherit.pose(plan.root.bone, parent, _moved_only(basis[0]))
    to_armature, root = origin[..., :3, :3], origin[..., :3, 3]
    armature_to_world = samples.to_world[plan.rig]
    from_armature, world_to_armature = np.linalg.inv(to_armature), np.linalg.inv(armature_to_world)

    def goal(point: Point | None) -> Array | None:
        if point is None:
            return None
        return _apply(from_armature, _place(world_to_armature, samples.world(point)[..., :3, 3]) - root)

    rest = _poses(plan, parent, (_unturned(basis[0]), *basis[1:-1], _unturned(basis[-1])))
    end = orientation(from_armature @ rest[-1][..., :3, :3])
    joints = np.stack(np.broadcast_arrays(root, rest[-1][..., :3, 3], _tip(plan, rest[-1], samples)), axis=-2)
    return ChainSpace(
        plan=plan,
        chain=Chain(
            joints=_apply(from_armature[..., None, :, :], joints - root[..., None, :]),
            hinge_axis=end @ np.array(_AXES[HingeAxis(plan.hinge_axis)]),
            use_hinge_axis=plan.hinge_axis != HingeAxis.AUTO,
        ),
        goals=Goals(
            target=np.broadcast_to(goal(plan.target), (count, 3)),
            pole=goal(plan.pole),
            pose=_own_pose(plan, parent, basis, from_armature, end) if plan.uses_pose else None,
        ),
        basis=basis,
        parent=parent,
        to_armature=to_armature,
        to_world=armature_to_world[..., :3, :3] @ to_armature,
        end=end,
    )


def _own_pose(
    plan: ChainPlan, parent: Array | None, basis: tuple[Array, ...], from_armature: Array, end: Array
) -> Array:
    """(n, 2, 3, 3) rotations from rest of root and end bone in the chain's own pose."""
    last = orientation(from_armature @ _poses(plan, parent, basis)[-1][..., :3, :3])
    turns = (orientation(basis[0][..., :3, :3]), last @ np.swapaxes(end, -1, -2))
    return np.stack(np.broadcast_arrays(*turns), axis=-3)


def out_of_reach(solution: Solution) -> NDArray[np.bool_]:
    """(n,) True where the target lies outside the annulus."""
    return (solution.status == Status.TOO_FAR) | (solution.status == Status.TOO_CLOSE)


def distances(space: ChainSpace, frame: int) -> tuple[float, float, float]:
    """Root to target, least and greatest reach on one frame, in world units along the line to the target."""
    target = space.goals.target[frame]
    to_world = np.broadcast_to(space.to_world, (len(space.goals.target), 3, 3))[frame]
    joints = np.broadcast_to(space.chain.joints, (len(space.goals.target), 3, 3))[frame]
    inner, outer = reach.annulus(np.linalg.norm(np.diff(joints, axis=0), axis=-1))
    distance = float(np.linalg.norm(target))
    unit = float(np.linalg.norm(to_world @ target)) / distance if distance else 1.0
    return distance * unit, float(inner) * unit, float(outer) * unit


def bases(space: ChainSpace, solution: Solution) -> tuple[Array, Array]:
    """(n, 3, 3) each: the own rotations of root bone and end bone that pose the chain as solved."""
    root = solution.rotations[..., 0, :, :]
    carriers = _poses(space.plan, space.parent, (_with_rotation(space.basis[0], root), *space.basis[1:-1]))
    unturned = inherit.pose(space.plan.end.bone, carriers[-1], np.eye(4))[..., :3, :3]
    wanted = space.to_armature @ solution.rotations[..., 1, :, :] @ space.end
    return root, orientation(np.linalg.inv(unturned) @ wanted)


def poses(space: ChainSpace, rotations: tuple[Array, Array]) -> dict[Point, Array]:
    """(n, 4, 4) the pose, in armature space, of each of the chain's bones with these own rotations."""
    first, *between, last = space.basis
    basis = (_with_rotation(first, rotations[0]), *between, _with_rotation(last, rotations[1]))
    names = (Point(space.plan.rig, name) for name in space.plan.bones)
    return dict(zip(names, _poses(space.plan, space.parent, basis), strict=True))


def carried(samples: Samples, space: ChainSpace, solved: dict[Point, Array]) -> Samples:
    """The samples with all that hangs on this chain, by parents, moved to where the solved chain takes it."""
    rig = space.plan.rig
    to_world = samples.to_world[rig]
    shift = {
        point.bone: matrices @ np.linalg.inv(samples.pose[point])
        for point, matrices in solved.items()
        if point in samples.pose
    }

    def bone(point: Point, matrices: Array) -> Array:
        name = follow.carrier(point, rig, space.plan.bones)
        return matrices if name is None or point.object != rig else shift[name] @ matrices

    def place(item: Object, matrices: Array) -> Array:
        name = follow.carrier(Point(item), rig, space.plan.bones)
        return matrices if name is None else to_world @ shift[name] @ np.linalg.inv(to_world) @ matrices

    return replace(
        samples,
        to_world={item: place(item, matrices) for item, matrices in samples.to_world.items()},
        pose={point: bone(point, matrices) for point, matrices in samples.pose.items()},
    )


def orientation(linear: Array) -> Array:
    """(..., 3, 3) the rotation in a linear map: the bone's own direction, y, is kept, and x as near as can be."""
    y = linear[..., 1] / np.linalg.norm(linear[..., 1], axis=-1, keepdims=True)
    z = np.cross(linear[..., 0], y)
    z /= np.linalg.norm(z, axis=-1, keepdims=True)
    return np.stack((np.cross(y, z), y, z), axis=-1)


def _poses(plan: ChainPlan, parent: Array | None, basis: tuple[Array, ...]) -> list[Array]:
    """(n, 4, 4) the pose of each of the chain's bones, as many as own channels are given, from its parent's."""
    found: list[Array] = []
    for name, own in zip(plan.bones, basis, strict=False):
        parent = inherit.pose(plan.rig.data.bones[name], parent, own)
        found.append(parent)
    return found


def _tip(plan: ChainPlan, end: Array, samples: Samples) -> Array:
    """(n, 3) the tip in armature space, where the end bone's pose is `end`."""
    if not plan.tip_bone:
        return _place(end, np.array((0.0, plan.end.bone.length, 0.0)))
    moved = _moved_only(samples.basis[Point(plan.rig, plan.tip_bone)])
    return inherit.pose(plan.rig.data.bones[plan.tip_bone], end, moved)[..., :3, 3]


def _moved_only(basis: Array) -> Array:
    """Own channels without rotation and scale."""
    moved = np.broadcast_to(np.eye(4), basis.shape).copy()
    moved[..., :3, 3] = basis[..., :3, 3]
    return moved


def _unturned(basis: Array) -> Array:
    """Own channels without rotation."""
    return _with_rotation(basis, np.eye(3))


def _with_rotation(basis: Array, rotation: Array) -> Array:
    """Own channels with another rotation in place of theirs."""
    scale = np.linalg.norm(basis[..., :3, :3], axis=-2)
    linear = rotation * scale[..., None, :]
    result = np.zeros((*linear.shape[:-2], 4, 4))
    result[..., :3, :3], result[..., :3, 3], result[..., 3, 3] = linear, basis[..., :3, 3], 1.0
    return result


def _apply(linear: Array, vectors: Array) -> Array:
    return (linear @ vectors[..., None])[..., 0]


def _place(matrix: Array, points: Array) -> Array:
    return _apply(matrix[..., :3, :3], points) + matrix[..., :3, 3]
