"""Times two ways of doing one thing, in turn in one process; ratios are taken pair by pair, because machines drift."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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
    """Times of peer and ours, run in turn."""

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
    """The time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def in_turn(before: Callable[[], object], actions: Sequence[Callable[[], object]], runs: int) -> list[Figures]:
    """Processor time of each action, taken in turn, each after `before`; the first round does not count."""
    rounds = []
    for _ in range(runs + 1):
        times = []
        for action in actions:
            before()
            start = time.process_time()
            action()
            times.append(time.process_time() - start)
        rounds.append(times)
    return [Figures(column) for column in zip(*rounds[1:], strict=True)]


def timed(action: Callable[[], object], runs: int = 5) -> Figures:
    """The times of `runs` calls, after one that does not count."""
    action()
    return Figures(tuple(seconds(action) for _ in range(runs)))


def compared(peer: Callable[[], object], ours: Callable[[], object], runs: int = 5, ours_a_run: int = 1) -> Comparison:
    """The times of peer and ours, after one run of each that does not count.

    ours_a_run : runs of ours after each run of the peer; their mean counts. A run of milliseconds depends on
        the machine's state at that moment, a run of a second averages over many states
    """
    peer()
    ours()
    pairs = [(seconds(peer), fmean(seconds(ours) for _ in range(ours_a_run))) for _ in range(runs)]
    return Comparison(*(Figures(tuple(column)) for column in zip(*pairs, strict=True)))
