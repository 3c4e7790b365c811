"""Lists of items of one kind, each as long as the processor's cache allows."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

_ROWS = 1 << 12
"""Rows of a batch; more would not stay in the processor's cache."""

Item = TypeVar("Item")


def batches(items: Iterable[Item], kind: Callable[[Item], Hashable], rows: int) -> Iterator[list[Item]]:
    """All items in lists of one kind each, short enough for the cache if each item has this many `rows`."""
    alike: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        alike[kind(item)].append(item)
    most = max(1, _ROWS // max(1, rows))
    for group in alike.values():
        for start in range(0, len(group), most):
            yield group[start : start + most]
