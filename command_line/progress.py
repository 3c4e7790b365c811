"""Shows progress: for people, for farms, or not at all."""

import sys
from collections.abc import Callable

from .standard_streams import one_line

_WIDTH = 40


class Progress:
    """Prints on stdout how far a run is, each percent once.

    plain : a bar on a terminal, else a line for each tenth
    openjd : lines in the format of Open Job Description
    """

    def __init__(self, style: str) -> None:
        self._style = "bar" if style == "plain" and sys.stdout.isatty() else style
        self._said = 0

    def __call__(self, done: float) -> None:
        percent = int(100 * done)
        if percent >= self._said + (10 if self._style == "plain" else 1):
            self._said = percent
            self._say(percent)

    def part(self, done: int, count: int) -> Callable[[float], None]:
        """The progress of one of `count` parts, of which `done` are done."""
        return lambda part: self((done + part) / count)

    def failed(self, reason: str) -> None:
        """Say that the run has failed."""
        if self._style == "openjd":
            print(f"openjd_fail: {one_line(reason)}", flush=True)

    def _say(self, percent: int) -> None:
        if self._style == "bar":
            bar = "#" * (_WIDTH * percent // 100)
            print(f"\r{bar:.<{_WIDTH}} {percent:3} %", end="\n" if percent == 100 else "", flush=True)
        elif self._style == "openjd":
            print(f"openjd_progress: {percent}", flush=True)
        elif self._style == "plain":
            print(f"{percent} %", flush=True)
