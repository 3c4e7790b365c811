"""A request over a range of frames, in two phases: the first takes long, the second changes the file."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec

from ...skeleton.steps import run
from ..messages.refused import Refused
from ..messages.report import Report
from . import at_work
from .requests.together import Writing, write_all

Arguments = ParamSpec("Arguments")


class Opened(ExitStack):
    """What a request has opened.

    slow : why its first phase takes long, in one sentence each
    is_part : True if it belongs to another request, and may be carried out within that
    """

    def __init__(self) -> None:
        super().__init__()
        self.slow: list[str] = []
        self.is_part = False

    def alone(self) -> AbstractContextManager[None]:
        """Inside, no other request can begin; Refused if another one is at work."""
        return nullcontext() if self.is_part else at_work.alone()


Preparation = Generator[float, None, Callable[[], Report]]
"""Yields the part that is done; returns the function that writes and measures."""


class Request:
    """What was asked for over a range of frames; closed before it has written, it leaves the file as it was.

    As an iterator it goes through both phases: it yields the part that is done, between 0 and 1, and ends with the
    report, as a generator does.
    """

    def __init__(self, prepare: Callable[[Opened], Preparation]) -> None:
        self._opened = Opened()
        self._ready: list[Callable[[], Report]] = []
        # It does not refer to the request: a request that a script drops is closed at once, not when cycles are
        # collected.
        self._preparation = _prepared(prepare, self._opened, self._ready)

    def prepare(self) -> Iterator[float]:
        """The first phase, or what is left of it: yields the part that is done and changes nothing in the file.

        raises : Refused where the request cannot be carried out, or while another one is
        """
        return self._preparation

    @property
    def slow(self) -> str:
        """Why the first phase takes long, in one sentence; "" while that is not known, or if it does not."""
        return self._opened.slow[-1] if self._opened.slow else ""

    def write(self) -> Report:
        """The second phase, after all that is left of the first: changes the file, then measures what plays.

        raises : Refused, before anything changes, where something that is needed was removed meanwhile
        """
        with self._opened as opened:
            ready = self._take()
            with opened.alone():
                return ready()

    def as_part(self) -> "Request":
        """The same, to be carried out within another one."""
        self._opened.is_part = True
        return self

    def _take(self) -> Callable[[], Report]:
        run(self._preparation)
        if not self._ready:
            raise ValueError("a request that was refused, closed or written already cannot be written")
        return self._ready.pop()

    def close(self) -> None:
        """Give the request up; once it has written, nothing happens."""
        self._preparation.close()
        self._opened.close()
        self._ready.clear()

    def __iter__(self) -> "Request":
        return self

    def __next__(self) -> float:
        for done in self._preparation:
            return done
        if not self._ready:
            raise StopIteration
        raise StopIteration(self.write())


def write_together(requests: Sequence[Request]) -> list[Report | Refused]:
    """The second phase of many requests, of bakes side by side: the report of each, or why it was refused.

    >>> request = api.baking(rig, frames=(1, 10), style=api.KeyStyle())
    >>> print(*api.write_together([request]))
    forearm.L: 10 of 10 frames reached
    """
    ends: dict[Request, Report | Refused] = {}
    beside: dict[Request, Writing] = {}
    with ExitStack() as opened:
        for request in requests:
            opened.enter_context(request._opened)
            try:
                ready = request._take()
                if isinstance(ready, Writing):
                    beside[request] = ready
                else:
                    with at_work.alone():
                        ends[request] = ready()
            except Refused as refusal:
                ends[request] = refusal
        try:
            with at_work.alone():
                ends |= zip(beside, write_all(list(beside.values())), strict=True)
        except Refused as refusal:
            ends |= dict.fromkeys(beside, refusal)
    return [ends[request] for request in requests]


def _prepared(
    prepare: Callable[[Opened], Preparation], opened: Opened, ready: list[Callable[[], Report]]
) -> Generator[float, None, None]:
    with opened.alone(), Opened() as unfinished:
        unfinished.slow = opened.slow
        ready.append((yield from prepare(unfinished)))
        opened.push(unfinished.pop_all())


def prepare_part(opened: Opened, part: Request) -> Generator[float, None, None]:
    """The first phase of a request within that of another, which closes it in the end and is slow for its reasons."""
    opened.callback(part.as_part().close)
    for done in part.prepare():
        opened.slow[:] = [part.slow]
        yield done


def request(prepare: Callable[Concatenate[Opened, Arguments], Preparation]) -> Callable[Arguments, Request]:
    """Makes of a function that prepares one that gives the `Request`; what it has opened is closed in the end."""

    @wraps(prepare)
    def requested(*args: Arguments.args, **named: Arguments.kwargs) -> Request:
        return Request(lambda opened: prepare(opened, *args, **named))

    return requested
