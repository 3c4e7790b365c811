"""Splits large arrays into blocks of rows, so that the data of a block stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from .values import Array

_ROWS = 1 << 14


def in_blocks(function: Callable[..., None], *arrays: Array) -> Array:
    """(..., 2) the array that `function(*arrays, result)` fills, block by block and row by row.

    arrays : (..., k) each, which broadcast against each other except for their last axes
    """
    shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    result = np.empty((*shape, 2))
    step = max(1, _ROWS // max(1, prod(shape[1:])))
    if not shape or shape[0] <= step:
        function(*arrays, result)
        return result
    for start in range(0, shape[0], step):
        function(*(_rows(array, len(shape), start, start + step) for array in arrays), result[start : start + step])
    return result


def _rows(array: Array, axes: int, start: int, end: int) -> Array:
    along = array.ndim > axes and len(array) > 1
    return array[start:end] if along else array
