"""Makes the channels of a limb's controls on every frame; between frames curves pass where the controls have to be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ...solver.values import Array, Integers, Mask
from ...solver.vectors import dot, norm, unit
from .. import transform
from ..rotation_mode import rotation_values
from ..transform import Basis
from ..values import Bone, Channel
from .switch_plan import SwitchPlan, joints_of

_NEARLY_STRAIGHT = 0.3
"""Radians between two bones that IK moves: below this, the mid joint moves many times as far as the tip is off."""

_TURN = 5e-4
"""Part of the limb's length: the allowed error, between two frames, of curves that are known from the frames alone."""

_TURNING = 3.0
"""How many times larger the error may be beside a frame on which the followed motion turns, unseen by the slopes."""

_EASED = (3.0 - np.sqrt(3.0)) / 8.0 * (2.0 - np.sqrt(3.0)) ** np.arange(3)
"""Blender eases the first and the last key of a curve. In the last three gaps between frames, from the end inwards, the
curve is off by these parts of its last change, although it is exact on frames."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Midpoints:
    """Where curves have to pass halfway between some frames and the next ones.

    rows : (m,) rising, the indices of these frames
    values : by RNA path (m, 3), or (m, 3, 3) for a rotation; only of controls whose values are known there
    """

    rows: Integers
    values: Mapping[str, Array]


NO_MIDPOINTS = Midpoints(rows=np.arange(0), values={})


def gaps(limbs: Sequence[SwitchPlan], poses: Mapping[str, Array], corners: Mask, turning: Mask) -> Integers:
    """(m,) rising, the indices of frames after which a limb may leave the pose that its keys mean, before the next.

    poses : by bone (n, 4, 4) in armature space, of the bones that show the limbs and of those that carry their controls
    corners : (n,) as `basis_channels` takes it
    turning : (n,) True on other frames on which the followed motion may turn
    """
    loose = np.zeros(len(next(iter(poses.values()), ())), dtype=np.bool_)
    keyed = {bone.name for limb in limbs for bone in limb.keyed}
    allowed = np.where(turning[:-1] | turning[1:], _TURN / _TURNING, _TURN)
    for limb in limbs:
        root, mid, tip = np.moveaxis(joints_of(limb, poses), 1, 0)
        ends = [
            transform.transform_points(poses[bone.name], bone.length * axis)
            for bone in limb.shown
            for axis in np.eye(3)
        ]
        # Parents that get keys of their own will move with the limb.
        spaces = [np.eye(4)[None], *(poses[name] for name in limb.spaces - keyed)]
        off = np.max([_off(np.array(ends), space) for space in spaces], axis=0)
        loose[:-1] |= off > allowed * sum(bone.length for bone in limb.shown[:2])
        if limb.chain:
            straight = dot(unit(mid - root), unit(tip - mid)) > np.cos(_NEARLY_STRAIGHT)
            loose[:-1] |= straight[1:] | straight[:-1]
    # Between a corner and an end of the range, no frames tell a slope.
    loose[:1] |= corners[1:2].any()
    loose[-2:-1] |= corners[-2:-1].any()
    return np.flatnonzero(loose[:-1])


def halfway(frames: Array, rows: Integers) -> Array:
    """(m,) the middles between the frames of these rows and the next ones."""
    return 0.5 * (frames[rows] + frames[rows + 1])


def _off(points: Array, space: Array) -> Array:
    """(n - 1,) by how much the curves of points (k, n, 3) may be off between frames.

    points : in armature space; their keys are in the space of a bone, whose pose is `space` (n, 4, 4)
    """
    change = np.diff(transform.transform_points(transform.inverse(space), points), axis=1)
    # Where the bend of a curve changes at a key, slopes taken from the frames beside are off by a part of the change.
    turns = norm(np.diff(change, n=2, axis=1)).max(axis=0) / 16.0
    off = np.zeros(change.shape[1])
    for first in range(3):
        off[first:][: len(turns)] = np.maximum(off[first:][: len(turns)], turns)
    fast, eased = norm(change).max(axis=0), _EASED[: len(off)]
    for ends, last in ((off, fast[:1]), (off[::-1], fast[-1:])):
        ends[: len(eased)] = np.maximum(ends[: len(eased)], eased * last)
    return off * float(transform.lengths(space[:, :3, :3]).max())


def values_by_path(bone: Bone, basis: Basis) -> dict[str, Array]:
    """By RNA path, the values of location, rotation, as matrices, and scale that give a bone this basis."""
    return {bone.location_path: basis.location, bone.rotation_path: basis.rotation, bone.scale_path: basis.scale}


def basis_channels(
    bone: Bone, basis: Basis, frames: Array, before: Array, corners: Mask, between: Midpoints
) -> list[Channel]:
    """Location, rotation and scale of a bone on these frames; the rotation continues from the value `before`.

    corners : (n,) True where the followed motion may turn, as curves do on a key; it does not on the frames beside
    """
    channels: list[Channel] = []
    on_frames = values_by_path(bone, basis)
    for passes, paths in groupby(on_frames, between.values.__contains__):
        rows = between.rows if passes else between.rows[:0]
        halves = rows + 1 + np.arange(len(rows))
        tracks: dict[str, Array] = {}
        for path in paths:
            values = np.repeat(on_frames[path], len(frames) // len(on_frames[path]), axis=0)
            values = np.insert(values, rows + 1, between.values[path], axis=0) if len(rows) else values
            tracks[path] = rotation_values(values, bone.rotation_mode, before) if path == bone.rotation_path else values
        # All side by side: with a few numbers a frame, a call for each would take as long as the call for all.
        side_by_side = np.concatenate([*tracks.values()], axis=1)
        half, side_by_side = side_by_side[halves], np.delete(side_by_side, halves, axis=0)
        slopes = _slopes(side_by_side, frames, corners, rows, half) if len(frames) > 1 else None
        column = 0
        for path, values in tracks.items():
            part = slice(column, column := column + values.shape[1])
            values, own = side_by_side[:, part], slopes if slopes is None else slopes[..., part]
            channels.append(Channel(path=path, group=bone.name, frames=frames, values=values, slopes=own))
    return channels


def _slopes(values: Array, frames: Array, corners: Mask, rows: Integers, half: Array) -> Array:
    """(n - 1, 2, k) the slopes with which curves through `values` (n, k) leave each frame and arrive at the next.

    half : (m, k) the values that the curves have to take halfway after the frames of the `rows` (m,)
    """
    step = np.diff(frames)[:, None]
    change = np.diff(values, axis=0) / step
    # The slope of the parabola through three successive frames: on the one in the middle, or on the outer ones.
    bend = np.diff(change, axis=0) / (step[:-1] + step[1:])
    leaving, arriving, turns = change.copy(), change.copy(), corners.copy()
    turns[[0, -1]] = True
    leaving[1:] = arriving[:-1] = change[:-1] + step[:-1] * bend
    leaving[:-1][turns[:-2]] = (change[:-1] - step[:-1] * bend)[turns[:-2]]
    arriving[1:][turns[2:]] = (change[1:] + step[1:] * bend)[turns[2:]]
    # Halfway, a cubic is at the mean of its ends plus an eighth of the difference of its slopes.
    off = half - 0.5 * (values[rows] + values[rows + 1]) - 0.125 * step[rows] * (leaving - arriving)[rows]
    leaving[rows] += 4.0 / step[rows] * off
    arriving[rows] -= 4.0 / step[rows] * off
    return np.stack((leaving, arriving), axis=1)
