"""The report of one planted foot: how far it slid before, how far it slides now, and how far it was moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...solver.values import Array
from ..messages.translation import translated
from .chain_report import check_fields

_GAP = " | "
"""Between two cells of a sentence that is a row of a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FootReport:
    """One foot, measured on the character as Blender evaluates it; distances in world units.

    name : of its limb
    contacts : how often one of its points comes to stand
    frames : on how many frames it stands
    measured, total : the frames on which the slide was measured, and all frames; 0 in older reports
    before, after : median and worst slide from frame to frame, as captured and as measured of the planted character; of
        the standing point that slides most, in space; 0 if it never stands
    planted : median and worst slide as it was planted, on all frames on which it stands
    turn_before, turn_after, turn_planted : median and worst turn in degrees, while it stands flat; 0 in older reports
    moved : how far it is moved at most
    short : the farthest that it falls short of where it is to stand; 0 if that is too little to see
    millimetres : in a world unit; 0 in a scene without units
    """

    name: str
    contacts: int
    frames: int
    before: tuple[float, float]
    after: tuple[float, float]
    moved: float
    short: float
    millimetres: float
    measured: int = 0
    total: int = 0
    planted: tuple[float, float] = (0.0, 0.0)
    turn_before: tuple[float, float] = (0.0, 0.0)
    turn_after: tuple[float, float] = (0.0, 0.0)
    turn_planted: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "FootReport":
        """The report from `fields`, a part of `Report.as_dict`."""
        check_fields(cls, fields)
        pairs: dict[str, Any] = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
        return cls(**{**fields, **pairs})

    def cells(self, unit: str = "") -> tuple[str, ...]:
        """Its row of the table: foot, stands on, slides before, after, turns. `unit` : as `Report` has it."""
        before, after, turn = self.before[1], self.after[1], self.turn_after[1]
        told = translated("report.foot", unit=unit, count=self.frames, before=before, after=after, turn=turn)
        return self.name, *told.split(_GAP)


def table(feet: Sequence[FootReport], unit: str = "") -> list[tuple[str, ...]]:
    """What its columns are, and the row of each foot; empty without feet."""
    return [tuple(translated("report.feet").split(_GAP)), *(foot.cells(unit) for foot in feet)] if feet else []


def below_table(feet: Sequence[FootReport], unit: str = "") -> list[str]:
    """What the figures are, and which feet fall short."""
    short = [
        translated("report.foot_short", unit=unit, foot=foot.name, short=foot.short) for foot in feet if foot.short
    ]
    return [_on_part(feet[0], translated("report.largest")), *short] if feet else []


def headline(feet: Sequence[FootReport], unit: str = "") -> str:
    """What the report says of all feet together, in one line."""
    if not any(foot.frames for foot in feet):
        return translated("report.none_stands")
    before = max(foot.before[1] for foot in feet)
    after = max(max(foot.after[1], foot.planted[1]) for foot in feet)
    return _on_part(feet[0], translated("report.planted", unit=unit, before=before, after=after))


def _on_part(foot: FootReport, text: str) -> str:
    """The sentence, and on how many frames the foot was measured if not on all."""
    if foot.measured == foot.total:
        return text
    return ". ".join((text, translated("report.feet_measured", count=foot.measured, total=foot.total)))


def median_and_worst(distances: Array) -> tuple[float, float]:
    """Median and worst of slides or turns (n,), NaN where the foot does not stand."""
    finite = distances[np.isfinite(distances)]
    return (float(np.median(finite)), float(finite.max())) if len(finite) else (0.0, 0.0)
