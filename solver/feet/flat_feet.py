"""How far feet turn so that their soles are level while ball and heel both stand, and toes so that they are not in the
ground.

There the turn is the shortest that takes the sole's normal to the vertical, so that the foot keeps its heading. In
between it is eased as the places of feet are, by the cubic of `corrections`: of the rotation vector, whose direction is
the axis and whose length is the angle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..rotation import from_axis_angles
from ..values import Array
from ..vectors import any_normal, cross, dot, norm
from .corrections import eased, stand_spans
from .hips import envelope_weights, smooth_envelope

_BENDS = 0.06
"""Seconds for which a toe is raised before and after a frame on which its tip would be in the ground."""


def raising_turns(
    along: Array, least: float, flat: NDArray[np.bool_], rate: float, up: Array, fade: float = 0.5
) -> Array:
    """(n, 3, 3) rotations that raise a toe, no farther than it takes for it not to point into the ground.

    along : (n, 3)    unit vectors, the toe's direction
    least : sine of its angle to the ground while it lies on it
    flat, rate, up, fade : as for `level_turns`
    """
    angle = np.arcsin(np.clip(least, -1.0, 1.0)) - np.arcsin(np.clip(dot(along, up), -1.0, 1.0))
    return _turns(cross(along, up), np.maximum(angle, 0.0), flat, rate, fade)


def clearing_turns(along: Array, least: Array, stands: NDArray[np.bool_], rate: float, up: Array) -> Array:
    """(n, 3, 3) rotations that raise a toe so that its tip does not go into the ground, whether its foot stands or not.

    Throughout a stand a toe that does not turn is raised by one angle, the greatest that the curve would have there.

    along : (n, 3)    unit vectors, the toe's direction
    least : (n,)      sine of its angle to the ground at which its tip touches it; -1 where there is none
    stands : (n,)     bool, whether what carries the toe stands
    rate, up : as for `level_turns`
    """
    angle = np.arcsin(np.clip(least, -1.0, 1.0)) - np.arcsin(np.clip(dot(along, up), -1.0, 1.0))
    angle, margin = np.maximum(angle, 0.0), len(envelope_weights(rate, _BENDS)) - 1
    for first, last in stand_spans(stands):
        angle[first : last + 1] = angle[max(0, first - margin) : last + 1 + margin].max()
    raised = smooth_envelope(angle, rate, _BENDS)
    return from_axis_angles(np.concatenate((raised[:, None], _unit(cross(along, up))), axis=1))


def _unit(axis: Array) -> Array:
    length = norm(axis)[:, None]
    # A sole that looks straight down may turn about any axis; one that is level turns about none.
    return np.where(length > 0.0, axis / np.where(length > 0.0, length, 1.0), any_normal(axis))


def _turns(axis: Array, angle: Array, flat: NDArray[np.bool_], rate: float, fade: float) -> Array:
    """Rotations about axes (n, 3) of any length by angles (n,) while the foot is flat, and eased in between."""
    vectors = eased(angle[:, None] * _unit(axis), stand_spans(flat), rate, fade)
    return from_axis_angles(np.concatenate((norm(vectors)[:, None], vectors), axis=1))
