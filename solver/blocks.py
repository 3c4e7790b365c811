"""Large arrays a block of rows at a time: what a block needs then stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from .values import Array

_ROWS = 1 << 14


def in_blocks(function: Callable[..., Array], *arrays: Array) -> Array:
    """function(*arrays), where a row of the result depends on the same row of the arrays alone.

    arrays : (..., k) each, which broadcast against each other but for their last axes
    returns : (..., m)
    """
    shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    if prod(shape) <= _ROWS:
        return function(*arrays)
    step = max(1, _ROWS // prod(shape[1:]))
    blocks = [[_rows(array, len(shape), start, start + step) for array in arrays] for start in range(0, shape[0], step)]
    first = function(*blocks[0])
    result = np.empty((*shape, *first.shape[len(shape) :]))
    result[:step] = first
    for index, block in enumerate(blocks[1:], 1):
        result[index * step : (index + 1) * step] = function(*block)
    return result


def _rows(array: Array, axes: int, start: int, end: int) -> Array:
    along = array.ndim > axes and len(array) > 1
    return array[start:end] if along else array
