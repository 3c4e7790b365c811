"""The rule for instants at which geometry leaves a value undecided: it stays what it was on the last decided frame.

Before the first decided frame it is already what it will be there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .values import Array


def last_decided(decided: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(..., n) for each frame the last one at which a value was decided; before the first, the first.

    decided : (..., n)   True where the frame has a value of its own
    returns : indices along the last axis; a frame's own index where no frame is decided
    """
    own = np.arange(decided.shape[-1])
    last = np.maximum.accumulate(np.where(decided, own, -1), axis=-1)
    first = np.argmax(decided, axis=-1, keepdims=True)
    return np.where(decided.any(axis=-1, keepdims=True), np.where(last < 0, first, last), own)


def held(values: Array, decided: NDArray[np.bool_]) -> Array:
    """`values`, those of undecided frames replaced by the last decided one's.

    decided : (..., n)
    values : (..., n), or with more axes for the components of each frame's value
    """
    if decided.ndim == 0 or decided.all():
        return values
    index = last_decided(decided)
    return np.take_along_axis(values, index.reshape(*index.shape, *[1] * (values.ndim - index.ndim)), index.ndim - 1)
