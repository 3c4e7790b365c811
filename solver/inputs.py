"""What comes in: checked to be finite, and brought to a size at which every square and product stays finite.

Sizes change by powers of two alone, which costs no digit, and only where they are far from any that occurs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .values import Array, Chain, Goals, Solution

_SMALL, _LARGE = 2.0**-130, 2.0**200
"""Between these not even the fourth power of a length overflows or underflows."""


def finite(name: str, values: ArrayLike) -> Array:
    """`values` as float64; ValueError names `name` and the first row that holds NaN or infinity."""
    array = np.asarray(values, dtype=np.float64)
    good = np.isfinite(array)
    if not good.all():
        raise ValueError(f"{name} must be finite, but {_first_row(array, ~good)}")
    return array


def bone_lengths(values: ArrayLike) -> Array:
    """`values` as float64; ValueError names the first row that is not finite or holds a negative length."""
    array = finite("lengths", values)
    if array.min(initial=0.0) < 0.0:
        raise ValueError(f"lengths must not be negative, but {_first_row(array, array < 0.0)}")
    return array


def exponent(size: Array) -> NDArray[np.intc]:
    """(...) the power of two to divide by so that `size` is about 1; 0 where it is ordinary."""
    if size.min(initial=1.0) > _SMALL and size.max(initial=1.0) < _LARGE:
        return np.zeros((), np.intc)
    return np.where((size > _SMALL) & (size < _LARGE), 0, np.frexp(size)[1])


def scaled(points: Array, exponent: NDArray[np.intc]) -> Array:
    """`points` (..., k) divided by 2**exponent (...); those far beyond any reach end at 2**200, in their direction."""
    if not exponent.any() and max(points.max(initial=0.0), -points.min(initial=0.0)) < _LARGE:
        return points
    size = np.frexp(np.abs(points).max(axis=-1))[1]
    near: Array = np.ldexp(points, np.minimum(-exponent, 200 - size)[..., None])
    return near


def checked_chain(chain: Chain) -> Chain:
    """The same with every array finite float64; ValueError as from `finite`."""
    return replace(chain, joints=finite("joints", chain.joints), hinge_axis=finite("hinge_axis", chain.hinge_axis))


def checked_goals(goals: Goals, chain: Chain) -> Goals:
    """The same with every array finite float64, and a row for each frame; ValueError as from `finite`."""
    target = finite("target", goals.target)
    pole = None if goals.pole is None else finite("pole", goals.pole)
    pose = None if goals.pose is None else finite("pose", goals.pose)
    rows = [(1,), chain.joints.shape[:-2], chain.hinge_axis.shape[:-1], target.shape[:-1]]
    rows += [() if pole is None else pole.shape[:-1], () if pose is None else pose.shape[:-3]]
    frames = np.broadcast_shapes(*rows)
    return Goals(target=np.broadcast_to(target, (*frames, 3)), pole=pole, pose=pose)


def ordinary_chain(chain: Chain) -> tuple[Chain, NDArray[np.intc]]:
    """The chain at an ordinary size, laid out component by component, and the power of two by which it was divided."""
    size = exponent(np.abs(chain.joints).max(initial=0.0))
    joints = np.asfortranarray(np.ldexp(chain.joints, -size))
    return replace(chain, joints=joints, hinge_axis=scaled(chain.hinge_axis, np.zeros((), np.intc))), size


def ordinary_goals(goals: Goals, exponent: NDArray[np.intc]) -> Goals:
    """The goals of a chain that was divided by 2**exponent, laid out in the same way."""
    return Goals(
        target=np.asfortranarray(scaled(goals.target, exponent)),
        pole=None if goals.pole is None else np.asfortranarray(scaled(goals.pole, exponent)),
        pose=None if goals.pose is None else np.asfortranarray(goals.pose),
    )


def restored(solution: Solution, goals: Goals, exponent: NDArray[np.intc]) -> Solution:
    """The solution at the size of what came in, with the target that was asked for."""
    if not exponent:
        return replace(solution, target=goals.target)
    with np.errstate(over="ignore"):
        joints, reach, shortfall = (
            np.ldexp(lengths, exponent) for lengths in (solution.joints, solution.reach, solution.shortfall)
        )
    return replace(solution, target=goals.target, joints=joints, reach=reach, shortfall=shortfall)


def _first_row(array: Array, bad: NDArray[np.bool_]) -> str:
    row = np.argwhere(bad)[0][: array.ndim - 1].tolist()
    return f"row {row} is {array[tuple(row)]}"
