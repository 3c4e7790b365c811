"""Contacts of feet that seem to stand flat, but turn about one of their points: that point alone stands.

A flat stretch that turns far and fast is a pivot; one that pitches for long stands on the point that stays down. The
heading is that of the line between ball and heel; its speed is the slope of a line fitted to it.
"""

import numpy as np
from numpy.typing import NDArray

from ..values import Array
from ..vectors import any_normal, cross, dot, norm
from .corrections import stand_spans
from .statistics import slopes

_TURNS, _SPEED = np.radians(12.0), np.radians(20.0)
"""A pivot turns farther than this, and faster a second. Ordinary flat stands turn by 1 to 7.5 degrees, pivots by 46."""

_PITCHES = np.radians(6.0)
"""From its mean. A foot that stays flat for 15 s was captured with a pitch of up to 10.7 degrees in all."""

_WINDOW = 0.25
"""Seconds over which the speed is taken, so that noise of 2 mm does not turn a foot."""


def without_pivots(
    points: Array, stands: NDArray[np.bool_], rate: float, up: Array, contact: float
) -> NDArray[np.bool_]:
    """(n, 2) which points of one foot stand, of which each flat stretch is one in which the foot does not turn.

    points : (n, 2, 3)        seen from the ground
    stands : (n, 2) bool      as found
    contact : seconds         the least duration of a contact
    """
    line = points[:, 0] - points[:, 1]
    found = stands.copy()
    for first, last in stand_spans(stands.all(axis=1) & (norm(line) > 0.0)):
        rows = slice(first, last + 1)
        own, heights = points[rows], dot(points[rows], up)
        sine = dot(line[rows], up) / norm(line[rows])
        pitch = np.arcsin(np.clip(sine, -1.0, 1.0))
        for begin, end in stand_spans(np.abs(pitch - pitch.mean()) > _PITCHES):
            if end - begin + 1 > contact * rate:
                off = np.abs(heights[begin : end + 1] - np.median(heights, axis=0)).mean(axis=0)
                found[first + begin : first + end + 1, np.argmax(off)] = False
        for begin, end in _turning_spans(line[rows], rate, up):
            way = norm(own[begin : end + 1] - own[begin]).mean(axis=0)
            found[first + begin : first + end + 1, np.argmax(way)] = False
    return found


def _turning_spans(line: Array, rate: float, up: Array) -> list[tuple[int, int]]:
    """First and last row of each run of lines (n, 3) that turns far and fast."""
    forwards = any_normal(up)
    heading = np.unwrap(np.arctan2(dot(line, cross(up, forwards)), dot(line, forwards)))
    speed, _ = slopes(heading, _WINDOW, rate)
    if len(speed) == 1:
        speed = np.repeat(speed, len(line))
    side = len(line) - len(speed)
    speed = np.pad(speed, (side // 2, side - side // 2), mode="edge")
    # A pivot that hardly pauses is one; it may go to and fro.
    spans = stand_spans(np.abs(speed) > _SPEED)
    return [(first, last) for first, last in spans if np.ptp(heading[first : last + 1]) > _TURNS]
