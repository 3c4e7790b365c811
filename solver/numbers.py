"""Numbers as they are given: anything that is no array of them is refused in one sentence."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_NO_NUMBERS = "SUMm"
"""Kinds of arrays that NumPy turns into numbers in silence: text such as "1.5", dates and durations."""


def differs(values: float | NDArray[np.float64], number: float) -> bool:
    """True if any of `values` is not `number`; of a single float, NumPy would take twenty times as long to say so."""
    return values != number if isinstance(values, float) else bool(np.not_equal(values, number).any())


def every(mask: NDArray[np.bool_] | np.bool_) -> bool:
    """True if all of the mask is; where that is little, NumPy's own `all` takes four times as long."""
    return int(np.count_nonzero(mask)) == mask.size


def broadcast(values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """`values` in this shape; where they have it already, NumPy would take long to find that out."""
    return values if values.shape == shape else np.broadcast_to(values, shape)


def common_shape(one: NDArray[Any], other: NDArray[Any]) -> tuple[int, ...]:
    """The shape of both together; NumPy takes as long as for several products, also where they have the same."""
    return one.shape if one.shape == other.shape else np.broadcast(one, other).shape


def true_runs(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(k, 2) first and last row of each run of True in (n,)."""
    edges = np.diff(np.concatenate(((False,), mask, (False,))).astype(np.int8))
    return np.stack((np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1), axis=1)


def as_numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """`values` as float64.

    raises : ValueError that names `name` and the shapes of two rows that differ, the value that is no number, or that
             some are complex, text, times or masked
    """
    if isinstance(values, np.ma.MaskedArray) and values.mask.any():
        raise ValueError(f"{name} must have all its numbers, but some are masked")
    if values is None:
        raise ValueError(f"{name} must have numbers, but is None")
    try:
        if np.iscomplexobj(values):
            raise ValueError("some are complex")
        numbers = np.asarray(values, dtype=np.float64)
        if not isinstance(values, float) and np.asarray(values).dtype.kind in _NO_NUMBERS:
            raise ValueError("some are text or times")
        return numbers
    except (TypeError, ValueError) as error:
        ragged = _ragged(values)
        reason = f"rows of one shape, but has rows of the shapes {ragged}" if ragged else f"numbers: {error}"
        raise ValueError(f"{name} must have {reason}") from None


def _ragged(values: object) -> str:
    """The shapes of two rows that differ; "" where none do."""
    if not isinstance(values, Iterable) or isinstance(values, str):
        return ""
    rows = list(values)
    if inner := next(filter(None, map(_ragged, rows)), ""):
        return inner
    shapes = list(dict.fromkeys(np.shape(row) for row in rows))
    return f"{shapes[0]} and {shapes[1]}" if len(shapes) > 1 else ""
