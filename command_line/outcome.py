"""What became of a shot, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..blender.report import Report

DONE, FELL_SHORT, FAILED = 0, 1, 2
"""Exit statuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One shot's.

    state : a word or two
    text : the reason, or what was found in short
    reports : all that was found, where it was found in this process
    """

    status: int
    state: str
    text: str
    reports: tuple[Report, ...] = ()


def of_reports(reports: list[Report], state: str, *, strict: bool) -> Outcome:
    """Of a shot that was carried out."""
    short = [chain.name for report in reports for chain in report.chains if not chain.reached]
    return Outcome(
        status=FELL_SHORT if strict and short else DONE,
        state=state,
        text=f"targets not always reached: {', '.join(short)}" if short else "all targets reached",
        reports=tuple(reports),
    )


def table(files: Mapping[int, str], outcomes: Mapping[int, Outcome]) -> str:
    """A row for each shot, and the sum."""
    width = max(map(len, files.values()), default=0)
    rows = [f"{n:5}  {item.state:11}  {files[n]:{width}}  {item.text}" for n, item in sorted(outcomes.items())]
    failed = [item for item in outcomes.values() if item.status == FAILED]
    return "\n".join([*rows, f"{len(outcomes) - len(failed)} of {len(outcomes)} shots done, {len(failed)} failed"])
