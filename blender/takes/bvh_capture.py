"""What a BVH file means: a skeleton at rest, and where its joints are and how they turn on each frame.

All lengths and axes are those of the file.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...solver.rotation import from_eulers
from ...solver.values import Array
from ...solver.vectors import norm
from ..messages.refused import Refused
from ..messages.translation import translated
from .bvh import BvhFile, read

_WILDEST_TURN = 1e5
"""Degrees: 277 turns."""

_FARTHEST = 1e6
"""Heights of the body."""

_NEAR_ZERO = 0.1
"""Part of a bone's length: no bone is played as short."""

_LENGTHS = (0.5, 2.0)
"""Between these parts of its length at rest a bone is played."""

_RATES = (1.0, 1000.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Capture(BvhFile):
    """A BVH file with what it means.

    rest : (j, 3)    from the parent to each joint at rest
    base : (j, 3)    what the channels of its position count from
    """

    rest: Array
    base: Array

    @cached_property
    def rest_heads(self) -> Array:
        """(j, 3) where the joints are at rest."""
        heads = np.zeros_like(self.rest)
        for number, joint in enumerate(self.joints):
            heads[number] = self.rest[number] + (0.0 if joint.parent is None else heads[joint.parent])
        return heads

    @property
    def size(self) -> float:
        """The diagonal of a box about the joints at rest."""
        return float(norm(np.ptp(self.rest_heads, axis=0)))

    @cached_property
    def has(self) -> NDArray[np.bool_]:
        """(j, 2, 3) whether each joint has channels of its rotation, and of its position, by axis."""
        has = np.zeros((len(self.joints), 2, 3), np.bool_)
        has[tuple(self.channels.T)] = True
        return has

    @cached_property
    def values(self) -> Array:
        """(n, j, 2, 3) each joint's rotations about the axes and positions along them; 0 where it has no channel."""
        values = np.zeros((len(self.rows), *self.has.shape))
        values[:, *self.channels.T] = self.rows
        return values

    def places(self, number: int) -> Array:
        """(n, 3) where a joint is in the axes of its parent; what has no channel stays as at rest."""
        return np.where(self.has[number, 1], self.base[number] + self.values[:, number, 1], self.rest[number])

    def turns(self, number: int) -> Array:
        """(n, 3, 3) how a joint turns relative to its parent."""
        return from_eulers(np.radians(self.values[:, number, 0]), self.joints[number].order[::-1])

    @cached_property
    def points(self) -> Array:
        """(n, j + e, 3) where the joints are on each frame, and behind them the End Sites."""
        points, turns, ends = list[Array](), list[Array](), list[Array]()
        for number, joint in enumerate(self.joints):
            place, turn = self.places(number), self.turns(number)
            if joint.parent is not None:
                place = points[joint.parent] + np.einsum("nij,nj->ni", turns[joint.parent], place)
                turn = turns[joint.parent] @ turn
            points.append(place)
            turns.append(turn)
            if joint.end is not None:
                ends.append(place + turn @ np.array(joint.end))
        return np.stack([*points, *ends], axis=1)


def captured(path: Path) -> Capture:
    """The capture in the file.

    raises : Refused where it cannot be read, or has what cannot be meant, with frame and joint
    """
    file = read(path)
    _refuse_values(path, file, ~np.isfinite(file.rows))
    capture = _read_positions(path, file)
    farthest = _FARTHEST * (capture.size or np.inf)
    _refuse_values(path, file, np.abs(file.rows) > np.where(file.channels[:, 1], farthest, _WILDEST_TURN))
    return capture


def rate(path: Path, file: BvhFile) -> float:
    """Its frames a second; Refused where it says none that can be meant."""
    try:
        found = 1.0 / float(file.frame_time)
    except (ValueError, ZeroDivisionError):
        found = 0.0
    if not _RATES[0] <= round(found, 6) <= _RATES[1]:
        raise Refused("BVH_RATE", value=str(path), time=file.frame_time or "none")
    return found


def _read_positions(path: Path, file: BvhFile) -> Capture:
    """The capture, with positions as they are meant: at OFFSET or on top of it, or in its place where it is zero."""
    offsets = np.array([joint.offset for joint in file.joints])
    capture = Capture(**vars(file), rest=offsets, base=np.zeros_like(offsets))
    inner = [number for number, joint in enumerate(file.joints) if joint.parent is not None]
    moved = [number for number in inner if capture.has[number, 1].all()]
    played = {number: capture.places(number) for number in moved}
    if not offsets[inner].any():
        rest = offsets.copy()
        for number, places in played.items():
            rest[number] = np.median(places, axis=0)
        return replace(capture, rest=rest)
    lengths = {number: length for number in moved if (length := float(norm(offsets[number])))}
    ratios = {number: float(np.median(norm(played[number]))) / length for number, length in lengths.items()}
    if ratios and max(ratios.values()) < _NEAR_ZERO:
        base = np.where([[_is_on_top(capture, number)] for number in range(len(offsets))], offsets, 0.0)
        return replace(capture, base=base, notes=(*file.notes, translated("report.bvh_on_top", file=path)))
    for number, ratio in ratios.items():
        if not _LENGTHS[0] <= ratio <= _LENGTHS[1]:
            raise Refused("BVH_LENGTH", value=str(path), joint=file.joints[number].name, ratio=ratio)
    return capture


def _is_on_top(capture: Capture, number: int) -> bool:
    """Whether the positions of a joint count from its OFFSET: a root may as well have places there."""
    along = np.median(capture.places(number), axis=0) @ capture.rest[number]
    return capture.joints[number].parent is not None or bool(along < 0.5 * capture.rest[number] @ capture.rest[number])


def _refuse_values(path: Path, file: BvhFile, wrong: NDArray[np.bool_]) -> None:
    """Raise `Refused` for the first of the channels (n, c) that are wrong."""
    if not wrong.any():
        return
    row, column = (int(found[0]) for found in np.nonzero(wrong))
    number, is_position, axis = file.channels[column]
    channel = f"{'XYZ'[axis]}{'position' if is_position else 'rotation'}"
    joint, value = file.joints[number].name, file.rows[row, column]
    raise Refused("BVH_VALUE", value=str(path), frame=row + 1, joint=joint, channel=channel, number=value)
