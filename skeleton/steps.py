"""Long work goes step by step: a generator yields the part that is done, from 0 to 1, and returns a result."""

from collections.abc import Generator
from typing import TypeVar, cast

Result = TypeVar("Result")


def run(steps: Generator[float, None, Result]) -> Result:
    """What the steps return, at one go."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return cast(Result, done.value)


def part(steps: Generator[float, None, Result], start: float, end: float) -> Generator[float, None, Result]:
    """The steps as those of something longer, from `start` to `end` of it."""
    while True:
        try:
            done = next(steps)
        except StopIteration as ended:
            return cast(Result, ended.value)
        yield start + (end - start) * done
