"""Things of one kind go through NumPy together: for ordinary ranges, calls cost more than the numbers in them.

Here they are put side by side, and taken apart again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from ..solver.values import Array

_ROWS = 1 << 12
"""So many rows make a batch; more would not stay in the processor's cache."""

Item = TypeVar("Item")


def batches(items: Iterable[Item], kind: Callable[[Item], Hashable], rows: int) -> Iterator[list[Item]]:
    """All items in lists of one kind each, short enough for the cache if each item has so many `rows`."""
    alike: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        alike[kind(item)].append(item)
    most = max(1, _ROWS // max(1, rows))
    for group in alike.values():
        for start in range(0, len(group), most):
            yield group[start : start + most]


def stacked(arrays: Iterable[Array]) -> Array:
    """(n, c, ...) of `c` arrays (n, ...), or (1, ...) if the same on all frames; in memory component by component."""
    arrays = list(arrays)
    rows = max(map(len, arrays))
    result = np.empty((rows, len(arrays), *arrays[0].shape[1:]), order="F")
    for column, array in enumerate(arrays):
        result[:, column] = array
    return result


def each_array(function: Callable[[Array], Array], data: Item) -> Item:
    """The dataclass `data` with `function` applied to each array in it; what is no array stays as it is."""
    values = {each.name: getattr(data, each.name) for each in fields(data)}  # type: ignore[arg-type]
    arrays: dict[str, Any] = {name: function(value) for name, value in values.items() if isinstance(value, np.ndarray)}
    return replace(data, **arrays)  # type: ignore[type-var]
