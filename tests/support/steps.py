"""What takes long is a generator that yields the part done."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")


def outcome(steps: Generator[float, None, Result]) -> Result:
    """What the steps return in the end."""
    while True:
        try:
            done = next(steps)
        except StopIteration as end:
            return end.value
        assert 0.0 <= done <= 1.0
