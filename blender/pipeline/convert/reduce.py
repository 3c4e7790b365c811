"""Fewer keys: as few as keep joints, and the roll of every bone, within a tolerance on every frame of the range."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bpy.types import PoseBone
from numpy.typing import NDArray

from ....solver import reduce
from ....solver.triad import product
from ....solver.values import Array
from ..bones import inherit, transform
from ..bones.rotation_mode import rotation_matrices
from ..channel import Channel
from ..plan import Point
from ..solve.own_pose import OwnPose, applied
from ..solve.solved import Solved

_SIDE = 0.25
"""Part of a bone's length: a point so far beside its tail tells its roll."""


def reduced(
    channels: list[Channel],
    rows: NDArray[np.intp],
    solved: Solved,
    *,
    tolerance: float,
    cubic: bool,
) -> list[Channel]:
    """The channels of one chain with only the keys that they need, all on the same frames.

    channels : on every frame that is to be right
    rows : (n,) where these frames stand among those of the plan
    solved : the chain by itself
    tolerance : world units, > 0
    cubic : True for Bezier curves, which then bring their slopes; False for straight lines
    """
    frames, values = channels[0].frames, np.concatenate([channel.values for channel in channels], axis=1)
    columns = np.cumsum([channel.values.shape[1] for channel in channels])[:-1]

    def points(where: NDArray[np.intp], curve: Array) -> Array:
        return _watched(channels, np.split(curve, columns, axis=1), rows[where], solved)

    right = points(np.arange(len(frames)), values)

    def error(where: NDArray[np.intp], curve: Array) -> Array:
        distance: Array = np.linalg.norm(points(where, curve) - right[where], axis=-1).max(axis=-1)
        return distance / tolerance

    kept, found = reduce.fewest_keys(frames, values, error, cubic=cubic)
    slopes = [None] * len(channels) if found is None else np.split(found, columns, axis=1)
    return [
        replace(channel, frames=frames[kept], values=channel.values[kept], slopes=slope)
        for channel, slope in zip(channels, slopes, strict=True)
    ]


def _watched(channels: list[Channel], values: list[Array], rows: NDArray[np.intp], solved: Solved) -> Array:
    """(r, p, 3) points that tell the pose of each keyed bone; their distances are world units."""

    def at(array: Array) -> Array:
        return array if array.ndim < 3 or len(array) == 1 else array[rows]

    here, plan, stage = solved.here, solved.plan, solved.here.stage
    parent = None if stage.parent is None else at(stage.parent)
    stage = replace(stage, parent=parent, to_armature=at(stage.to_armature))
    root, end, *tips = (_own_pose(channels, values, bone) for bone in plan.keyed)
    first, *between, last = map(at, here.basis)
    poses = stage.posed((applied(first, root), *between, applied(last, end)))
    bones = [(plan.root, poses[0]), (plan.end, poses[-1])]
    for tip in tips:
        bone = plan.rig.pose.bones[plan.tip_bone]
        basis = applied(at(solved.samples.basis[Point(plan.rig, plan.tip_bone)]), tip)
        bones.append((bone, inherit.pose(bone.bone, poses[-1], basis)))
    local = [point for bone, pose in bones for point in (_place(bone, pose, 0.0), _place(bone, pose, _SIDE))]
    to_world = at(here.to_world)[..., :3, :3]
    if not stage.rigid:
        to_world = product(to_world, transform.inverse(stage.to_armature[..., :3, :3]))
    return np.stack([transform.mapped(to_world, point) for point in local], axis=-2)


def _place(bone: PoseBone, pose: Array, side: float) -> Array:
    return transform.place(pose, bone.length * np.array((side, 1.0, 0.0)))


def _own_pose(channels: list[Channel], values: list[Array], bone: PoseBone) -> OwnPose:
    found = {
        channel.path.rpartition(".")[2]: value
        for channel, value in zip(channels, values, strict=True)
        if channel.group == bone.name
    }
    scale = found.pop("scale", None)
    (turn,) = found.values()
    return OwnPose(rotation=rotation_matrices(turn, bone.rotation_mode), scale=scale)
