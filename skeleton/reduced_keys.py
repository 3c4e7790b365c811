"""Fewer keys: as few as keep joints, and the roll of every bone, within a tolerance, also between the frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from bpy.types import PoseBone
from numpy.typing import NDArray

from ..blender.rna_paths import owner_and_property
from ..solver import reduce
from ..solver.triad import product
from ..solver.values import Array
from . import inherit, transform
from .bone_basis import BoneBasis, with_bone_basis
from .channel import Channel
from .plan import Point
from .rotation_mode import rotation_matrices
from .solved_group import SolvedGroup

_SIDE = 0.25
"""Part of a bone's length: a point so far beside its tail tells its roll."""

_STEP = 1e-3
"""By which values are changed to see how points move: Blender's own matrices have 7 digits."""


def reduced(
    channels: list[Channel],
    rows: NDArray[np.intp],
    solved: SolvedGroup,
    *,
    step: int,
    tolerance: float,
    cubic: bool,
) -> list[Channel]:
    """The channels of one chain with only the keys that they need, all on the same frames.

    channels : on every frame that is to be right
    rows : (n,) where these frames stand among those of the plan
    solved : the chain by itself
    step : every so many frames of the plan one may get a key; those between get keys only where they have to
    tolerance : world units, > 0
    cubic : True for Bezier curves, which then bring their slopes; False for straight lines
    """
    keyed = np.flatnonzero(rows % step == 0)
    if not len(keyed):
        return [replace(channel, frames=channel.frames[:0], values=channel.values[:0]) for channel in channels]
    # Nothing plays before the first key and after the last.
    counted = slice(keyed[0], keyed[-1] + 1)
    frames, rows, keyed = channels[0].frames[counted], rows[counted], keyed - keyed[0]
    values = np.concatenate([channel.values[counted] for channel in channels], axis=1)
    columns = np.cumsum([channel.values.shape[1] for channel in channels])[:-1]

    def points(curve: Array) -> Array:
        return _watched(channels, np.split(curve, columns, axis=1), rows, solved)

    curve = _fewest_keys(frames, values, points, keyed, tolerance=tolerance, cubic=cubic)
    slopes = np.split(curve.slopes, columns, axis=2) if cubic else [None] * len(channels)
    return [
        replace(channel, frames=curve.frames, values=value, slopes=slope, held=curve.held)
        for channel, value, slope in zip(channels, np.split(curve.values, columns, axis=1), slopes, strict=True)
    ]


def _fewest_keys(
    frames: Array,
    values: Array,
    points: Callable[[Array], Array],
    keyed: NDArray[np.intp],
    *,
    tolerance: float,
    cubic: bool,
) -> reduce.Curve:
    """The curve with the fewest keys that takes no point farther off than the tolerance.

    points : from values (n, k) to (n, p, 3)

    Found as if points moved in proportion to the values, which takes a tenth of the time and is all but true. Where one
    is too far off by that, less is allowed.
    """
    right, moves = points(values), _derivative(points, values)
    allowed = tolerance
    while True:
        curve = reduce.fewest_keys(frames, values, _first_order(moves / allowed, values), cubic=cubic, keyed=keyed)
        off = np.linalg.norm(points(curve.at(frames)) - right, axis=-1).max()
        if off <= tolerance or len(curve.frames) == len(frames):
            return curve
        allowed *= 0.98 * tolerance / off


def _derivative(points: Callable[[Array], Array], values: Array) -> Array:
    """(n, k, p * 3) how the points (n, p, 3) move with each of the values (n, k)."""
    sides = [points(values + step) - points(values - step) for step in _STEP * np.eye(values.shape[1])]
    return np.stack(sides, axis=1).reshape(*values.shape, -1) / (2.0 * _STEP)


def _first_order(moves: Array, values: Array) -> reduce.Error:
    """How far the points are off where they move as their derivatives (n, k, p * 3) at these values (n, k) tell."""

    def error(rows: NDArray[np.intp], curve: Array) -> Array:
        moved = np.einsum("rkp,rk->rp", moves[rows], curve - values[rows])
        distance: Array = np.linalg.norm(moved.reshape(len(rows), moves.shape[-1] // 3, 3), axis=-1).max(axis=-1)
        return distance

    return error


def _watched(channels: list[Channel], values: list[Array], rows: NDArray[np.intp], solved: SolvedGroup) -> Array:
    """(r, p, 3) points that tell the pose of each keyed bone; their distances are world units."""

    def at(array: Array) -> Array:
        return array if len(array) == 1 else array[rows]

    here, plan, stage = solved.here, solved.plan, solved.here.kinematics
    parent = None if stage.parent is None else at(stage.parent)
    stage = replace(stage, parent=parent, to_armature=at(stage.to_armature))
    root, end, *tips = (_own_pose(channels, values, bone) for bone in plan.keyed)
    first, *between, last = (own.each(at) for own in here.basis)
    poses = stage.posed((with_bone_basis(first, root), *between, with_bone_basis(last, end)))
    bones, pose = [(plan.root, poses[0]), (plan.end, poses[-1])], poses[-1]
    for name in plan.below:
        bone, basis = plan.rig.pose.bones[name], solved.samples.basis[Point(plan.rig, name)].each(at)
        keyed = bool(tips) and name == plan.tip_bone
        basis = with_bone_basis(basis, tips[0]) if keyed else basis
        pose = inherit.pose(bone.bone, pose, basis.matrix)
        bones += [(bone, pose)] if keyed else []
    # Mid and tip are not always the tails of root and end bone.
    joints = [above[..., :3, 3] for above in (poses[-1], *([pose] if plan.below else []))]
    local = [_place(bone, pose, side) for bone, pose in bones for side in (0.0, _SIDE)] + joints
    to_world = at(here.to_world)[..., :3, :3]
    if not stage.rigid:
        to_world = product(to_world, transform.inverse(stage.to_armature[..., :3, :3]))
    return np.stack([transform.transform_vectors(to_world, point) for point in local], axis=-2)


def _place(bone: PoseBone, pose: Array, side: float) -> Array:
    return transform.transform_points(pose, bone.length * np.array((side, 1.0, 0.0)))


def _own_pose(channels: list[Channel], values: list[Array], bone: PoseBone) -> BoneBasis:
    found = {
        owner_and_property(channel.path)[1]: value
        for channel, value in zip(channels, values, strict=True)
        if channel.group == bone.name
    }
    scale = found.pop("scale", None)
    (turn,) = found.values()
    return BoneBasis(rotation=rotation_matrices(turn, bone.rotation_mode), scale=scale)
