"""Checks of the input: shapes, finite numbers, and a size whose squares and products stay finite."""

from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from .numbers import as_numbers, broadcast
from .values import LARGEST, SMALLEST, VARYING, Array, Chain, Goals, Mask, Options

_FEW = 200
"""Numbers: up to this many are checked one by one, as each call of NumPy takes longer."""

Shape = tuple[int, ...]

_GOALS: dict[str, Shape] = {
    "target": (3,),
    "pole": (3,),
    "pose": (2, 3, 3),
    "seconds": (),
    "rounding": (),
    "stretch_limits": (2, 2),
}
"""The shape of a row, by goal."""

_ROUNDING = 1e-12
"""Part of the largest coordinate of a chain: a root this close to the origin is there, but for rounding."""


def check_array(name: str, values: ArrayLike, *shape: int) -> Array:
    """`values` as float64, with numbers below `SMALLEST` replaced by 0.

    shape : of the last axes
    raises : ValueError that names `name`, and the first row that is not finite or exceeds `LARGEST`, or shapes of rows
             that differ
    """
    array = as_numbers(name, values)
    if array.shape[array.ndim - len(shape) :] != shape:
        expected = ", ".join(("...", *map(str, shape)))
        raise ValueError(f"{name} must have the shape ({expected}), but has {array.shape}")
    if array.size <= _FEW and all(map(_is_usual, array.ravel().tolist())):
        return array
    size = np.abs(array)
    if not size.max(initial=0.0) <= LARGEST:
        _refuse_row(f"{name} must be finite", array, ~np.isfinite(array))
        _refuse_row(f"{name} must be from {-LARGEST:g} to {LARGEST:g}", array, size > LARGEST)
    if size.min(initial=np.inf) >= SMALLEST:
        return array
    tiny = size < SMALLEST
    return np.where(tiny, 0.0, array) if size.any(where=tiny) else array


def bone_lengths(values: ArrayLike, *shape: int) -> Array:
    """Lengths as from `check_array`; ValueError also if one is negative."""
    lengths = check_array("lengths", values, *shape)
    _refuse_row("lengths must not be negative", lengths, lengths < 0.0)
    return lengths


def signs(bend: ArrayLike) -> Array:
    """(..., 1) `bend` as float64; ValueError names the first row that is neither 1 nor -1."""
    array = as_numbers("bend", bend)[..., None]
    _refuse_row("bend must be 1 or -1", array, np.abs(array) != 1.0)
    return array


@lru_cache
def common_rows(**shapes: tuple[Shape, int]) -> Shape:
    """The shape of the rows that arrays have together.

    shapes : by the names of the arrays, each with the number of its last axes that are no rows
    raises : ValueError with the names and shapes of two arrays whose rows do not fit together
    """
    rows = {name: shape[: len(shape) - own] for name, (shape, own) in shapes.items()}
    for (one, ones), (other, others) in combinations(rows.items(), 2):
        if any(a != b and 1 not in (a, b) for a, b in zip(reversed(ones), reversed(others), strict=False)):
            raise ValueError(f"rows of {one} {shapes[one][0]} and {other} {shapes[other][0]} do not fit together")
    return np.broadcast_shapes(*rows.values())


def check_chain(chain: Chain) -> Chain:
    """The chain with checked arrays, laid out component by component.

    raises : ValueError as from `check_array` and `common_rows`, and for a root joint that is not the origin
    """
    _refuse_other("chain", chain, Chain, "Chain(joints=..., hinge_axis=...)")
    joints, axis = check_array("joints", chain.joints, 3, 3), check_array("hinge_axis", chain.hinge_axis, 3)
    common_rows(joints=(joints.shape, 2), hinge_axis=(axis.shape, 1))
    root, size = joints[..., 0, :], np.abs(joints).max(axis=(-2, -1), keepdims=True)[..., 0]
    _refuse_row("the root, the first of the joints, must be the origin", root, np.abs(root) > _ROUNDING * size)
    return replace(chain, joints=np.asfortranarray(joints), hinge_axis=axis)


def check_goals(goals: Goals, chain: Chain, options: Options) -> Goals:
    """The goals with checked arrays, laid out in the same way, one row a frame.

    raises : ValueError as from `check_array` and `common_rows`, also for numbers of `options` that vary
    """
    _refuse_other("goals", goals, Goals, "Goals(target=...)")
    _refuse_other("options", options, Options, "Options(...)")
    arrays = {
        name: check_array(name, values, *shape)
        for name, shape in _GOALS.items()
        if (values := getattr(goals, name)) is not None or name == "target"
    }
    seconds = arrays.get("seconds")
    if seconds is not None and not (np.diff(seconds, axis=0) > 0.0).all():
        raise ValueError("seconds must rise from frame to frame")
    shapes = {name: (array.shape, len(_GOALS[name])) for name, array in arrays.items()}
    shapes |= {"joints": (chain.joints.shape, 2), "hinge_axis": (chain.hinge_axis.shape, 1)}
    shapes |= {name: (value.shape, 0) for name in VARYING if isinstance(value := getattr(options, name), np.ndarray)}
    frames = common_rows(**shapes) or (1,)
    arrays["target"] = broadcast(arrays["target"], (*frames, 3))
    return Goals(**{name: np.asfortranarray(array) if _GOALS[name] else array for name, array in arrays.items()})


def _is_usual(number: float) -> bool:
    """True if the number has neither to be refused nor to be replaced."""
    return number == 0.0 or SMALLEST <= abs(number) <= LARGEST


def _refuse_other(name: str, value: object, kind: type, example: str) -> None:
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be {example}, but is of the type {type(value).__name__}")


def _refuse_row(rule: str, array: Array, bad: Mask) -> None:
    """Raise ValueError with the rule if any row of `array` is `bad`, for the first such row."""
    if bad.any():
        row = np.argwhere(bad)[0][: array.ndim - 1].tolist()
        value = array[tuple(row)]
        value = value.item() if value.size == 1 else value
        raise ValueError(f"{rule}, but row {row} is {value}" if row else f"{rule}, but is {value}")
