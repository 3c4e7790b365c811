"""The report of a bake or check: arrays for each chain and frame, words for users, JSON for programs.

JSON holds the fields by their names, and arrays as lists; numbers survive to the last digit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...skeleton.values import Point
from ...solver.values import Array, Status
from .translation import translated

_BOOLS = ("degenerate", "flips", "near_straight", "measured", "misposed")
_TYPES = {"status": np.uint8} | dict.fromkeys(_BOOLS, np.bool_)
"""Of the arrays of a chain's report; the others are float64."""
_NAMES = {"name", "off_bone"}

_DEGENERATE = 3
"""The status by which older reports told a frame degenerate, whether the tip arrived or not."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainReport:
    """One chain over all frames.

    frames : (n,)                the solved frames, may be fractional
    status : (n,) uint8          a `Status` each: whether the target is within reach
    degenerate : (n,) bool       a direction is undecided: target on the root, or a bone without length
    miss : (n,)                  distance from the tip to the target, world units
    sin_hinge : (n,)             closeness to singular: 0 straight or folded, 1 at a right angle
    speed : (n,)                 the faster of root joint and hinge since the frame before, radians a frame
    stretch : (n,)               factor on the length of both bones
    flips : (n,) bool            the chain bends to the other side than before
    near_straight : (n,) bool    almost straight: small steps of the target turn the joints far
    measured : (n,) bool         the frame was measured on the character as Blender evaluates it
    off : (n,)                   where measured: distance of the farthest joint from its solution, world units
    misposed : (n,) bool         where measured: `off` is more than single precision and tolerance explain
    off_bone : str               the bone, or the target, that is farthest off; "" if none is misposed
    """

    name: str
    frames: Array
    status: NDArray[np.uint8]
    degenerate: NDArray[np.bool_]
    miss: Array
    sin_hinge: Array
    speed: Array
    stretch: Array
    flips: NDArray[np.bool_]
    near_straight: NDArray[np.bool_]
    measured: NDArray[np.bool_]
    off: Array
    misposed: NDArray[np.bool_]
    off_bone: str

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> ChainReport:
        """The report from `fields`, a part of `Report.as_dict`."""
        if "degenerate" not in fields:
            fields = _with_degenerate(fields)
        types: dict[str, Any] = dict.fromkeys(fields, np.float64) | _TYPES
        known: dict[str, Any] = {
            key: value if key in _NAMES else np.array(value, types[key]) for key, value in fields.items()
        }
        return cls(**unmeasured(len(known["frames"])) | known)

    @property
    def posed(self) -> bool:
        """True if no measured frame is misposed."""
        return not np.any(self.misposed)

    @property
    def reached(self) -> bool:
        """True if the tip met its target on every frame and no measured frame is misposed."""
        return self.posed and not np.any(self.status)

    @property
    def worst(self) -> tuple[float, float] | None:
        """Frame and distance, world units, at which the chain is farthest off; None if no frame is misposed."""
        if self.posed:
            return None
        row = np.argmax(np.where(self.misposed, self.off, -1.0))
        return float(self.frames[row]), float(self.off[row])

    def lines(self) -> list[str]:
        """A headline, then a line for each thing that an animator should look at, with its frames."""
        reached = self.status == Status.REACHED
        counts = {"reached": np.count_nonzero(reached), "count": len(self.frames)}
        details = [f"  {line}" for line in self._details(reached)]
        if self.worst is None:
            return [translated("report.reached", chain=self.name, **counts), *details]
        frame, off = self.worst
        misposed = translated(
            "report.misposed",
            chain=self.name,
            when=when(self.frames, self.misposed),
            off=off,
            bone=self.off_bone,
            frame=frame_text(frame),
        )
        return [misposed, "  " + translated("report.as_solved", **counts), *details]

    def _details(self, reached: NDArray[np.bool_]) -> Iterator[str]:
        on = partial(when, self.frames)
        shorts = {
            Status.TOO_FAR: translated("report.too_far"),
            Status.TOO_CLOSE: translated("report.too_close"),
            Status.LIMITED: translated("report.held"),
        }
        for status, short in shorts.items():
            where = self.status == status
            if where.any():
                miss = self.miss[where].max()
                yield translated("report.short", short=short, when=on(where), miss=miss)
        if self.degenerate.any():
            arrived = np.count_nonzero(self.degenerate & reached)
            yield translated(
                ("report.degenerate_reached" if arrived else "report.degenerate_short")
                if arrived in (0, np.count_nonzero(self.degenerate))
                else "report.degenerate",
                when=on(self.degenerate),
                arrived=arrived,
            )
        stretched, longest = self.stretch > 1.0, self.stretch.max(initial=1.0)
        if stretched.any():
            yield translated("report.stretched", when=on(stretched), stretch=longest)
        if self.flips.any():
            yield translated("report.flips", when=on(self.flips))
        straight = self.near_straight & reached & ~self.degenerate
        if straight.any():
            yield translated("report.near_straight", when=on(straight))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Report:
    """All chains of one armature; `notes` are sentences about what the user should know."""

    rig: str
    chains: tuple[ChainReport, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Report:
        """The report from the fields that `as_dict` gives."""
        chains = tuple(ChainReport.from_dict(chain) for chain in fields["chains"])
        return cls(rig=fields["rig"], chains=chains, notes=tuple(fields["notes"]))

    @classmethod
    def from_json(cls, text: str) -> Report:
        """The report from the text that `to_json` gives."""
        return cls.from_dict(json.loads(text))

    def as_dict(self) -> dict[str, Any]:
        """The report as names, numbers and lists only, as in JSON."""
        return asdict(self, dict_factory=_plain)

    def to_json(self) -> str:
        """The report as a JSON object."""
        return json.dumps(self.as_dict(), allow_nan=False)

    @property
    def posed(self) -> bool:
        """True if no chain has a misposed frame."""
        return all(chain.posed for chain in self.chains)

    @property
    def worst(self) -> tuple[float, float] | None:
        """Frame and distance, world units, at which a chain is farthest off; None if no chain is misposed."""
        return max((chain.worst for chain in self.chains if chain.worst), key=lambda found: found[1], default=None)

    @property
    def reached(self) -> bool:
        """True if every chain met its target on every frame, and none is misposed."""
        return all(chain.reached for chain in self.chains)

    def lines(self) -> list[str]:
        """The report in words, one line each."""
        return [line for chain in self.chains for line in chain.lines()] + list(self.notes)

    def headline(self) -> str:
        """The most important of it, in one line."""
        if misposed := [chain.name for chain in self.chains if not chain.posed]:
            return ". ".join([translated("report.done_but_misposed", chains=", ".join(misposed)), *self.notes[:1]])
        if fell_short := [chain.name for chain in self.chains if not chain.reached]:
            return translated("report.fell_short", chains=", ".join(fell_short))
        return ". ".join([translated("report.all_reached"), *self.notes[:1]])

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _with_degenerate(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A chain's fields from an older report, whose status held the degenerate frames; `miss` says which fell short."""
    status, miss = np.array(fields["status"]), np.array(fields["miss"])
    degenerate = status == _DEGENERATE
    short = np.where(miss > 1e-5, Status.TOO_CLOSE, Status.REACHED)
    return {**fields, "status": np.where(degenerate, short, status), "degenerate": degenerate}


