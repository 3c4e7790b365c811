"""Two ways of doing one thing, timed in turn in one process: ratios pair by pair, as machines drift."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True)
class Figures:
    """Seconds of each run."""

    runs: tuple[float, ...]

    def per(self, count: int) -> str:
        """Median in microseconds for each of `count` things."""
        return f"{1e6 * median(self.runs) / count:9.1f}"


@dataclass(frozen=True)
class Comparison:
    """Peer and ours, run in turn."""

    peer: Figures
    ours: Figures

    @property
    def ratios(self) -> list[float]:
        """How many times faster ours was, pair by pair."""
        return [peer / ours for peer, ours in zip(self.peer.runs, self.ours.runs, strict=True)]

    def times(self) -> str:
        """Median ratio and its spread."""
        return f"{median(self.ratios):7.1f} ({min(self.ratios):.1f} to {max(self.ratios):.1f})"


def seconds(action: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def timed(action: Callable[[], object], runs: int = 5) -> Figures:
    """After one run that does not count."""
    action()
    return Figures(tuple(seconds(action) for _ in range(runs)))


def compared(peer: Callable[[], object], ours: Callable[[], object], runs: int = 5, ours_a_run: int = 1) -> Comparison:
    """After one run of each that does not count.

    ours_a_run : so many of ours after each of the peer's, of which the mean counts; what is over in milliseconds
        meets the machine in one mood, what takes a second in all of them
    """
    peer()
    ours()
    pairs = [(seconds(peer), fmean(seconds(ours) for _ in range(ours_a_run))) for _ in range(runs)]
    return Comparison(*(Figures(tuple(column)) for column in zip(*pairs, strict=True)))
