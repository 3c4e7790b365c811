"""The rule for frames on which geometry leaves a value undecided: the value of the last decided frame holds.

Frames before the first decided frame take the value of that frame. Which frames are decided, those say
that call it, each of its own values: `plane` of the plane, `reference_pose` of the axis of straight poses, and others.
"""

import numpy as np

from .numbers import every
from .values import Array, Mask
from .vectors import swing


def carry_last(values: Array, decided: Mask, axis: int = 0) -> Array:
    """`values`, with the value of the last decided frame on undecided frames; before the first, that of the first.

    decided : (n, ...)   True on frames whose value is decided; frames run along `axis`
    values : the same shape, perhaps with more axes for the components of each value; unchanged if no frame is decided
    """
    if decided.ndim == 0 or every(decided):
        return values
    axis %= decided.ndim
    values, decided = np.moveaxis(values, axis, 0), np.moveaxis(decided, axis, 0)
    rows = np.arange(len(decided)).reshape(-1, *[1] * (decided.ndim - 1))
    last = np.maximum.accumulate(np.where(decided, rows, -1), axis=0)
    last = np.where(last < 0, np.argmax(decided, axis=0, keepdims=True), last)
    index = np.where(np.logical_or.reduce(decided, axis=0), last, rows)
    index = index.reshape(*index.shape, *[1] * (values.ndim - index.ndim))
    return np.moveaxis(np.take_along_axis(values, index, axis=0), 0, axis)


def carry_normal(aim: Array, normal: Array, decided: Mask, otherwise: Array) -> Array:
    """(n, ..., 3) the normals, on undecided frames turned from the last decided frame by the aim's shortest rotation.

    aim, normal : (n, ..., 3)   unit vectors at right angles
    otherwise : (..., 3)        normals if no frame is decided
    """
    if every(decided):
        return normal
    normal = np.where(decided[..., None], normal, otherwise)
    carried = swing(carry_last(normal, decided), carry_last(aim, decided), aim)
    return np.where(decided[..., None], normal, carried)