def unmeasured(count: int) -> dict[str, Any]:
    """The fields of measuring if nothing was measured, as in reports of older versions."""
    nowhere = np.zeros(count, dtype=np.bool_)
    return {"measured": nowhere, "off": np.zeros(count), "misposed": nowhere, "off_bone": ""}


def _plain(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a report, with lists for its arrays and tuples."""
    lists: dict[type, Any] = {np.ndarray: np.ndarray.tolist, tuple: list, list: list}
    return {key: lists.get(type(value), str)(value) for key, value in fields}


def when(frames: Array, where: NDArray[np.bool_], most: int = 4) -> str:
    """The number of frames and the first runs of them, in words."""
    rows = np.flatnonzero(where)
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    spans = ["-".join(frame_text(frames[row]) for row in dict.fromkeys((run[0], run[-1]))) for run in runs]
    more = ", ..." if len(spans) > most else ""
    return translated(
        "report.one_frame" if len(rows) == 1 else "report.frames", count=len(rows), spans=", ".join(spans[:most]) + more
    )


def frame_text(frame: float) -> str:
    """A frame as users write it: 1000000, and 1.333 for a third."""
    return f"{round(frame, 3):.12g}"


def point_text(point: Point) -> str:
    """An object's name, and that of its bone behind a comma."""
    return f"{point.object.name}, {point.bone}" if point.bone else point.object.name


_last: dict[str, Report] = {}


def remember(report: Report) -> None:
    """Keep the report of this armature, for users to read again, until there is another."""
    _last[report.rig] = report


def forget() -> None:
    """Drop all reports, because another file was opened."""
    _last.clear()


def last(rig: str) -> Report | None:
    """The last report of the armature object with this name, since the file was opened."""
    return _last.get(rig)
