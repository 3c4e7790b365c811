"""The outcome of a shot in words, and its exit status; of many, `run_command` ends with the highest."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

from ..blender.bake.report import Report
from ..blender.messages.refused import Refused
from .standard_streams import one_line


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


DONE = "done"
REFUSED = "refused"
TO_DO = "to do"
"""State of a shot of a dry run."""

TO_COMPARE = "to compare"
"""State of a shot of a dry run that was written before: a run compares hashes, for which it opens files."""


_SHORT, _MISPOSED = "targets not always reached", "keyed, but not posed so"
_BAKED = ("all targets reached", "all targets reached", _SHORT, _MISPOSED)
_WORDS = {
    "Check": (*_BAKED[:3], "not posed as they are solved"),
    "Plant": ("all limbs where they are to be", "planted", "limbs not always where they are to be", _MISPOSED),
    "Switch": ("all limbs stay where they were", "switched", _SHORT, "switched, but not all stay where they were"),
}
"""What is told of a shot, by what was done in it: that all is well, unmeasured or not, or where it is not."""


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


class Clock:
    """Measures a shot from now on."""

    def __init__(self) -> None:
        self._started = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._since = time.monotonic()

    def times(self) -> dict[str, Any]:
        """The fields `started` and `seconds` of a report: ISO 8601 in UTC, and how long it took."""
        return {"started": self._started, "seconds": round(time.monotonic() - self._since, 3)}


def of_summaries(summaries: Sequence[Mapping[str, Any]], state: str, *, strict: float | None) -> Outcome:
    """The outcome of a shot that was carried out, from the summaries of its reports; of several, chains say whose."""

    def of_rig(summary: Mapping[str, Any], chain: str) -> str:
        owner = f"{summary['rig']} in {summary['action']}" if summary["action"] else summary["rig"]
        return f"{chain} of {owner}" if len(summaries) > 1 else chain

    chains = [{**chain, "name": of_rig(summary, chain["name"])} for summary in summaries for chain in summary["chains"]]
    misposed = [chain["name"] for chain in chains if chain["misposed"]]
    short = [chain for chain in chains if chain["reached"] + chain["unmeasured"] < chain["frames"]["count"]]
    left_out = [of_rig(summary, name) for summary in summaries for name in summary["left_out"]]
    lacking = [of_rig(summary, name) for summary in summaries for name in summary["lacking"]]
    all_well, unmeasured, fell_short, posed_otherwise = _WORDS.get(summaries[0]["operation"], _BAKED)
    status = ExitStatus.DONE
    faults = {
        fell_short: [chain["name"] for chain in short],
        "left out, without a target": [name for name in left_out if name not in lacking],
        "left out, lacking a bone": lacking,
    }
    if misposed:
        status, faults = ExitStatus.NOT_POSED_SO, {posed_otherwise: misposed}
    elif strict is not None and (left_out or any(not strict or chain["worst_miss"] > strict for chain in short)):
        status = ExitStatus.FELL_SHORT
    text = all_well if any(chain["measured"] for chain in chains) else unmeasured
    feet = [foot for summary in summaries for foot in summary["feet"]]
    if feet and not any(foot["frames"] for foot in feet):
        text = "no foot or hand stands"
    return Outcome(
        status=status,
        state=state,
        text="; ".join(f"{fault}: {', '.join(names)}" for fault, names in faults.items() if names) or text,
    )


def left_out(ended: Outcome, refusals: Sequence[Refused]) -> Outcome:
    """The outcome of a shot of which some armatures were refused."""
    text = "; ".join([*map(str, refusals), ended.text])
    return replace(ended, status=max(ended.status, ExitStatus.FELL_SHORT), text=f"not all done: {text}")


def table(files: Mapping[int, str], outcomes: Mapping[int, Outcome]) -> str:
    """The outcomes as a table with one row for each shot, and their sum."""
    names = {number: one_line(file) for number, file in files.items()}
    width = max(map(len, names.values()), default=0)
    rows = [
        f"{n:5}  {item.state:11}  {names[n]:{width}}  {one_line(item.text)}" for n, item in sorted(outcomes.items())
    ]
    failed = sum(item.status >= ExitStatus.REFUSED for item in outcomes.values())
    to_come = Counter(item.state for item in outcomes.values() if item.state in (TO_DO, TO_COMPARE))
    done = len(outcomes) - failed - to_come.total()
    counts = [f"{done} of {len(outcomes)} shots done", f"{failed} failed"]
    counts += [f"{count} {state}" for state, count in to_come.items()]
    return "\n".join([*rows, ", ".join(counts)])
