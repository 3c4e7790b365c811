"""A request over a range of frames, in two phases: the first takes long, the second changes the file."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ..messages.report import Report

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

Preparation = Generator[float, None, Callable[[], Report]]
"""Yields the part that is done; returns the function that writes and measures."""


class Request:
    """What was asked for over a range of frames; closed before it has written, it leaves the file as it was.

    As an iterator it goes through both phases: it yields the part that is done, between 0 and 1, and ends with the
    report, as a generator does.
    """

    def __init__(self, prepare: Callable[[ExitStack], Preparation]) -> None:
        self._opened = ExitStack()
        self._preparation = self._prepared(prepare)
        self._phases = self._prepared_and_written()
        self._write: Callable[[], Report] | None = None

    def prepare(self) -> Iterator[float]:
        """The first phase, or what is left of it: yields the part that is done and changes nothing in the file.

        raises : Refused where the request cannot be carried out
        """
        return self._preparation

    def write(self) -> Report:
        """The second phase, after all that is left of the first: changes the file, then measures what plays.

        raises : Refused, before anything changes, where something that is needed was removed meanwhile
        """
        with self._opened:
            run(self._preparation)
            write, self._write = self._write, None
            if write is None:
                raise ValueError("a request that was refused, closed or written already cannot be written")
            return write()

    def close(self) -> None:
        """Give the request up; once it has written, nothing happens."""
        self._preparation.close()
        self._opened.close()
        self._write = None

    def __iter__(self) -> Request:
        return self

    def __next__(self) -> float:
        return next(self._phases)

    def _prepared(self, prepare: Callable[[ExitStack], Preparation]) -> Generator[float, None, None]:
        with ExitStack() as opened:
            self._write = yield from prepare(opened)
            self._opened.push(opened.pop_all())

    def _prepared_and_written(self) -> Generator[float, None, Report]:
        yield from self._preparation
        return self.write()


def request(prepare: Callable[Concatenate[ExitStack, Arguments], Preparation]) -> Callable[Arguments, Request]:
    """Makes of a function that prepares one that gives the `Request`; what it has opened is closed in the end."""

    @wraps(prepare)
    def requested(*args: Arguments.args, **named: Arguments.kwargs) -> Request:
        return Request(lambda opened: prepare(opened, *args, **named))

    return requested


def run(steps: Generator[float, None, Result]) -> Result:
    """What the steps return, at one go."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value
