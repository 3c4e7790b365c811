"""What became of a shot, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from ..blender.messages.report import Report


class ExitStatus(IntEnum):
    """How the command ends; of many shots, the highest counts.

    Never 1 or 2: Blender itself ends with these, over an unknown command and over a second Ctrl-C.
    """

    DONE = 0
    FELL_SHORT = 3
    NOT_POSED_SO = 4
    REFUSED = 5
    CRASHED = 6
    INTERRUPTED = 7
    USAGE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One shot's.

    state : a word or two
    text : the reason, or what was found in short
    damage : what Blender says is damaged in the file
    reports : all that was found, where it was found in this process
    """

    status: int
    state: str
    text: str
    damage: str = ""
    reports: tuple[Report, ...] = ()


def of_reports(reports: list[Report], state: str, *, strict: bool, damage: str = "") -> Outcome:
    """Of a shot that was carried out."""
    chains = [chain for report in reports for chain in report.chains]
    misposed = [chain.name for chain in chains if not chain.posed]
    short = [chain.name for chain in chains if not chain.reached]
    if misposed:
        status, text = ExitStatus.NOT_POSED_SO, f"keyed, but not posed so: {', '.join(misposed)}"
    elif short:
        status = ExitStatus.FELL_SHORT if strict else ExitStatus.DONE
        text = f"targets not always reached: {', '.join(short)}"
    else:
        status, text = ExitStatus.DONE, "all targets reached"
    return Outcome(status=status, state=state, text=text, damage=damage, reports=tuple(reports))


def table(files: Mapping[int, str], outcomes: Mapping[int, Outcome]) -> str:
    """A row for each shot, and the sum."""
    width = max(map(len, files.values()), default=0)
    rows = [f"{n:5}  {item.state:11}  {files[n]:{width}}  {item.text}" for n, item in sorted(outcomes.items())]
    failed = [item for item in outcomes.values() if item.status >= ExitStatus.REFUSED]
    return "\n".join([*rows, f"{len(outcomes) - len(failed)} of {len(outcomes)} shots done, {len(failed)} failed"])
