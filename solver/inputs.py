"""Checks of the input: shape, finite numbers, and a size whose squares and products stay finite."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .values import LARGEST, SMALLEST, Array, Chain, Goals


def check_array(name: str, values: ArrayLike, *shape: int) -> Array:
    """`values` as float64, with numbers below `SMALLEST` replaced by 0.

    shape : of the last axes
    raises : ValueError that names `name` and the first row that is not finite or exceeds `LARGEST`
    """
    array = np.asarray(values, dtype=np.float64)
    if array.shape[array.ndim - len(shape) :] != shape:
        wanted = ", ".join(("...", *map(str, shape)))
        raise ValueError(f"{name} must have the shape ({wanted}), but has {array.shape}")
    size = np.abs(array)
    if not size.max(initial=0.0) <= LARGEST:
        _refuse_row(f"{name} must be finite", array, ~np.isfinite(array))
        _refuse_row(f"{name} must be from {-LARGEST:g} to {LARGEST:g}", array, size > LARGEST)
    tiny = size < SMALLEST
    return np.where(tiny, 0.0, array) if size.any(where=tiny) else array


def bone_lengths(values: ArrayLike, *shape: int) -> Array:
    """Lengths as from `check_array`; ValueError also if one is negative."""
    lengths = check_array("lengths", values, *shape)
    _refuse_row("lengths must not be negative", lengths, lengths < 0.0)
    return lengths


def signs(bend: ArrayLike) -> Array:
    """(..., 1) `bend` as float64; ValueError names the first row that is neither 1 nor -1."""
    array = np.asarray(bend, dtype=np.float64)[..., None]
    _refuse_row("bend must be 1 or -1", array, np.abs(array) != 1.0)
    return array


def check_chain(chain: Chain) -> Chain:
    """The chain with checked arrays, laid out component by component; ValueError as from `check_array`."""
    joints, axis = check_array("joints", chain.joints, 3, 3), check_array("hinge_axis", chain.hinge_axis, 3)
    return replace(chain, joints=np.asfortranarray(joints), hinge_axis=axis)


def check_goals(goals: Goals, chain: Chain) -> Goals:
    """The goals with checked arrays, laid out in the same way, one row a frame; ValueError as from `check_array`."""
    target = check_array("target", goals.target, 3)
    pole = None if goals.pole is None else check_array("pole", goals.pole, 3)
    pose = None if goals.pose is None else check_array("pose", goals.pose, 2, 3, 3)
    seconds = None if goals.seconds is None else check_array("seconds", goals.seconds)
    if seconds is not None and not (np.diff(seconds, axis=0) > 0.0).all():
        raise ValueError("seconds must rise from frame to frame")
    rounding = None if goals.rounding is None else check_array("rounding", goals.rounding)
    rows = [(1,), chain.joints.shape[:-2], chain.hinge_axis.shape[:-1], target.shape[:-1]]
    rows += [() if pole is None else pole.shape[:-1], () if pose is None else pose.shape[:-3]]
    rows += [() if values is None else values.shape for values in (seconds, rounding)]
    frames = np.broadcast_shapes(*rows)
    return Goals(
        target=np.asfortranarray(np.broadcast_to(target, (*frames, 3))),
        pole=None if pole is None else np.asfortranarray(pole),
        pose=None if pose is None else np.asfortranarray(pose),
        seconds=seconds,
        rounding=rounding,
    )


def _refuse_row(rule: str, array: Array, bad: NDArray[np.bool_]) -> None:
    """Raise ValueError with the rule if any row of `array` is `bad`, for the first such row."""
    if bad.any():
        row = np.argwhere(bad)[0][: array.ndim - 1].tolist()
        raise ValueError(f"{rule}, but row {row} is {array[tuple(row)]}")
