"""The outcome of a shot in words, and the exit status."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from ..blender.messages.report import Report


class ExitStatus(IntEnum):
    """Exit status of the command; of many shots, the highest.

    Never 1 or 2: Blender itself ends with these, for an unknown command and after a second Ctrl-C.
    """

    DONE = 0
    FELL_SHORT = 3
    NOT_POSED_SO = 4
    REFUSED = 5
    CRASHED = 6
    INTERRUPTED = 7
    USAGE = 64


TO_DO = "to do"
"""State of a shot of which only that was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one shot.

    state : a word or two
    text : the reason, or the result in short
    damage : a sentence if Blender says that the file is damaged
    reports : all reports, if the shot was carried out in this process
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
    left_out = [name for report in reports for name in report.left_out]
    if misposed:
        status, text = ExitStatus.NOT_POSED_SO, f"keyed, but not posed so: {', '.join(misposed)}"
    elif short or left_out:
        status = ExitStatus.FELL_SHORT if strict else ExitStatus.DONE
        texts = {"targets not always reached": short, "left out, without a target": left_out}
        text = "; ".join(f"{text}: {', '.join(names)}" for text, names in texts.items() if names)
    else:
        status, text = ExitStatus.DONE, "all targets reached"
    return Outcome(status=status, state=state, text=text, damage=damage, reports=tuple(reports))


def table(files: Mapping[int, str], outcomes: Mapping[int, Outcome]) -> str:
    """The outcomes as a table with one row for each shot, and their sum."""
    width = max(map(len, files.values()), default=0)
    rows = [f"{n:5}  {item.state:11}  {files[n]:{width}}  {item.text}" for n, item in sorted(outcomes.items())]
    failed = sum(item.status >= ExitStatus.REFUSED for item in outcomes.values())
    to_do = sum(item.state == TO_DO for item in outcomes.values())
    counts = f"{len(outcomes) - failed - to_do} of {len(outcomes)} shots done, {failed} failed"
    return "\n".join([*rows, f"{counts}, {to_do} to do" if to_do else counts])
