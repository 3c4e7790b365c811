"""The rule for instants at which geometry leaves a value undecided: it stays what it was on the last decided frame.

Before the first decided frame it is already what it will be there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .values import Array


def last_decided_rows(decided: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(n, ...) for each frame the last one at which a value was decided; before the first, the first.

    decided : (n, ...)   True where the frame has a value of its own
    returns : indices along the first axis; a frame's own index where no frame is decided
    """
    rows = np.arange(len(decided)).reshape(-1, *[1] * (decided.ndim - 1))
    last = np.maximum.accumulate(np.where(decided, rows, -1), axis=0)
    first = np.argmax(decided, axis=0, keepdims=True)
    return np.where(np.logical_or.reduce(decided, axis=0), np.where(last < 0, first, last), rows)


def hold_last(values: Array, decided: NDArray[np.bool_], axis: int = 0) -> Array:
    """`values`, those of undecided frames replaced by the last decided one's.

    decided : (n, ...)   with frames along `axis`
    values : the same, or with more axes for the components of each value
    """
    if decided.ndim == 0 or decided.all():
        return values
    axis %= decided.ndim
    index = last_decided_rows(np.moveaxis(decided, axis, 0))
    index = index.reshape(*index.shape, *[1] * (values.ndim - index.ndim))
    return np.moveaxis(np.take_along_axis(np.moveaxis(values, axis, 0), index, axis=0), 0, axis)
